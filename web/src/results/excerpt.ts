/**
 * A passage cut to its marked sentences with a little of what stands around them. Which sentences
 * matter is the core's decision; how much context fits on a row is this file's.
 */
import type { Chunk, ExcerptSentence } from "../core/concord";
import { type Span, tidy, utf16Offsets } from "../note/offsets";

export interface Fragment {
  readonly text: string;
  readonly marked: boolean;
}

/** Where the excerpt's sentences stand in the chunk, in units of UTF-16. */
export function sentenceSpans(chunk: Chunk, excerpt: readonly ExcerptSentence[]): readonly Span[] {
  const sentences = excerpt.flatMap(({ sentence }) => chunk.sentences[sentence] ?? []);
  const units = utf16Offsets(
    chunk.text,
    sentences.flatMap(({ start, end }) => [start, end]),
  );
  return tidy(sentences.map((_, i): Span => [units[2 * i] as number, units[2 * i + 1] as number]));
}

/** Characters of context kept on either side of a marked sentence. */
const CONTEXT = 60;
/** Without any sentence to mark, so much of the beginning. */
const LEAD = 240;

export function fragments(chunk: Chunk, excerpt: readonly ExcerptSentence[]): readonly Fragment[] {
  const { text } = chunk;
  const spans = sentenceSpans(chunk, excerpt);
  if (spans.length === 0) {
    return [
      { text: flat(text.length > LEAD ? `${text.slice(0, backTo(text, LEAD))} …` : text), marked: false },
    ];
  }
  const parts: Fragment[] = [];
  // A heading that nobody marked stands in the breadcrumb, and is no sentence to be read on from.
  const between = (from: number, to?: number) => text.slice(from, to).replace(HEADING, "");
  const plain = (part: string) => {
    if (part !== "" && (parts.length > 0 || part.trim() !== ""))
      parts.push({ text: flat(part), marked: false });
  };
  let done = 0;
  spans.forEach(([start, end], i) => {
    const gap = between(done, start);
    if (gap.length <= CONTEXT * (i === 0 ? 1 : 2)) plain(gap);
    else {
      const head = i === 0 ? "" : gap.slice(0, backTo(gap, CONTEXT));
      plain(`${head} … ${gap.slice(forthTo(gap, gap.length - CONTEXT))}`);
    }
    parts.push({ text: flat(text.slice(start, end)), marked: true });
    done = end;
  });
  const rest = between(done);
  plain(rest.length <= CONTEXT ? rest : `${rest.slice(0, backTo(rest, CONTEXT))} …`);
  return parts;
}

const HEADING = /^[ \t]{0,3}#{1,6}[ \t].*$/gm;

/** For a line or two: without the signs of markdown, and links by what they say. */
function flat(text: string): string {
  return text
    .replace(/^[ \t]{0,3}(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm, "")
    .replace(/!?\[\[([^\]|]+)(?:\|([^\]]+))?\]\]/g, (_, target: string, alias?: string) => alias ?? target)
    .replace(/!?\[([^\]]*)\]\([^()\s]+\)/g, "$1")
    .replace(/(\*\*|__|`)(.+?)\1/g, "$2")
    .replace(/\s+/g, " ");
}

/** The last word border at or before `at`; `at` itself inside a very long word. */
export function backTo(text: string, at: number): number {
  for (let i = at; i > at - 30 && i > 0; i--) if (/\s/.test(text[i] ?? " ")) return i;
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at - 1 : at;
}

export function forthTo(text: string, at: number): number {
  for (let i = at; i < at + 30; i++) if (/\s/.test(text[i] ?? " ")) return i;
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at;
}
