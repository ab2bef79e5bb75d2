import { expect, test } from "vitest";
import { faults, inWords, type Row, renamesOf } from "../src/tags/renames";

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

test("what undoing would take back is said by its tags, as far as they are known", () => {
  const at = Date.UTC(2026, 10, 18) / 1000;
  const change = { journal: "1-000", at, files: ["a.md", "b.md"] };
  const told = (renames: [string, string][]) => inWords({ ...change, renames });
  expect(told([["lifting", "pulling"]])).toBe("#lifting → #pulling in 2 files, Nov 18, 2026");
  expect(told([])).toBe("in 2 files, Nov 18, 2026");
  const many = ["a", "b", "c", "d", "e"].map((tag): [string, string] => [tag, `${tag}/x`]);
  expect(told(many)).toBe("#a → #a/x, #b → #b/x, #c → #c/x, and 2 more in 2 files, Nov 18, 2026");
  expect(inWords({ ...change, at: null, files: ["a.md"], renames: [] })).toBe("in 1 file");
});
