//! The two default profiles, number by number.

use std::collections::BTreeMap;

use super::{
    Budget, Cross, Decay, DecayMode, Diversity, Excerpt, Fuse, FuseMethod, FuseUnit, Graph,
    GraphMode, KindOverride, Profile, Recency, Relevance, Retrieve, SmallCorpus, Traverse,
    WalkDecay, WalkPolicy,
};

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
                feedback: 0,
                feedback_weight: 1.2,
                feedback_half: 0.02,
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
                repeats: false,
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
        profile.retrieve.pool_min = 100;
        profile.retrieve.feedback = 3;
        profile.fuse.method = FuseMethod::Convex;
        profile.fuse.unit = FuseUnit::Note;
        profile.fuse.weights = BTreeMap::from([
            ("vector".into(), 0.6),
            ("lexical".into(), 0.4),
            ("literal".into(), 0.3),
        ]);
        profile.graph.mode = GraphMode::Bounded;
        profile
    }
}
