import { expect, test } from "vitest";
import { trail } from "../src/state/trail";

/** A tab: its entries, and which of them it is at. Going back takes a while, as it does in a browser. */
function tab(first: string) {
  const entries: { url: string; state: unknown }[] = [{ url: first, state: null }];
  let at = 0;
  let underWay = 0;
  let held = 0;
  const one = {
    urls: () => entries.map(({ url }) => url),
    here: () => entries[at]!.url,
    /** What the reader does; `shown` is what the page shows meanwhile. */
    go(by: number, shown: string): boolean {
      at = Math.max(0, Math.min(entries.length - 1, at + by));
      return pages.followed(shown);
    },
    /** The page's own way back comes to its end. */
    arrive(shown: string): boolean {
      const by = underWay;
      underWay = 0;
      return one.go(by, shown);
    },
    underWay: () => underWay,
    held: () => held,
  };
  const pages = trail({
    history: {
      get state() {
        return entries[at]!.state;
      },
      pushState(state: unknown, _: string, url?: string | URL | null) {
        entries.splice(++at, entries.length, { url: String(url), state });
      },
      replaceState(state: unknown, _: string, url?: string | URL | null) {
        entries[at] = { url: String(url), state };
      },
      back() {
        underWay--;
      },
    },
    hold: () => () => {
      held++;
    },
    location: {
      get pathname() {
        return "/";
      },
      get search() {
        return entries[at]!.url.slice(1);
      },
    },
  });
  return { ...one, pages };
}

test("what was opened and closed again leaves no entry of its own", () => {
  const { pages, urls, here, arrive, held } = tab("/?q=a");
  pages.push("/?q=a", "/?q=a&note=1");
  pages.write("/?q=a");
  expect(arrive("/?q=a")).toBe(false);
  expect(held()).toBe(1);
  expect(here()).toBe("/?q=a");
  pages.push("/?q=a", "/?q=a&note=2");
  expect(urls()).toEqual(["/?q=a", "/?q=a&note=2"]);
});

test("what was changed meanwhile is an entry of its own", () => {
  const { pages, urls, underWay } = tab("/?q=a");
  pages.push("/?q=a", "/?q=a&note=1");
  pages.write("/?q=b&note=1");
  pages.write("/?q=b");
  expect(underWay()).toBe(0);
  expect(urls()).toEqual(["/?q=a", "/?q=b"]);
  pages.push("/?q=b", "/?q=b&note=1");
  pages.push("/?q=b&note=1", "/?q=b&note=2");
  pages.write("/?q=b");
  expect(underWay()).toBe(0);
  expect(urls()).toEqual(["/?q=a", "/?q=b", "/?q=b&note=1", "/?q=b"]);
});

test("no entry is made for what is seen already, nor after one that repeats the one before", () => {
  const { pages, urls, underWay } = tab("/?q=a");
  pages.push("/?q=a", "/?q=a");
  expect(urls()).toEqual(["/?q=a"]);
  pages.push("/?q=a", "/?q=a&note=1");
  // Closed, and another opened before that was written.
  pages.push("/?q=a", "/?q=a&note=2");
  expect(urls()).toEqual(["/?q=a", "/?q=a&note=2"]);
  pages.write("/?q=a");
  expect(underWay()).toBe(-1);
});

test("whoever goes back is followed; on the page's own way back nothing on it changes", () => {
  const { pages, urls, go, arrive } = tab("/?q=a");
  pages.push("/?q=a", "/?q=a&note=1");
  expect(go(-1, "/?q=a&note=1")).toBe(true);
  pages.write("/?q=b");
  expect(go(1, "/?q=b")).toBe(true);
  pages.write("/?q=a");
  pages.write("/?q=a&typed=too");
  expect(arrive("/?q=a&typed=too")).toBe(false);
  expect(urls()).toEqual(["/?q=a&typed=too", "/?q=a&note=1"]);
  expect(go(1, "/?q=a&typed=too")).toBe(true);
});
