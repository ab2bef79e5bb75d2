/** What the reader has decided about the queue, kept apart from the queue as the file has it. Pure. */
import type { Entry, Queue } from "../api/order";

/** By path: a queue has a note once. */
export interface Decisions {
  readonly ticked: ReadonlyMap<string, boolean>;
  /** Tags taken out of a proposal. */
  readonly without: ReadonlyMap<string, ReadonlySet<string>>;
}

export const NONE: Decisions = { ticked: new Map(), without: new Map() };

export function tick(decisions: Decisions, path: string, ticked: boolean): Decisions {
  return { ...decisions, ticked: new Map(decisions.ticked).set(path, ticked) };
}

/** Takes a tag out of a proposal, or puts it back. */
export function toggleTag(decisions: Decisions, path: string, tag: string): Decisions {
  const tags = new Set(decisions.without.get(path));
  if (!tags.delete(tag)) tags.add(tag);
  return { ...decisions, without: new Map(decisions.without).set(path, tags) };
}

export interface Decided {
  readonly entry: Entry;
  readonly ticked: boolean;
  readonly tags: readonly { readonly name: string; readonly known: boolean; readonly out: boolean }[];
  /** Nothing can come of it: the note is gone, or no tag is left. */
  readonly idle: boolean;
  readonly changed: boolean;
}

export function decided({ entries }: Queue, { ticked, without }: Decisions): readonly Decided[] {
  return entries.map((entry) => {
    const out = without.get(entry.path);
    const tags = entry.tags.map(({ name, known }) => ({ name, known, out: out?.has(name) ?? false }));
    const left = tags.some((tag) => !tag.out);
    const now = ticked.get(entry.path) ?? entry.ticked;
    return {
      entry,
      ticked: now,
      tags,
      idle: !entry.exists || !left,
      changed: now !== entry.ticked || tags.some((tag) => tag.out),
    };
  });
}

/** What the file is to say. A proposal without a tag proposes nothing and is unticked. */
export const toWrite = (
  all: readonly Decided[],
): readonly { readonly path: string; readonly ticked: boolean; readonly tags: readonly string[] }[] =>
  all.map(({ entry, ticked, tags }) => {
    const names = tags.filter(({ out }) => !out).map(({ name }) => name);
    return { path: entry.path, ticked: ticked && names.length > 0, tags: names };
  });
