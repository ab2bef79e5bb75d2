/**
 * How a score came about, in words. Says what the trace says and computes nothing but counts of
 * links for display.
 */
import type { Bundle, DecayTrace, Dropped, Item, LegShare, Profile, Ranking } from "../core/concord";

/** One line of the account: what, why, and what it did to the score. */
export interface Line {
  readonly what: string;
  readonly why: string;
  /** As written: `× 0.6`, `+ 0.04`; empty where it did nothing. */
  readonly effect: string;
}

const ORDINALS = [
  "zeroth",
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
];

/** 1st, 2nd, 3rd, 11th … */
export function place(rank: number): string {
  const teen = rank % 100 >= 11 && rank % 100 <= 13;
  const suffix = teen ? "th" : (["th", "st", "nd", "rd"][rank % 10] ?? "th");
  return `${rank}${suffix}`;
}

/** A number as people read it: four significant digits, no trailing zeros, a real minus sign. */
export function short(value: number): string {
  if (value === 0) return "0";
  const text = Math.abs(value) < 1e-4 ? value.toExponential(1) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

/** The lists that the server makes; `literal` holds identifiers as they were typed. */
const NAMES: Readonly<Record<string, string>> = {
  vector: "meaning",
  lexical: "words",
  literal: "exact words",
};

export function legName(leg: string): string {
  const [kind, which] = leg.split(":");
  const name = NAMES[kind ?? ""] ?? kind ?? leg;
  return which ? `${name} (${which})` : name;
}

/** "3rd by meaning, 1st by words" */
export function legsInWords(legs: readonly LegShare[]): string {
  // Meaning first: it is what people expect to be asked about.
  const ordered = [...legs].sort((a, b) => Number(a.leg !== "vector") - Number(b.leg !== "vector"));
  if (ordered.length === 0) return "in no list";
  return ordered.map(({ leg, rank }) => `${place(rank)} by ${legName(leg)}`).join(", ");
}

export function decayInWords({ rule, group, position, weight }: DecayTrace, profile: Profile): string {
  const nth =
    position === null
      ? "one"
      : position === 0
        ? "newest"
        : `${ORDINALS[position + 1] ?? place(position + 1)} newest`;
  const of = group ?? "its group";
  switch (rule) {
    case "off":
      return "age does not weigh";
    case "evergreen":
      return "evergreen: does not age";
    case "no_author":
      return "no author, so it stands alone";
    case "ladder":
      return `${nth} of the notes by ${of} here`;
    case "newest_quarter":
      return `of the newest quarter in ${of}`;
    case "older_quarter":
      return `of an older quarter in ${of}`;
    case "half_life":
      return `half of the weight goes every ${short(profile.decay.half_life_days)} days`;
    case "undated":
      return "no date, so it has no age";
    case "validity_window":
      return weight === 0 ? "it no longer holds" : "by what is left of its validity";
  }
}

interface LinksHere {
  readonly citedBy: number;
  readonly linked: number;
}

/** Counted once a graph: a slider asks for every row at every step. */
const counted = new WeakMap<Bundle["graph"], ReadonlyMap<string, LinksHere>>();

/** How many notes of the touched subgraph cite this one, and how many are linked with it. */
export function linksHere(graph: Bundle["graph"], path: string): LinksHere {
  let counts = counted.get(graph);
  if (!counts) {
    const citing = graph.nodes.map(() => new Set<number>());
    const linked = graph.nodes.map(() => new Set<number>());
    for (const [from, to] of graph.citations) if (from !== to) citing[to]?.add(from);
    for (const [from, to] of [...graph.citations, ...graph.wikilinks]) {
      if (from === to) continue;
      linked[to]?.add(from);
      linked[from]?.add(to);
    }
    counts = new Map(
      graph.nodes.map((node, i) => [node, { citedBy: citing[i]?.size ?? 0, linked: linked[i]?.size ?? 0 }]),
    );
    counted.set(graph, counts);
  }
  return counts.get(path) ?? { citedBy: 0, linked: 0 };
}

const notes = (n: number) => (n === 1 ? "1 note" : `${n} notes`);
const plus = (value: number) => (value === 0 ? "" : `${value < 0 ? "−" : "+"} ${short(Math.abs(value))}`);

/** The whole trace, line by line. */
export function account(item: Item, ranking: Ranking, profile: Profile, bundle: Bundle): readonly Line[] {
  const { trace } = item;
  const lines: Line[] = [];
  for (const share of trace.legs) {
    const { leg, rank, raw, weight, contribution } = share;
    const how =
      profile.fuse.method === "rrf"
        ? `${short(weight)} ÷ (${short(profile.fuse.k)} + ${rank})`
        : `${short(weight)} × its score, scaled to 0 … 1`;
    const elsewhere = share.chunk === item.chunk ? "" : ", for another passage of this note";
    lines.push({
      what: `${place(rank)} by ${legName(leg)}`,
      why: `${how}; own score ${short(raw)}${elsewhere}`,
      effect: plus(contribution),
    });
  }
  lines.push({ what: "Fused", why: "the sum of the lists", effect: `= ${short(trace.fused)}` });
  lines.push({
    what: "Age",
    why: decayInWords(trace.decay, profile),
    effect: `× ${short(trace.decay.weight)}`,
  });
  lines.push({
    what: "Relevance",
    why:
      profile.graph.relevance === "cosine"
        ? `cosine to the question ${short(trace.relevance.value)}, × ${short(trace.relevance.weight)}`
        : `${short(trace.decayed)} on the scale ${short(ranking.scale.low)} … ${short(ranking.scale.high)} is ${short(trace.relevance.value)}, × ${short(trace.relevance.weight)}`,
    effect: plus(trace.relevance.value * trace.relevance.weight),
  });
  lines.push(...linkLines(item, ranking, profile, bundle));
  const { days, amount } = profile.recency;
  if (amount !== 0) {
    lines.push({
      what: "Recency",
      why: `${trace.recency === 0 ? "not changed" : "changed"} in the last ${short(days)} days`,
      effect: plus(trace.recency) || "+ 0",
    });
  }
  for (const { name, term } of trace.signals) {
    lines.push({
      what: name,
      why: `signal: ${short(term.value)} × ${short(term.weight)}`,
      effect: plus(term.value * term.weight),
    });
  }
  if (trace.cross) {
    const { logit, weight, score } = trace.cross;
    lines.push({
      what: "Blended",
      why: `${place(trace.blended_rank)} by this`,
      effect: `= ${short(trace.blended)}`,
    });
    lines.push({
      what: "Cross-encoder",
      why:
        logit === null
          ? "was not asked about this passage"
          : `its logit ${short(logit)}, weighing ${short(weight)}`,
      effect: `→ ${short(score)}`,
    });
  }
  const before =
    trace.scored_rank === item.rank ? "" : `, ${place(trace.scored_rank)} before others were taken out`;
  lines.push({
    what: "Score",
    why: `${place(item.rank)} in the list${before}`,
    effect: `= ${short(item.score)}`,
  });
  return lines;
}

function linkLines(item: Item, ranking: Ranking, profile: Profile, bundle: Bundle): Line[] {
  const { trace } = item;
  const folded = profile.graph.mode === "weighted" ? "; its weight went to relevance" : "";
  switch (trace.links) {
    case "inactive": {
      const why =
        profile.graph.mode === "off"
          ? "links do not count in this profile"
          : `${ranking.graph.citations} citations around the candidates, ${profile.graph.min_citations} needed${folded}`;
      return [{ what: "Links", why, effect: "" }];
    }
    case "unlinked":
      return [{ what: "Links", why: `none to or from this note${folded}`, effect: "" }];
    case "uncited":
    case "cited": {
      const { citedBy, linked } = linksHere(bundle.graph, item.note);
      const lines: Line[] = [];
      const cited = trace.links === "cited";
      lines.push({
        what: !cited
          ? "No citation"
          : citedBy > 0
            ? `Cited by ${notes(citedBy)} here`
            : "Cites, but is not cited here",
        why: cited
          ? `PageRank ${short(trace.page_rank.value)} × ${short(trace.page_rank.weight)}`
          : `only associated${folded}`,
        effect: cited ? plus(trace.page_rank.value * trace.page_rank.weight) : "",
      });
      lines.push({
        what: `Linked with ${notes(linked)} here`,
        why: `centrality ${short(trace.centrality.value)} × ${short(trace.centrality.weight)}${ranking.graph.by_degree ? ", by degree" : ""}`,
        effect: plus(trace.centrality.value * trace.centrality.weight),
      });
      return lines;
    }
  }
}

/** One sentence for a row: what put it where it is. */
export function inBrief(item: Item, profile: Profile, bundle: Bundle): string {
  const { trace } = item;
  const parts = [legsInWords(trace.legs)];
  if (trace.decay.weight !== 1 || trace.decay.rule === "ladder") {
    parts.push(`${decayInWords(trace.decay, profile)}: × ${short(trace.decay.weight)}`);
  }
  const byLinks =
    trace.page_rank.value * trace.page_rank.weight + trace.centrality.value * trace.centrality.weight;
  if (byLinks !== 0) {
    const { citedBy, linked } = linksHere(bundle.graph, item.note);
    const how = citedBy > 0 ? `cited by ${notes(citedBy)} here` : `linked with ${notes(linked)} here`;
    parts.push(`${how}: ${plus(byLinks)}`);
  }
  if (trace.recency !== 0) parts.push(`changed lately: ${plus(trace.recency)}`);
  for (const { name, term } of trace.signals) {
    if (term.value * term.weight !== 0) parts.push(`${name}: ${plus(term.value * term.weight)}`);
  }
  if (trace.cross) parts.push(`re-ordered by the cross-encoder from ${place(trace.blended_rank)}`);
  return parts.join("; ");
}

/** Why a candidate is not in the list. */
export function dropInWords({ reason }: Pick<Dropped, "reason">, profile: Profile): string {
  switch (reason) {
    case "note_full":
      return `its note already stands there ${profile.diversity.max_per_note ?? ""} times, which is all a note may`;
    case "page_full":
      return `its page already stands there ${profile.diversity.max_per_page ?? ""} times, which is all a page may`;
    case "limit":
      return `the list ends after ${profile.limit}`;
    case "repeats":
      return "the sentences that matter in it stand above already";
    case "budget":
      return `its text does not fit into what is left of ${profile.budget.max_tokens ?? ""} tokens`;
  }
}
