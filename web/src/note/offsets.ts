/** Byte offsets of UTF-8, as the core counts, into units of UTF-16, as JavaScript does. */

/** Converts ascending or unordered offsets in one walk over `text`. Past its end: its length. */
export function utf16Offsets(text: string, bytes: readonly number[]): readonly number[] {
  const order = bytes.map((_, i) => i).sort((a, b) => (bytes[a] as number) - (bytes[b] as number));
  const units: number[] = new Array(bytes.length).fill(text.length);
  let byte = 0;
  let next = 0;
  for (let unit = 0; unit < text.length && next < order.length; ) {
    while (next < order.length && (bytes[order[next] as number] as number) <= byte) {
      units[order[next++] as number] = unit;
    }
    const point = text.codePointAt(unit) as number;
    byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    unit += point < 0x10000 ? 1 : 2;
  }
  return units;
}

export type Span = readonly [start: number, end: number];

/** Sorted, without overlaps, nothing empty. */
export function tidy(spans: readonly Span[]): readonly Span[] {
  const tidied: [number, number][] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = tidied.at(-1);
    if (end <= start) continue;
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else tidied.push([start, end]);
  }
  return tidied;
}
