/** A draft's quotations, each checked against the vault. */
import { useSignal } from "@preact/signals";
import * as gateway from "../api/gateway";
import { Failed } from "../api/gateway";
import type { Citation, CitationResult, VerifyAnswer } from "../api/types";
import { crumbs, line, visible } from "../note/display";
import { mayMean } from "../note/link";
import { NoteLink } from "../note/note-link";
import { tidy } from "../note/offsets";
import { cut } from "../note/structure";
import { domainName } from "../state/store";
import { type Quotation, quotationsIn } from "./quotations";
import { overall, type Verdict, verdict } from "./verdict";

interface Checked {
  readonly draft: string;
  readonly quotations: readonly Quotation[];
  readonly answer: VerifyAnswer;
}

/** As many as the server takes at once. */
const MOST = 1000;

/** Kept while the page is open, so that looking at a note loses nothing. */
let kept = "";
let before: Checked | null = null;

export default function Citations() {
  const draft = useSignal(kept);
  const checked = useSignal<Checked | null>(before);
  const fault = useSignal<Failed | null>(null);
  const busy = useSignal(false);
  const found = quotationsIn(draft.value).slice(0, MOST);

  const check = async () => {
    const domain = domainName.value;
    if (!domain) return;
    busy.value = true;
    fault.value = null;
    try {
      const answer = await checkAll(domain, found);
      before = { draft: draft.value, quotations: found, answer };
      checked.value = before;
    } catch (error) {
      fault.value = error instanceof Failed ? error : new Failed("page", String(error), null, null);
    } finally {
      busy.value = false;
    }
  };

  const now = checked.value;
  return (
    <section class="cite pad" aria-label="Citations">
      <h2>Check a draft's quotations</h2>
      <p class="faint">
        Paste a text. What stands between quotation marks, and every blockquote, is looked for word by word in{" "}
        {domainName.value ?? "the vault"}; a note linked beside it is where it is expected.
      </p>
      <label class="hidden" for="draft">
        Draft
      </label>
      <textarea
        id="draft"
        rows={10}
        spellcheck={false}
        value={draft.value}
        placeholder={
          "The company says that “Halden Grocers accounted for six per cent of group revenue”, see [[Filings/NRTH/2026-Q2]] …"
        }
        onInput={(event) => {
          kept = event.currentTarget.value;
          draft.value = kept;
        }}
      />
      <p class="controls-line">
        <button type="button" onClick={() => void check()} disabled={busy.value || found.length === 0}>
          {found.length === 0
            ? "No quotation yet"
            : `Check ${found.length} ${found.length === 1 ? "quotation" : "quotations"}`}
        </button>
        <span role="status">
          {busy.value ? "Checking …" : now && now.draft === draft.value ? overall(now.answer) : ""}
        </span>
      </p>
      {fault.value ? (
        <p class="fault" role="alert">
          {fault.value.message} {fault.value.hint}
        </p>
      ) : null}
      {now ? <Marked checked={now} /> : null}
    </section>
  );
}

/**
 * Checks each quotation against the note beside it. One without, or whose link is a short form, is
 * looked for in the whole domain, and then checked against the note in which it turned up.
 */
async function checkAll(domain: string, found: readonly Quotation[]): Promise<VerifyAnswer> {
  const first = await gateway.verify(
    domain,
    found.map(({ quote, cites }) => ({
      quote,
      note: cites === null ? null : asPath(cites),
      chunk_text: null,
    })),
  );
  const again = first.results.flatMap(
    ({ found_in, citation_reason }, i): { i: number; citation: Citation }[] => {
      const { quote, cites } = found[i]!;
      if (found_in && (cites === null || mayMean(cites, found_in.note))) {
        return [{ i, citation: { quote, note: found_in.note, chunk_text: null } }];
      }
      // Without a text to look in, nobody has said yet whether it is too short to be looked for.
      if (!found_in && citation_reason === "no_chunk_text") {
        return [{ i, citation: { quote, note: null, chunk_text: quote } }];
      }
      return [];
    },
  );
  if (again.length === 0) return first;
  const second = await gateway.verify(
    domain,
    again.map(({ citation }) => citation),
  );
  const results = [...first.results];
  again.forEach(({ i, citation }, j) => {
    const result = second.results[j]!;
    if (citation.note !== null || result.citation_reason === "too_short") results[i] = result;
  });
  return { ...first, results };
}

