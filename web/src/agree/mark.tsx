/** Did this browser compute what the server computed? On every view, for the answer on the page. */
import { opened, setView } from "../state/store";

export function Mark() {
  const agreement = opened.value?.agreement;
  if (!agreement) return null;
  const { same, recomputed, difference } = agreement;
  const words = same
    ? `The server's ranking was computed again here, with the same bits. Digest ${recomputed}`
    : `The server's ranking was computed again here and differs${difference ? ` first at ${difference.key}` : ""}`;
  return (
    <button
      type="button"
      class={`mark ${same ? "same" : "differs"}`}
      title={words}
      aria-label={words}
      onClick={() => setView("agreement")}
      data-agreement={same ? "same" : "differs"}
    >
      <span aria-hidden="true">{same ? "✓" : "≠"}</span>
      <span class="digest">{same ? recomputed.slice(0, 8) : "differs"}</span>
    </button>
  );
}
