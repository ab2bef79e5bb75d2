//! How sure a mean over some questions is: the paired bootstrap, seeded.
//!
//! A set of questions is a sample of those that could have been asked. Drawing as many again from
//! it, with replacement and many times over, shows how far the mean would have strayed. Two rankings
//! are compared question by question on the *same* draws, so that easy and hard questions cancel
//! out. The seed is fixed: the same figures give the same intervals, on every machine.

use serde::Serialize;

/// How often is drawn.
const ROUNDS: usize = 2_000;

/// The part of the draws that an interval leaves out, on both sides together.
const OUTSIDE: f64 = 0.05;

const SEED: u64 = 0x00c0_4c04_d000;

/// The draws for a number of questions: made once, used for every figure of the set.
pub(crate) struct Draws {
    questions: usize,
    /// Round by round, the questions drawn.
    drawn: Vec<u32>,
}

/// A mean, and where it lies in 95 of 100 draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Mean {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A mean difference, and how likely it is to be none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Two-sided: twice the part of the draws on the other side of 0.
    pub(crate) p: f64,
}

impl Difference {
    /// Whether 0 lies outside the interval.
    pub(crate) fn is_significant(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

impl Draws {
    pub(crate) fn new(questions: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(SEED);
        let count = u32::try_from(questions).unwrap_or(u32::MAX);
        let draws = if questions == 0 {
            0
        } else {
            questions * ROUNDS
        };
        Self {
            questions,
            drawn: (0..draws).map(|_| random.u32(0..count)).collect(),
        }
    }

    /// The mean of one figure a question.
    pub(crate) fn mean(&self, figures: &[f64]) -> Mean {
        let means = self.means(figures);
        let (low, high) = interval(&means);
        Mean {
            mean: mean(figures),
            low,
            high,
        }
    }

    /// How much greater the first is than the second, question by question.
    pub(crate) fn difference(&self, first: &[f64], second: &[f64]) -> Difference {
        let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let means = self.means(&differences);
        let (low, high) = interval(&means);
        let part = |side: fn(&f64) -> bool| {
            means.iter().copied().filter(&side).count() as f64 / means.len().max(1) as f64
        };
        // Draws of exactly 0 speak for both sides.
        let p = 2.0 * part(|mean| *mean <= 0.0).min(part(|mean| *mean >= 0.0));
        Difference {
            mean: mean(&differences),
            low,
            high,
            p: p.clamp(1.0 / ROUNDS as f64, 1.0),
        }
    }

    /// The mean of every draw, ascending.
    fn means(&self, figures: &[f64]) -> Vec<f64> {
        if figures.is_empty() {
            return vec![0.0];
        }
        debug_assert_eq!(figures.len(), self.questions, "drawn for another set");
        let rounds = self.drawn.chunks_exact(self.questions);
        let mut means: Vec<f64> = rounds
            .map(|drawn| {
                let mut sum = 0.0;
                for &question in drawn {
                    sum += figures[question as usize];
                }
                sum / drawn.len() as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        means
    }
}

fn interval(ascending: &[f64]) -> (f64, f64) {
    let last = (ascending.len() - 1) as f64;
    let at = |part: f64| ascending[(part * last).round() as usize];
    (at(OUTSIDE / 2.0), at(1.0 - OUTSIDE / 2.0))
}

/// The plain mean; 0 of nothing.
pub(crate) fn mean(figures: &[f64]) -> f64 {
    let mut sum = 0.0;
    for figure in figures {
        sum += figure;
    }
    sum / figures.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_near_the_one_of_the_normal_distribution() {
        // 100 figures of which half are 1: the standard error is 0.05.
        let figures: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let found = Draws::new(100).mean(&figures);
        assert!((found.mean - 0.5).abs() < 1e-12);
        assert!((found.low - 0.402).abs() < 0.02, "{found:?}");
        assert!((found.high - 0.598).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn the_same_figures_give_the_same_interval() {
        let figures: Vec<f64> = (0..37).map(|i| f64::from(i * i % 11) / 11.0).collect();
        assert_eq!(Draws::new(37).mean(&figures), Draws::new(37).mean(&figures));
    }

    #[test]
    fn what_differs_everywhere_is_significant_and_what_differs_nowhere_is_not() {
        let first: Vec<f64> = (0..30).map(|i| f64::from(i) / 30.0).collect();
        let second: Vec<f64> = first.iter().map(|figure| figure - 0.1).collect();
        let draws = Draws::new(30);
        let better = draws.difference(&first, &second);
        assert!(better.is_significant() && better.p < 0.01, "{better:?}");
        assert!((better.mean - 0.1).abs() < 1e-12 && (better.low - 0.1).abs() < 1e-9);
        let worse = draws.difference(&second, &first);
        assert!(worse.is_significant() && worse.mean < 0.0, "{worse:?}");
        let same = draws.difference(&first, &first);
        assert!(
            !same.is_significant() && (same.p - 1.0).abs() < 1e-12,
            "{same:?}"
        );
    }

    #[test]
    fn a_single_lucky_question_is_not_significant() {
        let mut first = vec![0.5; 20];
        let second = first.clone();
        first[7] = 1.0;
        let found = Draws::new(20).difference(&first, &second);
        assert!(!found.is_significant(), "{found:?}");
    }

    #[test]
    fn nothing_asked_is_no_panic() {
        assert_eq!(Draws::new(0).mean(&[]).mean, 0.0);
    }
}
