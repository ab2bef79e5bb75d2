import { describe, expect, test } from "vitest";
import { quotationsIn } from "../src/cite/quotations";

describe("quotations are found by their marks", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["none", "Nothing is quoted here.", []],
    ["curly", "He said “it fell by 210 points” and left.", ["it fell by 210 points"]],
    ["straight", 'He said "it fell by 210 points" and left.', ["it fell by 210 points"]],
    ["German", "Er sagte „es fiel um 210 Punkte“ und ging.", ["es fiel um 210 Punkte"]],
    [
      "guillemets",
      "Il dit « la marge a baissé » et »sie fiel stark«.",
      ["la marge a baissé", "sie fiel stark"],
    ],
    ["several", "“One thing” and “another thing”.", ["One thing", "another thing"]],
    ["over lines", "“It fell\nby 210 points”", ["It fell\nby 210 points"]],
    ["a measure in inches is none", 'A 6" pipe and a 7" pipe.', []],
    ["an unpaired mark swallows nothing", "An “open mark.\n\nNext “closed mark” here.", ["closed mark"]],
    ["a blockquote", "As it says:\n\n> It fell by\n> 210 points.\n\nSo it did.", ["It fell by\n210 points."]],
    [
      "a blockquote without its attribution",
      "> It fell by 210 points.\n> — Ines Okafor",
      ["It fell by 210 points."],
    ],
    ["an empty pair is none", "“” and ” and “ ”", []],
    ["marks inside a blockquote stay with it", "> He said “so”.", ["He said “so”."]],
  ];
  test.each(cases)("%s", (_, draft, quotes) => {
    const found = quotationsIn(draft);
    expect(found.map(({ quote }) => quote)).toEqual(quotes);
    for (const { start, end, quote } of found) {
      expect(draft.slice(start, end)).toContain(quote.split("\n")[0]);
    }
  });
});

describe("a note that is linked beside a quotation is what it cites", () => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    ["after it", "“It fell by 210 points”, see [[Filings/NRTH/2026-Q2]].", "Filings/NRTH/2026-Q2"],
    ["before it", "[[Bridge|Okafor]] says “it fell by 210 points”.", "Bridge"],
    ["with a heading", "“It fell by 210 points” ([[Bridge#Summary]])", "Bridge"],
    ["as markdown", "“It fell by 210 points” ([so](a%20b.md))", "a b.md"],
    ["not in another sentence", "See [[Bridge]]. He said “it fell by 210 points”. See [[Other]].", null],
    ["not in another paragraph", "“It fell by 210 points”\n\n[[Bridge]]", null],
    ["under a blockquote", "> It fell by 210 points.\n\n[[Bridge]]", "Bridge"],
  ];
  test.each(cases)("%s", (_, draft, cites) => {
    expect(quotationsIn(draft)[0]?.cites).toBe(cites);
  });
});
