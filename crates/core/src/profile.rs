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
//! * `balanced`: for a vault without a registry. Lexical weight 1.0, notes rather than chunks
//!   compete, no decay, and links only break near-ties (strength 0.05), since the weights of
//!   `vault` were measured to cost relevance on collections with human judgments.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Fault};
use crate::score::without_sign_of_zero;

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
    /// How many chunks of one source may stand in the list.
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

/// How many chunks of one source may stand in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Diversity {
    /// Of one note; none for no limit.
    pub max_per_note: Option<u32>,
    /// Of one page of a note; none for no limit. Chunks without a page are not limited.
    pub max_per_page: Option<u32>,
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

/// The keys of a profile.
const SECTIONS: [&str; 14] = [
    "name",
    "limit",
    "retrieve",
    "fuse",
    "decay",
    "graph",
    "recency",
    "signals",
    "cross",
    "diversity",
    "small_corpus",
    "budget",
    "excerpt",
    "traverse",
];

/// The names of the default profiles.
pub const NAMES: [&str; 2] = ["vault", "balanced"];

impl Profile {
    /// The default profile of that name for a domain, if there is one.
    #[must_use]
    pub fn named(name: &str, domain: &str) -> Option<Self> {
        match name {
            "vault" => Some(Self::vault(domain)),
            "balanced" => Some(Self::balanced()),
            _ => None,
        }
    }

    /// The numbers of a registry's owner.
    #[must_use]
    pub fn vault(domain: &str) -> Self {
        let finance = domain == "finance";
        let filings = KindOverride {
            group_by_path_prefix: (1.0, 0.6),
        };
        let lexical = if finance { 0.5 } else { 0.05 };
        Self {
            name: "vault".into(),
            limit: 10,
            retrieve: Retrieve {
                pool_min: 30,
                pool_per_item: 3,
                text_weight: 1.0,
                section_weight: 0.5,
                heading_weight: 0.3,
            },
            fuse: Fuse {
                method: FuseMethod::Rrf,
                unit: FuseUnit::Chunk,
                k: 60.0,
                weights: BTreeMap::from([("vector".into(), 1.0), ("lexical".into(), lexical)]),
                other_weight: 1.0,
            },
            decay: Decay {
                mode: if finance {
                    DecayMode::RankedGrouped
                } else {
                    DecayMode::Off
                },
                ladder: vec![1.0, 0.6, 0.45, 0.35, 0.25],
                kind_overrides: if finance {
                    BTreeMap::from([("Filings".into(), filings)])
                } else {
                    BTreeMap::new()
                },
                half_life_days: 365.0,
                fading_part: 0.25,
            },
            graph: Graph {
                mode: GraphMode::Weighted,
                relevance: Relevance::Fused,
                alpha: 0.6,
                beta: 0.25,
                gamma: 0.15,
                strength: 0.05,
                min_citations: 10,
                damping: 0.85,
                rounds: 100,
                tolerance: 1e-6,
            },
            recency: Recency {
                days: 30.0,
                amount: 0.05,
            },
            signals: BTreeMap::new(),
            cross: Cross {
                top: 20,
                weight: 0.0,
            },
            diversity: Diversity {
                max_per_note: None,
                max_per_page: None,
            },
            small_corpus: SmallCorpus {
                guard: false,
                below: 50,
                max_dropped: 0.5,
            },
            budget: Budget {
                max_tokens: None,
                chars_per_token: 4,
            },
            excerpt: Excerpt { sentences: 2 },
            traverse: Traverse {
                fast: WalkPolicy {
                    beam_width: 5,
                    max_hops: 4,
                    seed_count: 3,
                    target_k: 10,
                    quality_floor: Some(0.65),
                    prune_threshold: 0.50,
                    decay: WalkDecay::Filter,
                    keep_pruned: false,
                },
                deep: WalkPolicy {
                    beam_width: 12,
                    max_hops: 4,
                    seed_count: 8,
                    target_k: 50,
                    quality_floor: None,
                    prune_threshold: 0.30,
                    decay: WalkDecay::Feature,
                    keep_pruned: true,
                },
            },
        }
    }

