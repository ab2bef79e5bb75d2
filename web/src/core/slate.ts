/**
 * Memory that the page and its worker share, for an answer within the frame that asks for it. A
 * browser hands out a slider's steps right before it renders a frame, and a message from the
 * worker is a task of its own, after that: what it brings is painted a frame late. So the page
 * looks here for a moment until the worker has written.
 *
 * The first word says whose turn it is: the number of the question while the page waits for its
 * answer, minus the answer's length in bytes once it is written, 0 when nobody waits. It changes
 * by compare and exchange alone, so an answer comes either here or by message, and never twice.
 */
import type { Reply } from "./protocol";

const HEAD = Int32Array.BYTES_PER_ELEMENT;
/** A row of a ranking is about a kilobyte. */
const SIZE = 1 << 20;

/**
 * None where memory is not shared (the page is not isolated from others), or where waiting would
 * keep the worker from the only processor.
 */
export function makeSlate(): SharedArrayBuffer | null {
  return globalThis.crossOriginIsolated && navigator.hardwareConcurrency > 1
    ? new SharedArrayBuffer(SIZE)
    : null;
}

/** By the page, before it asks. */
export function expectOn(slate: SharedArrayBuffer, id: number): void {
  Atomics.store(turn(slate), 0, id);
}

/** By the page, once it has asked: the reply, or null when it will come by message. */
export function waitAt(slate: SharedArrayBuffer, id: number, ms: number): Reply | null {
  const word = turn(slate);
  const until = performance.now() + ms;
  // A page may not sleep, so it looks again and again.
  while (Atomics.load(word, 0) === id && performance.now() < until);
  const left = Atomics.compareExchange(word, 0, id, 0);
  if (left >= 0) return null;
  // No decoder takes shared memory: it reads a copy.
  const bytes = new Uint8Array(slate, HEAD, -left).slice();
  return JSON.parse(new TextDecoder().decode(bytes)) as Reply;
}

/** By the worker: whether the page has got it so, and needs no message. */
export function writeOn(slate: SharedArrayBuffer, reply: Reply): boolean {
  const word = turn(slate);
  if (Atomics.load(word, 0) !== reply.id) return false;
  const bytes = new TextEncoder().encode(JSON.stringify(reply));
  const fits = bytes.length <= slate.byteLength - HEAD;
  if (fits) new Uint8Array(slate, HEAD).set(bytes);
  const written = Atomics.compareExchange(word, 0, reply.id, fits ? -bytes.length : 0) === reply.id;
  return fits && written;
}

const turn = (slate: SharedArrayBuffer): Int32Array => new Int32Array(slate, 0, 1);
