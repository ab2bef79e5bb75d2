/** What came of checking a quotation, in words. */
import type { CitationResult, VerifyAnswer } from "../api/types";

export interface Verdict {
  readonly kind: "verified" | "elsewhere" | "short" | "missing";
  readonly name: string;
  readonly words: string;
}

export function verdict({ citation_verified, citation_reason, found_in }: CitationResult): Verdict {
  if (citation_verified)
    return { kind: "verified", name: "Verified.", words: "It stands there word for word." };
  if (citation_reason === "too_short") {
    return { kind: "short", name: "Too short.", words: "Fewer than 12 characters prove nothing." };
  }
  if (found_in) {
    return {
      kind: "elsewhere",
      name: "Not there, but elsewhere.",
      words: "The note named beside it does not have it.",
    };
  }
  if (citation_reason === "no_quote") return { kind: "missing", name: "Empty.", words: "" };
  return { kind: "missing", name: "Not found.", words: "No note of this domain has it." };
}

export function overall({ status, results }: VerifyAnswer): string {
  const count = (kind: Verdict["kind"]) => results.filter((result) => verdict(result).kind === kind).length;
  if (status === "no_quotes" || results.length === 0) return "No quotations.";
  const parts = [
    [count("verified"), "verified"],
    [count("elsewhere"), "elsewhere"],
    [count("short"), "too short"],
    [count("missing"), "not found"],
  ] as const;
  return `${parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(", ")}.`;
}
