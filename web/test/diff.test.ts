import { expect, test } from "vitest";
import { diffLines } from "../src/tags/diff";

const shown = (diff: string) =>
  diffLines(diff).map(({ kind, text, old, new: now }) => `${kind} ${old ?? "-"} ${now ?? "-"} ${text}`);

test("a unified diff is lines with their numbers, without the files' names", () => {
  const diff = [
    "--- a/Note.md",
    "+++ b/Note.md",
    "@@ -1,3 +1,4 @@",
    " ---",
    "-title: A",
    "+title: A",
    "+tags: [b]",
    " ---",
    "",
  ].join("\n");
  expect(shown(diff)).toEqual([
    "same 1 1 ---",
    "removed 2 - title: A",
    "added - 2 title: A",
    "added - 3 tags: [b]",
    "same 3 4 ---",
  ]);
});

test("what a diff leaves out is a gap", () => {
  const diff = "@@ -4 +4 @@\n-a\n+b\n@@ -9,2 +9,2 @@\n c\n-d\n+e\n\\ No newline at end of file\n";
  expect(shown(diff)).toEqual([
    "gap - - ",
    "removed 4 - a",
    "added - 4 b",
    "gap - - ",
    "same 9 9 c",
    "removed 10 - d",
    "added - 10 e",
  ]);
});

test("a line of the note that looks like a part of a diff is a line of the note", () => {
  const diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n---- x\n+++ y\n  @@ -1 +1 @@\n";
  expect(shown(diff)).toEqual(["removed 1 - --- x", "added - 1 ++ y", "same 2 2  @@ -1 +1 @@"]);
});

test("nothing is no lines", () => {
  expect(diffLines("")).toEqual([]);
});
