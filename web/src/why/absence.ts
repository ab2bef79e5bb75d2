/** The sentence that says why a note is not in the list. Pure. */
import type { Bundle, Profile, Ranking } from "../core/concord";
import { crumbs, line } from "../note/display";
import { dropInWords, legName, place, short } from "./words";

/**
 * From the candidates at hand, or, if it was none, from `alone`: the same question put to that note
 * only. Null where neither knows the note.
 */
export function absence(
  name: string,
  bundle: Bundle,
  ranking: Ranking,
  profile: Profile,
  alone: Bundle | null,
): string | null {
  const wanted = name.toLowerCase();
  const note = bundle.notes.find(({ path, title }) =>
    [path, title, crumbs(path).at(-1) ?? ""].some((form) => form.toLowerCase() === wanted),
  );
  if (note) return amongCandidates(note, bundle, ranking, profile);
  if (!alone || alone.chunks.length === 0) return null;
  const found = alone.notes[0];
  const title = line(found?.title ?? name, 80);
  // With the note alone in the pool, each list says how near its best passage comes; the last hit
  // of the same list here says how near it had to come.
  const reasons = alone.legs.map((leg) => {
    const best = leg.hits[0];
    const here = bundle.legs.find((one) => one.name === leg.name);
    const last = here?.hits.at(-1);
    const by = legName(leg.name);
    if (!best)
      return leg.name === "lexical" ? "none of the words stand in it" : `it is not in the list by ${by}`;
    if (!here || !last) return `by ${by} its best passage has ${short(best.score)}`;
    if (best.score >= last.score)
      return `by ${by} its best passage has ${short(best.score)}, enough for the last place (${short(last.score)}), so a scope keeps it out`;
    return `by ${by} its best passage has ${short(best.score)}, and the ${place(here.hits.length)} and last candidate ${short(last.score)}`;
  });
  return `“${title}” was no candidate: ${reasons.join("; ")}.`;
}

function amongCandidates(
  note: Bundle["notes"][number],
  bundle: Bundle,
  ranking: Ranking,
  profile: Profile,
): string {
  const ids = new Set(bundle.chunks.filter((chunk) => chunk.note === note.path).map(({ id }) => id));
  const title = line(note.title || note.path, 80);
  const listed = ranking.items.filter(({ chunk }) => ids.has(chunk));
  if (listed.length > 0) return `“${title}” is here, at ${listed.map(({ rank }) => place(rank)).join(", ")}.`;
  const position = ranking.dropped.findIndex(({ chunk }) => ids.has(chunk));
  const dropped = ranking.dropped[position];
  if (dropped) {
    const last = ranking.items.at(-1);
    const against = last ? `; the last one listed has ${short(last.score)}` : "";
    return `“${title}” was a candidate with a score of ${short(dropped.score)}${against}. It is not listed because ${dropInWords(dropped, profile)}.`;
  }
  const shadowed =
    profile.fuse.unit === "note"
      ? "another passage of the note stands for it"
      : "no list with a weight above 0 holds it";
  return `“${title}” was found, but did not compete: ${shadowed}, or it lies past the pool.`;
}