    /// The numbers for a vault whose owner chose none.
    #[must_use]
    pub fn balanced() -> Self {
        let mut profile = Self::vault("");
        profile.name = "balanced".into();
        profile.fuse.unit = FuseUnit::Note;
        profile.fuse.weights.insert("lexical".into(), 1.0);
        profile.graph.mode = GraphMode::Bounded;
        profile
    }

    /// Lays a patch over the default that its key `extends` names (`balanced` if none).
    ///
    /// # Errors
    /// If the result is no profile; the error names the key.
    pub fn from_patch(patch: Value, domain: &str) -> Result<Self, Error> {
        let Value::Object(mut keys) = patch else {
            return Err(Fault::Profile.at("", "must be an object of keys and values"));
        };
        let base = match keys.remove("extends") {
            None if SECTIONS.iter().all(|&section| keys.contains_key(section)) => {
                return Self::from_value(&Value::Object(keys));
            }
            None => Self::balanced(),
            Some(Value::String(name)) => Self::named(&name, domain).ok_or_else(|| {
                let known = NAMES.join("`, `");
                let message = format!("there is no profile `{name}`; there are `{known}`");
                Fault::Profile.at("extends", message)
            })?,
            Some(_) => return Err(Fault::Profile.at("extends", "must be a profile's name")),
        };
        base.patched(Value::Object(keys))
    }

    /// Lays a patch over this profile.
    ///
    /// # Errors
    /// If the result is no profile; the error names the key.
    pub fn patched(&self, patch: Value) -> Result<Self, Error> {
        let mut whole =
            serde_json::to_value(self).map_err(|e| Fault::Profile.at("", e.to_string()))?;
        merge(&mut whole, patch);
        Self::from_value(&whole)
    }

