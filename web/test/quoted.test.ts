import { describe, expect, test } from "vitest";
import type { CitationResult } from "../src/api/types";
import { differing } from "../src/cite/nearness";
import { placed } from "../src/cite/placed";
import { counted, keptVerdict, verdict } from "../src/cite/verdict";

describe("a quotation that was checked is found where it stands in the text", () => {
  const cases: readonly (readonly [string, string, readonly string[], readonly (string | null)[]])[] = [
    ["with its marks", "He said “it fell” twice.", ["it fell"], ["“it fell”"]],
    ["not the phrase in passing", "When it fell, he said “it fell”.", ["it fell"], ["“it fell”"]],
    ["twice", "“it fell” and “it fell”", ["it fell", "it fell"], ["“it fell”", "“it fell”"]],
    ["without marks", "He said it fell.", ["it fell"], ["it fell"]],
    ["a blockquote over lines", "> It fell\n> by ten.\n", ["It fell\nby ten."], ["> It fell\n> by ten."]],
    ["not at all", "He said nothing.", ["it fell"], [null]],
    ["nothing", "He said nothing.", [""], [null]],
  ];
  test.each(cases)("%s", (_, text, quotes, expected) => {
    const found = placed(text, quotes).map((span) => span && text.slice(...span).trim());
    expect(found).toEqual(expected);
  });

  test("and no two quotations share a place", () => {
    const spans = placed("“it fell” and it fell", ["it fell", "it fell", "it fell"]);
    expect(spans).toEqual([[0, 9], [14, 21], null]);
  });
});

describe("what differs is shown, and nothing else", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["it fell by ten", "it fell by ten", "it fell by ten"],
    ["it fell by ten", "it fell by two", "it fell by [-ten][+two]"],
    ["it fell", "it really fell", "it [+really ]fell"],
    ["it really fell", "it fell", "it [-really ]fell"],
    ["it fell", "it\n fell", "it\n fell"],
    ["", "x", "[+x]"],
  ];
  test.each(cases)("%j beside %j", (quoted, there, expected) => {
    const parts = differing(quoted, there);
    const shown = parts.map(({ kind, text }) =>
      kind === "same" ? text : `[${kind === "quoted" ? "-" : "+"}${text}]`,
    );
    expect(shown.join("")).toBe(expected);
  });

  test("both texts can be read from it", () => {
    const [quoted, there] = ["a b c d e", "a x c e f"];
    const parts = differing(quoted, there);
    const of = (kind: string) =>
      parts
        .filter((part) => part.kind === "same" || part.kind === kind)
        .map(({ text }) => text)
        .join("");
    expect(of("quoted")).toBe(quoted);
    expect(of("there")).toBe(there);
  });
});

const result = (change: Partial<CitationResult>): CitationResult => ({
  citation_verified: false,
  citation_reason: "not_found",
  spans: [],
  note: "a.md",
  source: null,
  found_in: null,
  ...change,
});
const elsewhere = { note: "b.md", ordinal: 0, section: "", source: "text", spans: [] };

test("every outcome has a name of its own", () => {
  const cases: readonly (readonly [Partial<CitationResult>, string])[] = [
    [{ citation_verified: true, citation_reason: "match" }, "verified"],
    [{ citation_reason: "too_short" }, "short"],
    [{ citation_reason: "too_short", found_in: elsewhere }, "short"],
    [{ found_in: elsewhere }, "elsewhere"],
    [{ found_in: { ...elsewhere, near: false, distance: 0 } }, "elsewhere"],
    [{ found_in: { ...elsewhere, near: true, distance: 3 } }, "near"],
    [{}, "missing"],
    [{ citation_reason: "no_chunk_text" }, "missing"],
  ];
  for (const [change, kind] of cases) expect(verdict(result(change)).kind, JSON.stringify(change)).toBe(kind);
});

test("a quotation that leaves something out is verified, and says so", () => {
  const held = { citation_verified: true, citation_reason: "match" } as const;
  expect(verdict(result({ ...held, spans: [[0, 20]] })).words).toBe("It stands there word for word.");
  const parted: CitationResult["spans"] = [
    [0, 20],
    [40, 60],
  ];
  expect(verdict(result({ ...held, spans: parted })).words).toMatch(/^Its 2 parts stand there word for word/);
});

test("a citation that held and holds no longer is stale, whatever it is now", () => {
  const held = result({ citation_verified: true, citation_reason: "match" });
  expect(keptVerdict({ ...held, stale: false }).kind).toBe("verified");
  const gone = keptVerdict({ ...held, stale: true, now: "no_chunk_text" });
  expect([gone.kind, gone.words]).toEqual([
    "stale",
    "It held when this was saved. The note is no longer there.",
  ]);
  expect(counted([gone, verdict(held), verdict(held)])).toBe("2 verified, 1 stale");
});
