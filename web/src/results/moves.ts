/** Who moved, and by how much: between two states of a list, in ranks and in pixels. */

export type Change =
  | { readonly kind: "same" }
  | { readonly kind: "up" | "down"; readonly by: number }
  | { readonly kind: "new" };

/** Each id's change of rank against a list that it is compared with. */
export function rankChanges(
  before: readonly number[],
  after: readonly number[],
): ReadonlyMap<number, Change> {
  const ranks = new Map(before.map((id, i) => [id, i]));
  return new Map(
    after.map((id, i): [number, Change] => {
      const was = ranks.get(id);
      if (was === undefined) return [id, { kind: "new" }];
      if (was === i) return [id, { kind: "same" }];
      return [id, was > i ? { kind: "up", by: was - i } : { kind: "down", by: i - was }];
    }),
  );
}

export interface Place {
  readonly top: number;
  readonly height: number;
}

export interface Move {
  readonly id: number;
  /** From how far away it comes, in pixels; null for a row that was not there. */
  readonly from: number | null;
}

/**
 * The rows to set in motion: those whose place changed and that are within `[top, bottom]` before
 * or after. What nobody can see is not animated.
 */
export function moves(
  before: ReadonlyMap<number, Place>,
  after: ReadonlyMap<number, Place>,
  [top, bottom]: readonly [number, number],
): readonly Move[] {
  const visible = (place: Place) => place.top < bottom && place.top + place.height > top;
  const moved: Move[] = [];
  for (const [id, now] of after) {
    const was = before.get(id);
    if (!was) {
      if (visible(now)) moved.push({ id, from: null });
    } else if (Math.abs(was.top - now.top) >= 1 && (visible(was) || visible(now))) {
      moved.push({ id, from: was.top - now.top });
    }
  }
  return moved;
}
