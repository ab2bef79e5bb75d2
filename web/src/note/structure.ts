/**
 * A note's text in blocks and pieces, for reading. Not a markdown parser and not meant to be one:
 * which text is a heading, a list item, code, a link, and nothing else; every piece keeps its
 * offsets, so that passages and quotations can be marked in it. What the search sees of a note is
 * decided by the server's parser alone.
 */
import type { Span } from "./offsets";

export interface Block {
  readonly kind: "heading" | "text" | "item" | "quote" | "code" | "rule" | "facts";
  /** Of a heading 1 to 6, of a list item its depth from 0. */
  readonly level: number;
  readonly start: number;
  readonly end: number;
  /** Where its text begins, past `##`, `-` or `>`. */
  readonly from: number;
  /** A list item's own sign. */
  readonly sign: string;
}

export interface Piece {
  readonly kind: "text" | "code" | "strong" | "note" | "web";
  readonly start: number;
  readonly end: number;
  /** What is to be read. */
  readonly text: string;
  /** Where `text` begins in the note; it is a verbatim slice. */
  readonly at: number;
  /** A link's target as written. */
  readonly target: string;
}

export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  let open: { kind: Block["kind"]; level: number; start: number; from: number; sign: string } | null = null;
  let fence: string | null = null;
  const close = (end: number) => {
    if (open) blocks.push({ ...open, end });
    open = null;
  };
  const one = (kind: Block["kind"], level: number, start: number, from: number, end: number, sign = "") => {
    close(start);
    blocks.push({ kind, level, start, from, end, sign });
  };
  const lines = text.split("\n");
  const facts = factsEnd(lines);
  for (const [number, line] of lines.entries()) {
    const start = at;
    const end = at + line.length;
    at = end + 1;
    const bare = line.replace(/\r$/, "");
    if (number <= facts) {
      if (!open) open = { kind: "facts", level: 0, start, from: start, sign: "" };
      if (number === facts) close(end);
      continue;
    }
    const ticks = /^\s{0,3}(`{3,}|~{3,})/.exec(bare)?.[1];
    if (fence !== null) {
      if (ticks?.startsWith(fence) && bare.trim() === ticks) {
        fence = null;
        close(start);
      }
      continue;
    }
    if (ticks) {
      close(start);
      fence = ticks;
      open = { kind: "code", level: 0, start, from: Math.min(end + 1, text.length), sign: "" };
      continue;
    }
    if (bare.trim() === "") {
      close(start);
      continue;
    }
    const heading = /^(#{1,6})\s+/.exec(bare);
    if (heading) {
      one("heading", (heading[1] as string).length, start, start + heading[0].length, end);
      continue;
    }
    if (/^\s{0,3}([-*_])\s*(?:\1\s*){2,}$/.test(bare)) {
      one("rule", 0, start, start, end);
      continue;
    }
    const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\[[ xX]\]\s+)?/.exec(bare);
    if (item) {
      close(start);
      const depth = Math.min(4, Math.floor((item[1] as string).replaceAll("\t", "  ").length / 2));
      const sign = item[3] ? item[3].trim() : (item[2] as string);
      open = { kind: "item", level: depth, start, from: start + item[0].length, sign };
      continue;
    }
    const quote = /^\s{0,3}>\s?/.exec(bare);
    if (quote) {
      one("quote", 0, start, start + quote[0].length, end);
      continue;
    }
    if (!open || open.kind === "quote") {
      close(start);
      open = { kind: "text", level: 0, start, from: start, sign: "" };
    }
  }
  close(text.length);
  return blocks;
}

/** The last line of the facts between dashes at a note's head; −1 where it has none. */
function factsEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return -1;
  return lines.findIndex((line, i) => i > 0 && /^(---|\.\.\.)\s*$/.test(line));
}

const INLINE =
  /(?<code>`+)(?<inCode>[^`]+?)\k<code>(?!`)|!?\[\[(?<wiki>[^\]|\n]+)(?:\|(?<alias>[^\]\n]+))?\]\]|!?\[(?<words>[^\]\n]*)\]\((?<target>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)|\*\*(?<strong>[^*\n]+)\*\*|(?<web>https?:\/\/[^\s<>)\]]+)/g;

/** A block's text in pieces; code and the facts are one piece. */
export function piecesOf(text: string, block: Block): readonly Piece[] {
  const { from, end } = block;
  const plain = (start: number, until: number): Piece => ({
    kind: "text",
    start,
    end: until,
    text: text.slice(start, until),
    at: start,
    target: "",
  });
  if (block.kind === "code" || block.kind === "facts" || block.kind === "rule") return [plain(from, end)];
  const pieces: Piece[] = [];
  let done = from;
  // A line of a megabyte is shown as it is.
  const source = text.slice(from, end);
  if (source.length > 100_000) return [plain(from, end)];
  for (const match of source.matchAll(INLINE)) {
    const start = from + match.index;
    const until = start + match[0].length;
    const { inCode, wiki, alias, words, target, strong, web } = match.groups as Record<
      string,
      string | undefined
    >;
    const shown = inCode ?? alias ?? wiki ?? (words || target) ?? strong ?? web ?? match[0];
    const kind = inCode ? "code" : wiki ? "note" : target ? "note" : strong ? "strong" : "web";
    if (start > done) pieces.push(plain(done, start));
    // From behind for an alias, which follows its target and may equal it.
    const at = start + (alias ? match[0].lastIndexOf(shown) : match[0].indexOf(shown));
    pieces.push({ kind, start, end: until, text: shown, at, target: wiki ?? target ?? web ?? "" });
    done = until;
  }
  if (done < end) pieces.push(plain(done, end));
  return pieces;
}

/** Cuts `[start, end)` at the borders of sorted spans: each part, and whether it is in one. */
export function cut(
  start: number,
  end: number,
  spans: readonly Span[],
): readonly { start: number; end: number; marked: boolean }[] {
  const parts: { start: number; end: number; marked: boolean }[] = [];
  let at = start;
  for (const [from, to] of spans) {
    if (to <= at) continue;
    if (from >= end) break;
    if (from > at) parts.push({ start: at, end: from, marked: false });
    parts.push({ start: Math.max(from, at), end: Math.min(to, end), marked: true });
    at = Math.min(to, end);
  }
  if (at < end) parts.push({ start: at, end, marked: false });
  return parts;
}
