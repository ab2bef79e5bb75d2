/** The rows of a rename as they are typed, and what is wrong with them before anybody is asked. Pure. */
import type { LastRename, Rename } from "../api/order";
import { day, line } from "../note/display";

export interface Row {
  readonly from: string;
  readonly to: string;
}

export const EMPTY: Row = { from: "", to: "" };

/** As people write a tag, with or without its sign. */
export const bare = (tag: string): string => tag.trim().replace(/^#+/, "");

/** What is to be renamed; rows with nothing in them are left out. */
export const renamesOf = (rows: readonly Row[]): readonly Rename[] =>
  rows.map(({ from, to }) => ({ from: bare(from), to: bare(to) })).filter(({ from, to }) => from || to);

/** By row: why it cannot be asked for. */
export function faults(rows: readonly Row[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const first = new Map<string, number>();
  rows.forEach((row, i) => {
    const [from, to] = [bare(row.from), bare(row.to)];
    if (from === "" && to === "") return;
    if (from === "") found.set(i, "Which tag?");
    else if (to === "") found.set(i, "To what?");
    else if (from === to) found.set(i, "That is the same tag.");
    else if (first.has(from)) found.set(i, `#${from} is already renamed in row ${first.get(from)! + 1}.`);
    else first.set(from, i);
  });
  return found;
}

/** Of many renamed tags the first are named. */
const NAMED = 3;

/** What undoing would take back, in words. */
export function inWords({ at, renames, files }: LastRename): string {
  const named = renames.slice(0, NAMED).map(([from, to]) => `#${line(from, 60)} → #${line(to, 60)}`);
  if (renames.length > NAMED) named.push(`and ${renames.length - NAMED} more`);
  const where = `in ${files.length} ${files.length === 1 ? "file" : "files"}`;
  const what = [named.join(", "), where].filter(Boolean).join(" ");
  return at === null ? what : `${what}, ${day(at)}`;
}
