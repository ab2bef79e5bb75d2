/** Profiles that differ in every stage of the ranking: what a browser is checked with. */
import type { Profile, ProfilePatch } from "../core/concord";

type Case = readonly [name: string, patch: ProfilePatch];

/** Every combination of fusion, age and links, each with a list of another kind. */
export function cases(): readonly Case[] {
  const all: Case[] = [];
  const lists: readonly ProfilePatch[] = [
    {},
    { diversity: { max_per_note: 1 } },
    { budget: { max_tokens: 600 }, excerpt: { sentences: 3 } },
    { limit: 25, recency: { days: 400, amount: 0.1 } },
  ];
  for (const method of ["rrf", "convex"] as const satisfies readonly Profile["fuse"]["method"][])
    for (const unit of ["chunk", "note"] as const satisfies readonly Profile["fuse"]["unit"][])
      for (const decay of [
        "off",
        "ranked_grouped",
        "half_life",
        "validity_window",
      ] as const satisfies readonly Profile["decay"]["mode"][])
        for (const graph of [
          "off",
          "weighted",
          "bounded",
        ] as const satisfies readonly Profile["graph"]["mode"][]) {
          const list = lists[all.length % lists.length] as ProfilePatch;
          const lexical = ((all.length * 7) % 20) / 10;
          const patch: ProfilePatch = {
            ...list,
            fuse: { method, unit, weights: { lexical } },
            decay: { mode: decay },
            graph: { mode: graph, min_citations: 1, strength: 0.3 },
          };
          all.push([`${method} of ${unit}s, decay ${decay}, graph ${graph}`, patch]);
        }
  return all;
}
