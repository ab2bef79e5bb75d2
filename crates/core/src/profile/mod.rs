//! The profile: every number that a ranking depends on, by name.
//!
//! A profile is complete: it holds each key, so that a receipt needs nothing else. What people
//! write is a *patch*, in YAML or JSON, laid over one of the two defaults as a JSON merge patch
//! (RFC 7386: an object merges, `null` removes, anything else replaces); its key `extends` says
//! which. An object that has every section and no `extends` is complete, and taken as it
//! stands. An unknown key, or a number that is not finite or out of range, is refused by its name.
//!
//! * `vault`: the numbers that the owner of a `_domains.yaml` chose. Lexical weight 0.5 and the
//!   per-author ladder in `finance`, 0.05 and no decay elsewhere; graph weights 0.6/0.25/0.15.
//! * `balanced`: for a vault without a registry. Scaled scores rather than ranks are mixed, 0.6
//!   meaning and 0.4 words, in pools of 100; the candidates are looked at again from the three
//!   passages nearest to the question, the nearest counting most; notes rather than chunks compete;
//!   no decay; links only break near-ties (strength 0.05), since the weights of `vault` were measured
//!   to cost relevance on collections with human judgments. Chosen by `concord eval` on four
//!   collections together; nDCG@10:
//!
//! ```text
//!                            meaning,  without             balanced,  without
//!                   words    feedback  it         vault    feedback   it
//! Cranfield         0.359    0.425     0.396      0.405    0.440      0.418
//! CACM              0.496    0.441     0.433      0.308    0.556      0.539
//! Medline           0.703    0.842     0.816      0.810    0.829      0.804
//! SciFact (train)   0.692    0.745     0.749      0.733    0.770      0.768
//! ```
//!
//!   Where all three passages count alike and together as much as the question, SciFact's questions,
//!   which mostly have one answer, lose 0.014 by meaning; weighed by nearness they lose 0.004, and
//!   Cranfield and Medline gain more. Between weights of 1 and 2 and halves of 0.02 and 0.03 nothing
//!   changes much. Identifiers weigh 0.3: at 0.4, CACM and SciFact lose some 0.01 and 0.003. These are
//!   the questions on which some two hundred variants were compared, none held out; on others expect
//!   less.

mod defaults;
mod patch;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use defaults::NAMES;

/// Every number that a ranking depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Profile {
    /// For display.
    pub name: String,
    /// How many items to return.
    pub limit: u32,
    /// What the native side asks the index for.
    pub retrieve: Retrieve,
    /// Layer 1.
    pub fuse: Fuse,
    /// Layer 2.
    pub decay: Decay,
    /// Layer 3.
    pub graph: Graph,
    /// The bonus for what was changed lately.
    pub recency: Recency,
    /// Weights of the notes' further numbers, added to the score.
    pub signals: BTreeMap<String, f64>,
    /// Re-ordering by a cross-encoder, where the bundle carries its scores.
    pub cross: Cross,
    /// How much of one source may stand in the list.
    pub diversity: Diversity,
    /// When a small corpus is shown whole.
    pub small_corpus: SmallCorpus,
    /// How much text the list may hold.
    pub budget: Budget,
    /// How an item is cut to what matters.
    pub excerpt: Excerpt,
    /// Walking the citation graph.
    pub traverse: Traverse,
}

/// What the native side asks the index for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Retrieve {
    /// A leg's pool holds at least this many.
    pub pool_min: u32,
    /// And at least this many times `limit`.
    pub pool_per_item: u32,
    /// The question's vector moves towards so many passages nearest to it, and the candidates are
    /// looked at again from there; 0: it stays.
    pub feedback: u32,
    /// How far: what these passages weigh together where the question weighs 1.
    pub feedback_weight: f64,
    /// One of them whose cosine is smaller by this than that of the nearest counts half as much.
    pub feedback_half: f64,
    /// BM25 weight of the chunk's text.
    pub text_weight: f64,
    /// BM25 weight of the section label.
    pub section_weight: f64,
    /// BM25 weight of the heading context (title, breadcrumb, kind, tags, aliases).
    pub heading_weight: f64,
}

/// Layer 1: ranked lists into one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Fuse {
    /// By rank or by scaled score.
    pub method: FuseMethod,
    /// What competes.
    pub unit: FuseUnit,
    /// The constant of reciprocal rank fusion.
    pub k: f64,
    /// Weight by leg; 0 switches a leg off, candidates and all.
    pub weights: BTreeMap<String, f64>,
    /// The weight of a leg that `weights` does not name.
    pub other_weight: f64,
}

/// How lists are fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum FuseMethod {
    /// Reciprocal rank fusion.
    Rrf,
    /// Convex combination of min-max scaled scores.
    Convex,
}

/// What competes in fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum FuseUnit {
    /// Every chunk for itself.
    Chunk,
    /// Notes, each by its best chunk in each leg.
    Note,
}

