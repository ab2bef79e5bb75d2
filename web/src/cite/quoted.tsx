/** A text with its quotations marked by what came of them, and each of them beside its source. */
import type { CitationResult } from "../api/types";
import { crumbs, line, visible } from "../note/display";
import { NoteLink } from "../note/note-link";
import { type Span, tidy } from "../note/offsets";
import { cut } from "../note/structure";
import { backTo, forthTo } from "../results/excerpt";
import { differing } from "./nearness";
import type { Verdict } from "./verdict";

export interface Checked {
  readonly quote: string;
  /** In the text; null for one that does not stand in it. */
  readonly place: Span | null;
  readonly result: CitationResult;
  readonly told: Verdict;
}

/** The text; each quotation leads to what is said of it below. `of` tells the two of one page apart. */
export function MarkedText({ text, checked, of }: { text: string; checked: readonly Checked[]; of: string }) {
  let done = 0;
  const order = checked
    .map(({ place, told }, i) => ({ place, told, i }))
    .filter((one): one is typeof one & { place: Span } => one.place !== null)
    .sort((a, b) => a.place[0] - b.place[0]);
  const parts = order.flatMap(({ place: [start, end], told, i }) => {
    if (start < done) return [];
    const between = text.slice(done, start);
    done = end;
    return [
      <span key={`t${start}`}>{visible(between)}</span>,
      <a
        key={start}
        href={`#${of}-${i}`}
        class={`quote ${told.kind}`}
        title={told.name}
        onClick={(event) => {
          event.preventDefault();
          const verdict = document.getElementById(`${of}-${i}`);
          verdict?.scrollIntoView({ block: "center" });
          verdict?.focus({ preventScroll: true });
        }}
      >
        {visible(text.slice(start, end))}
      </a>,
    ];
  });
  return (
    <p class="draft" dir="auto">
      {parts}
      <span>{visible(text.slice(done))}</span>
    </p>
  );
}

export function Verdicts({ checked, of }: { checked: readonly Checked[]; of: string }) {
  return (
    <ol class="verdicts">
      {checked.map((one, i) => (
        <One key={i} id={`${of}-${i}`} {...one} />
      ))}
    </ol>
  );
}

function One({ id, quote, result, told }: Checked & { id: string }) {
  const { note, source, spans, found_in } = result;
  return (
    <li id={id} class={told.kind} data-verdict={told.kind} tabIndex={-1}>
      <p class="told">
        <b>{told.name}</b> {told.words}
      </p>
      <blockquote dir="auto">{line(quote, 400)}</blockquote>
      {note && !(found_in?.near && found_in.note === note) ? (
        <p class="small">
          {result.citation_verified ? "In " : "Expected in "}
          <Where path={note} at={null} />
        </p>
      ) : null}
      {source && spans.length > 0 ? <Source text={source} spans={spans} /> : null}
      {found_in ? (
        <>
          <p class="small">
            {found_in.near ? "Nearest: " : note ? "Stands instead in " : "Stands in "}
            <Where path={found_in.note} at={found_in.ordinal} />
            {found_in.section && found_in.section !== crumbs(found_in.note).at(-1) ? (
              <span class="faint">
                {" "}
                › <bdi>{line(found_in.section, 80)}</bdi>
              </span>
            ) : null}
            {found_in.near && found_in.distance ? (
              <span class="faint">
                {" "}
                · {found_in.distance} {found_in.distance === 1 ? "character" : "characters"} apart
              </span>
            ) : null}
          </p>
          {found_in.near ? (
            <Apart quote={quote} found={found_in} />
          ) : (
            <Source text={found_in.source} spans={found_in.spans} />
          )}
        </>
      ) : null}
    </li>
  );
}

/** The quotation over what stands there: struck out what nobody wrote, underlined what is written. */
function Apart({ quote, found }: { quote: string; found: NonNullable<CitationResult["found_in"]> }) {
  const spans = tidy(found.spans);
  const [from, to] = [spans[0]?.[0] ?? 0, spans.at(-1)?.[1] ?? found.source.length];
  const parts = differing(visible(quote), visible(found.source.slice(from, to)));
  return (
    <p class="source apart" dir="auto">
      {parts.map(({ kind, text }, i) =>
        kind === "quoted" ? (
          <del key={i}>
            <span class="hidden">quoted: </span>
            {text}
          </del>
        ) : kind === "there" ? (
          <ins key={i}>
            <span class="hidden">there: </span>
            {text}
          </ins>
        ) : (
          <span key={i}>{text}</span>
        ),
      )}
    </p>
  );
}

/** Characters of the source before and after the quotation. */
const AROUND = 160;

/** The passage around the quotation, with it marked. */
function Source({ text, spans }: { text: string; spans: readonly Span[] }) {
  const marks = tidy(spans);
  const [first, last] = [marks[0]?.[0] ?? 0, marks.at(-1)?.[1] ?? 0];
  // A passage begins with its headings, which are no part of what was written under them.
  const heading = /^(?:#{1,6} .*\n+)+/.exec(text)?.[0].length ?? 0;
  const from =
    first > AROUND ? Math.min(forthTo(text, first - AROUND), first) : heading <= first ? heading : 0;
  const to = last + AROUND < text.length ? Math.max(backTo(text, last + AROUND), last) : text.length;
  return (
    <p class="source" dir="auto">
      {from > heading ? "… " : ""}
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
