/**
 * What the page knows, as signals, and the three things that keep it in step: the address bar, the
 * server's answer to the question, the ranking of that answer's candidates under the profile.
 * Nothing here touches the document.
 */
import { batch, computed, effect, signal } from "@preact/signals";
import * as gateway from "../api/gateway";
import { Failed, isAbort } from "../api/gateway";
import type { Domain, Domains, NamedProfile } from "../api/types";
import type { Profile, ProfilePatch, Ranking } from "../core/concord";
import { newestOnly } from "../core/newest";
import type { Agreement, Opened } from "../core/protocol";
import { ask, askForThisFrame, Refused } from "../core/ranker";
import { difference, type Json, merge, type Path, same, valueAt, withValue } from "../profile/patch";
import { type Address, decode, encode, NO_SCOPES, type Scopes, type Tab, type View } from "./address";
import { holdScroll, trail } from "./trail";

export const address = signal<Address>(decode(location.search));
const part = <K extends keyof Address>(key: K) => computed(() => address.value[key]);
/** Parts of the address, each alone: who reads one is not rendered again for a slider, which writes another. */
export const here = {
  view: part("view"),
  query: part("query"),
  scopes: part("scopes"),
  note: part("note"),
  at: part("at"),
};
export const server = signal<Domains | null>(null);
export const profiles = signal<readonly NamedProfile[]>([]);
/** The answer on the page; stays when the server goes. */
export const opened = signal<Opened | null>(null);
/** What is in the list now, and the profile that put it there. */
export const shown = signal<{ readonly ranking: Ranking; readonly profile: Profile } | null>(null);
/** The ranking under the domain's own profile, which rank changes are counted from. */
export const baseline = signal<Ranking | null>(null);
export const searching = signal(false);
export const failure = signal<Failed | null>(null);
export const offline = signal(false);
/** A number that the core refused, by key. */
export const refused = signal<Refused | null>(null);
/** Every receipt of this visit that was computed again. */
export const agreements = signal<readonly Agreement[]>([]);

export const domain = computed<Domain | null>(() => {
  const all = server.value?.domains ?? [];
  const name = address.value.domain;
  return all.find((one) => one.name === name) ?? (name === null ? (all[0] ?? null) : null);
});
export const domainName = computed(() => address.value.domain ?? server.value?.domains[0]?.name ?? null);

/** The domain's own, then the built-in, then the saved ones. */
export const presets = computed<readonly NamedProfile[]>(() => {
  const own = domain.value?.profile;
  const named = profiles.value;
  return own ? [{ name: "", built_in: true, profile: own }, ...named] : named;
});

export const base = computed<Profile | null>(() => {
  const name = address.value.preset ?? "";
  const found = presets.value.find((preset) => preset.name === name)?.profile;
  // Offline from the start of a link, or a saved profile that is gone: what the answer was ranked by.
  return found ?? domain.value?.profile ?? opened.value?.profile ?? null;
});

export const profile = computed<Profile | null>(() =>
  base.value ? merge(base.value, address.value.patch) : null,
);

const entries = trail({ history, location, hold: holdScroll });
const link = (to: Address): string => location.pathname + encode(to);

/** A new question is a new entry in the browser's history; a keystroke or a slider is not. */
export function go(change: Partial<Address>, how: "push" | "replace" = "replace"): void {
  const next = { ...address.value, ...change };
  if (how === "push") {
    clearTimeout(writing);
    entries.push(link(address.value), link(next));
  }
  address.value = next;
}

export const setQuery = (query: string) => go({ query });
export const setScopes = (change: Partial<Scopes>) => go({ scopes: { ...address.value.scopes, ...change } });
export const setView = (view: View) => go({ view }, "push");
export const openNote = (note: string, at: number | null = null, tab: Tab = "note") =>
  go({ note, at, tab }, "push");
export function closeNote(): void {
  go({ note: null, at: null });
  // At once: whoever presses Back next means to leave what is seen now.
  writeAddress();
}
export function setDomain(name: string): void {
  batch(() => {
    forget();
    go(
      {
        domain: name,
        scopes: NO_SCOPES,
        preset: null,
        patch: {},
        note: null,
        at: null,
        against: null,
        from: null,
        rx: null,
      },
      "push",
    );
  });
}

function forget(): void {
  if (opened.peek()) void ask("close", { number: opened.peek()!.number });
  opened.value = null;
  shown.value = null;
  baseline.value = null;
}
export const setPreset = (name: string) => go({ preset: name || null, patch: {} });

export function setNumber(path: Path, value: Json): void {
  if (!base.value || !profile.value) return;
  const whole = withValue(profile.value, path, value);
  go({ patch: difference(base.value, whole) as ProfilePatch });
}

export const resetNumber = (path: Path) => {
  if (base.value) setNumber(path, valueAt(base.value, path) ?? null);
};

const WAIT_TO_WRITE = 150;
let writing: ReturnType<typeof setTimeout> | undefined;

