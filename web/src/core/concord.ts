/**
 * The one door to the WebAssembly package: no other file names it. Its functions run in the worker
 * only; its types may be used anywhere (`import type`).
 */
export type {
  Bundle,
  Chunk,
  CitationReason,
  CitationsStatus,
  ConcordError,
  DecayTrace,
  Difference,
  Dropped,
  DropReason,
  ExcerptSentence,
  GraphView,
  Item,
  LegShare,
  Note,
  Profile,
  ProfilePatch,
  PruneReason,
  Ranking,
  Receipt,
  RetainReason,
  Traversal,
  WalkEnd,
} from "../../pkg/web/concord_wasm.js";
export {
  complete_profile,
  default as load,
  default_profile,
  Ranker,
  replay,
  traverse,
  verify_many,
  version,
} from "../../pkg/web/concord_wasm.js";
