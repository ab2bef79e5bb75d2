/**
 * The only thing the page talks to. Every failure becomes a `Failed` that says whose fault it is
 * and what to do; a request that was given up is an `AbortError`, which callers let pass.
 */
import { computed, signal } from "@preact/signals";
import type { Profile, ProfilePatch } from "../core/concord";
import type { Scopes } from "../state/address";
import type {
  Bundle,
  Citation,
  Domain,
  Domains,
  NamedProfile,
  NoteAnswer,
  TraverseAnswer,
  VerifyAnswer,
} from "./types";

export class Failed extends Error {
  /** The server's stable code, or `offline` where it cannot be reached. */
  readonly code: string;
  readonly hint: string | null;
  readonly requestId: string | null;
  constructor(code: string, message: string, hint: string | null, requestId: string | null) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.requestId = requestId;
  }
}

/** Any error as one that can be told. */
export const asFailed = (error: unknown): Failed =>
  error instanceof Failed
    ? error
    : new Failed("page", error instanceof Error ? error.message : String(error), null, null);

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === "AbortError";

/** Kept for the tab: whoever may open this page may not write to the vault by that alone. */
const TOKEN = "concord.token";

const token = signal<string | null>(sessionStorage.getItem(TOKEN));
export const hasToken = computed(() => token.value !== null);

/** Keeps the token in what `concord serve` printed: the whole address, or the token alone. */
export function keepToken(printed: string): boolean {
  const found = /(?:^|token=)([\w-]{16,})\s*$/.exec(printed.trim())?.[1];
  if (!found) return false;
  sessionStorage.setItem(TOKEN, found);
  token.value = found;
  return true;
}

/** One that the server did not take is of no use to anybody. */
export function dropToken(): void {
  sessionStorage.removeItem(TOKEN);
  token.value = null;
}

/** Takes the token out of `#token=…` and the address bar. */
export function takeToken(): void {
  if (!new URLSearchParams(location.hash.slice(1)).has("token")) return;
  keepToken(location.hash);
  history.replaceState(history.state, "", location.pathname + location.search);
}

type Query = Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

export function address(path: string, query: Query): string {
  const pairs = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) pairs.append(key, String(one));
  }
  return `/v1/${path}?${pairs}`;
}

async function request(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    // A server that listens beyond loopback wants it for reading, too.
    const authorization = token.value === null ? {} : { authorization: `Bearer ${token.value}` };
    const headers = { accept: "application/json", ...authorization, ...init.headers };
    response = await fetch(url, { ...init, headers });
  } catch (error) {
    if (isAbort(error)) throw error;
    const hint = "Start it again with `concord serve`; what is already on this page goes on working.";
    throw new Failed("offline", "The server cannot be reached.", hint, null);
  }
  if (response.ok) return response;
  const id = response.headers.get("x-request-id");
  const unread = (error: unknown) => {
    // Given up while the refusal was read: nobody waits for it.
    if (isAbort(error)) throw error;
    return null;
  };
  const told = (await response.json().catch(unread)) as {
    error?: { code?: string; message?: string; hint?: string | null };
  } | null;
  const { code, message, hint } = told?.error ?? {};
  const fallback = `The server answered ${response.status} ${response.statusText}`.trim();
  throw new Failed(code ?? "internal", message ?? fallback, hint ?? null, id);
}

export const json = async <T>(url: string, init?: RequestInit): Promise<T> => {
  const response = await request(url, init);
  return (response.status === 204 ? null : await response.json()) as T;
};

export const write = <T>(method: "PUT" | "POST" | "DELETE", url: string, body: unknown): Promise<T> =>
  json<T>(url, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });

/** `a/b c.md` as address segments. */
export const segments = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

export interface Question {
  readonly domain: string;
  readonly query: string;
  readonly scopes: Scopes;
  /** None for the domain's own. */
  readonly preset: string | null;
  readonly patch: ProfilePatch;
}

const scoped = ({ folder, tag, kind, author, since, before }: Scopes): Query => ({
  folder,
  tag,
  kind,
  author,
  since,
  before,
});

const patchOf = (patch: ProfilePatch): string | null =>
  Object.keys(patch).length > 0 ? JSON.stringify(patch) : null;

/** The answer's bytes, which go to the worker unread. */
export async function search(question: Question, signal?: AbortSignal): Promise<ArrayBuffer> {
  const { domain, query, scopes, preset, patch } = question;
  const url = address("vault/search", {
    domain,
    q: query,
    profile: preset,
    patch: patchOf(patch),
    explain: 1,
    receipt: 1,
    ...scoped(scopes),
  });
  return (await request(url, signal ? { signal } : {})).arrayBuffer();
}

export const candidates = (question: Question, file: string): Promise<Bundle> =>
  json(
    address("vault/candidates", {
      domain: question.domain,
      q: question.query,
      profile: question.preset,
      file,
    }),
  );

/** Of a domain that is down the server says no more than that. */
const UNKNOWN: Omit<Domain, "name" | "up" | "error"> = {
  notes: 0,
  chunks: 0,
  model: null,
  dimension: 0,
  words_only: false,
  indexed_at: null,
  profile: null,
  authors: [],
  kinds: [],
  tags: [],
  folders: [],
};

export async function domains(): Promise<Domains> {
  const answer = await json<Domains>(address("domains", {}));
  return { ...answer, domains: answer.domains.map((one) => ({ ...UNKNOWN, ...one })) };
}

export const note = (domain: string, path: string, signal?: AbortSignal): Promise<NoteAnswer> =>
  json(address(`vault/node/${segments(path)}`, { domain }), signal ? { signal } : {});

export const traverse = (
  domain: string,
  path: string,
  options: Pick<Question, "query" | "preset" | "patch"> & { readonly depth: number; readonly mode: string },
  signal?: AbortSignal,
): Promise<TraverseAnswer> =>
  json(
    address(`vault/traverse/${segments(path)}`, {
      domain,
      depth: options.depth,
      q: options.query,
      mode: options.mode,
      profile: options.preset,
      patch: patchOf(options.patch),
    }),
    signal ? { signal } : {},
  );

export const verify = (domain: string, citations: readonly Citation[]): Promise<VerifyAnswer> =>
  json(address("vault/verify", { domain }), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ citations }),
  });

export const profiles = async (domain: string): Promise<readonly NamedProfile[]> =>
  (await json<{ profiles: readonly NamedProfile[] }>(address("profiles", { domain }))).profiles;

export const saveProfile = (
  domain: string,
  name: string,
  profile: Profile,
): Promise<{ name: string; profile: Profile }> =>
  write("PUT", address(`profiles/${encodeURIComponent(name)}`, { domain }), profile);

export const deleteProfile = (domain: string, name: string): Promise<unknown> =>
  write("DELETE", address(`profiles/${encodeURIComponent(name)}`, { domain }), null);