    /// Reads and checks a complete profile.
    ///
    /// # Errors
    /// If the value is no profile; the error names the key.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let mut profile: Self = Fault::Profile.read(&value.to_string())?;
        profile.settle()?;
        Ok(profile)
    }

    /// How many hits of each leg compete.
    #[must_use]
    pub fn pool(&self) -> u32 {
        let by_items = self.retrieve.pool_per_item.saturating_mul(self.limit);
        by_items.max(self.retrieve.pool_min)
    }

    /// Checks every number against its range, and folds −0.0.
    ///
    /// # Errors
    /// At the first number that is out of range.
    pub fn settle(&mut self) -> Result<(), Error> {
        let weight = (0.0, 1e6);
        let part = (0.0, 1.0);

        count("limit", self.limit, 1, 10_000)?;

        let retrieve = &mut self.retrieve;
        count("retrieve.pool_min", retrieve.pool_min, 1, 100_000)?;
        count("retrieve.pool_per_item", retrieve.pool_per_item, 0, 1_000)?;
        number("retrieve.text_weight", &mut retrieve.text_weight, weight)?;
        number(
            "retrieve.section_weight",
            &mut retrieve.section_weight,
            weight,
        )?;
        number(
            "retrieve.heading_weight",
            &mut retrieve.heading_weight,
            weight,
        )?;

        number("fuse.k", &mut self.fuse.k, weight)?;
        for (name, value) in &mut self.fuse.weights {
            number(&format!("fuse.weights.{name}"), value, weight)?;
        }
        number("fuse.other_weight", &mut self.fuse.other_weight, weight)?;

        let decay = &mut self.decay;
        if decay.ladder.is_empty() {
            return Err(Fault::Profile.at("decay.ladder", "must have at least one step"));
        }
        for (i, step) in decay.ladder.iter_mut().enumerate() {
            number(&format!("decay.ladder[{i}]"), step, part)?;
        }
        for (kind, rule) in &mut decay.kind_overrides {
            let key = format!("decay.kind_overrides.{kind}.group_by_path_prefix");
            number(&format!("{key}[0]"), &mut rule.group_by_path_prefix.0, part)?;
            number(&format!("{key}[1]"), &mut rule.group_by_path_prefix.1, part)?;
        }
        number(
            "decay.half_life_days",
            &mut decay.half_life_days,
            (1e-3, 1e6),
        )?;
        number("decay.fading_part", &mut decay.fading_part, part)?;

        let graph = &mut self.graph;
        number("graph.alpha", &mut graph.alpha, weight)?;
        number("graph.beta", &mut graph.beta, weight)?;
        number("graph.gamma", &mut graph.gamma, weight)?;
        number("graph.strength", &mut graph.strength, weight)?;
        number("graph.damping", &mut graph.damping, (0.0, 0.999))?;
        count("graph.rounds", graph.rounds, 1, 1_000)?;
        number("graph.tolerance", &mut graph.tolerance, part)?;

        number("recency.days", &mut self.recency.days, weight)?;
        number("recency.amount", &mut self.recency.amount, (-1e6, 1e6))?;
        for (name, value) in &mut self.signals {
            number(&format!("signals.{name}"), value, (-1e6, 1e6))?;
        }

        count("cross.top", self.cross.top, 1, 10_000)?;
        number("cross.weight", &mut self.cross.weight, part)?;
        number(
            "small_corpus.max_dropped",
            &mut self.small_corpus.max_dropped,
            part,
        )?;
        count(
            "budget.chars_per_token",
            self.budget.chars_per_token,
            1,
            100,
        )?;
        count("excerpt.sentences", self.excerpt.sentences, 0, 100)?;
        let diversity = &self.diversity;
        for (key, value) in [
            ("diversity.max_per_note", diversity.max_per_note),
            ("diversity.max_per_page", diversity.max_per_page),
        ] {
            count(key, value.unwrap_or(1), 1, 10_000)?;
        }

        self.traverse.fast.settle("traverse.fast")?;
        self.traverse.deep.settle("traverse.deep")
    }
}

impl WalkPolicy {
    fn settle(&mut self, key: &str) -> Result<(), Error> {
        count(&format!("{key}.beam_width"), self.beam_width, 1, 1_000)?;
        count(&format!("{key}.max_hops"), self.max_hops, 0, 32)?;
        count(&format!("{key}.seed_count"), self.seed_count, 1, 1_000)?;
        count(&format!("{key}.target_k"), self.target_k, 1, 10_000)?;
        if let Some(floor) = &mut self.quality_floor {
            number(&format!("{key}.quality_floor"), floor, (-1.0, 1.0))?;
        }
        let threshold = &mut self.prune_threshold;
        number(&format!("{key}.prune_threshold"), threshold, (-1.0, 1.0))
    }
}

fn number(key: &str, value: &mut f64, (low, high): (f64, f64)) -> Result<(), Error> {
    *value = without_sign_of_zero(*value);
    if (low..=high).contains(value) {
        Ok(())
    } else {
        let message = format!("must be between {low} and {high}, found {value}");
        Err(Fault::Profile.at(key, message))
    }
}

fn count(key: &str, value: u32, low: u32, high: u32) -> Result<(), Error> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        let message = format!("must be between {low} and {high}, found {value}");
        Err(Fault::Profile.at(key, message))
    }
}

/// JSON merge patch.
fn merge(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(&key);
                } else {
                    merge(target.entry(key).or_insert(Value::Null), value);
                }
            }
        }
        (target, patch) => *target = patch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_profile_is_taken_as_it_stands() {
        let mut profile = Profile::vault("finance");
        profile.fuse.weights.remove("lexical");
        let value = serde_json::to_value(&profile).unwrap();
        let keys: Vec<&str> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut sections = SECTIONS;
        sections.sort_unstable();
        assert_eq!(keys, sections);
        assert_eq!(Profile::from_patch(value, "").unwrap(), profile);
    }
}
