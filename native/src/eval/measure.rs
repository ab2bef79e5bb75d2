//! How good one ranked list is, by judgments.
//!
//! ```text
//! nDCG@k    = Σ_{r ≤ k} grade_r / log2(r + 1)  ÷  the same sum of the best order
//! MRR       = 1 / rank of the first relevant note; 0 if there is none
//! Hit@k     = 1 if one of the first k is relevant, else 0
//! Recall@k  = relevant among the first k  ÷  relevant at all
//! ```
//!
//! The gain is the grade itself, as trec_eval and BEIR have it; relevant is what has a grade above 0.
//! Agreement with trec_eval is a test (`tests/reference/measures.py`).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// What a list is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Measure {
    Ndcg(usize),
    ReciprocalRank,
    Hit(usize),
    Recall(usize),
}

/// The measure that stages are compared by.
pub(crate) const MAIN: usize = 1;

/// All of them, in the order of [`Measured`].
pub(crate) const MEASURES: [Measure; 7] = [
    Measure::Ndcg(5),
    Measure::Ndcg(10),
    Measure::ReciprocalRank,
    Measure::Hit(1),
    Measure::Hit(5),
    Measure::Recall(10),
    Measure::Recall(100),
];

/// One list's figures, in the order of [`MEASURES`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Measured(pub(crate) [f64; MEASURES.len()]);

/// The grade of each note that was judged to help; every other has 0.
pub(crate) type Grades = BTreeMap<String, f64>;

impl Measure {
    /// Its name in tables and documents.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Ndcg(k) => format!("nDCG@{k}"),
            Self::ReciprocalRank => "MRR".to_owned(),
            Self::Hit(k) => format!("Hit@{k}"),
            Self::Recall(k) => format!("Recall@{k}"),
        }
    }

    /// The figure of one list, best first, each note once. Without a relevant note it is 0.
    pub(crate) fn of(self, list: &[&str], grades: &Grades) -> f64 {
        let grade = |note: &&str| grades.get(*note).copied().unwrap_or(0.0);
        let relevant = |note: &&&str| grade(note) > 0.0;
        match self {
            Self::Ndcg(k) => {
                let mut best: Vec<f64> = grades.values().copied().collect();
                best.sort_by(|a, b| b.total_cmp(a));
                let best = discounted(best.into_iter().take(k));
                if best == 0.0 {
                    return 0.0;
                }
                discounted(list.iter().take(k).map(grade)) / best
            }
            Self::ReciprocalRank => {
                let first = list.iter().position(|note| relevant(&note));
                first.map_or(0.0, |place| 1.0 / (place + 1) as f64)
            }
            Self::Hit(k) => f64::from(u8::from(list.iter().take(k).any(|note| relevant(&note)))),
            Self::Recall(k) => {
                let all = grades.values().filter(|&&grade| grade > 0.0).count();
                let found = list.iter().take(k).filter(relevant).count();
                found as f64 / all.max(1) as f64
            }
        }
    }
}

fn discounted(grades: impl Iterator<Item = f64>) -> f64 {
    let mut sum = 0.0;
    for (place, grade) in grades.enumerate() {
        sum += grade / ((place + 2) as f64).log2();
    }
    sum
}

impl Measured {
    /// The figures of a list in which notes may stand several times: a note counts where it stands
    /// first.
    pub(crate) fn of<'a>(list: impl Iterator<Item = &'a str>, grades: &Grades) -> Self {
        let mut seen = BTreeSet::new();
        let list: Vec<&str> = list.filter(|note| seen.insert(*note)).collect();
        Self(MEASURES.map(|measure| measure.of(&list, grades)))
    }

    /// The figure that stages are compared by.
    pub(crate) fn main(&self) -> f64 {
        self.0[MAIN]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_worked_out_by_hand() {
        let grades = Grades::from([("a".into(), 2.0), ("b".into(), 1.0), ("c".into(), 0.0)]);
        let check = |list: &[&str], measure: Measure, expected: f64| {
            let found = measure.of(list, &grades);
            assert!(
                (found - expected).abs() < 1e-12,
                "{measure:?} {list:?}: {found}"
            );
        };
        let ideal = 2.0 + 1.0 / 3_f64.log2();
        check(&["a", "b"], Measure::Ndcg(5), 1.0);
        check(
            &["b", "a"],
            Measure::Ndcg(5),
            (1.0 + 2.0 / 3_f64.log2()) / ideal,
        );
        check(&["x", "y", "a"], Measure::Ndcg(5), 1.0 / ideal);
        check(&["x", "y", "a"], Measure::Ndcg(2), 0.0);
        // The best order is cut where the list is.
        check(&["a"], Measure::Ndcg(1), 1.0);
        check(&["x", "b", "a"], Measure::ReciprocalRank, 0.5);
        check(&["c", "x"], Measure::ReciprocalRank, 0.0);
        check(&["c", "b"], Measure::Hit(1), 0.0);
        check(&["c", "b"], Measure::Hit(5), 1.0);
        check(&["c", "b"], Measure::Recall(10), 0.5);
        check(&["b", "x", "a"], Measure::Recall(2), 0.5);
        check(&[], Measure::Recall(10), 0.0);
        check(&[], Measure::Ndcg(10), 0.0);
    }

    #[test]
    fn a_note_counts_where_it_stands_first() {
        let grades = Grades::from([("a".into(), 1.0), ("b".into(), 1.0)]);
        let twice = Measured::of(["a", "a", "b"].into_iter(), &grades);
        assert_eq!(twice, Measured::of(["a", "b"].into_iter(), &grades));
        assert!((twice.main() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_judged_measures_nothing() {
        let measured = Measured::of(["a"].into_iter(), &Grades::new());
        assert_eq!(measured.0, [0.0; MEASURES.len()]);
    }

    /// Lists and judgments by the hundred, measured by trec_eval.
    #[test]
    fn figures_are_those_of_trec_eval() {
        #[derive(serde::Deserialize)]
        struct Case {
            list: Vec<String>,
            grades: Grades,
            figures: BTreeMap<String, f64>,
        }
        let cases = include_str!("../../../tests/reference/measures.jsonl");
        let mut checked = 0;
        for line in cases.lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let list: Vec<&str> = case.list.iter().map(String::as_str).collect();
            let measured = Measured::of(list.into_iter(), &case.grades);
            for (measure, found) in MEASURES.iter().zip(measured.0) {
                let expected = case.figures[&measure.name()];
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{}: {found} and not {expected}: {line}",
                    measure.name()
                );
                checked += 1;
            }
        }
        assert!(checked >= 700, "{checked}");
    }
}
