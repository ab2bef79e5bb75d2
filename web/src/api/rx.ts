/** Recommendations: texts that are kept together with what came of checking their quotations. */
import type { CitationsStatus, PruneReason, RetainReason } from "../core/concord";
import { address, json, write } from "./gateway";
import type { CitationResult } from "./types";

export interface Summary {
  readonly id: string;
  readonly domain: string;
  readonly title: string;
  readonly question: string;
  /** In unix seconds. */
  readonly created_at: number;
  readonly citations_status: CitationsStatus;
  readonly citations: number;
  readonly verified: number;
  /** Quotations that held when they were saved and do no longer; null where nobody can be asked. */
  readonly stale: number | null;
  readonly deep: boolean;
}

export interface KeptCitation extends CitationResult {
  readonly quote: string | null;
  readonly ordinal: number | null;
  /** It held when it was saved, and does no longer; null where nobody can be asked. */
  readonly stale: boolean | null;
  /** What came of checking it when its note had changed. */
  readonly now?: CitationResult["citation_reason"] | null;
}

/** A note that a deeper look came upon, and that somebody chose. */
export interface DeepCandidate {
  readonly path: string;
  readonly title?: string;
  readonly similarity?: number;
  readonly hop?: number;
  readonly retain_reason?: RetainReason;
  readonly drop_reason?: PruneReason | "beyond_seed_count";
  /** What whoever chose it says of it. */
  readonly comment?: string;
}

export interface Recommendation
  extends Pick<Summary, "id" | "domain" | "title" | "question" | "created_at" | "citations_status"> {
  readonly text: string;
  readonly citations: readonly KeptCitation[];
  /** What was written back after a deeper look. */
  readonly deep: {
    readonly mode: string;
    readonly at: number;
    readonly text: string | null;
    readonly candidates: readonly DeepCandidate[];
    readonly citations_status: CitationsStatus;
    readonly citations: readonly KeptCitation[];
  } | null;
}

export const list = async (domain: string, signal?: AbortSignal): Promise<readonly Summary[]> =>
  (await json<{ recommendations: readonly Summary[] }>(address("rx", { domain }), signal ? { signal } : {}))
    .recommendations;

export const read = (id: string, signal?: AbortSignal): Promise<Recommendation> =>
  json(address(`rx/${encodeURIComponent(id)}`, {}), signal ? { signal } : {});

export const create = (
  domain: string,
  body: { readonly title?: string; readonly question?: string; readonly text: string },
): Promise<Recommendation> => write("POST", address("rx", { domain }), body);

export async function remove(id: string): Promise<true> {
  await write("DELETE", address(`rx/${encodeURIComponent(id)}`, {}), null);
  return true;
}
