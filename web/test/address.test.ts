import { describe, expect, test } from "vitest";
import { type Address, decode, encode, NO_SCOPES } from "../src/state/address";

const EMPTY: Address = {
  domain: null,
  query: "",
  scopes: NO_SCOPES,
  preset: null,
  patch: {},
  view: "search",
  note: null,
  at: null,
  tab: "note",
  against: null,
  walk: null,
  from: null,
  rx: null,
};

describe("a link says what is on the page, and nothing else", () => {
  const cases: readonly (readonly [string, Partial<Address>, string])[] = [
    ["nothing", {}, ""],
    ["a question", { query: "C++ & §3?" }, "?q=C%2B%2B+%26+%C2%A73%3F"],
    ["a domain", { domain: "finance" }, "?domain=finance"],
    [
      "scopes, each as often as it is set",
      { scopes: { ...NO_SCOPES, tag: ["a/b", "c"], since: "2026-01-02" } },
      "?since=2026-01-02&tag=a%2Fb&tag=c",
    ],
    [
      "numbers",
      { preset: "balanced", patch: { fuse: { weights: { lexical: 0.3 } } } },
      "?profile=balanced&patch=%7B%22fuse%22%3A%7B%22weights%22%3A%7B%22lexical%22%3A0.3%7D%7D%7D",
    ],
    ["a note", { note: "a b/ü.md", at: 0, tab: "why" }, "?note=a+b%2F%C3%BC.md&at=0&tab=why"],
    ["a walk", { view: "graph", walk: "deep", from: "a.md" }, "?view=graph&walk=deep&from=a.md"],
    ["a recommendation", { view: "recommendations", rx: "7" }, "?view=recommendations&rx=7"],
    ["a comparison", { view: "compare", against: "vault" }, "?view=compare&against=vault"],
  ];
  test.each(cases)("%s", (_, change, written) => {
    const address = { ...EMPTY, ...change };
    expect(encode(address)).toBe(written);
    expect(decode(written)).toEqual(address);
  });
});

test("what was open of a note is not in a link without the note", () => {
  expect(encode({ ...EMPTY, query: "x", at: 3, tab: "why" })).toBe("?q=x");
});

test("what is not readable in a link is left out, and the rest is read", () => {
  const cases: readonly (readonly [string, Partial<Address>])[] = [
    ["?patch={broken&q=x", { query: "x" }],
    ["?patch=[1]&q=x", { query: "x" }],
    ["?patch=null&q=x", { query: "x" }],
    ["?view=nowhere", {}],
    ["?tab=nowhere", {}],
    ["?walk=nowhere", {}],
    ["?since=yesterday&before=2026-1-1", {}],
    ["?at=-1", {}],
    ["?at=1e99", {}],
    ["?tag=&tag=a&tag=a", { scopes: { ...NO_SCOPES, tag: ["a"] } }],
    ["?q=%E0%A4%A", { query: "\ufffd%A" }],
    ["?unknown=1", {}],
  ];
  for (const [written, change] of cases) expect(decode(written), written).toEqual({ ...EMPTY, ...change });
});