const asPath = (target: string): string => (/\.[a-z0-9]{1,5}$/i.test(target) ? target : `${target}.md`);

function Marked({ checked: { draft, quotations, answer } }: { checked: Checked }) {
  let done = 0;
  const parts = quotations.flatMap(({ start, end }, i) => {
    const result = answer.results[i];
    if (!result || start < done) return [];
    const between = draft.slice(done, start);
    done = end;
    return [
      <span key={`t${start}`}>{visible(between)}</span>,
      <a
        key={start}
        href={`#quote-${i}`}
        class={`quote ${verdict(result).kind}`}
        onClick={(event) => {
          event.preventDefault();
          document.getElementById(`quote-${i}`)?.scrollIntoView({ block: "center" });
        }}
      >
        {visible(draft.slice(start, end))}
      </a>,
    ];
  });
  return (
    <>
      <h3>The draft</h3>
      <p class="draft" dir="auto">
        {parts}
        <span>{visible(draft.slice(done))}</span>
      </p>
      <h3>Quotation by quotation</h3>
      <ol class="verdicts">
        {quotations.map((quotation, i) => {
          const result = answer.results[i];
          return result ? (
            <One key={i} id={`quote-${i}`} quotation={quotation} result={result} told={verdict(result)} />
          ) : null;
        })}
      </ol>
    </>
  );
}

function One({
  id,
  quotation,
  result,
  told,
}: {
  id: string;
  quotation: Quotation;
  result: CitationResult;
  told: Verdict;
}) {
  const { note, source, spans, found_in } = result;
  return (
    <li id={id} class={told.kind} data-verdict={told.kind}>
      <p class="told">
        <b>{told.name}</b> {told.words}
      </p>
      <blockquote dir="auto">{line(quotation.quote, 400)}</blockquote>
      {note ? (
        <p class="small">
          {result.citation_verified ? "In " : "Expected in "}
          <Where path={note} at={null} />
        </p>
      ) : null}
      {found_in ? (
        <p class="small">
          Found in <Where path={found_in.note} at={found_in.ordinal} />
          {found_in.section ? (
            <span class="faint">
              {" "}
              › <bdi>{line(found_in.section, 80)}</bdi>
            </span>
          ) : null}
        </p>
      ) : null}
      {source && spans.length > 0 ? <Source text={source} spans={spans} /> : null}
      {found_in ? <Source text={found_in.source} spans={found_in.spans} /> : null}
    </li>
  );
}

/** The passage around the quotation, with it marked. */
function Source({ text, spans }: { text: string; spans: readonly (readonly [number, number])[] }) {
  const marks = tidy(spans);
  const from = Math.max(0, (marks[0]?.[0] ?? 0) - 160);
  const to = Math.min(text.length, (marks.at(-1)?.[1] ?? 0) + 160);
  return (
    <p class="source" dir="auto">
      {from > 0 ? "… " : ""}
      {cut(from, to, marks).map(({ start, end, marked }) =>
        marked ? (
          <mark key={start}>{visible(text.slice(start, end))}</mark>
        ) : (
          <span key={start}>{visible(text.slice(start, end))}</span>
        ),
      )}
      {to < text.length ? " …" : ""}
    </p>
  );
}

function Where({ path, at }: { path: string; at: number | null }) {
  return (
    <NoteLink path={path} at={at}>
      <bdi>{line(crumbs(path).join(" › "), 120)}</bdi>
    </NoteLink>
  );
}
