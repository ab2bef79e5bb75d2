// Compiles only if the generated declarations say what the package does.

import init, {
  Ranker,
  complete_profile,
  default_profile,
  digest,
  graph,
  rank,
  replay,
  traverse,
  verify,
  verify_many,
  version,
  type Bundle,
  type CitationReason,
  type ConcordError,
  type GraphView,
  type Profile,
  type ProfilePatch,
  type Ranking,
  type Receipt,
  type Replay,
  type Traversal,
  type World,
} from "../../web/pkg/web/concord_wasm.js";

const bundle: Bundle = {
  schema: 1,
  query: "q",
  now: 0,
  domain: "finance",
  legs: [{ name: "vector", hits: [{ chunk: 1, score: 0.5 }] }],
  chunks: [
    {
      id: 1,
      note: "a.md",
      ordinal: 0,
      section: "",
      page: null,
      text: "A sentence.",
      cosine: 0.5,
      cross: null,
      sentences: [{ start: 0, end: 11, cosine: 0.5 }],
    },
  ],
  notes: [
    {
      path: "a.md",
      title: "A",
      author: null,
      published_at: null,
      modified_at: 0,
      valid_from: null,
      valid_until: null,
      kind: null,
      tags: ["t"],
      evergreen: false,
      tier: null,
      signals: { severity: 1 },
    },
  ],
  graph: { nodes: ["a.md"], citations: [[0, 0]], wikilinks: [] },
  corpus: { chunks: 1, model: null, dimension: 0 },
};

const patch: ProfilePatch = {
  extends: "vault",
  fuse: { method: "rrf", weights: { vector: 1, lexical: null } },
  decay: { ladder: [1, 0.5], kind_overrides: { Filings: { group_by_path_prefix: [1, 0.6] } } },
  diversity: { max_per_note: null },
};
// @ts-expect-error: no such key
const unknownKey: ProfilePatch = { fusing: {} };
// @ts-expect-error: no such method
const unknownValue: ProfilePatch = { fuse: { method: "sum" } };
// @ts-expect-error: a bundle has more
const incomplete: Bundle = { schema: 1 };

export async function everything(): Promise<unknown[]> {
  await init();
  const profile: Profile = complete_profile(patch, "finance");
  const ranking: Ranking = rank(bundle, patch);
  const receipt: Receipt = { bundle, profile, ranking };
  const replayed: Replay = replay(receipt);
  const view: GraphView = graph(JSON.stringify(bundle), null);
  const ranker = new Ranker(new TextEncoder().encode(JSON.stringify(bundle)));
  const again: Ranking = ranker.rank(default_profile("vault", "finance"));
  ranker.free();
  const world: World = { seeds: [0], stops: [{ path: "a.md", similarity: 1, decay_weight: 1 }], links: [] };
  const walked: Traversal = traverse(world, profile.traverse.fast);
  const reason: CitationReason = verify({ quote: "q", chunk: null }).citation_reason;
  const spans: [number, number][] = verify_many([{ quote: "q", chunk: "c" }])[0].spans;
  const score: number = ranking.items[0].trace.legs[0].contribution;
  const name: string = version() + digest(receipt);
  try {
    rank("no bundle", undefined);
  } catch (error) {
    const { code, key, message } = error as ConcordError;
    return [code, key, message];
  }
  return [replayed, view, again, walked, reason, spans, score, name, unknownKey, unknownValue, incomplete];
}
