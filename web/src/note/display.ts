/** Text of a note as it may be shown: never markup, and never able to reach beyond its own element. */

/** Embeddings and overrides of direction, which could make a line read as something else. */
const OVERRIDES = /[\u202a-\u202e]/g;
/** Control characters that are neither tab nor line break. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** One unit for one unit, so that offsets stay right. */
export const visible = (text: string): string =>
  text.replace(OVERRIDES, "\ufffd").replace(CONTROLS, "\ufffd");

/** One line of at most `most` characters; a title may be a megabyte long. */
export function line(text: string, most = 200): string {
  const start = visible(text.slice(0, most + 1)).replace(/\s+/g, " ");
  if (text.length <= most) return start;
  // Not within a surrogate pair.
  return `${start.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The server's messages begin small and end without a stop, as they follow a colon elsewhere. */
export function sentence(message: string): string {
  // A path or a name at its beginning is written as it is.
  const text = /^[a-z]+[\s,’']/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

export function day(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "" : DAY.format(date);
}

/** The folders of a path, and the file without its ending. */
export function crumbs(path: string): readonly string[] {
  return path
    .split("/")
    .map((part, i, all) => (i === all.length - 1 ? part.replace(/\.md$/i, "") : part))
    .filter((part) => part !== "");
}

/** An address outside that may be followed: web pages only, never a script or a local file. */
export function webAddress(target: string): string | null {
  if (!/^https?:\/\//i.test(target)) return null;
  try {
    const { href, protocol } = new URL(target);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch {
    return null;
  }
}
