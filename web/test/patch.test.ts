import { describe, expect, test } from "vitest";
import { changes, difference, merge, same, valueAt, withValue } from "../src/profile/patch";

const BASE = {
  limit: 10,
  fuse: { k: 60, weights: { vector: 1, lexical: 0.5 } },
  decay: { ladder: [1, 0.6] },
  budget: { max: 5 as number | null },
};

describe("a patch is the least that makes one profile of another", () => {
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ["nothing", BASE, {}],
    [
      "a number deep inside",
      withValue(BASE, ["fuse", "weights", "lexical"], 0.3),
      { fuse: { weights: { lexical: 0.3 } } },
    ],
    [
      "a list is replaced whole",
      withValue(BASE, ["decay", "ladder"], [1, 0.5]),
      { decay: { ladder: [1, 0.5] } },
    ],
    ["a limit is taken away", withValue(BASE, ["budget", "max"], null), { budget: { max: null } }],
    ["a key is added", withValue(BASE, ["fuse", "weights", "title"], 2), { fuse: { weights: { title: 2 } } }],
    ["two at once", withValue(withValue(BASE, ["limit"], 3), ["fuse", "k"], 0), { limit: 3, fuse: { k: 0 } }],
  ];
  test.each(cases)("%s", (_, whole, patch) => {
    expect(difference(BASE, whole)).toEqual(patch);
    expect(same(merge(BASE, patch), whole)).toBe(true);
    expect(difference(BASE, merge(BASE, patch))).toEqual(patch);
  });
});

test("setting a number back takes it out of the patch", () => {
  const there = withValue(BASE, ["fuse", "k"], 1);
  const back = withValue(there, ["fuse", "k"], valueAt(BASE, ["fuse", "k"]) ?? null);
  expect(difference(BASE, back)).toEqual({});
});

test("a switched-off number keeps its place, so that its control does not vanish", () => {
  expect(Object.keys(merge(BASE, { budget: { max: null } }).budget)).toEqual(["max"]);
});

test("an object that is removed is gone", () => {
  expect(merge({ kinds: { Filings: { a: 1 } } }, { kinds: { Filings: null } })).toEqual({ kinds: {} });
});

test("a link cannot reach an object's prototype", () => {
  merge(BASE, JSON.parse('{"__proto__": {"polluted": 1}, "fuse": {"__proto__": {"polluted": 1}}}'));
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("changes are counted by number", () => {
  expect(changes({})).toBe(0);
  expect(changes({ limit: 1, fuse: { k: 2, weights: { lexical: 1 } }, decay: { ladder: [1, 2] } })).toBe(4);
});