/// Layer 2: how age weighs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Decay {
    /// Which rule.
    pub mode: DecayMode,
    /// Weights by position among an author's notes, newest first; the last is the floor.
    pub ladder: Vec<f64>,
    /// Other rules for some kinds of note (mode `ranked_grouped`).
    pub kind_overrides: BTreeMap<String, KindOverride>,
    /// Days after which half the weight is left (modes `half_life` and `validity_window`).
    pub half_life_days: f64,
    /// The last part of a validity window in which the weight falls to 0.
    pub fading_part: f64,
}

/// How age weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum DecayMode {
    /// Not at all.
    Off,
    /// By position among the author's notes.
    RankedGrouped,
    /// By age.
    HalfLife,
    /// By what is left of the note's own validity; by age where it states none.
    ValidityWindow,
}

/// Decay of one kind of note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct KindOverride {
    /// Weight of the newest calendar quarter in the folder, and of everything older.
    pub group_by_path_prefix: (f64, f64),
}

/// Layer 3: what links add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Graph {
    /// Which formula.
    pub mode: GraphMode,
    /// What relevance is.
    pub relevance: Relevance,
    /// α, the weight of relevance (mode `weighted`).
    pub alpha: f64,
    /// β, the weight of PageRank.
    pub beta: f64,
    /// γ, the weight of eigenvector centrality.
    pub gamma: f64,
    /// What links can add at most (mode `bounded`).
    pub strength: f64,
    /// Links count only from this many distinct citations in the subgraph.
    pub min_citations: u32,
    /// PageRank's damping.
    pub damping: f64,
    /// Rounds of the power iterations.
    pub rounds: u32,
    /// They stop when the sum of changes falls below this many times the number of nodes.
    pub tolerance: f64,
}

/// How links enter the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum GraphMode {
    /// Not at all.
    Off,
    /// α·rel + β·pr + γ·ec; what a note lacks goes back to α.
    Weighted,
    /// rel + strength · (β·pr + γ·ec)/(β+γ).
    Bounded,
}

/// What relevance is in layer 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Relevance {
    /// The decayed score, min-max scaled.
    Fused,
    /// The cosine to the query, which forgets layers 1 and 2.
    Cosine,
}

/// The bonus for what was changed lately.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Recency {
    /// Lately means within this many days.
    pub days: f64,
    /// The bonus.
    pub amount: f64,
}

/// Re-ordering by a cross-encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Cross {
    /// The best so many are re-ordered among themselves.
    pub top: u32,
    /// 0: not at all. 1: by the cross-encoder alone.
    pub weight: f64,
}

/// How much of one source may stand in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Diversity {
    /// Of one note; none for no limit.
    pub max_per_note: Option<u32>,
    /// Of one page of a note; none for no limit. Chunks without a page are not limited.
    pub max_per_page: Option<u32>,
    /// Whether a chunk may stand there whose excerpt has no sentence that its note has not shown
    /// already. Chunks overlap, so with this the same two sentences can stand there twice.
    pub repeats: bool,
}

/// When a small corpus is shown whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct SmallCorpus {
    /// Whether it ever is.
    pub guard: bool,
    /// With fewer candidates than this,
    pub below: u32,
    /// of which `limit` would drop more than this part.
    pub max_dropped: f64,
}

/// How much text the list may hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Budget {
    /// In tokens; none for no limit.
    pub max_tokens: Option<u32>,
    /// A token is taken to be this many characters.
    pub chars_per_token: u32,
}

/// How an item is cut to what matters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Excerpt {
    /// How many sentences.
    pub sentences: u32,
}

/// The two ways of walking the citation graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Traverse {
    /// Cheap and always on.
    pub fast: WalkPolicy,
    /// Wide, with nothing dropped silently.
    pub deep: WalkPolicy,
}

/// One way of walking the citation graph. The thresholds are in bge-large's cosine scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct WalkPolicy {
    /// How many notes a hop carries forward.
    pub beam_width: u32,
    /// How far to go.
    pub max_hops: u32,
    /// How many hits to start from, when a query is the start.
    pub seed_count: u32,
    /// How many notes are enough,
    pub target_k: u32,
    /// if their average similarity reaches this; none: never enough.
    pub quality_floor: Option<f64>,
    /// Notes less similar than this are not walked through.
    pub prune_threshold: f64,
    /// What becomes of notes whose decay is 0.
    pub decay: WalkDecay,
    /// Whether what was pruned is returned with its reason, or only counted.
    pub keep_pruned: bool,
}

/// What becomes of notes whose decay is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum WalkDecay {
    /// They are dropped.
    Filter,
    /// They are kept, and flagged.
    Feature,
}

impl Profile {
    /// How many hits of each leg compete.
    #[must_use]
    pub fn pool(&self) -> u32 {
        let by_items = self.retrieve.pool_per_item.saturating_mul(self.limit);
        by_items.max(self.retrieve.pool_min)
    }
}
