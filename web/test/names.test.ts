import { expect, test } from "vitest";
import { type Named, placeNames } from "../src/graph/names";

const SIZE = [960, 600] as const;
const FONT = 12;

const dot = (x: number, y: number, text = "a name of some length"): Named => ({ x, y, radius: 8, text });

/** What a name covers, generously. */
function box(dots: readonly Named[], i: number, { x, y }: { x: number; y: number }) {
  const half = (dots[i]!.text.length * 0.57 * FONT) / 2;
  return { left: x - half, right: x + half, top: y - 0.95 * FONT, bottom: y + 0.3 * FONT };
}

/** A heap of dots, always the same. */
function heap(n: number): Named[] {
  let seed = 7;
  const next = () => {
    seed = (seed * 48271) % 0x7fffffff;
    return seed / 0x7fffffff;
  };
  return Array.from({ length: n }, () => dot(40 + next() * 880, 20 + next() * 560));
}

test("no name covers a dot or another name, and none leaves the picture", () => {
  const dots = heap(40);
  const placed = placeNames(dots, [...dots.keys()], FONT, SIZE);
  expect(placed.size).toBeGreaterThan(15);
  const boxes = [...placed].map(([i, place]) => box(dots, i, place));
  boxes.forEach((one, a) => {
    expect(one.left).toBeGreaterThanOrEqual(0);
    expect(one.right).toBeLessThanOrEqual(960);
    expect(one.top).toBeGreaterThanOrEqual(0);
    expect(one.bottom).toBeLessThanOrEqual(600);
    const others = boxes.filter((_, b) => b !== a);
    const squares = dots.map(({ x, y, radius }) => ({
      left: x - radius,
      right: x + radius,
      top: y - radius,
      bottom: y + radius,
    }));
    for (const other of [...others, ...squares]) {
      const apart =
        one.right <= other.left ||
        other.right <= one.left ||
        one.bottom <= other.top ||
        other.bottom <= one.top;
      expect(apart).toBe(true);
    }
  });
});

test("a name stands below its dot, and above it at the lower edge", () => {
  const dots = [dot(400, 300), dot(700, 590)];
  const placed = placeNames(dots, [0, 1], FONT, SIZE);
  expect(placed.get(0)!.y).toBeGreaterThan(308);
  expect(placed.get(1)!.y).toBeLessThan(582);
});

test("in a crowd nobody is named, and only the first may cover one other", () => {
  const crowd = Array.from({ length: 60 }, (_, i) => dot(400 + (i % 10) * 12, 300 + Math.floor(i / 10) * 12));
  expect(placeNames(crowd, [33], FONT, SIZE).size).toBe(0);
  const fence = [dot(400, 300, "name"), ...[380, 400, 420].flatMap((x) => [dot(x, 280), dot(x, 320)])];
  const besides = [dot(380, 300), dot(420, 300)];
  const named = (dots: readonly Named[], order: readonly number[]) =>
    placeNames(dots, order, FONT, SIZE).has(0);
  expect(named(fence, [0])).toBe(true);
  expect(named([...fence, ...besides], [0])).toBe(true);
  expect(named([...fence, ...besides], [1, 0])).toBe(false);
});
