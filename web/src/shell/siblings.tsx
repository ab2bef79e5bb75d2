/** From view to view within one entry of the bar. */
import type { View } from "../state/address";
import { go, here } from "../state/store";

const GROUPS: readonly (readonly (readonly [View, string])[])[] = [
  [
    ["citations", "Check a draft"],
    ["recommendations", "Recommendations"],
  ],
  [
    ["review", "Review queue"],
    ["rename", "Rename"],
  ],
];

export function Siblings() {
  const view = here.view.value;
  const group = GROUPS.find((views) => views.some(([one]) => one === view));
  if (!group) return null;
  return (
    <nav class="siblings" aria-label="Part of this view">
      {group.map(([one, label]) => (
        <button
          type="button"
          key={one}
          aria-current={one === view ? "page" : undefined}
          onClick={() => go({ view: one, rx: null }, "push")}
        >
          {label}
        </button>
      ))}
    </nav>
  );
}
