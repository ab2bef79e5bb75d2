/** A score's parts side by side, as long as the score is beside the best one. */
import type { Item } from "../core/concord";
import { partsOf } from "./parts";
import { short } from "./words";

export function Bar({ item, top }: { item: Item; top: number }) {
  const parts = partsOf(item);
  const label = parts.map(({ label, value }) => `${label} ${short(value)}`).join(", ");
  const scale = top > 0 ? 100 / top : 0;
  return (
    <span class="bar" role="img" aria-label={`Score ${short(item.score)}: ${label}`} title={label}>
      {parts.map(({ kind, label, value }) =>
        value > 0 ? <i key={label} class={kind} style={{ width: `${value * scale}%` }} /> : null,
      )}
    </span>
  );
}
