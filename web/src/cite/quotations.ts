/** The quotations in a draft: what stands between quotation marks, and blockquotes. Pure. */

export interface Quotation {
  readonly quote: string;
  /** Where it stands in the draft, marks included, in units of UTF-16. */
  readonly start: number;
  readonly end: number;
  /** The note that the draft names beside it, as written in a link; null where it names none. */
  readonly cites: string | null;
}

/**
 * Opening and closing marks. A straight mark closes what a straight mark opened; where German and
 * English share a character (“ closes „ and opens ”), the opening mark decides.
 */
const PAIRS: readonly (readonly [string, string])[] = [
  ["“", "”"],
  ["„", "“"],
  ["«", "»"],
  ["»", "«"],
  ['"', '"'],
];

/** No quotation runs on past a blank line: an unpaired mark must not swallow the rest of the draft. */
const PARAGRAPH = /\n[ \t]*\n/;

export function quotationsIn(draft: string): readonly Quotation[] {
  const found: Quotation[] = [];
  for (const block of blocks(draft)) {
    if (block.quoted !== null) {
      const cites =
        linkIn(block.text) ??
        linkIn(
          draft
            .slice(block.end, block.end + 200)
            .split("\n")
            .find((line) => line.trim() !== "") ?? "",
        );
      const quote = block.quoted.replace(ATTRIBUTION, "").trim().replace(NUMBER, "");
      if (quote !== "") found.push({ quote, start: block.start, end: block.end, cites });
    } else {
      found.push(...marked(block.text, block.start));
    }
  }
  return found;
}

/** A last line of a blockquote that begins with a dash names the source and is no part of it. */
const ATTRIBUTION = /\n\s*(?:—|–|--)\s.*$/s;

/** Nor is the number of a passage at its end. */
const NUMBER = /\s*\[\d{1,4}\]$/;

interface Block {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The blockquote's text without its signs; null for any other block. */
  readonly quoted: string | null;
}

function blocks(draft: string): readonly Block[] {
  const all: Block[] = [];
  const lines = draft.split("\n");
  let at = 0;
  let run: { start: number; quoted: boolean; lines: string[] } | null = null;
  const close = (end: number) => {
    if (!run) return;
    const text = draft.slice(run.start, end);
    const quoted = run.quoted ? run.lines.map((line) => line.replace(/^\s{0,3}>\s?/, "")).join("\n") : null;
    all.push({ start: run.start, end, text, quoted });
    run = null;
  };
  for (const line of lines) {
    const quoted = /^\s{0,3}>/.test(line);
    const current = run as { start: number; quoted: boolean; lines: string[] } | null;
    if (!current || current.quoted !== quoted) {
      close(Math.max(at - 1, 0));
      run = { start: at, quoted, lines: [line] };
    } else {
      current.lines.push(line);
    }
    at += line.length + 1;
  }
  close(draft.length);
  return all;
}

function marked(text: string, offset: number): Quotation[] {
  const found: Quotation[] = [];
  for (let at = 0; at < text.length; at++) {
    const pair = PAIRS.find(([open]) => open === text[at]);
    if (!pair) continue;
    // 6" and don"t are no openings: a straight mark opens at a word's beginning only.
    if (pair[0] === '"' && at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1] as string)) continue;
    const rest = text.slice(at + 1);
    const paragraph = rest.search(PARAGRAPH);
    const end = rest.indexOf(pair[1]);
    if (end < 0 || (paragraph >= 0 && paragraph < end)) continue;
    const quote = rest.slice(0, end).trim();
    const close = at + 1 + end;
    if (quote !== "") {
      const after = text.slice(close + 1).split(PARAGRAPH)[0] ?? "";
      const [sentence] = after.split(/[.!?]\s/);
      const paragraphsBefore = text.slice(0, at).split(PARAGRAPH);
      const before = (paragraphsBefore.at(-1) ?? "").split(/[.!?]\s/).at(-1) ?? "";
      const cites = linkIn(sentence ?? "") ?? linkIn(before);
      found.push({ quote, start: offset + at, end: offset + close + 1, cites });
    }
    at = close;
  }
  return found;
}

/** The target of the first link to a note, without heading and alias. */
function linkIn(text: string): string | null {
  const wiki = /\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]/.exec(text);
  if (wiki?.[1]) return wiki[1].trim();
  const markdown = /\]\(([^)\s#]+\.md)(?:#[^)]*)?\)/.exec(text);
  if (!markdown?.[1]) return null;
  try {
    return decodeURIComponent(markdown[1]);
  } catch {
    return markdown[1];
  }
}
