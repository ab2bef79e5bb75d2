/** Did this browser compute what the server computed? On every view, for the answer on the page. */
import { here, opened, setView } from "../state/store";

export function Mark() {
  const agreement = opened.value?.agreement;
  const kind = !agreement ? "unknown" : agreement.same ? "same" : "differs";
  const at = agreement?.difference ? ` first at ${agreement.difference.key}` : "";
  const words = {
    unknown: "Does this browser compute what the server computes?",
    same: `The server's ranking was computed again here, with the same bits. Digest ${agreement?.recomputed}`,
    differs: `The server's ranking was computed again here and differs${at}`,
  }[kind];
  return (
    <button
      type="button"
      class={`mark ${kind}`}
      title={words}
      aria-label={`Agreement. ${words}`}
      aria-current={here.view.value === "agreement" ? "page" : undefined}
      onClick={() => setView("agreement")}
      data-agreement={kind}
    >
      <span aria-hidden="true">{{ unknown: "≟", same: "✓", differs: "≠" }[kind]}</span>
      <span class="told">{{ unknown: "agreement", same: "agrees", differs: "differs" }[kind]}</span>
    </button>
  );
}
