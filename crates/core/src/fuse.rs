//! Layer 1: several ranked lists into one.
//!
//! ```text
//! rrf(d)    = Σ_leg weight(leg) / (k + rank_leg(d))      rank from 1; absent: no term
//! convex(d) = Σ_leg weight(leg) · (s − min) / (max − min)  s: the leg's own score; all equal: 1
//! ```
//!
//! A leg is first cut to what competes: repetitions go, with unit `note` all but every note's
//! best chunk go, and then what lies beyond the pool. Sums run over the legs in the order of
//! their names, so the order in which a bundle lists them cannot show in a single bit.
//!
//! With unit `note` the *note* competes, by the sum over the legs of its best chunk in each; the
//! chunk shown for it is the one that earned most of that sum, then the one nearer to the query.

use crate::bundle::{Bundle, Hit};
use crate::prepared::Index;
use crate::profile::{Fuse, FuseMethod, FuseUnit, Profile};
use crate::ranking::LegShare;
use crate::score::Score;

/// A candidate after fusion.
pub(crate) struct Fused {
    /// Position in the bundle's chunks.
    pub(crate) chunk: usize,
    /// What each leg gave.
    pub(crate) legs: Vec<LegShare>,
    /// Their sum.
    pub(crate) score: Score,
}

/// All candidates, in canonical order.
pub(crate) fn fuse(bundle: &Bundle, index: &Index, profile: &Profile) -> Vec<Fused> {
    let unit = profile.fuse.unit;
    // What competes is addressed densely: by canonical chunk position, or by note.
    let competitors = match unit {
        FuseUnit::Chunk => bundle.chunks.len(),
        FuseUnit::Note => bundle.notes.len(),
    };
    let mut shares: Vec<Vec<LegShare>> = vec![Vec::new(); competitors];

    for &leg in &index.legs_by_name {
        let leg = &bundle.legs[leg];
        let weight = leg_weight(&profile.fuse, &leg.name);
        if weight == 0.0 {
            continue;
        }
        let pool = competing(&leg.hits, index, unit, profile.pool() as usize);
        let scale = Scale::over(pool.iter().map(|&(_, hit)| hit.score));
        for (position, &(competitor, hit)) in pool.iter().enumerate() {
            let rank = u32::try_from(position).unwrap_or(u32::MAX - 1) + 1;
            let contribution = match profile.fuse.method {
                FuseMethod::Rrf => weight / (profile.fuse.k + f64::from(rank)),
                FuseMethod::Convex => weight * scale.apply(hit.score).get(),
            };
            shares[competitor].push(LegShare {
                leg: leg.name.clone(),
                chunk: hit.chunk,
                rank,
                raw: hit.score,
                weight: Score::new(weight),
                contribution: Score::new(contribution),
            });
        }
    }

    let mut fused: Vec<Fused> = shares
        .into_iter()
        .filter(|legs| !legs.is_empty())
        .map(|legs| Fused {
            chunk: face(bundle, index, &legs),
            score: total(&legs),
            legs,
        })
        .collect();
    fused.sort_by_key(|candidate| index.chunk_order[candidate.chunk]);
    fused
}

/// The legs' contributions, added in the order in which they are listed.
pub(crate) fn total(legs: &[LegShare]) -> Score {
    let mut total = 0.0;
    for leg in legs {
        total += leg.contribution.get();
    }
    Score::new(total)
}

/// The weight of a leg: by its whole name, by the part before a colon, or the general one.
fn leg_weight(fuse: &Fuse, name: &str) -> f64 {
    let stem = name.split_once(':').map_or(name, |(stem, _)| stem);
    let named = fuse.weights.get(name).or_else(|| fuse.weights.get(stem));
    named.copied().unwrap_or(fuse.other_weight)
}

/// The hits that compete, with the dense address of what competes through them.
fn competing<'a>(
    hits: &'a [Hit],
    index: &Index,
    unit: FuseUnit,
    pool: usize,
) -> Vec<(usize, &'a Hit)> {
    let competitors = match unit {
        FuseUnit::Chunk => index.chunk_order.len(),
        FuseUnit::Note => index.node_of_note.len(),
    };
    let mut is_seen = vec![false; competitors];
    hits.iter()
        .map(|hit| {
            let chunk = index.chunk(hit.chunk);
            let competitor = match unit {
                FuseUnit::Chunk => chunk,
                FuseUnit::Note => index.note_of_chunk[chunk],
            };
            (competitor, hit)
        })
        .filter(|&(competitor, _)| !std::mem::replace(&mut is_seen[competitor], true))
        .take(pool)
        .collect()
}

/// The chunk that stands for a competitor.
fn face(bundle: &Bundle, index: &Index, legs: &[LegShare]) -> usize {
    let earned = |id: u32| {
        let mut sum = 0.0;
        for leg in legs.iter().filter(|leg| leg.chunk == id) {
            sum += leg.contribution.get();
        }
        Score::new(sum)
    };
    let best = legs.iter().map(|leg| leg.chunk).max_by_key(|&id| {
        let chunk = index.chunk(id);
        let order = std::cmp::Reverse(index.chunk_order[chunk]);
        (earned(id), bundle.chunks[chunk].cosine, order)
    });
    index.chunk(best.unwrap_or_default())
}

/// Min-max scaling onto [0, 1]; a range of no width scales to 1.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) low: Score,
    pub(crate) high: Score,
}

impl Scale {
    pub(crate) fn over(values: impl Iterator<Item = Score> + Clone) -> Self {
        Self {
            low: values.clone().min().unwrap_or(Score::ZERO),
            high: values.max().unwrap_or(Score::ZERO),
        }
    }

    pub(crate) fn apply(self, value: Score) -> Score {
        if self.low == self.high {
            return Score::ONE;
        }
        Score::new((value.get() - self.low.get()) / (self.high.get() - self.low.get()))
    }
}
