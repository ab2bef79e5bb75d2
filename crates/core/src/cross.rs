//! Re-ordering by a cross-encoder, where the bundle carries its logits.
//!
//! The best `top` candidates are re-ordered among themselves. With both scores min-max scaled over
//! that window (`s`, `c`), and the window's own range of scores `[low, high]`:
//!
//! ```text
//! score = low + (high − low) · ((1 − weight)·s + weight·c)
//! ```
//!
//! so that the window keeps its place above the rest, and the list stays one list sorted by one
//! score. A chunk that has no logit keeps its own place, `c = s`; and so do all of them where the
//! logits tell nothing apart.

use crate::bundle::Bundle;
use crate::fuse::Scale;
use crate::profile::Cross;
use crate::rank::Candidate;
use crate::ranking::{CrossTrace, Range};
use crate::score::Score;

/// Re-scores the first candidates of a sorted list.
pub(crate) fn reorder(bundle: &Bundle, candidates: &mut [Candidate], cross: &Cross) {
    let size = candidates.len().min(cross.top as usize);
    let window = &mut candidates[..size];
    let logit = |candidate: &Candidate| bundle.chunks[candidate.chunk].cross;
    if cross.weight == 0.0 || !window.iter().any(|c| logit(c).is_some()) {
        return;
    }
    let blended_scale = Scale::over(window.iter().map(|c| c.score));
    let cross_scale = Scale::over(window.iter().filter_map(logit));
    let range = Range {
        low: blended_scale.low,
        high: blended_scale.high,
    };
    let weight = Score::new(cross.weight);
    for candidate in window {
        let logit = logit(candidate);
        let blended = blended_scale.apply(candidate.score);
        let crossed = match logit {
            Some(logit) if cross_scale.low < cross_scale.high => cross_scale.apply(logit),
            _ => blended,
        };
        let score = CrossTrace::mix(range, blended, crossed, weight);
        candidate.score = score;
        candidate.trace.cross = Some(CrossTrace {
            logit,
            window: range,
            blended,
            crossed,
            weight,
            score,
        });
    }
}
