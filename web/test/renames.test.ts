import { expect, test } from "vitest";
import { faults, type Row, renamesOf } from "../src/tags/renames";

const rows = (...pairs: (readonly [string, string])[]): readonly Row[] =>
  pairs.map(([from, to]) => ({ from, to }));

test("rows are renames, however a tag is written", () => {
  expect(renamesOf(rows([" #a ", "b"], ["", ""], ["c/d", "#e"]))).toEqual([
    { from: "a", to: "b" },
    { from: "c/d", to: "e" },
  ]);
});

test("what cannot be asked for is told by its row", () => {
  const cases: readonly (readonly [readonly Row[], readonly (readonly [number, string])[]])[] = [
    [rows(["a", "b"], ["c", "b"]), []],
    [rows(["", ""]), []],
    [rows(["", "b"]), [[0, "Which tag?"]]],
    [rows(["a", ""]), [[0, "To what?"]]],
    [rows(["a", "#a"]), [[0, "That is the same tag."]]],
    [rows(["a", "b"], ["#a", "c"]), [[1, "#a is already renamed in row 1."]]],
  ];
  for (const [given, expected] of cases) expect([...faults(given)], JSON.stringify(given)).toEqual(expected);
});
