import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import type * as core from "../pkg/web/concord_wasm.js";
import type { Bundle, DecayTrace, Profile } from "../src/core/concord";
import { absence } from "../src/why/absence";
import { partsOf } from "../src/why/parts";
import {
  account,
  decayInWords,
  dropInWords,
  inBrief,
  legsInWords,
  linksHere,
  place,
  short,
} from "../src/why/words";

// The same module as in the browser, in Node.
const { default_profile, rank } = createRequire(import.meta.url)(
  "../pkg/nodejs/concord_wasm.js",
) as typeof core;
const bundle = JSON.parse(
  readFileSync(new URL("../../native/tests/data/finance.bundle.json", import.meta.url), "utf8"),
) as Bundle;
const vault = default_profile("vault", "finance");

test("places are written as people say them", () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(place).join(" ")).toBe(
    "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 101st 111th",
  );
});

test("numbers are short and have a real minus sign", () => {
  expect([0, 0.6, 0.0081967, -0.05, 1 / 3, 12345.678, 1e-7].map(short)).toEqual([
    "0",
    "0.6",
    "0.008197",
    "−0.05",
    "0.3333",
    "12350",
    "1.0e−7",
  ]);
});

test("meaning is named before words", () => {
  const share = { chunk: 1, raw: 1, weight: 1, contribution: 1 };
  expect(
    legsInWords([
      { ...share, leg: "lexical", rank: 1 },
      { ...share, leg: "vector", rank: 3 },
    ]),
  ).toBe("3rd by meaning, 1st by words");
  expect(legsInWords([{ ...share, leg: "vector:2", rank: 2 }])).toBe("2nd by meaning (2)");
  expect(legsInWords([])).toBe("in no list");
});

describe("age is told by its rule", () => {
  const cases: readonly (readonly [DecayTrace, string])[] = [
    [
      { rule: "ladder", group: "Ines Okafor", position: 0, weight: 1 },
      "newest of the notes by Ines Okafor here",
    ],
    [
      { rule: "ladder", group: "Ines Okafor", position: 1, weight: 0.6 },
      "second newest of the notes by Ines Okafor here",
    ],
    [{ rule: "ladder", group: "x", position: 11, weight: 0.6 }, "12th newest of the notes by x here"],
    [{ rule: "off", group: null, position: null, weight: 1 }, "age does not weigh"],
    [
      { rule: "half_life", group: null, position: null, weight: 0.5 },
      "half of the weight goes every 365 days",
    ],
    [{ rule: "validity_window", group: null, position: null, weight: 0 }, "it no longer holds"],
  ];
  test.each(cases)("%o", (trace, words) => expect(decayInWords(trace, vault)).toBe(words));
});

const everyMode: Profile[] = (["off", "weighted", "bounded"] as const).flatMap((graph) =>
  (["rrf", "convex"] as const).map((method) => ({
    ...vault,
    fuse: { ...vault.fuse, method },
    graph: { ...vault.graph, mode: graph },
    signals: { severity: 0.1 },
    cross: { top: 5, weight: graph === "off" ? 0.5 : 0 },
  })),
);

test("the parts of the bar add up to the score, whatever the profile", () => {
  for (const profile of everyMode) {
    for (const item of rank(bundle, profile).items) {
      const sum = partsOf(item).reduce((all, { value }) => all + value, 0);
      expect(sum).toBeCloseTo(item.score, 9);
    }
  }
});

test("an account ends with the score and leaves no stage out", () => {
  for (const profile of everyMode) {
    const ranking = rank(bundle, profile);
    for (const item of ranking.items) {
      const lines = account(item, ranking, profile, bundle);
      expect(lines.at(-1)).toMatchObject({ what: "Score", effect: `= ${short(item.score)}` });
      const said = lines.map(({ what }) => what);
      expect(said).toEqual(expect.arrayContaining(["Fused", "Age", "Relevance", "Score"]));
      expect(said.filter((what) => /by (meaning|words)$/.test(what))).toHaveLength(item.trace.legs.length);
      expect(new Set(said).size).toBe(said.length);
      if (item.trace.cross) expect(said).toContain("Cross-encoder");
      expect(lines.some(({ what }) => /^(Links|Cited|Cites|Linked|No citation)/.test(what))).toBe(true);
    }
  }
});

test("a row's reason is one sentence", () => {
  const ranking = rank(bundle, vault);
  const item = ranking.items.find(({ trace }) => trace.decay.position === 1);
  expect(item && inBrief(item, vault, bundle)).toMatch(
    /^\d+\w\w by meaning, \d+\w\w by words; second newest of the notes by Ines Okafor here: × 0\.6; (cited by|linked with) \d+ notes? here: \+ 0\.\d+/,
  );
});

test("links are counted once a pair, and self-links not at all", () => {
  const graph = {
    nodes: ["a", "b", "c"],
    citations: [
      [1, 0],
      [1, 0],
      [0, 0],
      [0, 2],
    ],
    wikilinks: [[0, 1]],
  };
  expect(linksHere(graph as Bundle["graph"], "a")).toEqual({ citedBy: 1, linked: 2 });
  expect(linksHere(graph as Bundle["graph"], "none")).toEqual({ citedBy: 0, linked: 0 });
});

describe("a note that is not in the list is accounted for", () => {
  const one = { ...vault, limit: 1 };
  const ranking = rank(bundle, one);
  const first = ranking.items[0]!;
  const other = bundle.notes.find(({ path }) => path !== first.note)!;
  const alone: Bundle = {
    ...bundle,
    legs: bundle.legs.map(({ name }) => ({
      name,
      hits: name === "vector" ? [{ chunk: 1, score: 0.1 }] : [],
    })),
    notes: [{ ...other, path: "x.md", title: "X" }],
  };
  test("it is here after all", () =>
    expect(absence(first.note, bundle, ranking, one, null)).toContain("is here, at 1st"));
  test("it was dropped, by the stage that dropped it", () =>
    expect(absence(other.title, bundle, ranking, one, null)).toContain(
      dropInWords({ reason: "limit" }, one),
    ));
  test("it was no candidate, and by how much", () => {
    const said = absence("x.md", bundle, ranking, one, alone);
    expect(said).toContain("was no candidate");
    expect(said).toContain("by meaning its best passage has 0.1, and the 10th and last candidate 0.52");
    expect(said).toContain("none of the words stand in it");
  });
  test("nobody knows it", () => expect(absence("nowhere.md", bundle, ranking, one, null)).toBeNull());
});
