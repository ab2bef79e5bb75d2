/** The worker, as functions that return promises. */
import type { CallName, Calls, Failure, Reply, Request } from "./protocol";
import { expectOn, makeSlate, waitAt } from "./slate";

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
const slate = makeSlate();
let asked = 0;

worker.onmessage = ({ data }: MessageEvent<Reply>) => settle(data);
worker.onerror = (event) => {
  const message = event.message || "the ranking core could not be loaded";
  for (const one of waiting.values()) one.reject(new Error(message));
  waiting.clear();
};

function settle(reply: Reply): void {
  const one = waiting.get(reply.id);
  waiting.delete(reply.id);
  if ("failure" in reply) one?.reject(new Refused(reply.failure));
  else one?.resolve(reply.reply as never);
}

export function ask<N extends CallName>(
  call: N,
  question: Calls[N]["question"],
  transfer: Transferable[] = [],
): Promise<Calls[N]["reply"]> {
  return send({ id: ++asked, call, question }, transfer);
}

/**
 * Half of a frame; the other half is for showing the reply. Two hundred candidates are ranked, and
 * the ranking is written down, in one or two milliseconds.
 */
const PATIENCE_MS = 8;

/** After waiting in vain, so many questions are not waited for: rankings that take long stay long. */
const REST = 8;
let resting = 0;

/**
 * The same, for what is to be on the screen in this very frame. The page stands still for at most
 * `PATIENCE_MS`; if the reply is there by then, the promise is settled when it is returned, and
 * what follows from it is rendered before the browser paints. Else it comes when it comes.
 */
export function askForThisFrame<N extends CallName>(
  call: N,
  question: Calls[N]["question"],
): Promise<Calls[N]["reply"]> {
  // A worker that has something to do already would be waited for in vain.
  if (!slate || waiting.size > 0) return ask(call, question);
  if (resting > 0) {
    resting--;
    return ask(call, question);
  }
  const id = ++asked;
  expectOn(slate, id);
  const promise = send<N>({ id, call, question, slate }, []);
  const reply = waitAt(slate, id, PATIENCE_MS);
  if (reply) settle(reply);
  else resting = REST;
  return promise;
}

function send<N extends CallName>(request: Request<N>, transfer: Transferable[]): Promise<Calls[N]["reply"]> {
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { resolve, reject });
    worker.postMessage(request, transfer);
  });
}
