/** A draft's quotations, each checked against the vault. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import * as gateway from "../api/gateway";
import * as rx from "../api/rx";
import type { Citation, VerifyAnswer } from "../api/types";
import { mayMean } from "../note/link";
import { Fault, useTask } from "../shell/task";
import { address, domainName, go } from "../state/store";
import { type Quotation, quotationsIn } from "./quotations";
import { type Checked, MarkedText, Verdicts } from "./quoted";
import { overall, verdict } from "./verdict";

interface Done {
  readonly draft: string;
  readonly domain: string;
  readonly quotations: readonly Quotation[];
  readonly answer: VerifyAnswer;
}

/** As many as the server takes at once. */
const MOST = 1000;
/** A file larger than this is no draft. */
const LARGEST = 1 << 20;

/** Kept while the page is open, so that looking at a note loses nothing. */
let kept = "";
let before: Done | null = null;

export default function Citations() {
  const draft = useSignal(kept);
  const done = useSignal<Done | null>(before);
  const refusal = useSignal<string | null>(null);
  const over = useSignal(false);
  const file = useRef<HTMLInputElement>(null);
  const task = useTask();
  const found = quotationsIn(draft.value).slice(0, MOST);

  const write = (text: string) => {
    kept = text;
    draft.value = text;
    refusal.value = null;
  };
  const open = async (chosen: File | undefined) => {
    if (!chosen) return;
    const text = chosen.size > LARGEST ? null : await chosen.text();
    if (text === null) refusal.value = `“${chosen.name}” is larger than a megabyte.`;
    else if (text.includes("\u0000")) refusal.value = `“${chosen.name}” is not a text.`;
    else write(text);
  };
  const check = async () => {
    const domain = domainName.value;
    if (!domain) return;
    const answer = await task.run(() => checkAll(domain, found));
    if (!answer) return;
    before = { draft: draft.value, domain, quotations: found, answer };
    done.value = before;
  };

  const now = done.value?.domain === domainName.value ? done.value : null;
  const current = now !== null && now.draft === draft.value;
  return (
    <section class="cite pad" aria-label="Citations">
      <h2>Check a draft's quotations</h2>
      <p class="faint">
        What stands between quotation marks, and every blockquote, is looked for word by word in{" "}
        {domainName.value ?? "the vault"}; a note linked beside it is where it is expected.
      </p>
      <div class="split">
        <div>
          <label class="hidden" for="draft">
            Draft
          </label>
          <textarea
            id="draft"
            class={over.value ? "over" : ""}
            rows={10}
            spellcheck={false}
            value={draft.value}
            placeholder={
              "Paste a text, or drop a file here.\n\nThe company says that “Halden Grocers accounted for six per cent of group revenue”, see [[Filings/NRTH/2026-Q2]] …"
            }
            onInput={(event) => write(event.currentTarget.value)}
            onDragOver={(event) => {
              if (!event.dataTransfer?.types.includes("Files")) return;
              event.preventDefault();
              over.value = true;
            }}
            onDragLeave={() => {
              over.value = false;
            }}
            onDrop={(event) => {
              over.value = false;
              const [dropped] = event.dataTransfer?.files ?? [];
              if (!dropped) return;
              event.preventDefault();
              void open(dropped);
            }}
          />
          <p class="controls-line">
            <button
              type="button"
              class="first"
              onClick={() => void check()}
              disabled={task.busy.value || found.length === 0}
            >
              {found.length === 0
                ? "No quotation yet"
                : `Check ${found.length} ${found.length === 1 ? "quotation" : "quotations"}`}
            </button>
            <button type="button" onClick={() => file.current?.click()}>
              Open a file …
            </button>
            <input
              ref={file}
              type="file"
              class="hidden"
              tabIndex={-1}
              aria-label="A text file"
              accept=".md,.markdown,.txt,text/*"
              onChange={(event) => {
                void open(event.currentTarget.files?.[0]);
                event.currentTarget.value = "";
              }}
            />
            <span role="status">
              {task.busy.value ? "Checking …" : now && current ? overall(now.answer) : ""}
            </span>
          </p>
          {refusal.value ? (
            <p class="fault" role="alert">
              {refusal.value}
            </p>
          ) : null}
          <Fault task={task} to="Checking" again={() => void check()} />
          {now ? <Marked done={now} /> : null}
        </div>
        {now ? <Outcome done={now} /> : null}
        {draft.value.trim() === "" ? null : <Save draft={draft.value} />}
      </div>
    </section>
  );
}

function checkedIn({ quotations, answer }: Done): readonly Checked[] {
  return quotations.flatMap(({ quote, start, end }, i): Checked[] => {
    const result = answer.results[i];
    return result ? [{ quote, place: [start, end], result, told: verdict(result) }] : [];
  });
}

function Marked({ done }: { done: Done }) {
  return (
    <>
      <h3>The draft</h3>
      <MarkedText text={done.draft} checked={checkedIn(done)} of="quote" />
    </>
  );
}

function Outcome({ done }: { done: Done }) {
  return (
    <div class="beside-text">
      <h3>Quotation by quotation</h3>
      <Verdicts checked={checkedIn(done)} of="quote" />
    </div>
  );
}

/** Keeps the draft on the server, with its quotations: they are checked again whenever a note changes. */
function Save({ draft }: { draft: string }) {
  const task = useTask();
  const title = useSignal("");
  const question = useSignal(address.peek().query.trim());
  const save = async () => {
    const domain = domainName.value;
    if (!domain || task.busy.value) return;
    const body = {
      ...(title.value.trim() ? { title: title.value.trim() } : {}),
      ...(question.value.trim() ? { question: question.value.trim() } : {}),
      text: draft,
    };
    const saved = await task.run(() => rx.create(domain, body));
    if (saved) go({ view: "recommendations", rx: saved.id }, "push");
  };
  return (
    <details class="save">
      <summary>Save as a recommendation</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p class="faint">
          It is kept in the vault with its quotations, which are checked again whenever a note changes.
        </p>
        <label>
          <span>Title</span>
          <input
            type="text"
            maxLength={200}
            value={title.value}
            onInput={(event) => {
              title.value = event.currentTarget.value;
            }}
          />
        </label>
        <label>
          <span>
            Question it answers <span class="faint">optional</span>
          </span>
          <input
            type="text"
            maxLength={1000}
            value={question.value}
            onInput={(event) => {
              question.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="first" disabled={task.busy.value}>
          Save
        </button>
        <Fault task={task} to="Saving" again={() => void save()} />
      </form>
    </details>
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
