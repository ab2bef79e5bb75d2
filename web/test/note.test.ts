import { describe, expect, test } from "vitest";
import { line, visible, webAddress } from "../src/note/display";
import { mayMean, noteOf } from "../src/note/link";
import { tidy, utf16Offsets } from "../src/note/offsets";
import { blocksOf, cut, piecesOf } from "../src/note/structure";
import { fragments } from "../src/results/excerpt";

test("bytes become units, whatever the script", () => {
  for (const text of ["plain", "Prüfungsordnung §3", "🏃 Easy 跑步 run", "", "a\u0301é"]) {
    const encoder = new TextEncoder();
    const units = [...Array(text.length + 1).keys()].filter((i) => !/[\udc00-\udfff]/.test(text[i] ?? ""));
    const bytes = units.map((i) => encoder.encode(text.slice(0, i)).length);
    expect(utf16Offsets(text, bytes), text).toEqual(units);
  }
  expect(utf16Offsets("ab", [5, 0])).toEqual([2, 0]);
});

test("spans are sorted and joined", () => {
  expect(
    tidy([
      [5, 8],
      [1, 3],
      [2, 4],
      [6, 6],
    ]),
  ).toEqual([
    [1, 4],
    [5, 8],
  ]);
});

const kinds = (text: string) =>
  blocksOf(text).map(({ kind, level, from, end }) => [kind, level, text.slice(from, end).trim()]);

describe("a note is shown in blocks", () => {
  const cases: readonly (readonly [string, string, readonly unknown[]])[] = [
    [
      "paragraphs",
      "One\nline.\n\nTwo.",
      [
        ["text", 0, "One\nline."],
        ["text", 0, "Two."],
      ],
    ],
    [
      "headings",
      "# A\n## B\ntext",
      [
        ["heading", 1, "A"],
        ["heading", 2, "B"],
        ["text", 0, "text"],
      ],
    ],
    [
      "lists",
      "- a\n  - b\n3. c",
      [
        ["item", 0, "a"],
        ["item", 1, "b"],
        ["item", 0, "c"],
      ],
    ],
    [
      "frontmatter",
      "---\ntitle: x\n---\ntext",
      [
        ["facts", 0, "---\ntitle: x\n---"],
        ["text", 0, "text"],
      ],
    ],
    [
      "a rule is no frontmatter",
      "text\n\n---\n\nmore",
      [
        ["text", 0, "text"],
        ["rule", 0, "---"],
        ["text", 0, "more"],
      ],
    ],
    [
      "code is left alone",
      "```md\n## no heading\n[[no link]]\n```\nafter",
      [
        ["code", 0, "## no heading\n[[no link]]"],
        ["text", 0, "after"],
      ],
    ],
    ["code that is never closed", "```\nx", [["code", 0, "x"]]],
    [
      "quotes",
      "> a\n> b",
      [
        ["quote", 0, "a"],
        ["quote", 0, "b"],
      ],
    ],
    ["nothing", "", []],
  ];
  test.each(cases)("%s", (_, text, blocks) => expect(kinds(text)).toEqual(blocks));
});

test("every piece is a slice of the note, so that marks land where they belong", () => {
  const text =
    "See [[a b#c|that one]], [so](x%20y.md), `code [[no]]`, **bold**, https://e.org/x. [[plain]] [same|same](t.md)";
  const [block] = blocksOf(text);
  const pieces = piecesOf(text, block!);
  expect(
    pieces.filter(({ kind }) => kind !== "text").map(({ kind, text, target }) => [kind, text, target]),
  ).toEqual([
    ["note", "that one", "a b#c"],
    ["note", "so", "x%20y.md"],
    ["code", "code [[no]]", ""],
    ["strong", "bold", ""],
    ["web", "https://e.org/x.", "https://e.org/x."],
    ["note", "plain", "plain"],
    ["note", "same|same", "t.md"],
  ]);
  for (const { at, text: shown } of pieces) expect(text.slice(at, at + shown.length)).toBe(shown);
  expect(pieces[0]?.start).toBe(0);
  expect(pieces.every(({ end }, i) => end === (pieces[i + 1]?.start ?? text.length))).toBe(true);
});

test("marks are cut out of pieces", () => {
  expect(
    cut(0, 10, [
      [2, 4],
      [8, 12],
    ]),
  ).toEqual([
    { start: 0, end: 2, marked: false },
    { start: 2, end: 4, marked: true },
    { start: 4, end: 8, marked: false },
    { start: 8, end: 10, marked: true },
  ]);
  expect(cut(5, 8, [[0, 20]])).toEqual([{ start: 5, end: 8, marked: true }]);
  expect(cut(5, 8, [])).toEqual([{ start: 5, end: 8, marked: false }]);
});

describe("only web addresses can be followed", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ["https://example.org/a", true],
    ["http://example.org", true],
    ["javascript:alert(1)", false],
    ["JaVaScRiPt:alert(1)", false],
    [" javascript:alert(1)", false],
    ["java\nscript:alert(1)", false],
    ["data:text/html,<script>", false],
    ["file:///etc/passwd", false],
    ["vbscript:x", false],
    ["//example.org", false],
    ["https://", false],
  ];
  test.each(cases)("%j", (target, may) => expect(webAddress(target) !== null).toBe(may));
});

