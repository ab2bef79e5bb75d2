/**
 * Where names stand in a picture of notes: beside their dots, over no other dot and no other name.
 * What finds no such place is not written; its name is in the caption when it is chosen, and in the
 * table. Pure.
 */

export interface Named {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly text: string;
}

export interface Place {
  /** The middle of the name. */
  readonly x: number;
  /** Its baseline. */
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A letter's width, and what of a line lies over and under the baseline, as parts of the font's size. */
const LETTER = 0.57;
const BOLD_LETTER = 0.63;
const OVER = 0.95;
const UNDER = 0.3;
/** More names than this are a wall of text. */
const MOST = 30;

/**
 * In `order`, as far as there is room. The first, which somebody chose, is bold and may cover one
 * other dot; if it would cover more, the caption has to do.
 */
export function placeNames(
  dots: readonly Named[],
  order: readonly number[],
  font: number,
  [width, height]: readonly [number, number],
): ReadonlyMap<number, Place> {
  const placed = new Map<number, Place>();
  const boxes: Box[] = [];
  for (const i of order) {
    const { text } = dots[i]!;
    const chosen = i === order[0];
    const half = Math.min((text.length * (chosen ? BOLD_LETTER : LETTER) * font) / 2, width / 2);
    const tried = around(dots[i]!, half, font).map((place) => {
      const x = Math.max(half, Math.min(width - half, place.x));
      const y = Math.max(OVER * font, Math.min(height - UNDER * font, place.y));
      const box = { left: x - half, right: x + half, top: y - OVER * font, bottom: y + UNDER * font };
      const covers =
        boxes.filter((other) => overlap(box, other)).length +
        dots.filter((dot) => overlap(box, square(dot))).length;
      return { x, y, box, covers };
    });
    const best = tried.reduce((a, b) => (b.covers < a.covers ? b : a));
    if (best.covers > (chosen ? 1 : 0)) continue;
    boxes.push(best.box);
    placed.set(i, { x: best.x, y: best.y });
    if (placed.size === MOST) break;
  }
  return placed;
}

/** Below, above, to the right, to the left, then askew: in this order where all are free. */
function around({ x, y, radius }: Named, half: number, font: number): readonly Place[] {
  const gap = 0.25 * font;
  const below = y + radius + gap + OVER * font;
  const above = y - radius - gap - UNDER * font;
  const level = y + 0.35 * font;
  const right = x + radius + gap + half;
  const left = x - radius - gap - half;
  const askew = [x + half - radius, x - half + radius];
  return [
    { x, y: below },
    { x, y: above },
    { x: right, y: level },
    { x: left, y: level },
    ...askew.flatMap((x) => [
      { x, y: below },
      { x, y: above },
    ]),
  ];
}

const square = ({ x, y, radius }: Named): Box => ({
  left: x - radius,
  right: x + radius,
  top: y - radius,
  bottom: y + radius,
});

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
