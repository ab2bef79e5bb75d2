//! Walking the citation graph outward from a few notes: the policy, one hop at a time.
//!
//! ```text
//! each hop: expand the frontier → drop what decays to 0 (policy `filter`)
//!           → drop what is below the prune threshold → keep the best `beam_width`
//!           → they join the pool and are the next frontier
//! stop:     the pool has `target_k` notes and their average similarity ≥ the quality floor,
//!           or `max_hops` hops were made, or the frontier is empty
//! ```
//!
//! Reading embeddings and edges is the caller's; [`Walk::step`] is handed what the frontier's
//! neighbours are and how similar. A note is judged once, at the first hop that reaches it.
//! Seeds are never dropped: the caller chose them. `target_k` is when to stop, not a cut: what
//! was retained is returned whole. Without a quality floor the walk never stops early.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Fault};
use crate::profile::{WalkDecay, WalkPolicy};
use crate::score::Score;

/// A note on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Stop {
    /// The note.
    pub path: String,
    /// The best cosine of its chunks to the query, or to the seed note.
    pub similarity: Score,
    /// The weight of its age; 0 where it no longer holds.
    pub decay_weight: Score,
}

/// What a walk found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Traversal {
    /// What was retained, most similar first.
    pub retained: Vec<Retained>,
    /// What was dropped, if the policy keeps it; most similar first.
    pub pruned: Vec<Pruned>,
    /// How many were dropped.
    pub pruned_count: u32,
    /// How many notes' similarity was looked at.
    pub touched: u32,
    /// How many hops were made.
    pub hops: u32,
    /// Why the walk ended.
    pub ended: WalkEnd,
}

/// A note that was retained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Retained {
    /// The note.
    pub path: String,
    /// Its similarity.
    pub similarity: Score,
    /// How many links from the nearest seed; 0 for a seed.
    pub hop: u32,
    /// The weight of its age.
    pub decay_weight: Score,
    /// That weight is 0.
    pub decay_zero: bool,
    /// Why it was retained.
    pub retain_reason: RetainReason,
}

/// A note that was dropped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Pruned {
    /// The note.
    pub path: String,
    /// Its similarity.
    pub similarity: Score,
    /// The hop that reached it.
    pub hop: u32,
    /// Why it was dropped.
    pub drop_reason: PruneReason,
}

/// Why a note was retained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum RetainReason {
    /// The walk began there.
    Seed,
    /// It no longer holds, but the policy keeps such notes.
    KeptDespiteDecayZero,
    /// It is similar enough.
    AbovePruneFloor,
}

/// Why a note was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum PruneReason {
    /// It no longer holds.
    DecayZero,
    /// It is not similar enough.
    BelowPruneThreshold,
    /// It is, but others in the same hop were more so.
    BeamOverflow,
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum WalkEnd {
    /// The pool was large and good enough.
    GoodEnough,
    /// As far as allowed.
    MaxHops,
    /// Nothing was left to expand.
    Exhausted,
}

/// A walk under way.
pub struct Walk<'p> {
    policy: &'p WalkPolicy,
    seen: BTreeSet<String>,
    frontier: Vec<String>,
    retained: Vec<Retained>,
    pruned: Vec<Pruned>,
    hops: u32,
}

impl<'p> Walk<'p> {
    /// Begins at `seeds`.
    #[must_use]
    pub fn new(policy: &'p WalkPolicy, seeds: Vec<Stop>) -> Self {
        let mut walk = Self {
            policy,
            seen: BTreeSet::new(),
            frontier: Vec::new(),
            retained: Vec::new(),
            pruned: Vec::new(),
            hops: 0,
        };
        let seeds = walk.first_seen(seeds);
        walk.retain(seeds, |_| RetainReason::Seed);
        walk
    }

    /// The notes whose neighbours the next step needs; none when the walk has ended.
    #[must_use]
    pub fn frontier(&self) -> &[String] {
        match self.ended() {
            Some(_) => &[],
            None => &self.frontier,
        }
    }

    /// Whether a note was judged already: its similarity need not be looked up again.
    #[must_use]
    pub fn has_seen(&self, path: &str) -> bool {
        self.seen.contains(path)
    }

    /// One hop, to the neighbours of the frontier. Those seen before may be among them.
    pub fn step(&mut self, neighbours: Vec<Stop>) {
        if self.ended().is_some() {
            return;
        }
        self.hops += 1;
        let filters = self.policy.decay == WalkDecay::Filter;
        let mut kept = Vec::new();
        for stop in self.first_seen(neighbours) {
            let reason = if filters && has_decayed(&stop) {
                PruneReason::DecayZero
            } else if stop.similarity.get() < self.policy.prune_threshold {
                PruneReason::BelowPruneThreshold
            } else if kept.len() >= self.policy.beam_width as usize {
                PruneReason::BeamOverflow
            } else {
                kept.push(stop);
                continue;
            };
            self.pruned.push(Pruned {
                path: stop.path,
                similarity: stop.similarity,
                hop: self.hops,
                drop_reason: reason,
            });
        }
        self.retain(kept, |stop| {
            if has_decayed(stop) {
                RetainReason::KeptDespiteDecayZero
            } else {
                RetainReason::AbovePruneFloor
            }
        });
    }

