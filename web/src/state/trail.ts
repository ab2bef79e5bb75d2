/**
 * The browser's history as this page writes it: no entry shows what the one before it shows, since
 * Back would then seem to do nothing. Entries are compared by their links.
 */

/** The part of the browser that is needed. */
export interface Browser {
  readonly history: Pick<History, "state" | "pushState" | "replaceState" | "back">;
  readonly location: Pick<Location, "pathname" | "search">;
  /** Remembers how far the page is scrolled; what it returns scrolls there again. */
  readonly hold: () => () => void;
}

export interface Trail {
  /** This entry shows `now`; where the one before shows just that, it becomes that one again. */
  write(now: string): void;
  /** An entry for `to`, after this one, which shows `from`. */
  push(from: string, to: string): void;
  /** At a popstate: whether somebody went to another entry, so that the page has to follow it. */
  followed(now: string): boolean;
}

export function trail({ history, location, hold }: Browser): Trail {
  /** On the way to the entry before, which shows what the page shows; and what is to be done there. */
  let returning: (() => void) | null = null;
  const before = (): unknown => (history.state as { before?: unknown } | null)?.before;
  const write = (now: string) => {
    if (returning || now === location.pathname + location.search) return;
    if (now === before()) {
      returning = hold();
      history.back();
    } else history.replaceState(history.state, "", now);
  };
  return {
    write,
    push(from, to) {
      if (from === to) return;
      if (from === before()) return history.replaceState(history.state, "", to);
      write(from);
      history.pushState({ before: from }, "", to);
    },
    followed(now) {
      if (!returning) return true;
      returning();
      returning = null;
      // The entry may have been changed since it was left; what is on the page stays.
      write(now);
      return false;
    },
  };
}

/** Going back, a browser scrolls to where that entry was left, after its popstate. */
export const holdScroll = () => {
  const { scrollX: left, scrollY: top } = window;
  return () =>
    requestAnimationFrame(() => {
      window.scrollTo({ left, top, behavior: "instant" });
      // What has the focus by now is to be seen all the same.
      document.activeElement?.scrollIntoView({ block: "nearest" });
    });
};
