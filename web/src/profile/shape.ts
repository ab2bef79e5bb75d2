/**
 * From a profile's shape to its controls. The profile itself says which numbers there are; the
 * table below says how a known one is called and how far its slider reaches. One that the table
 * does not know still gets a control. Ranges here are the sliders' reach, narrower than what the
 * core accepts: a number typed by hand may lie outside, and the core refuses what it cannot use.
 */
import type { Profile } from "../core/concord";
import type { Json, Path } from "./patch";

export type Control =
  | {
      readonly kind: "number";
      readonly min: number;
      readonly max: number;
      readonly step: number;
      readonly optional: boolean;
    }
  | { readonly kind: "switch" }
  | { readonly kind: "choice"; readonly options: readonly (readonly [value: string, label: string])[] }
  | { readonly kind: "ladder" }
  | { readonly kind: "pair"; readonly labels: readonly [string, string] }
  | { readonly kind: "text" };

export interface Setting {
  readonly path: Path;
  /** The path as people and errors write it. */
  readonly key: string;
  readonly label: string;
  readonly help: string;
  readonly control: Control;
  /** Acts only under these values of other keys; shown faint otherwise. */
  readonly only: (profile: Profile) => boolean;
}

export interface Group {
  readonly name: string;
  readonly help: string;
  /** Not folded away at first. */
  readonly open: boolean;
  readonly settings: readonly Setting[];
}

interface Known {
  label: string;
  help: string;
  control?: Control;
  only?: (profile: Profile) => boolean;
}

const slider = (min: number, max: number, step: number): Control => ({
  kind: "number",
  min,
  max,
  step,
  optional: false,
});
const optional = (min: number, max: number, step: number): Control => ({
  kind: "number",
  min,
  max,
  step,
  optional: true,
});
const choice = (...options: (readonly [string, string])[]): Control => ({ kind: "choice", options });

const weighted = (profile: Profile) => profile.graph.mode === "weighted";
const linked = (profile: Profile) => profile.graph.mode !== "off";
const grouped = (profile: Profile) => profile.decay.mode === "ranked_grouped";

const WALK: Record<string, Known> = {
  beam_width: { label: "Beam", help: "notes a hop carries forward", control: slider(1, 50, 1) },
  max_hops: { label: "Hops", help: "how far to go", control: slider(0, 8, 1) },
  seed_count: { label: "Seeds", help: "hits to start from", control: slider(1, 30, 1) },
  target_k: { label: "Enough", help: "notes that are enough", control: slider(1, 100, 1) },
  quality_floor: {
    label: "Quality floor",
    help: "average similarity that is enough",
    control: optional(0, 1, 0.01),
  },
  prune_threshold: {
    label: "Prune below",
    help: "less similar notes are not walked through",
    control: slider(0, 1, 0.01),
  },
  decay: {
    label: "Notes that no longer hold",
    help: "",
    control: choice(["filter", "dropped"], ["feature", "flagged"]),
  },
  keep_pruned: { label: "Return what was pruned", help: "" },
};

