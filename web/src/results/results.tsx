/** The list, and what is to be said about it. */
import { useSignal } from "@preact/signals";
import { line } from "../note/display";
import { changes, difference } from "../profile/patch";
import { Nothing, Waiting, Welcome, Wrong } from "../shell/states";
import { base, baseline, domain, failure, here, opened, searching, server, shown } from "../state/store";
import { Missing } from "../why/missing";
import { List } from "./list";

export function Results() {
  const anyway = useSignal("");
  const answer = opened.value;
  const now = shown.value;
  const asked = here.query.value.trim();
  // Nothing can be asked of a domain that is down, or that the server does not have.
  const deaf = server.value !== null && !domain.value?.up;
  if (asked === "" || deaf) return <Welcome />;
  if (!answer || !now) {
    if (searching.value) return <Waiting />;
    return failure.value ? <Wrong /> : <Waiting />;
  }
  const { ranking } = now;
  const { query, nothing_relevant, why, words_only } = answer.answer;
  const patch = difference(base.value, now.profile);
  const patched = changes(patch);
  const own = baseline.value?.items.map(({ chunk }) => chunk).join();
  const moved = own !== undefined && own !== ranking.items.map(({ chunk }) => chunk).join();
  const took = answer.answer.timings["total_ms"];
  const stale = query !== asked;
  if (nothing_relevant && anyway.value !== query) {
    return <Nothing why={why} nearest={ranking.items.length} show={() => (anyway.value = query)} />;
  }
  if (ranking.items.length === 0) {
    return <Nothing why={why} nearest={0} show={() => {}} />;
  }
  const shareOf = `${ranking.items.length} of ${ranking.candidates} candidates`;
  return (
    <section
      class={stale ? "stale" : ""}
      aria-label="Results"
      data-digest={ranking.digest}
      data-patch={JSON.stringify(patch)}
      data-profile={now.profile.name}
    >
      <p class="summary" role="status">
        {stale ? (
          <>
            Still the answer to “<bdi>{line(query, 60)}</bdi>”.{" "}
          </>
        ) : null}
        {shareOf}
        {patched > 0 ? `, ${patched} ${patched === 1 ? "number" : "numbers"} changed` : ""}
        <span class="faint">
          <span class="aside">
            {" "}
            · links {ranking.graph.active ? `count (${ranking.graph.citations} citations)` : "do not count"}
          </span>
          {took === undefined ? "" : ` · ${took < 10 ? took.toFixed(1) : Math.round(took)} ms`}
          {moved ? ` · moves counted from ${domain.value?.name ?? "the domain"}'s own profile` : ""}
        </span>
      </p>
      {words_only ? (
        <p class="notice">{why ?? "By words alone: this domain was indexed without an encoder."}</p>
      ) : null}
      <List answer={answer} ranking={ranking} profile={now.profile} />
      <Missing />
    </section>
  );
}
