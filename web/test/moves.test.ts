import { expect, test } from "vitest";
import { moves, rankChanges } from "../src/results/moves";

test("each row says how far it moved", () => {
  const changes = rankChanges([10, 20, 30, 40], [30, 10, 20, 50]);
  expect([...changes]).toEqual([
    [30, { kind: "up", by: 2 }],
    [10, { kind: "down", by: 1 }],
    [20, { kind: "down", by: 1 }],
    [50, { kind: "new" }],
  ]);
  expect(rankChanges([1], [1]).get(1)).toEqual({ kind: "same" });
});

const at = (...tops: readonly (readonly [number, number])[]) =>
  new Map(tops.map(([id, top]) => [id, { top, height: 100 }]));

test("rows are set off from where they were", () => {
  expect(moves(at([1, 0], [2, 100], [3, 200]), at([2, 0], [1, 100], [3, 200]), [0, 900])).toEqual([
    { id: 2, from: 100 },
    { id: 1, from: -100 },
  ]);
});

test("a row that was not there fades in", () => {
  expect(moves(at([1, 0]), at([2, 0], [1, 100]), [0, 900])).toEqual([
    { id: 2, from: null },
    { id: 1, from: -100 },
  ]);
});

test("what cannot be seen is not moved", () => {
  const before = at([1, 2000], [2, 3000], [3, 4000]);
  expect(moves(before, at([1, 50], [2, 2900], [3, 4000], [4, 5000]), [0, 900])).toEqual([
    { id: 1, from: 1950 },
  ]);
});

test("less than a pixel is no motion", () => {
  expect(moves(at([1, 0]), at([1, 0.4]), [0, 900])).toEqual([]);
});
