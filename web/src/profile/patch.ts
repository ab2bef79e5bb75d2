/** JSON merge patches (RFC 7386) over profiles: an object merges, null removes, the rest replaces. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys that would reach an object's prototype are no profile's. */
const isKey = (key: string): boolean => key !== "__proto__";

/**
 * Lays `patch` over `base`. Where a patch removes a key that `base` has, null stands in its place:
 * the core reads both alike, and so a switched-off number keeps its control.
 */
export function merge<T>(base: T, patch: unknown): T {
  if (!isObject(base) || !isObject(patch)) return (patch === undefined ? base : patch) as T;
  const merged: Record<string, Json> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (!isKey(key)) continue;
    const under = merged[key];
    if (value === null) {
      if (isObject(under)) delete merged[key];
      else merged[key] = null;
    } else merged[key] = isObject(under) && isObject(value) ? merge(under, value) : value;
  }
  return merged as T;
}

/** The least patch that makes `whole` of `base`. */
export function difference(base: unknown, whole: unknown): JsonObject {
  const patch: Record<string, Json> = {};
  if (!isObject(base) || !isObject(whole)) return patch;
  for (const key of new Set([...Object.keys(base), ...Object.keys(whole)])) {
    const [from, to] = [base[key], whole[key]];
    if (same(from, to)) continue;
    if (isObject(from) && isObject(to)) patch[key] = difference(from, to);
    else patch[key] = to ?? null;
  }
  return patch;
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? null) === (b ?? null)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, i) => same(value, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => same(a[key], b[key]));
}

export type Path = readonly string[];

export function valueAt(value: unknown, path: Path): Json | undefined {
  let at = value as Json | undefined;
  for (const key of path) {
    if (!isObject(at)) return undefined;
    at = at[key];
  }
  return at;
}

export function withValue<T>(value: T, path: Path, to: Json): T {
  const [key, ...rest] = path;
  if (key === undefined) return to as T;
  const object: JsonObject = isObject(value) ? value : {};
  return { ...object, [key]: withValue(object[key], rest, to) } as T;
}

/** How many numbers a patch changes. */
export function changes(patch: unknown): number {
  if (!isObject(patch)) return 1;
  return Object.values(patch).reduce<number>((sum, value) => sum + changes(value), 0);
}
