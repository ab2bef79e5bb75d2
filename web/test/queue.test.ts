import { describe, expect, test } from "vitest";
import type { Entry, Queue } from "../src/api/order";
import { type Decisions, decided, NONE, tick, toggleTag, toWrite } from "../src/tags/queue";

const entry = (path: string, ticked: boolean, tags: readonly string[], exists = true): Entry => ({
  line: 1,
  path,
  title: path,
  ticked,
  tags: tags.map((name) => ({ name, known: true })),
  exists,
});

const queue = (...entries: Entry[]): Queue => ({
  file: "_review-queue.md",
  hash: "h",
  entries,
  problems: [],
  taxonomy: [],
});

const QUEUE = queue(entry("a.md", false, ["x", "y"]), entry("b.md", true, ["z"]));

describe("what is written is the file with the reader's decisions laid over it", () => {
  const cases: readonly (readonly [string, Decisions, readonly unknown[]])[] = [
    [
      "no decision",
      NONE,
      [
        ["a.md", false, ["x", "y"]],
        ["b.md", true, ["z"]],
      ],
    ],
    [
      "ticked and unticked",
      tick(tick(NONE, "a.md", true), "b.md", false),
      [
        ["a.md", true, ["x", "y"]],
        ["b.md", false, ["z"]],
      ],
    ],
    [
      "a tag taken away",
      toggleTag(NONE, "a.md", "x"),
      [
        ["a.md", false, ["y"]],
        ["b.md", true, ["z"]],
      ],
    ],
    [
      "taken away and put back",
      toggleTag(toggleTag(NONE, "a.md", "x"), "a.md", "x"),
      [
        ["a.md", false, ["x", "y"]],
        ["b.md", true, ["z"]],
      ],
    ],
    [
      "without its last tag a proposal is unticked",
      toggleTag(NONE, "b.md", "z"),
      [
        ["a.md", false, ["x", "y"]],
        ["b.md", false, []],
      ],
    ],
    [
      "about a note that is no longer in the file",
      tick(NONE, "gone.md", true),
      [
        ["a.md", false, ["x", "y"]],
        ["b.md", true, ["z"]],
      ],
    ],
  ];
  test.each(cases)("%s", (_, decisions, expected) => {
    const written = toWrite(decided(QUEUE, decisions));
    expect(written.map(({ path, ticked, tags }) => [path, ticked, tags])).toEqual(expected);
  });
});

test("only what differs from the file counts as changed", () => {
  const changed = (decisions: Decisions) => decided(QUEUE, decisions).map((row) => row.changed);
  expect(changed(NONE)).toEqual([false, false]);
  expect(changed(tick(NONE, "b.md", true))).toEqual([false, false]);
  expect(changed(tick(NONE, "b.md", false))).toEqual([false, true]);
  expect(changed(toggleTag(NONE, "a.md", "y"))).toEqual([true, false]);
});

test("nothing can come of a proposal whose note or whose tags are gone", () => {
  const rows = decided(
    queue(entry("gone.md", true, ["x"], false), entry("a.md", true, ["x"])),
    toggleTag(NONE, "a.md", "x"),
  );
  expect(rows.map(({ idle }) => idle)).toEqual([true, true]);
});

test("a decision leaves the one before it as it was", () => {
  const first = tick(NONE, "a.md", true);
  toggleTag(tick(first, "a.md", false), "a.md", "x");
  expect(first.ticked.get("a.md")).toBe(true);
  expect(first.without.size).toBe(0);
});
