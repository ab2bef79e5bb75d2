/** The parts of a score as the stacked bar shows them: products of the trace, nothing more. */
import type { Item } from "../core/concord";
import { legName } from "./words";

export interface Part {
  /** Names the colour. */
  readonly kind: "meaning" | "words" | "list" | "pagerank" | "centrality" | "recency" | "signal" | "cross";
  readonly label: string;
  readonly value: number;
}

/**
 * Relevance is one term; it is drawn in the proportions in which the lists made it. With a
 * cross-encoder the last part is what that changed, which may be less than nothing.
 */
export function partsOf({ trace, score }: Pick<Item, "trace" | "score">): readonly Part[] {
  const parts: Part[] = [];
  const relevance = trace.relevance.value * trace.relevance.weight;
  for (const { leg, contribution } of trace.legs) {
    const share = trace.fused === 0 ? 1 / trace.legs.length : contribution / trace.fused;
    const name = leg.split(":")[0];
    const kind = name === "vector" ? "meaning" : name === "lexical" ? "words" : "list";
    parts.push({ kind, label: `relevance by ${legName(leg)}`, value: relevance * share });
  }
  parts.sort((a, b) => order(a.kind) - order(b.kind));
  const add = (kind: Part["kind"], label: string, value: number) => {
    if (value !== 0) parts.push({ kind, label, value });
  };
  add("pagerank", "PageRank", trace.page_rank.value * trace.page_rank.weight);
  add("centrality", "centrality", trace.centrality.value * trace.centrality.weight);
  add("recency", "recently changed", trace.recency);
  for (const { name, term } of trace.signals) add("signal", name, term.value * term.weight);
  if (trace.cross) add("cross", "cross-encoder", score - trace.blended);
  return parts.filter(({ value }) => value !== 0);
}

const order = (kind: Part["kind"]): number => (kind === "meaning" ? 0 : kind === "words" ? 1 : 2);
