/** The recommendations of a domain: which hold, which went stale; one of them open. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as rx from "../api/rx";
import { day, line } from "../note/display";
import { Ghosts } from "../shell/ghosts";
import { Fault, useTask } from "../shell/task";
import { encode } from "../state/address";
import { address, domainName, go } from "../state/store";
import { Recommendation } from "./recommendation";
import { STATUS } from "./verdict";

export default function Recommendations() {
  const { rx: id } = address.value;
  return (
    <section class="rx pad" aria-label="Recommendations">
      {id === null ? <List /> : <Recommendation key={id} id={id} />}
    </section>
  );
}

const FILTERS = [
  ["all", "All"],
  ["stale", "Stale"],
  ["wrong", "With a mismatch"],
] as const;
type Filter = (typeof FILTERS)[number][0];

const fits = (filter: Filter, { stale, citations_status }: rx.Summary): boolean =>
  filter === "all" || (filter === "stale" ? (stale ?? 0) > 0 : citations_status === "has_mismatch");

function List() {
  const all = useSignal<readonly rx.Summary[] | null>(null);
  const filter = useSignal<Filter>("all");
  const task = useTask();
  const domain = domainName.value;
  const load = async (signal?: AbortSignal) => {
    if (!domain) return;
    const answer = await task.run(() => rx.list(domain, signal));
    if (answer) all.value = answer;
  };
  useEffect(() => {
    const controller = new AbortController();
    all.value = null;
    void load(controller.signal);
    return () => controller.abort();
  }, [domain]);
  const known = all.value;
  const listed = known?.filter((one) => fits(filter.value, one)) ?? [];
  return (
    <>
      <div class="controls-line">
        <h2>Recommendations</h2>
        {known && known.length > 0 ? (
          <div class="segments" role="group" aria-label="Which to list">
            {FILTERS.map(([name, label]) => (
              <button
                type="button"
                key={name}
                aria-pressed={filter.value === name}
                onClick={() => {
                  filter.value = name;
                }}
              >
                {label} <span class="count">{known.filter((one) => fits(name, one)).length}</span>
              </button>
            ))}
          </div>
        ) : null}
      </div>
      <Fault task={task} to="Reading them" again={() => void load()} />
      {known === null ? (
        task.fault.value ? null : (
          <Ghosts />
        )
      ) : known.length === 0 ? (
        <div class="empty">
          <p>
            <b>Nothing is kept in {domain} yet.</b>
          </p>
          <p class="faint">
            A recommendation is a text with its quotations. They are checked when it is saved, and again
            whenever a note changes; what no longer holds is listed here.
          </p>
          <button type="button" class="first" onClick={() => go({ view: "citations" }, "push")}>
            Check a draft, and save it
          </button>
        </div>
      ) : listed.length === 0 ? (
        <p class="empty faint">
          {filter.value === "stale" ? "None went stale." : "None has a quotation that was not found."}
        </p>
      ) : (
        <ul class="cards">
          {listed.map((one) => (
            <Card key={one.id} one={one} />
          ))}
        </ul>
      )}
    </>
  );
}

function Card({ one }: { one: rx.Summary }) {
  const { id } = one;
  return (
    <li class="card" data-rx={id}>
      <h3>
        <a
          href={encode({ ...address.value, rx: id })}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            go({ rx: id }, "push");
          }}
        >
          <bdi>{line(one.title || one.question || "Untitled", 160)}</bdi>
        </a>
      </h3>
      {one.question && one.title ? (
        <p class="faint">
          <bdi>{line(one.question, 200)}</bdi>
        </p>
      ) : null}
      <p class="meta">
        <Badge status={one.citations_status} />
        {one.stale === null ? (
          <span class="badge">not checked again: its domain is down</span>
        ) : one.stale > 0 ? (
          <span class="badge stale">{one.stale} went stale</span>
        ) : null}
        {one.citations > 0 ? (
          <span>
            {one.verified} of {one.citations} {one.citations === 1 ? "quotation" : "quotations"} verified
          </span>
        ) : null}
        {one.deep ? <span>with deep results</span> : null}
        <span>{day(one.created_at)}</span>
      </p>
    </li>
  );
}

export function Badge({ status }: { status: rx.Summary["citations_status"] }) {
  const [label, kind] = STATUS[status];
  return <span class={`badge ${kind}`}>{label}</span>;
}
