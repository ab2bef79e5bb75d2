//! What a deeper look at a recommendation's question came to, as somebody curated it.

use concord_core::Score;
use concord_core::cite::CitationsStatus;
use concord_core::traverse::{PruneReason, RetainReason};
use serde::{Deserialize, Serialize};

use super::{Cited, SavedCitation};

/// A result has no more candidates than this.
pub(super) const MOST_CANDIDATES: usize = 1_000;

/// A curated result, to be written back.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteBack {
    /// The recommendation.
    pub(crate) id: String,
    /// How the candidates were found: `deep` or `compare`.
    #[serde(default)]
    pub(crate) mode: Option<String>,
    /// What was kept.
    pub(crate) candidates: Vec<DeepCandidate>,
    /// What is quoted; without this, the quotations that stand in the text.
    #[serde(default)]
    pub(crate) citations: Option<Vec<Cited>>,
    /// What it adds to the recommendation.
    #[serde(default)]
    pub(crate) text: Option<String>,
    /// What `concord deep-retrieve --json` says besides, so that what it printed can be sent back;
    /// not looked at.
    #[serde(default, rename = "found")]
    _found: Option<serde_json::Value>,
}

/// A note that a deeper look came upon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeepCandidate {
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) similarity: Option<Score>,
    /// How many links from the nearest seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hop: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decay_weight: Option<Score>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decay_zero: Option<bool>,
    /// Why the walk retained it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retain_reason: Option<RetainReason>,
    /// Why it was dropped. Whoever curates may keep it all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drop_reason: Option<DropReason>,
    /// Whether the fast walk retained it too (mode `compare`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fast: Option<bool>,
    /// What whoever curated it says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comment: Option<String>,
}

/// Why a note was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DropReason {
    /// It no longer holds.
    DecayZero,
    /// It is not similar enough.
    BelowPruneThreshold,
    /// Others of the same hop were more similar.
    BeamOverflow,
    /// A search found it, but no walk began there, and none came by.
    BeyondSeedCount,
}

impl From<PruneReason> for DropReason {
    fn from(reason: PruneReason) -> Self {
        match reason {
            PruneReason::DecayZero => Self::DecayZero,
            PruneReason::BelowPruneThreshold => Self::BelowPruneThreshold,
            PruneReason::BeamOverflow => Self::BeamOverflow,
        }
    }
}

/// A result that was written back.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct DeepResult {
    /// How the candidates were found.
    pub(crate) mode: String,
    /// When it was written back, in unix seconds.
    pub(crate) at: i64,
    pub(crate) text: Option<String>,
    pub(crate) candidates: Vec<DeepCandidate>,
    /// What its own quotations amount to.
    pub(crate) citations_status: CitationsStatus,
    pub(crate) citations: Vec<SavedCitation>,
}