    /// Why the walk has ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<WalkEnd> {
        if self.is_good_enough() {
            Some(WalkEnd::GoodEnough)
        } else if self.frontier.is_empty() {
            Some(WalkEnd::Exhausted)
        } else if self.hops >= self.policy.max_hops {
            Some(WalkEnd::MaxHops)
        } else {
            None
        }
    }

    /// What was found.
    #[must_use]
    pub fn finish(mut self) -> Traversal {
        let ended = self.ended().unwrap_or(WalkEnd::MaxHops);
        self.retained
            .sort_by(|a, b| nearer((a.similarity, &a.path), (b.similarity, &b.path)));
        self.pruned
            .sort_by(|a, b| nearer((a.similarity, &a.path), (b.similarity, &b.path)));
        let pruned_count = crate::graph::dense(self.pruned.len());
        if !self.policy.keep_pruned {
            self.pruned.clear();
        }
        Traversal {
            retained: self.retained,
            pruned: self.pruned,
            pruned_count,
            touched: crate::graph::dense(self.seen.len()),
            hops: self.hops,
            ended,
        }
    }

    /// Those not seen before, most similar first, then by path.
    fn first_seen(&mut self, stops: Vec<Stop>) -> Vec<Stop> {
        let mut fresh: Vec<Stop> = stops
            .into_iter()
            .filter(|stop| self.seen.insert(stop.path.clone()))
            .collect();
        fresh.sort_by(|a, b| nearer((a.similarity, &a.path), (b.similarity, &b.path)));
        fresh
    }

    fn retain(&mut self, stops: Vec<Stop>, reason: impl Fn(&Stop) -> RetainReason) {
        self.frontier = stops.iter().map(|stop| stop.path.clone()).collect();
        let hop = self.hops;
        self.retained.extend(stops.into_iter().map(|stop| Retained {
            retain_reason: reason(&stop),
            decay_zero: has_decayed(&stop),
            path: stop.path,
            similarity: stop.similarity,
            hop,
            decay_weight: stop.decay_weight,
        }));
    }

    fn is_good_enough(&self) -> bool {
        let Some(floor) = self.policy.quality_floor else {
            return false;
        };
        if self.retained.len() < self.policy.target_k as usize {
            return false;
        }
        let mut total = 0.0;
        for retained in &self.retained {
            total += retained.similarity.get();
        }
        total / crate::graph::as_f64(self.retained.len()) >= floor
    }
}

/// Most similar first, then by path.
fn nearer(a: (Score, &str), b: (Score, &str)) -> Ordering {
    b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1))
}

fn has_decayed(stop: &Stop) -> bool {
    stop.decay_weight <= Score::ZERO
}

/// A world small enough to be handed over whole: for the browser, and for checking that every
/// target walks the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct World {
    /// Where to begin, as positions in `stops`.
    pub seeds: Vec<u32>,
    /// All notes.
    pub stops: Vec<Stop>,
    /// Links between them, as positions in `stops`; walked both ways.
    pub links: Vec<(u32, u32)>,
}

impl World {
    /// Walks through the world.
    ///
    /// # Errors
    /// If a seed or link is out of range, or a path stands there twice.
    pub fn walk(&self, policy: &WalkPolicy) -> Result<Traversal, Error> {
        let mut place: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, stop) in self.stops.iter().enumerate() {
            if place.insert(&stop.path, i).is_some() {
                let message = format!("`{}` stands here twice", stop.path);
                return Err(Fault::Walk.at(format!("stops[{i}].path"), message));
            }
        }
        let check = |key: String, position: u32| match self.stops.get(position as usize) {
            Some(stop) => Ok(stop),
            None => {
                let count = self.stops.len();
                let message = format!("{position} is out of range: there are {count} stops");
                Err(Fault::Walk.at(key, message))
            }
        };
        let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.stops.len()];
        for (i, &(a, b)) in self.links.iter().enumerate() {
            check(format!("links[{i}][0]"), a)?;
            check(format!("links[{i}][1]"), b)?;
            near[a as usize].insert(b as usize);
            near[b as usize].insert(a as usize);
        }
        let mut seeds = Vec::with_capacity(self.seeds.len());
        for (i, &seed) in self.seeds.iter().enumerate() {
            seeds.push(check(format!("seeds[{i}]"), seed)?.clone());
        }

        let mut walk = Walk::new(policy, seeds);
        while walk.ended().is_none() {
            let mut reached: BTreeSet<usize> = BTreeSet::new();
            for path in walk.frontier() {
                reached.extend(&near[place[path.as_str()]]);
            }
            let reached = reached.into_iter().map(|i| self.stops[i].clone());
            let fresh = reached.filter(|stop| !walk.has_seen(&stop.path)).collect();
            walk.step(fresh);
        }
        Ok(walk.finish())
    }
}
