/** The worker, as functions that return promises. */
import type { CallName, Calls, Failure, Reply, Request } from "./protocol";

/** What the core refused, by key. */
export class Refused extends Error {
  readonly code: string;
  readonly key: string;
  constructor({ message, code, key }: Failure) {
    super(message);
    this.code = code;
    this.key = key;
  }
}

interface Waiting {
  resolve(reply: never): void;
  reject(error: Error): void;
}

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "concord" });
const waiting = new Map<number, Waiting>();
let asked = 0;

worker.onmessage = ({ data }: MessageEvent<Reply>) => {
  const one = waiting.get(data.id);
  waiting.delete(data.id);
  if ("failure" in data) one?.reject(new Refused(data.failure));
  else one?.resolve(data.reply as never);
};
worker.onerror = (event) => {
  const message = event.message || "the ranking core could not be loaded";
  for (const one of waiting.values()) one.reject(new Error(message));
  waiting.clear();
};

export function ask<N extends CallName>(
  call: N,
  question: Calls[N]["question"],
  transfer: Transferable[] = [],
): Promise<Calls[N]["reply"]> {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, call, question } as Request, transfer);
  });
}
