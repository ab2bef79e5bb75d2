/** Where the keyboard's focus goes. */
import { address, closeNote } from "../state/store";

export function focusSearch(): boolean {
  const input = document.getElementById("q") as HTMLInputElement | null;
  input?.focus();
  input?.select();
  return input !== null;
}

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-row] .title")];

/** The row of a note's passage, or of any of its passages. */
export function focusRow(note: string | null, at: number | null): boolean {
  const all = [...document.querySelectorAll<HTMLElement>("[data-row]")].filter(
    (row) => row.dataset["note"] === note,
  );
  const row = all.find((one) => one.dataset["at"] === String(at)) ?? all[0];
  const title = row?.querySelector<HTMLElement>(".title");
  title?.focus();
  return title !== undefined && title !== null;
}

let opener: Element | null = null;

/** By a note that is about to take the focus. */
export function rememberOpener(): void {
  opener = document.activeElement;
}

/** The row of the note has the focus again, or else what it was opened from: a dot, a link. */
export function leaveNote(): void {
  const { note, at } = address.value;
  closeNote();
  // The panel is gone after the next rendering.
  requestAnimationFrame(() => {
    if (focusRow(note, at)) return;
    if (opener?.isConnected && opener !== document.body) (opener as HTMLElement | SVGElement).focus();
    else focusSearch();
  });
}

/** From the search field into the list, and up and down in it. */
export function step(event: KeyboardEvent): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const all = rows();
  const row = (event.target as HTMLElement).closest("[data-row]");
  const at = row ? all.indexOf(row.querySelector(".title") as HTMLElement) : -1;
  let to: number;
  if (event.key === "Home" && row) to = 0;
  else if (event.key === "End" && row) to = all.length - 1;
  else if (by === 0) return;
  else to = at + by;
  if (event.ctrlKey || event.metaKey || event.altKey || (at < 0 && by < 0)) return;
  event.preventDefault();
  if (to < 0) focusSearch();
  else all[Math.min(to, all.length - 1)]?.focus();
}