const KNOWN: Record<string, Known> = {
  limit: { label: "Results", help: "how many to list", control: slider(1, 100, 1) },
  "retrieve.pool_min": {
    label: "Pool, at least",
    help: "candidates of each list",
    control: slider(10, 500, 10),
  },
  "retrieve.pool_per_item": {
    label: "Pool per result",
    help: "or this many times the results",
    control: slider(0, 20, 1),
  },
  "retrieve.feedback": {
    label: "Look again from the nearest",
    help: "the question moves towards so many passages nearest to it; 0: it stays",
    control: slider(0, 20, 1),
  },
  "retrieve.feedback_weight": {
    label: "How far to move",
    help: "what these passages weigh together where the question weighs 1",
    control: slider(0, 5, 0.1),
  },
  "retrieve.feedback_half": {
    label: "How fast they count less",
    help: "so much less similar than the nearest, a passage counts half",
    control: slider(0.005, 0.2, 0.005),
  },
  "retrieve.text_weight": { label: "Words in the text", help: "BM25 weight", control: slider(0, 3, 0.05) },
  "retrieve.section_weight": {
    label: "Words in the heading",
    help: "BM25 weight",
    control: slider(0, 3, 0.05),
  },
  "retrieve.heading_weight": {
    label: "Words in title and tags",
    help: "BM25 weight",
    control: slider(0, 3, 0.05),
  },
  "fuse.method": {
    label: "Method",
    help: "by place in each list, or by scaled score",
    control: choice(["rrf", "by rank"], ["convex", "by score"]),
  },
  "fuse.unit": {
    label: "What competes",
    help: "a long note cannot crowd the list where notes compete",
    control: choice(["chunk", "passages"], ["note", "notes"]),
  },
  "fuse.k": {
    label: "k",
    help: "the smaller, the more first places count",
    control: slider(0, 200, 1),
    only: (profile) => profile.fuse.method === "rrf",
  },
  "fuse.weights.vector": {
    label: "Meaning",
    help: "weight of the list by meaning",
    control: slider(0, 2, 0.01),
  },
  "fuse.weights.lexical": {
    label: "Words",
    help: "weight of the list by words",
    control: slider(0, 2, 0.01),
  },
  "fuse.other_weight": {
    label: "Other lists",
    help: "weight of lists not named here: exact words",
    control: slider(0, 2, 0.01),
  },
  "decay.mode": {
    label: "Age weighs",
    help: "by author: by place among the author's notes, newest first",
    control: choice(
      ["off", "not at all"],
      ["ranked_grouped", "by author"],
      ["half_life", "by half-life"],
      ["validity_window", "by validity"],
    ),
  },
  "decay.ladder": {
    label: "Ladder",
    help: "an author's newest note first; the last step holds for all older ones",
    control: { kind: "ladder" },
    only: grouped,
  },
  "decay.half_life_days": {
    label: "Half-life, days",
    help: "after which half the weight is left",
    control: slider(1, 1500, 1),
    only: (profile) => profile.decay.mode === "half_life" || profile.decay.mode === "validity_window",
  },
  "decay.fading_part": {
    label: "Fading part",
    help: "last part of a validity in which the weight falls",
    control: slider(0, 1, 0.01),
    only: (profile) => profile.decay.mode === "validity_window",
  },
  "graph.mode": {
    label: "Links count",
    help: "weighted shares the score; bounded breaks near-ties",
    control: choice(["off", "not at all"], ["weighted", "weighted"], ["bounded", "bounded"]),
  },
  "graph.relevance": {
    label: "Relevance is",
    help: "cosine forgets words and age",
    control: choice(["fused", "as fused"], ["cosine", "cosine"]),
  },
  "graph.alpha": {
    label: "α relevance",
    help: "weight of relevance",
    control: slider(0, 1, 0.01),
    only: weighted,
  },
  "graph.beta": {
    label: "β PageRank",
    help: "weight of being cited",
    control: slider(0, 1, 0.01),
    only: linked,
  },
  "graph.gamma": {
    label: "γ centrality",
    help: "weight of being well connected",
    control: slider(0, 1, 0.01),
    only: linked,
  },
  "graph.strength": {
    label: "Strength",
    help: "what links can add at most",
    control: slider(0, 1, 0.01),
    only: (profile) => profile.graph.mode === "bounded",
  },
  "graph.min_citations": {
    label: "Citations needed",
    help: "below it links do not count",
    control: slider(0, 100, 1),
    only: linked,
  },
  "graph.damping": { label: "Damping", help: "of PageRank", control: slider(0, 0.99, 0.01), only: linked },
  "graph.rounds": { label: "Rounds", help: "of the iterations", control: slider(1, 500, 1), only: linked },
  "graph.tolerance": {
    label: "Tolerance",
    help: "at which they stop",
    control: slider(0, 0.001, 0.000001),
    only: linked,
  },
  "recency.days": { label: "Lately, days", help: "changed within", control: slider(0, 365, 1) },
  "recency.amount": { label: "Bonus", help: "added to the score", control: slider(-0.5, 0.5, 0.01) },
  "cross.top": { label: "Re-ordered", help: "the best so many", control: slider(1, 100, 1) },
  "cross.weight": { label: "Weight", help: "0 not at all, 1 alone", control: slider(0, 1, 0.01) },
  "diversity.max_per_note": { label: "Passages of a note", help: "at most", control: optional(1, 10, 1) },
  "diversity.max_per_page": { label: "Passages of a page", help: "at most", control: optional(1, 10, 1) },
  "diversity.repeats": { label: "Say the same twice", help: "where passages overlap" },
  "small_corpus.guard": { label: "Show a small set whole", help: "" },
  "small_corpus.below": {
    label: "Small: fewer than",
    help: "candidates",
    control: slider(0, 200, 1),
    only: (p) => p.small_corpus.guard,
  },
  "small_corpus.max_dropped": {
    label: "Part that may be cut",
    help: "",
    control: slider(0, 1, 0.01),
    only: (p) => p.small_corpus.guard,
  },
  "budget.max_tokens": { label: "Text, tokens", help: "at most", control: optional(100, 20000, 100) },
  "budget.chars_per_token": {
    label: "Characters a token",
    help: "",
    control: slider(1, 20, 1),
    only: (p) => (p.budget.max_tokens ?? null) !== null,
  },
  "excerpt.sentences": { label: "Sentences marked", help: "in each passage", control: slider(0, 8, 1) },
  ...Object.fromEntries(Object.entries(WALK).map(([key, known]) => [`traverse.fast.${key}`, known])),
  ...Object.fromEntries(Object.entries(WALK).map(([key, known]) => [`traverse.deep.${key}`, known])),
};

