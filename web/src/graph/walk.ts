/** A walk's notes as rows: what was retained, then what was pruned, with the reason in words. */
import type { PruneReason, RetainReason, Traversal } from "../core/concord";

export interface WalkRow {
  readonly path: string;
  readonly hop: number;
  readonly similarity: number;
  /** The weight of its age; null for what was pruned. */
  readonly decay: number | null;
  readonly pruned: boolean;
  readonly words: string;
}

export const KEPT: Record<RetainReason, string> = {
  seed: "the walk began here",
  kept_despite_decay_zero: "kept though it no longer holds",
  above_prune_floor: "near enough",
};

export const PRUNED: Record<PruneReason, string> = {
  decay_zero: "pruned: no longer holds",
  below_prune_threshold: "pruned: not near enough",
  beam_overflow: "pruned: others of this hop were nearer",
};

export function walkRows({ retained, pruned }: Traversal): readonly WalkRow[] {
  const rows = [
    ...retained.map(({ path, hop, similarity, decay_weight, retain_reason }) => ({
      path,
      hop,
      similarity,
      decay: decay_weight as number | null,
      pruned: false,
      words: KEPT[retain_reason],
    })),
    ...pruned.map(({ path, hop, similarity, drop_reason }) => ({
      path,
      hop,
      similarity,
      decay: null,
      pruned: true,
      words: PRUNED[drop_reason],
    })),
  ];
  return rows.sort(
    (a, b) =>
      a.hop - b.hop ||
      Number(a.pruned) - Number(b.pruned) ||
      b.similarity - a.similarity ||
      (a.path < b.path ? -1 : 1),
  );
}
