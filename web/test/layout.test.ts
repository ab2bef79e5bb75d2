import { expect, test } from "vitest";
import { newestOnly } from "../src/core/newest";
import { rings, spread, towards } from "../src/graph/layout";

const LINKS = [
  [0, 1],
  [1, 2],
  [3, 4],
  [4, 5],
] as const;

test("the same graph is drawn the same way, inside its frame", () => {
  const points = spread(6, LINKS, [0, 0, 0, 1, 1, 1]);
  expect(points).toEqual(spread(6, LINKS, [0, 0, 0, 1, 1, 1]));
  for (const { x, y } of points) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(1);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(1);
  }
});

test("no two notes are drawn on top of each other", () => {
  for (const points of [spread(40, [], []), rings([0, 1, 1, 2, 2, 2, 3])]) {
    const seen = points.map(({ x, y }) => `${x.toFixed(4)} ${y.toFixed(4)}`);
    expect(new Set(seen).size).toBe(seen.length);
  }
});

test("a note without links leaves the others their room", () => {
  const chain = Array.from({ length: 29 }, (_, i) => [i, i + 1] as const);
  const ring = [...chain, [29, 0] as const, ...chain.map(([a]) => [a, (a + 7) % 30] as const)];
  const points = spread(31, ring, []).slice(0, 30);
  const extent = (all: number[]) => Math.max(...all) - Math.min(...all);
  expect(extent(points.map(({ x }) => x))).toBeGreaterThan(0.75);
  expect(extent(points.map(({ y }) => y))).toBeGreaterThan(0.75);
});

test("no notes and one note can be drawn", () => {
  expect(spread(0, [], [])).toEqual([]);
  expect(spread(1, [], [0])).toEqual([{ x: 0.5, y: 0.5 }]);
});

test("a further hop lies further out", () => {
  const far = rings([0, 1, 2, 3]).map(({ x, y }) => Math.hypot(x - 0.5, y - 0.5));
  expect([...far].sort((a, b) => a - b)).toEqual(far);
});

test("an arrow goes to the nearest note that way, and stays where there is none", () => {
  const points = [
    { x: 0, y: 0 },
    { x: 1, y: 0 },
    { x: 0.4, y: 0.1 },
    { x: 0, y: 1 },
  ];
  expect(towards(points, 0, "ArrowRight")).toBe(2);
  expect(towards(points, 0, "ArrowDown")).toBe(3);
  expect(towards(points, 0, "ArrowLeft")).toBe(0);
});

test("of what is asked while one is under way, only the last is answered", async () => {
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const run = newestOnly(async (n: number) => {
    started.push(n);
    await new Promise<void>((end) => ends.push(end));
    return n;
  });
  const all = [run(1), run(2), run(3)];
  ends[0]?.();
  expect(await all[0]).toBe(1);
  expect(await all[1]).toBeNull();
  ends[1]?.();
  expect(await all[2]).toBe(3);
  expect(started).toEqual([1, 3]);
});

test("a failure does not stop what was asked after it", async () => {
  const run = newestOnly(async (n: number) => {
    if (n === 1) throw new Error("one");
    return n;
  });
  const [first, second] = [run(1), run(2)];
  await expect(first).rejects.toThrow("one");
  expect(await second).toBe(2);
});
