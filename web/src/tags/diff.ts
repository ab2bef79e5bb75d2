/** A unified diff as lines to be shown, each with its number in the old and the new file. Pure. */

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  readonly text: string;
  readonly old: number | null;
  readonly new: number | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The names of the files are left out: they stand above. A gap is what a diff does not show. */
export function diffLines(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let from = 0;
  let to = 0;
  // Above its first hunk a diff names the files.
  let inHunk = false;
  const all = diff.split("\n");
  if (all.at(-1) === "") all.pop();
  for (const line of all) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      inHunk = true;
      [from, to] = [Number(hunk[1]), Number(hunk[2])];
      if (lines.length > 0 || from > 1) lines.push({ kind: "gap", text: "", old: null, new: null });
      continue;
    }
    // `\ No newline at end of file` is about the line above.
    if (!inHunk || line.startsWith("\\")) continue;
    const text = line.slice(1);
    if (line.startsWith("+")) lines.push({ kind: "added", text, old: null, new: to++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text, old: from++, new: null });
    else lines.push({ kind: "same", text, old: from++, new: to++ });
  }
  return lines;
}
