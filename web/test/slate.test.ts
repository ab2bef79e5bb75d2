import { expect, test } from "vitest";
import type { Reply } from "../src/core/protocol";
import { expectOn, waitAt, writeOn } from "../src/core/slate";

const reply = (id: number, text: string): Reply => ({ id, reply: text });
const slate = () => new SharedArrayBuffer(1 << 20);

test("a reply that is written while the page waits is read as it was written, and once", () => {
  const shared = slate();
  expectOn(shared, 7);
  expect(writeOn(shared, reply(7, "Größe 0.1 ☞"))).toBe(true);
  expect(waitAt(shared, 7, 0)).toEqual(reply(7, "Größe 0.1 ☞"));
  expectOn(shared, 8);
  expect(waitAt(shared, 8, 0)).toBeNull();
});

test("numbers come over bit for bit", () => {
  const shared = slate();
  const numbers = [0.1 + 0.2, 1 / 3, 5e-324, Number.MAX_VALUE, 123456789.12345679];
  expectOn(shared, 1);
  writeOn(shared, { id: 1, reply: numbers as never });
  expect(waitAt(shared, 1, 0)).toEqual({ id: 1, reply: numbers });
});

test("whoever comes too late sends a message instead", () => {
  const shared = slate();
  expectOn(shared, 3);
  expect(waitAt(shared, 3, 0)).toBeNull();
  expect(writeOn(shared, reply(3, "late"))).toBe(false);
});

test("a late reply does not pass for the answer to the next question", () => {
  const shared = slate();
  expectOn(shared, 3);
  waitAt(shared, 3, 0);
  expectOn(shared, 4);
  expect(writeOn(shared, reply(3, "late"))).toBe(false);
  expect(writeOn(shared, reply(4, "in time"))).toBe(true);
  expect(waitAt(shared, 4, 0)).toEqual(reply(4, "in time"));
});

test("what does not fit comes by message, and nobody waits for it", () => {
  const shared = slate();
  expectOn(shared, 5);
  expect(writeOn(shared, reply(5, "x".repeat(1 << 20)))).toBe(false);
  const before = performance.now();
  expect(waitAt(shared, 5, 60_000)).toBeNull();
  expect(performance.now() - before).toBeLessThan(1000);
});

test("the page waits no longer than it said", () => {
  const shared = slate();
  expectOn(shared, 9);
  const before = performance.now();
  expect(waitAt(shared, 9, 20)).toBeNull();
  const waited = performance.now() - before;
  expect(waited).toBeGreaterThanOrEqual(20);
  expect(waited).toBeLessThan(1000);
});
