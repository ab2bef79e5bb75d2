/**
 * Links as people write them, beside the notes that the server says they lead to. Which note a link
 * means is the server's to decide; this only finds, among those it named, the one that is meant.
 */
import type { Linked } from "../api/types";

/** Whether a link may mean the note at `path`: the whole path, or as much of its end as was written. */
export function mayMean(link: string, path: string): boolean {
  const [short, whole] = [bare(link), bare(path)];
  return short !== "" && (whole === short || whole.endsWith(`/${short}`));
}

/** The note that a link in a note's text leads to; null where it leads to none. */
export function noteOf(target: string, links: readonly Linked[]): string | null {
  const named = decoded(target.replace(/#.*$/, "")).trim();
  // Written from another folder (`../a/b.md`), only the end tells anything.
  const end = named.replace(/^(?:\.{1,2}\/)+/, "");
  const found =
    links.find(({ path }) => bare(path) === bare(end)) ??
    links.find(({ path }) => mayMean(end, path)) ??
    links.find(({ title }) => title !== null && bare(title) === bare(named));
  return found?.path ?? null;
}

const bare = (text: string): string => text.replace(/\.md$/i, "").toLowerCase();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
