/** What the page asks of the worker, and what it gets. */
import type { SearchAnswer } from "../api/types";
import type { Bundle, Difference, GraphView, Profile, Ranking } from "./concord";
import type { ParityCase } from "./parity";

/** Whether the server's ranking, computed again here, has the same bits. */
export interface Agreement {
  readonly same: boolean;
  readonly recorded: string;
  readonly recomputed: string;
  /** The first number that differs; none where all are the same. */
  readonly difference: Difference | null;
}

/** A server's answer, read and checked. */
export interface Opened {
  /** What the worker knows its bundle by. */
  readonly number: number;
  readonly answer: Omit<SearchAnswer, "receipt" | "ranking">;
  readonly bundle: Bundle;
  readonly profile: Profile;
  readonly ranking: Ranking;
  readonly agreement: Agreement;
}

/** Each call's question and reply, by name. */
export interface Calls {
  /**
   * Reads a search answer with its receipt and checks the receipt. Its bundle is kept under the
   * answer's `number` until it is closed.
   */
  open: { question: { bytes: ArrayBuffer }; reply: Opened };
  close: { question: { number: number }; reply: null };
  /** Ranks a bundle that is open. */
  rank: { question: { number: number; profile: Profile }; reply: Ranking };
  /** Its link graph. */
  graph: { question: { number: number; profile: Profile }; reply: GraphView };
  /** A default profile as this domain has it. */
  preset: { question: { name: string; domain: string }; reply: Profile };
  version: { question: null; reply: string };
  /** Cases of the parity suite; the names of those that get another answer here. */
  parity: { question: { cases: readonly ParityCase[] }; reply: readonly string[] };
}

export type CallName = keyof Calls;

export interface Request<N extends CallName = CallName> {
  readonly id: number;
  readonly call: N;
  readonly question: Calls[N]["question"];
  /** Where the page waits for the reply; without, it comes by message. */
  readonly slate?: SharedArrayBuffer;
}

export interface Failure {
  readonly message: string;
  readonly code: string;
  /** The key of the input at fault, e.g. `fuse.k`; empty for the whole. */
  readonly key: string;
}

export type Reply =
  | { readonly id: number; readonly reply: Calls[CallName]["reply"] }
  | { readonly id: number; readonly failure: Failure };