/** In which group each key stands: the first prefix that fits. */
const GROUPS: readonly { name: string; help: string; open: boolean; prefixes: readonly string[] }[] = [
  {
    name: "Meaning and words",
    help: "how they mix",
    open: true,
    prefixes: ["fuse.weights", "fuse"],
  },
  {
    name: "Age",
    help: "what is older counts less",
    open: true,
    prefixes: ["decay.mode", "decay.ladder", "decay"],
  },
  {
    name: "Links",
    help: "what citations add",
    open: true,
    prefixes: ["graph.mode", "graph.alpha", "graph.beta", "graph.gamma", "graph.strength", "graph"],
  },
  { name: "Recently changed", help: "a bonus", open: true, prefixes: ["recency"] },
  {
    name: "The list",
    help: "how much is shown",
    open: false,
    prefixes: ["limit", "excerpt", "diversity", "budget", "small_corpus"],
  },
  { name: "Signals", help: "the notes' own numbers", open: false, prefixes: ["signals"] },
  { name: "Cross-encoder", help: "where one was run", open: false, prefixes: ["cross"] },
  { name: "Retrieval", help: "asks the server again", open: false, prefixes: ["retrieve"] },
  { name: "Walks, fast", help: "cheap", open: false, prefixes: ["traverse.fast"] },
  {
    name: "Walks, deep",
    help: "nothing hidden",
    open: false,
    prefixes: ["traverse.deep"],
  },
  { name: "Other", help: "", open: false, prefixes: [""] },
];

const always = () => true;

/** Every number of the profile, but its name, in groups. `signals` are those the notes carry. */
export function groupsOf(profile: Profile, signals: readonly string[] = []): readonly Group[] {
  const settings = leaves(profile, []).filter(({ key }) => key !== "name");
  for (const name of signals) {
    if (!(name in profile.signals)) settings.push(settingOf(["signals", name], 0));
  }
  // A server may write the keys of a profile in any order; here they stand as in the table above.
  const order = Object.keys(KNOWN);
  const position = ({ key }: Setting) => order.indexOf(key) + 1 || order.length + 1;
  settings.sort((a, b) => position(a) - position(b) || (a.key < b.key ? -1 : 1));
  const placed = new Set<string>();
  return GROUPS.map(({ name, help, open, prefixes }) => {
    const mine: Setting[] = [];
    for (const prefix of prefixes) {
      for (const setting of settings) {
        const fits = prefix === "" || setting.key === prefix || setting.key.startsWith(`${prefix}.`);
        if (fits && !placed.has(setting.key)) {
          placed.add(setting.key);
          mine.push(setting);
        }
      }
    }
    return { name, help, open, settings: mine };
  }).filter(({ settings }) => settings.length > 0);
}

function leaves(value: unknown, path: Path): Setting[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, below]) => leaves(below, [...path, key]));
  }
  return [settingOf(path, value as Json)];
}

function settingOf(path: Path, value: Json): Setting {
  const key = path.join(".");
  const known = KNOWN[key];
  return {
    path,
    key,
    label: known?.label ?? unknownLabel(path),
    help: known?.help ?? "",
    control: known?.control ?? guess(path, value),
    only: known?.only ?? (path[1] === "kind_overrides" ? grouped : always),
  };
}

function unknownLabel(path: Path): string {
  if (path[1] === "kind_overrides") return `${path[2]}, by quarter`;
  const last = path.at(-1) ?? "";
  return last.charAt(0).toUpperCase() + last.slice(1).replaceAll("_", " ");
}

function guess(path: Path, value: Json): Control {
  if (path[1] === "kind_overrides") return { kind: "pair", labels: ["newest quarter", "older"] };
  if (typeof value === "boolean") return { kind: "switch" };
  if (Array.isArray(value)) return { kind: "ladder" };
  if (typeof value === "string") return { kind: "text" };
  if (path[0] === "signals") return slider(-1, 1, 0.01);
  return slider(0, Math.max(2, typeof value === "number" ? value * 4 : 2), 0.01);
}
