//! Looking again: from where a question's candidates are seen a second time.
//!
//! ```text
//! seen from = q + weight · Σ sᵢ·eᵢ        sᵢ = hᵢ / Σ h        hᵢ = 2^((cᵢ − c₁) / half)
//! ```
//!
//! `e₁, e₂, …` are the passages nearest to the question, `c₁, c₂, …` their cosines to it. What is said
//! in several of them is most likely what was meant (Rocchio's feedback). The nearest counts most, and
//! one that is `half` farther counts half of it: where one passage alone answers a question, its
//! neighbours must not lead away from it.

use crate::math::exp2;
use crate::profile::Retrieve;

/// The vector from which all candidates are seen; `nearest` come nearest first, each with its cosine.
#[must_use]
pub fn seen_from(question: &[f32], nearest: &[(f64, &[f32])], retrieve: &Retrieve) -> Vec<f32> {
    let mut seen_from = question.to_vec();
    let Some(&(best, _)) = nearest.first() else {
        return seen_from;
    };
    let share = |cosine: f64| exp2((cosine - best) / retrieve.feedback_half);
    let mut all = 0.0;
    for &(cosine, _) in nearest {
        all += share(cosine);
    }
    for &(cosine, passage) in nearest {
        #[expect(clippy::cast_possible_truncation, reason = "vectors are of f32")]
        let share = (retrieve.feedback_weight * share(cosine) / all) as f32;
        for (number, other) in seen_from.iter_mut().zip(passage) {
            *number += share * other;
        }
    }
    seen_from
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn check(nearest: &[(f64, &[f32])], weight: f64, half: f64, expected: [f32; 2]) {
        let mut retrieve = Profile::balanced().retrieve;
        retrieve.feedback_weight = weight;
        retrieve.feedback_half = half;
        assert_eq!(seen_from(&[1.0, 0.0], nearest, &retrieve), expected);
    }

    #[test]
    fn a_passage_that_is_a_step_farther_counts_half() {
        let near: [(f64, &[f32]); 2] = [(0.75, &[0.0, 3.0]), (0.5, &[3.0, 0.0])];
        check(&near, 1.0, 0.25, [2.0, 2.0]);
        check(&near, 2.0, 0.25, [3.0, 4.0]);
    }

    #[test]
    fn nothing_near_or_no_weight_leaves_the_question_where_it_is() {
        check(&[], 1.0, 0.25, [1.0, 0.0]);
        check(&[(0.5, &[0.0, 1.0])], 0.0, 0.25, [1.0, 0.0]);
    }

    #[test]
    fn equally_near_passages_count_alike() {
        let near: [(f64, &[f32]); 2] = [(0.5, &[0.0, 2.0]), (0.5, &[2.0, 0.0])];
        check(&near, 1.0, 0.02, [2.0, 1.0]);
    }
}
