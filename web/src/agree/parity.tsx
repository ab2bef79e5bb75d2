/** The cases that fix the core's answers bit for bit, put to the core in this browser. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import kept from "../../../tests/golden/cases.json?url";
import type { ParityCase } from "../core/parity";
import { ask } from "../core/ranker";

interface Run {
  readonly done: number;
  readonly all: number;
  readonly apart: readonly string[];
  readonly ms: number;
  readonly fault: string | null;
}

/** So many at a time: the count is seen to move. */
const BATCH = 25;

export function Parity() {
  const run = useSignal<Run | null>(null);
  const running = useRef(false);
  const start = async () => {
    if (running.current) return;
    running.current = true;
    const from = performance.now();
    let state: Run = { done: 0, all: 0, apart: [], ms: 0, fault: null };
    run.value = state;
    try {
      // A page that is not secure has no SHA-256.
      if (!globalThis.crypto?.subtle)
        throw new Error("This browser gives digests only to pages from this machine or over HTTPS.");
      const response = await fetch(kept);
      if (!response.ok) throw new Error("The cases could not be loaded; is the server running?");
      const cases = (await response.json()) as readonly ParityCase[];
      for (let at = 0; at < cases.length; at += BATCH) {
        const batch = cases.slice(at, at + BATCH);
        const apart = await ask("parity", { cases: batch });
        state = {
          ...state,
          done: at + batch.length,
          all: cases.length,
          apart: [...state.apart, ...apart],
          ms: performance.now() - from,
        };
        run.value = state;
      }
    } catch (error) {
      const offline = error instanceof TypeError;
      run.value = {
        ...state,
        fault: offline
          ? "The cases could not be loaded; is the server running?"
          : (error as Error).message || String(error),
      };
    } finally {
      running.current = false;
    }
  };
  const now = run.value;
  const over = now !== null && now.all > 0 && now.done === now.all;
  return (
    <>
      <h3>The parity cases</h3>
      <p>
        Hand-made cases for fusion, age, links, excerpts, citations and walks, each with the digest of the
        answer that the native core gave. They need no server: what differs here is this browser's.
      </p>
      <p class="controls-line">
        <button
          type="button"
          onClick={() => void start()}
          disabled={now !== null && !over && now.fault === null}
        >
          Run the parity cases
        </button>
        <span
          role="status"
          class={over ? (now.apart.length === 0 ? "good" : "bad") : ""}
          data-cases={now?.done ?? 0}
          data-apart={now?.apart.length ?? 0}
        >
          {now === null || now.fault
            ? ""
            : !over
              ? `${now.done} …`
              : now.apart.length === 0
                ? `The same bits in all ${now.all} cases, in ${(now.ms / 1000).toFixed(1)} s.`
                : `${now.apart.length} of ${now.all} cases differ; the first: ${now.apart[0]}.`}
        </span>
      </p>
      {now?.fault ? (
        <p class="fault" role="alert">
          {now.fault}
        </p>
      ) : null}
    </>
  );
}
