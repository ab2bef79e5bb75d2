/**
 * Does this browser agree? Every answer is computed again as it comes; here many more are asked for,
 * each under other numbers, and computed again.
 */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import * as gateway from "../api/gateway";
import { isAbort } from "../api/gateway";
import { ask } from "../core/ranker";
import { line } from "../note/display";
import { address, agreements, domainName, opened, server } from "../state/store";
import { cases } from "./cases";
import { Parity } from "./parity";

interface Run {
  readonly done: number;
  readonly all: number;
  readonly same: number;
  readonly first: string | null;
  readonly fault: string | null;
}

export default function AgreementView() {
  const run = useSignal<Run | null>(null);
  const running = useRef<AbortController | null>(null);
  const seen = agreements.value;
  const apart = seen.filter(({ same }) => !same);
  const query = opened.value?.answer.query ?? address.value.query.trim();

  const start = async () => {
    const all = cases();
    const domain = domainName.value;
    if (!domain || query === "") return;
    const controller = new AbortController();
    running.current = controller;
    let state: Run = { done: 0, all: all.length, same: 0, first: null, fault: null };
    run.value = state;
    try {
      for (const [name, patch] of all) {
        const question = { domain, query, scopes: address.value.scopes, preset: "vault", patch };
        const bytes = await gateway.search(question, controller.signal);
        const { agreement, number } = await ask("open", { bytes }, [bytes]);
        void ask("close", { number });
        const where = agreement.difference
          ? ` at ${agreement.difference.key}: ${agreement.difference.recorded} there, ${agreement.difference.recomputed} here`
          : "";
        state = {
          ...state,
          done: state.done + 1,
          same: state.same + Number(agreement.same),
          first: state.first ?? (agreement.same ? null : `${name}${where}`),
        };
        run.value = state;
      }
    } catch (error) {
      if (!isAbort(error)) run.value = { ...state, fault: (error as Error).message };
    } finally {
      running.current = null;
    }
  };

  const now = run.value;
  const over = now !== null && now.done === now.all;
  return (
    <section class="agree pad" aria-label="Agreement">
      <h2>Does this browser agree with the server?</h2>
      <p>
        The same core ranks on the server and, as WebAssembly, here. Every answer on this page is computed
        again and its digest compared, which covers each bit of candidates, numbers and scores.
      </p>
      <dl>
        <dt>Answers on this visit</dt>
        <dd>{seen.length}</dd>
        <dt>The same bits</dt>
        <dd class={apart.length === 0 ? "good" : ""}>{seen.length - apart.length}</dd>
        <dt>Different</dt>
        <dd class={apart.length > 0 ? "bad" : ""}>{apart.length}</dd>
        <dt>Core</dt>
        <dd>{server.value?.core ?? "–"}</dd>
        {opened.value ? (
          <>
            <dt>Digest of the server's answer</dt>
            <dd class="mono">{opened.value.agreement.recorded}</dd>
            <dt>Computed here</dt>
            <dd class="mono">{opened.value.agreement.recomputed}</dd>
          </>
        ) : null}
      </dl>
      {apart[0]?.difference ? (
        <p class="fault">
          First difference at {apart[0].difference.key}: {apart[0].difference.recorded} there,{" "}
          {apart[0].difference.recomputed} here.
        </p>
      ) : null}
      <Parity />
      <h3>This question, under other numbers</h3>
      <p>
        {query === "" ? (
          "Ask something first: the question is put to the server"
        ) : (
          <>
            Puts “<bdi>{line(query, 80)}</bdi>” to the server
          </>
        )}{" "}
        under {cases().length} different profiles (fusion, age, links, list), and each ranking is computed
        again here.
      </p>
      <p>
        <button
          type="button"
          onClick={() => void start()}
          disabled={query === "" || running.current !== null}
        >
          Compare {cases().length} rankings
        </button>
      </p>
      {now ? (
        <>
          <progress max={now.all} value={now.done} aria-label="Rankings compared" />
          <p
            role="status"
            class={over ? (now.same === now.all ? "good" : "bad") : ""}
            data-compared={now.done}
            data-same={now.same}
          >
            {over
              ? now.same === now.all
                ? `The same bits in all ${now.all} rankings.`
                : `${now.all - now.same} of ${now.all} rankings differ; the first: ${now.first}.`
              : `${now.done} of ${now.all} …`}
          </p>
          {now.fault ? <p class="fault">{now.fault}</p> : null}
        </>
      ) : null}
    </section>
  );
}
