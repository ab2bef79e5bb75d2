/** What came of checking a quotation, in words. */
import type { CitationResult, VerifyAnswer } from "../api/types";
import type { CitationsStatus } from "../core/concord";

export interface Verdict {
  readonly kind: "verified" | "stale" | "elsewhere" | "near" | "short" | "missing";
  readonly name: string;
  readonly words: string;
}

export function verdict({
  citation_verified,
  citation_reason,
  spans,
  found_in,
  note,
}: CitationResult): Verdict {
  if (citation_verified) {
    // A span for each of the parts that its dots of omission leave.
    const words =
      spans.length > 1
        ? `Its ${spans.length} parts stand there word for word, in this order.`
        : "It stands there word for word.";
    return { kind: "verified", name: "Verified.", words };
  }
  if (citation_reason === "too_short") {
    return { kind: "short", name: "Too short.", words: "Fewer than 12 characters prove nothing." };
  }
  if (found_in?.near) {
    return {
      kind: "near",
      name: "Not word for word.",
      words: "Nobody wrote exactly this; something close stands in the vault.",
    };
  }
  if (found_in) {
    return {
      kind: "elsewhere",
      name: "Not there, but elsewhere.",
      words: note ? "The note named beside it does not have it." : "It names no note.",
    };
  }
  if (citation_reason === "no_quote") return { kind: "missing", name: "Empty.", words: "" };
  return { kind: "missing", name: "Not found.", words: "No note of this domain has it." };
}

const NOW: Partial<Record<CitationResult["citation_reason"], string>> = {
  not_found: "The note no longer has these words.",
  no_chunk_text: "The note is no longer there.",
};

/** Of a citation that was saved: it may have held then and not now. */
export function keptVerdict(
  citation: CitationResult & {
    readonly stale: boolean | null;
    readonly now?: CitationResult["citation_reason"] | null | undefined;
  },
): Verdict {
  if (!citation.stale) return verdict(citation);
  return {
    kind: "stale",
    name: "Went stale.",
    words: `It held when this was saved. ${NOW[citation.now ?? "not_found"] ?? "It does no longer."}`,
  };
}

export const STATUS: Record<CitationsStatus, readonly [label: string, kind: Verdict["kind"] | "none"]> = {
  no_quotes: ["no quotations", "none"],
  all_verified: ["all verified", "verified"],
  has_mismatch: ["has a mismatch", "missing"],
  unverifiable: ["unverifiable", "short"],
};

const COUNTED = [
  ["verified", "verified"],
  ["elsewhere", "elsewhere"],
  ["near", "not word for word"],
  ["short", "too short"],
  ["missing", "not found"],
  ["stale", "stale"],
] as const satisfies readonly (readonly [Verdict["kind"], string])[];

/** How many of each kind, in one line. */
export function counted(verdicts: readonly Verdict[]): string {
  const parts = COUNTED.map(
    ([kind, words]) => [verdicts.filter((one) => one.kind === kind).length, words] as const,
  );
  return parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(", ");
}

export function overall({ status, results }: VerifyAnswer): string {
  if (status === "no_quotes" || results.length === 0) return "No quotations.";
  return `${counted(results.map(verdict))}.`;
}
