/**
 * What the address bar carries: enough that a link shows the same view. Pure; a link made by hand
 * or by an older page never fails, what cannot be read is left out.
 */
import type { ProfilePatch } from "../core/concord";

export const VIEWS = [
  "search",
  "graph",
  "compare",
  "citations",
  "recommendations",
  "review",
  "rename",
  "agreement",
] as const;
export type View = (typeof VIEWS)[number];

export const TABS = ["note", "why", "links"] as const;
export type Tab = (typeof TABS)[number];

export const WALKS = ["fast", "deep", "compare"] as const;
export type Walk = (typeof WALKS)[number];

/** Which notes may answer; what is empty does not narrow. */
export interface Scopes {
  readonly folder: string;
  readonly kind: string;
  readonly author: string;
  /** A note has to have one of them. */
  readonly tag: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly since: string;
  readonly before: string;
}

export interface Address {
  /** None: the first that the server has. */
  readonly domain: string | null;
  readonly query: string;
  readonly scopes: Scopes;
  /** None: the domain's own profile. */
  readonly preset: string | null;
  /** What is changed of it: a JSON merge patch. */
  readonly patch: ProfilePatch;
  readonly view: View;
  /** The note in the side panel, and which of its passages. */
  readonly note: string | null;
  readonly at: number | null;
  readonly tab: Tab;
  /** The second profile of a comparison. */
  readonly against: string | null;
  /** How the graph is walked; none: it is the one around the answer. */
  readonly walk: Walk | null;
  /** The note that the walk begins at; none: the best hits. */
  readonly from: string | null;
  /** The recommendation that is open. */
  readonly rx: string | null;
}

export const NO_SCOPES: Scopes = { folder: "", kind: "", author: "", tag: [], since: "", before: "" };
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function encode(address: Address): string {
  const pairs = new URLSearchParams();
  const put = (key: string, value: string | number | null) => {
    if (value !== null && value !== "") pairs.append(key, String(value));
  };
  put("domain", address.domain);
  put("q", address.query);
  const { tag, ...single } = address.scopes;
  for (const [key, value] of Object.entries(single)) put(key, value);
  for (const value of tag) put("tag", value);
  put("profile", address.preset);
  if (Object.keys(address.patch).length > 0) put("patch", JSON.stringify(address.patch));
  if (address.view !== "search") put("view", address.view);
  if (address.note !== null) {
    put("note", address.note);
    put("at", address.at);
    if (address.tab !== "note") put("tab", address.tab);
  }
  put("against", address.against);
  put("walk", address.walk);
  put("from", address.from);
  put("rx", address.rx);
  const text = pairs.toString();
  return text === "" ? "" : `?${text}`;
}

export function decode(search: string): Address {
  const pairs = new URLSearchParams(search);
  const one = (key: string) => pairs.get(key) || null;
  const many = (key: string) => [...new Set(pairs.getAll(key).filter((value) => value !== ""))];
  const day = (key: string) => (DAY.test(pairs.get(key) ?? "") ? (pairs.get(key) as string) : "");
  const view = VIEWS.find((name) => name === pairs.get("view")) ?? "search";
  const at = /^\d{1,9}$/.test(pairs.get("at") ?? "") ? Number(pairs.get("at")) : null;
  return {
    domain: one("domain"),
    query: pairs.get("q") ?? "",
    scopes: {
      folder: pairs.get("folder") ?? "",
      kind: pairs.get("kind") ?? "",
      author: pairs.get("author") ?? "",
      tag: many("tag"),
      since: day("since"),
      before: day("before"),
    },
    preset: one("profile"),
    patch: patchOf(pairs.get("patch")),
    view,
    note: one("note"),
    at,
    tab: TABS.find((name) => name === pairs.get("tab")) ?? "note",
    against: one("against"),
    walk: WALKS.find((name) => name === pairs.get("walk")) ?? null,
    from: one("from"),
    rx: one("rx"),
  };
}

function patchOf(text: string | null): ProfilePatch {
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as ProfilePatch)
      : {};
  } catch {
    return {};
  }
}