function writeAddress(): void {
  clearTimeout(writing);
  entries.write(link(address.peek()));
}

/** What a new bundle is needed for; everything else is ranked from the one at hand. */
const needed = computed(() => {
  const { query, scopes } = address.value;
  const numbers = profile.value;
  const name = domainName.value;
  if (!name || !numbers || !domain.value?.up || query.trim() === "") return null;
  const pool = Math.max(numbers.retrieve.pool_min, numbers.retrieve.pool_per_item * numbers.limit);
  return JSON.stringify([name, query.trim(), scopes, numbers.retrieve, pool]);
});

let asking: AbortController | null = null;
let generation = 0;

/** Asks the server; the last question wins, whatever order the answers come in. */
export async function search(): Promise<void> {
  asking?.abort();
  const { query, scopes, preset, patch } = address.value;
  const name = domainName.value;
  if (!name || query.trim() === "") return;
  const controller = new AbortController();
  asking = controller;
  const mine = ++generation;
  searching.value = true;
  try {
    const question = { domain: name, query: query.trim(), scopes, preset, patch };
    const bytes = await gateway.search(question, controller.signal);
    const answer = await ask("open", { bytes }, [bytes]);
    if (mine !== generation) return void ask("close", { number: answer.number });
    if (opened.value) void ask("close", { number: opened.value.number });
    batch(() => {
      opened.value = answer;
      shown.value = { ranking: answer.ranking, profile: answer.profile };
      baseline.value = null;
      agreements.value = [...agreements.value, answer.agreement];
      failure.value = null;
      offline.value = false;
    });
  } catch (error) {
    if (isAbort(error) || mine !== generation) return;
    failed(error);
  } finally {
    if (mine === generation) searching.value = false;
  }
}

export function failed(error: unknown): void {
  const told = error instanceof Failed ? error : new Failed("page", (error as Error).message, null, null);
  failure.value = told;
  offline.value = told.code === "offline";
}

const rank = newestOnly((question: { number: number; profile: Profile }) =>
  askForThisFrame("rank", question),
);

async function rerank(numbers: Profile, bundle: Opened): Promise<void> {
  try {
    const ranking = await rank({ number: bundle.number, profile: numbers });
    if (ranking === null || opened.value !== bundle) return;
    batch(() => {
      shown.value = { ranking, profile: numbers };
      refused.value = null;
    });
  } catch (error) {
    if (opened.value !== bundle) return;
    if (error instanceof Refused && error.code === "bad_profile") refused.value = error;
    else failed(error);
  }
}

export async function loadDomains(): Promise<void> {
  try {
    server.value = await gateway.domains();
    failure.value = null;
    offline.value = false;
  } catch (error) {
    failed(error);
  }
}

export async function loadProfiles(): Promise<void> {
  const name = domainName.value;
  if (!name) return;
  try {
    profiles.value = await gateway.profiles(name);
  } catch {
    // The two that the core knows by itself; saved ones come with the server.
    const known = await Promise.all(
      ["vault", "balanced"].map(async (preset) => ({
        name: preset,
        built_in: true,
        profile: await ask("preset", { name: preset, domain: name }),
      })),
    ).catch(() => []);
    profiles.value = known;
  }
}

const WAIT_TO_ASK = 120;

/** Sets it all going; called once. */
export function start(): void {
  addEventListener("popstate", () => {
    clearTimeout(writing);
    if (!entries.followed(link(address.peek()))) return;
    const to = decode(location.search);
    batch(() => {
      if (to.domain !== address.peek().domain) forget();
      address.value = to;
    });
  });
  effect(() => {
    void address.value;
    clearTimeout(writing);
    writing = setTimeout(writeAddress, WAIT_TO_WRITE);
  });

  void loadDomains();
  effect(() => {
    if (domainName.value) void loadProfiles();
  });

  let first = true;
  let typing: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const key = needed.value;
    clearTimeout(typing);
    asking?.abort();
    generation++;
    searching.value = key !== null;
    if (key === null) {
      if (address.peek().query.trim() === "") {
        forget();
        failure.value = offline.peek() ? failure.peek() : null;
      }
      return;
    }
    // A link is answered at once, typing when it pauses.
    typing = setTimeout(() => void search(), first ? 0 : WAIT_TO_ASK);
    first = false;
  });

  effect(() => {
    const numbers = profile.value;
    const bundle = opened.value;
    if (!numbers || !bundle) return;
    const current = shown.peek();
    if (current && same(current.profile, numbers)) return;
    void rerank(numbers, bundle);
  });

  effect(() => {
    const numbers = domain.value?.profile ?? base.value;
    const bundle = opened.value;
    if (!numbers || !bundle) return;
    void ask("rank", { number: bundle.number, profile: numbers })
      .then((ranking) => {
        if (opened.peek() === bundle) baseline.value = ranking;
      })
      .catch(() => {});
  });
}
