/** Why a passage stands where it stands: its whole trace, in words. */
import type { Chunk, Item } from "../core/concord";
import { opened, shown } from "../state/store";
import { Bar } from "./bar";
import { partsOf } from "./parts";
import { account, dropInWords, inBrief, place, short } from "./words";

export function Why({ path, chunk, item }: { path: string; chunk: Chunk | null; item: Item | null }) {
  const now = shown.value;
  const answer = opened.value;
  if (!now || !answer) return <p class="faint">Ask something first.</p>;
  if (!item) {
    const dropped = chunk ? now.ranking.dropped.find((one) => one.chunk === chunk.id) : undefined;
    const other = now.ranking.items.find((one) => one.note === path);
    return (
      <div class="why">
        {other ? (
          <p>This passage is not in the list; another of the same note is, at {place(other.rank)}.</p>
        ) : null}
        {dropped ? (
          <p>
            It was a candidate with a score of {short(dropped.score)}, and is not listed because{" "}
            {dropInWords(dropped, now.profile)}.
          </p>
        ) : other ? null : (
          <p>
            This note is not among the candidates. “Why is a note not here?” below the list asks the server.
          </p>
        )}
      </div>
    );
  }
  const lines = account(item, now.ranking, now.profile, answer.bundle);
  return (
    <div class="why">
      <p class="lead">{signsKept(inBrief(item, now.profile, answer.bundle))}.</p>
      <Bar item={item} top={item.score} />
      <ul class="legend">
        {partsOf(item).map(({ kind, label, value }) => (
          <li key={label}>
            <i class={kind} aria-hidden="true" />
            {label} <b>{short(value)}</b>
          </li>
        ))}
      </ul>
      <table>
        <caption class="hidden">How the score came about</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">What</th>
            <th scope="col">Why</th>
            <th scope="col">Effect</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ what, why, effect }) => (
            <tr key={what} class={effect.startsWith("=") ? "sum" : ""}>
              <th scope="row">
                <bdi>{what}</bdi>
              </th>
              <td>
                <bdi>{why}</bdi>
              </td>
              <td class="number">{effect}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint small">
        Profile {now.profile.name} · {item.tokens} tokens of text · digest{" "}
        <span class="mono">{now.ranking.digest.slice(0, 16)}</span>
      </p>
    </div>
  );
}

/** No line ends between a sign and its number. */
const signsKept = (text: string): string => text.replace(/([+−×]) (?=\d)/g, "$1\u00a0");
