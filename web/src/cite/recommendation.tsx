/** One recommendation: its text with every quotation marked by what came of it, and its sources. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as rx from "../api/rx";
import { KEPT, PRUNED } from "../graph/walk";
import { crumbs, day, line } from "../note/display";
import { NoteLink } from "../note/note-link";
import { Ghosts } from "../shell/ghosts";
import { Fault, useTask } from "../shell/task";
import { go } from "../state/store";
import { short } from "../why/words";
import { placed } from "./placed";
import { type Checked, MarkedText, Verdicts } from "./quoted";
import { Badge } from "./recommendations";
import { counted, keptVerdict } from "./verdict";

const back = () => go({ rx: null }, "push");

export function Recommendation({ id }: { id: string }) {
  const loaded = useSignal<rx.Recommendation | null>(null);
  const reading = useTask();
  const load = async (signal?: AbortSignal) => {
    const answer = await reading.run(() => rx.read(id, signal));
    if (answer) loaded.value = answer;
  };
  useEffect(() => {
    const controller = new AbortController();
    void load(controller.signal);
    return () => controller.abort();
  }, []);
  const one = loaded.value;
  return (
    <>
      <p class="back">
        <button type="button" class="quiet" onClick={back}>
          <span aria-hidden="true">←</span> All recommendations
        </button>
      </p>
      <Fault task={reading} to="Reading it" again={() => void load()} />
      {one ? <Whole one={one} /> : reading.fault.value ? null : <Ghosts />}
    </>
  );
}

/** Each with where it stands in the text that it was found in. */
function checkedIn(text: string, citations: readonly rx.KeptCitation[]): readonly Checked[] {
  const quotes = citations.map(({ quote }) => quote ?? "");
  const places = placed(text, quotes);
  return citations.map((citation, i) => ({
    quote: quotes[i] ?? "",
    place: places[i] ?? null,
    result: citation,
    told: keptVerdict(citation),
  }));
}

function Whole({ one }: { one: rx.Recommendation }) {
  const checked = checkedIn(one.text, one.citations);
  const stale = checked.filter(({ told }) => told.kind === "stale").length;
  return (
    <>
      <h2>
        <bdi>{line(one.title || one.question || "Untitled", 200)}</bdi>
      </h2>
      {one.question !== "" && one.question !== one.title ? (
        <p class="faint">
          <bdi>{line(one.question, 400)}</bdi>
        </p>
      ) : null}
      <p class="meta">
        <Badge status={one.citations_status} />
        {stale > 0 ? <span class="badge stale">{stale} went stale</span> : null}
        <span>{counted(checked.map(({ told }) => told))}</span>
        <span>{day(one.created_at)}</span>
      </p>
      <div class="split">
        <MarkedText text={one.text} checked={checked} of="quote" />
        {checked.length > 0 ? (
          <div class="beside-text">
            <h3>Quotation by quotation</h3>
            <Verdicts checked={checked} of="quote" />
          </div>
        ) : (
          <p class="faint">It quotes nothing, so there is nothing to check.</p>
        )}
      </div>
      <Deep deep={one.deep} />
      <Remove id={one.id} />
    </>
  );
}

const DROPPED: Record<NonNullable<rx.DeepCandidate["drop_reason"]>, string> = {
  ...PRUNED,
  beyond_seed_count: "found by the search, but no walk began there",
};

const whyThere = ({ comment, retain_reason, drop_reason }: rx.DeepCandidate): string =>
  comment ?? (drop_reason ? DROPPED[drop_reason] : retain_reason ? KEPT[retain_reason] : "");

function Deep({ deep }: { deep: rx.Recommendation["deep"] }) {
  if (!deep) return null;
  const { candidates, text } = deep;
  const checked = checkedIn(text ?? "", deep.citations);
  return (
    <>
      <h3>A deeper look</h3>
      <p class="meta">
        <Badge status={deep.citations_status} />
        <span>
          {candidates.length} {candidates.length === 1 ? "note" : "notes"} chosen
        </span>
        <span>{day(deep.at)}</span>
      </p>
      {text ? <MarkedText text={text} checked={checked} of="deep" /> : null}
      {checked.length > 0 ? <Verdicts checked={checked} of="deep" /> : null}
      {candidates.length > 0 ? (
        <div class="as-table">
          <table>
            <thead>
              <tr>
                <th scope="col">Note</th>
                <th scope="col" class="number">
                  Hop
                </th>
                <th scope="col" class="number">
                  Similarity
                </th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {candidates.map((candidate) => (
                <tr key={candidate.path}>
                  <td>
                    <NoteLink path={candidate.path}>
                      <bdi>{line(candidate.title ?? crumbs(candidate.path).join(" › "), 120)}</bdi>
                    </NoteLink>
                  </td>
                  <td class="number">{candidate.hop ?? "–"}</td>
                  <td class="number">
                    {candidate.similarity === undefined ? "–" : short(candidate.similarity)}
                  </td>
                  <td>{line(whyThere(candidate), 200)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </>
  );
}

/** Asks once: a text that is gone is gone. */
function Remove({ id }: { id: string }) {
  const sure = useSignal(false);
  const task = useTask();
  const remove = async () => {
    if (await task.run(() => rx.remove(id))) back();
  };
  return (
    <div class="remove">
      {sure.value ? (
        <p class="controls-line">
          Delete this recommendation for good?
          <button type="button" class="danger" disabled={task.busy.value} onClick={() => void remove()}>
            Delete it
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              sure.value = false;
            }}
          >
            Keep it
          </button>
        </p>
      ) : (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            sure.value = true;
          }}
        >
          Delete …
        </button>
      )}
      <Fault task={task} to="Deleting" again={() => void remove()} />
    </div>
  );
}
