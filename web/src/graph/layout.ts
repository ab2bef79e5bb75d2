/**
 * Where the notes of a graph are drawn. Deterministic: the same graph is drawn the same way, with
 * no randomness and no clock. Springs along links, repulsion between all, a pull to the middle.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Positions in the unit square, in the order of the nodes. `O(rounds · n²)`, for some hundreds. */
export function spread(
  count: number,
  links: readonly (readonly [number, number])[],
  groups: readonly number[],
  rounds = 220,
): readonly Point[] {
  if (count === 0) return [];
  if (count === 1) return [{ x: 0.5, y: 0.5 }];
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  // A sunflower, communities one after the other, so that each starts as a patch of its own.
  const order = [...Array(count).keys()].sort((a, b) => (groups[a] ?? 0) - (groups[b] ?? 0) || a - b);
  const golden = Math.PI * (3 - Math.sqrt(5));
  order.forEach((node, i) => {
    const r = Math.sqrt((i + 0.5) / count);
    x[node] = r * Math.cos(i * golden);
    y[node] = r * Math.sin(i * golden);
  });
  const ideal = 1.6 / Math.sqrt(count);
  // Nothing but this pull holds a note without links: by the others' it would drift off, and they
  // would share what is left of the picture.
  const pull = new Float64Array(count).fill(1.5);
  for (const [a, b] of links) pull[a] = pull[b] = 0.35;
  const dx = new Float64Array(count);
  const dy = new Float64Array(count);
  for (let round = 0; round < rounds; round++) {
    dx.fill(0);
    dy.fill(0);
    for (let a = 0; a < count; a++) {
      for (let b = a + 1; b < count; b++) {
        const vx = x[a]! - x[b]!;
        const vy = y[a]! - y[b]!;
        const square = Math.max(vx * vx + vy * vy, 1e-6);
        const push = (ideal * ideal) / square;
        dx[a]! += vx * push;
        dy[a]! += vy * push;
        dx[b]! -= vx * push;
        dy[b]! -= vy * push;
      }
    }
    for (const [a, b] of links) {
      const vx = x[a]! - x[b]!;
      const vy = y[a]! - y[b]!;
      const spring = Math.sqrt(vx * vx + vy * vy) / ideal / 2;
      dx[a]! -= vx * spring;
      dy[a]! -= vy * spring;
      dx[b]! += vx * spring;
      dy[b]! += vy * spring;
    }
    const heat = 0.12 * (1 - round / rounds) + 0.002;
    for (let a = 0; a < count; a++) {
      dx[a]! -= x[a]! * pull[a]!;
      dy[a]! -= y[a]! * pull[a]!;
      const length = Math.hypot(dx[a]!, dy[a]!) || 1;
      const step = Math.min(length, heat) / length;
      x[a]! += dx[a]! * step;
      y[a]! += dy[a]! * step;
    }
  }
  return fitted(x, y);
}

/** Hop rings around the seeds: hop 0 in the middle, every further hop on its own circle. */
export function rings(hops: readonly number[]): readonly Point[] {
  const most = Math.max(1, ...hops);
  const at = new Map<number, number>();
  const counts = new Map<number, number>();
  for (const hop of hops) counts.set(hop, (counts.get(hop) ?? 0) + 1);
  return hops.map((hop) => {
    const i = at.get(hop) ?? 0;
    at.set(hop, i + 1);
    const of = counts.get(hop) ?? 1;
    if (hop === 0 && of === 1) return { x: 0.5, y: 0.5 };
    const radius = hop === 0 ? 0.06 : ringRadius(hop, most);
    // Each ring turned a little, so that nodes of neighbouring rings do not hide behind each other.
    const angle = (2 * Math.PI * i) / of - Math.PI / 2 + hop * 0.5;
    return { x: 0.5 + radius * Math.cos(angle), y: 0.5 + radius * Math.sin(angle) };
  });
}

export const ringRadius = (hop: number, most: number): number => (0.46 * hop) / most;

function fitted(x: Float64Array, y: Float64Array): readonly Point[] {
  const [left, right] = [Math.min(...x), Math.max(...x)];
  const [top, bottom] = [Math.min(...y), Math.max(...y)];
  const width = Math.max(right - left, 1e-9);
  const height = Math.max(bottom - top, 1e-9);
  return Array.from(x, (_, i) => ({
    x: 0.04 + (0.92 * (x[i]! - left)) / width,
    y: 0.04 + (0.92 * (y[i]! - top)) / height,
  }));
}

/** The nearest point in a direction: what an arrow key goes to. */
export function towards(points: readonly Point[], from: number, key: string): number {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  const start = points[from];
  if (!way || !start) return from;
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  points.forEach((point, i) => {
    const vx = point.x - start.x;
    const vy = point.y - start.y;
    const along = vx * way[0]! + vy * way[1]!;
    if (i === from || along <= 0) return;
    const aside = Math.abs(vx * way[1]!) + Math.abs(vy * way[0]!);
    // More aside than ahead is another arrow's, unless no note lies ahead.
    const distance = along + 2 * aside + (aside > along ? 10 : 0);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}