test("direction cannot be overridden, and offsets stay", () => {
  const text = "invoice\u202Efdp.exe\u0007";
  expect(visible(text)).toBe("invoice\ufffdfdp.exe\ufffd");
  expect(visible("עברית\u200f")).toBe("עברית\u200f");
});

test("a title of a megabyte is a line", () => {
  expect(line("x".repeat(1 << 20))).toHaveLength(200);
  expect(line("a\n  b")).toBe("a b");
  expect(line("🏃".repeat(200), 10)).not.toMatch(/[\ud800-\udbff]…/);
});

describe("an excerpt shows its sentences whole, with a little around them", () => {
  const sentence = (n: number) => `Sentence number ${n} says something of no great length here.`;
  const text = [...Array(20).keys()].map(sentence).join(" ");
  const spans = [...Array(20).keys()].map((n) => {
    const start = text.indexOf(sentence(n));
    return { start, end: start + sentence(n).length, cosine: 0 };
  });
  const chunk = {
    id: 1,
    note: "n",
    ordinal: 0,
    section: "",
    page: null,
    text,
    cosine: null,
    cross: null,
    sentences: spans,
  };
  const pick = (...numbers: number[]) =>
    fragments(
      chunk,
      numbers.map((sentence) => ({ sentence, cosine: 0, text: "" })),
    );
  test("far apart", () => {
    const parts = pick(3, 12);
    expect(parts.filter(({ marked }) => marked).map(({ text }) => text)).toEqual([sentence(3), sentence(12)]);
    expect(parts[0]?.text).toMatch(/^ … /);
    expect(parts[2]?.text).toMatch(/ … /);
    expect(parts.at(-1)?.text).toMatch(/ …$/);
  });
  test("side by side, with the space between them", () => {
    expect(
      pick(0, 1)
        .map(({ text }) => text)
        .join(""),
    ).toMatch(/here\. Sentence number 1/);
  });
  test("apart, though only a list's sign stood between them", () => {
    const text = "Questions\n\n1. Can it be cancelled?";
    const marked = {
      ...chunk,
      text,
      sentences: [
        { start: 0, end: 9, cosine: 0 },
        { start: 14, end: 34, cosine: 0 },
      ],
    };
    const both = [0, 1].map((sentence) => ({ sentence, cosine: 0, text: "" }));
    expect(
      fragments(marked, both)
        .map(({ text }) => text)
        .join(""),
    ).toBe("Questions Can it be cancelled?");
  });
  test("without the heading above it, which stands in the breadcrumb", () => {
    const text = "## What moved\n\nIt fell. So it was.";
    const marked = { ...chunk, text, sentences: [{ start: 15, end: 23, cosine: 0 }] };
    expect(fragments(marked, [{ sentence: 0, cosine: 0, text: "" }])).toEqual([
      { text: "It fell.", marked: true },
      { text: " So it was.", marked: false },
    ]);
  });
  test("without a part of a heading that is longer than the context", () => {
    const text = `## ${"Many words ".repeat(9)}\n\nIt fell.`;
    const marked = { ...chunk, text, sentences: [{ start: text.length - 8, end: text.length, cosine: 0 }] };
    expect(fragments(marked, [{ sentence: 0, cosine: 0, text: "" }])).toEqual([
      { text: "It fell.", marked: true },
    ]);
  });
  test("without the signs of markdown", () => {
    const text = "## Heading\n\n- It fell, see [[a/b|the note]], [[c]] and [d](e.md), **much** in `x`.";
    const marked = { ...chunk, text, sentences: [{ start: 0, end: text.length, cosine: 0 }] };
    expect(fragments(marked, [{ sentence: 0, cosine: 0, text: "" }])).toEqual([
      { text: "Heading It fell, see the note, c and d, much in x.", marked: true },
    ]);
  });
  test("none: the beginning", () => {
    const parts = pick();
    expect(parts).toHaveLength(1);
    expect(parts[0]?.text.length).toBeLessThan(250);
  });
});

test("a link may be written in short", () => {
  const path = "Filings/NRTH/2026-Q2.md";
  for (const link of ["Filings/NRTH/2026-Q2", "NRTH/2026-q2", "2026-Q2", "2026-Q2.md"])
    expect(mayMean(link, path), link).toBe(true);
  for (const link of ["26-Q2", "Filings", "QILN/2026-Q2", ""]) expect(mayMean(link, path), link).toBe(false);
});

test("a link in a note leads to the note that the server named, or nowhere", () => {
  const links = ["Filings/NRTH/2026-Q2.md", "Filings/QILN/2026-Q2.md", "a b.md"].map((path) => ({
    path,
    title: path === "a b.md" ? "By its title" : null,
    kind: "citation" as const,
  }));
  const cases: readonly (readonly [string, string | null])[] = [
    ["Filings/QILN/2026-Q2#Outlook", "Filings/QILN/2026-Q2.md"],
    ["2026-Q2", "Filings/NRTH/2026-Q2.md"],
    ["../QILN/2026-Q2.md", "Filings/QILN/2026-Q2.md"],
    ["a%20b.md", "a b.md"],
    ["by its title", "a b.md"],
    ["%E0%A4%A", null],
    ["javascript:alert(1)", null],
    ["#heading", null],
  ];
  for (const [target, path] of cases) expect(noteOf(target, links), target).toBe(path);
});
