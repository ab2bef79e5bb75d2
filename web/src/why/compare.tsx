/** Two profiles side by side, over the candidates at hand. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Profile, Ranking } from "../core/concord";
import { ask } from "../core/ranker";
import { line, sentence } from "../note/display";
import { NoteLink } from "../note/note-link";
import { merge } from "../profile/patch";
import { presetLabel } from "../profile/presets";
import { indexOf } from "../results/list";
import { address, base, domainName, go, opened, presets, setPreset } from "../state/store";

/** No profile can have this name. */
const CHANGED = "\n";

export default function Compare() {
  const answer = opened.value;
  const here = domainName.value ?? "";
  const { preset, patch, against } = address.value;
  const left = base.value ? merge(base.value, patch) : null;
  const changed = Object.keys(patch).length > 0;
  const options = presets.value.filter(({ name }) => name !== (preset ?? "") || changed);
  const chosen =
    options.find(({ name }) => name === (against ?? "")) ??
    options.find(({ name }) => name === "balanced") ??
    options[0];
  const both = useSignal<readonly [Ranking, Ranking] | null>(null);
  const fault = useSignal<string | null>(null);
  const right = chosen?.profile ?? null;
  useEffect(() => {
    both.value = null;
    fault.value = null;
    if (!answer || !left || !right) return;
    let current = true;
    const rank = (profile: Profile) => ask("rank", { number: answer.number, profile });
    Promise.all([rank(left), rank(right)])
      .then((rankings) => {
        if (current) both.value = rankings as [Ranking, Ranking];
      })
      .catch((error: Error) => {
        if (current) fault.value = error.message;
      });
    return () => {
      current = false;
    };
  }, [answer, JSON.stringify(left), JSON.stringify(right)]);
  if (!answer)
    return (
      <section class="compare pad" aria-label="Comparison">
        <h2>Two profiles, the same candidates</h2>
        <p class="notice">Search for something first; then two profiles can be compared on its candidates.</p>
      </section>
    );
  return (
    <section class="compare pad" aria-label="Comparison">
      <h2>Two profiles, the same candidates</h2>
      <p class="controls-line">
        <label>
          <b class="side-a">A</b>{" "}
          <select
            value={changed ? CHANGED : (preset ?? "")}
            onChange={(event) => setPreset(event.currentTarget.value)}
            aria-label="Profile A"
          >
            {changed ? <option value={CHANGED}>{presetLabel(preset ?? "", here)}, changed</option> : null}
            {presets.value.map(({ name }) => (
              <option key={name} value={name}>
                {presetLabel(name, here)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <b class="side-b">B</b>{" "}
          <select
            value={chosen?.name ?? ""}
            onChange={(event) => go({ against: event.currentTarget.value })}
            aria-label="Profile B"
          >
            {options.map(({ name }) => (
              <option key={name} value={name}>
                {presetLabel(name, here)}
              </option>
            ))}
          </select>
        </label>
        <span class="faint">
          “<bdi>{line(answer.answer.query, 80)}</bdi>”
        </span>
      </p>
      {both.value ? (
        <Table rankings={both.value} />
      ) : fault.value ? (
        <p class="fault">{sentence(fault.value)}</p>
      ) : (
        <p class="faint">Ranking …</p>
      )}
    </section>
  );
}

function Table({ rankings: [a, b] }: { rankings: readonly [Ranking, Ranking] }) {
  const answer = opened.value;
  if (!answer) return null;
  const { chunks, notes } = indexOf(answer);
  const inB = new Map(b.items.map((item) => [item.chunk, item]));
  const inA = new Map(a.items.map((item) => [item.chunk, item]));
  const ids = [...a.items, ...b.items.filter(({ chunk }) => !inA.has(chunk))].map(({ chunk }) => chunk);
  const moved = ids.filter((id) => inA.get(id)?.rank !== inB.get(id)?.rank).length;
  return (
    <>
      <p role="status">
        {moved === 0
          ? "The same order in both."
          : `${moved} of ${ids.length} passages stand elsewhere or in one list only.`}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              A
            </th>
            <th scope="col" class="number">
              B
            </th>
            <th scope="col">
              <span class="hidden">Moved</span>
            </th>
            <th scope="col">Passage</th>
            <th scope="col" class="number score">
              Score A
            </th>
            <th scope="col" class="number score">
              Score B
            </th>
          </tr>
        </thead>
        <tbody>
          {ids.map((id) => {
            const [left, right, chunk] = [inA.get(id), inB.get(id), chunks.get(id)];
            const note = notes.get(chunk?.note ?? "");
            const by = left && right ? left.rank - right.rank : 0;
            return (
              <tr key={id}>
                <td class="number">{left ? left.rank : "–"}</td>
                <td class="number">{right ? right.rank : "–"}</td>
                <td>
                  {by === 0 ? null : (
                    <span class={`moved ${by > 0 ? "up" : "down"}`}>
                      <span aria-hidden="true">{by > 0 ? "▲" : "▼"}</span>
                      {Math.abs(by)}
                    </span>
                  )}
                </td>
                <td>
                  <NoteLink path={chunk?.note ?? ""} at={chunk?.ordinal ?? null} tab="why">
                    <bdi>{line(note?.title ?? chunk?.note ?? "", 100)}</bdi>
                  </NoteLink>{" "}
                  <span class="faint small">
                    <bdi>{chunk?.section === note?.title ? "" : line(chunk?.section ?? "", 60)}</bdi>
                  </span>
                  {!right ? (
                    <span class="faint small"> · only in A</span>
                  ) : !left ? (
                    <span class="faint small"> · only in B</span>
                  ) : null}
                </td>
                <td class="number score">{left?.score.toFixed(4)}</td>
                <td class="number score">{right?.score.toFixed(4)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="faint small">
        Digests <span class="mono">{a.digest.slice(0, 12)}</span> and{" "}
        <span class="mono">{b.digest.slice(0, 12)}</span>
      </p>
    </>
  );
}
