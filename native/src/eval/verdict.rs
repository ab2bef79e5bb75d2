//! What an evaluation found: figures with their intervals, by stage and category, and whom a layer
//! helped or hurt.

use std::collections::BTreeMap;

use serde::Serialize;

use super::field::{Field, Lineup};
use super::measure::{MAIN, MEASURES, Measured};
use super::sampling::{Difference, Draws, Mean};
use super::stage::{self, Stage};
use crate::failure::Failure;

/// Two figures of a question that differ by less are the same.
const SAME: f64 = 1e-9;

/// A mean and its interval by the name of the measure.
pub(crate) type Figures = BTreeMap<String, Mean>;

/// One set of questions under one profile.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verdict {
    /// The vault or the collection.
    pub(crate) name: String,
    pub(crate) profile: String,
    /// What made the vectors; none where search is by words alone.
    pub(crate) model: Option<String>,
    pub(crate) notes: u32,
    pub(crate) questions: usize,
    pub(crate) stages: Vec<StageVerdict>,
    pub(crate) categories: Vec<Category>,
    pub(crate) asked: Vec<Asked>,
}

/// One stage of the profile.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StageVerdict {
    pub(crate) key: String,
    pub(crate) title: String,
    pub(crate) meaning: String,
    pub(crate) is_leg: bool,
    pub(crate) figures: Figures,
    /// Against what was there before it; none for a leg.
    pub(crate) change: Option<Change>,
}

/// What a layer did to each question, by nDCG@10.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Change {
    /// The stage that it is compared with: the one before, or the best leg.
    pub(crate) against: String,
    pub(crate) difference: Difference,
    pub(crate) unchanged: usize,
    /// Most first.
    pub(crate) helped: Vec<Moved>,
    /// Most first.
    pub(crate) hurt: Vec<Moved>,
}

/// A question that fares otherwise than before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Moved {
    pub(crate) id: String,
    pub(crate) query: String,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// The questions of one category.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Category {
    pub(crate) name: String,
    pub(crate) questions: usize,
    pub(crate) figures: Figures,
    /// nDCG@10 of every stage, in their order.
    pub(crate) by_stage: Vec<f64>,
}

/// One question and its figures, in the order of the measures.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Asked {
    pub(crate) id: String,
    pub(crate) query: String,
    pub(crate) domain: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) figures: BTreeMap<String, f64>,
}

/// Two lineups on the same questions.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) name: String,
    pub(crate) first: String,
    pub(crate) second: String,
    pub(crate) questions: usize,
    /// By measure: both means, and by how much the first is greater.
    pub(crate) measures: Vec<Compared>,
    /// The first against the second.
    pub(crate) change: Change,
}

/// One measure of two lineups.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Compared {
    pub(crate) measure: String,
    pub(crate) first: f64,
    pub(crate) second: f64,
    pub(crate) difference: Difference,
}

/// Evaluates a lineup stage by stage.
pub(crate) fn judge(name: &str, field: &Field, lineup: &Lineup) -> Result<Verdict, Failure> {
    let draws = Draws::new(field.questions.len());
    let stages = stage::stages(lineup, &field.legs(lineup)?);
    let measured: Vec<Vec<Measured>> = stages
        .iter()
        .map(|stage| field.measured(&stage.lineup))
        .collect::<Result<_, _>>()?;
    let whole = measured.last().map(Vec::as_slice).unwrap_or_default();
    let (mut notes, mut model) = (0, None);
    for collection in &field.collections {
        let (count, made_by) = collection.size()?;
        notes += count;
        model = model.or(made_by);
    }
    Ok(Verdict {
        name: name.to_owned(),
        profile: lineup.name.clone(),
        model,
        notes,
        questions: field.questions.len(),
        categories: categories(field, &measured),
        asked: asked(field, whole),
        stages: (0..stages.len())
            .map(|at| stage_verdict(field, &draws, &stages, &measured, at))
            .collect(),
    })
}

/// Compares two rankings of the same questions.
pub(crate) fn compare(
    name: &str,
    field: &Field,
    (first, of_first): (&str, &[Measured]),
    (second, of_second): (&str, &[Measured]),
) -> Comparison {
    let draws = Draws::new(field.questions.len());
    let measures = MEASURES.iter().enumerate().map(|(at, measure)| {
        let (a, b) = (column(of_first, at), column(of_second, at));
        Compared {
            measure: measure.name(),
            first: super::sampling::mean(&a),
            second: super::sampling::mean(&b),
            difference: draws.difference(&a, &b),
        }
    });
    Comparison {
        name: name.to_owned(),
        first: first.to_owned(),
        second: second.to_owned(),
        questions: field.questions.len(),
        measures: measures.collect(),
        change: change(field, &draws, second, of_second, of_first),
    }
}

fn stage_verdict(
    field: &Field,
    draws: &Draws,
    stages: &[Stage],
    measured: &[Vec<Measured>],
    at: usize,
) -> StageVerdict {
    let stage = &stages[at];
    let before = if stage.is_leg {
        None
    } else if stage.key == "fused" {
        // Fusion has to beat the best of what it fuses, and not just any.
        let mean = |leg: usize| super::sampling::mean(&column(&measured[leg], MAIN));
        (0..at).max_by(|&a, &b| mean(a).total_cmp(&mean(b)))
    } else {
        Some(at - 1)
    };
    StageVerdict {
        key: stage.key.clone(),
        title: stage.title.clone(),
        meaning: stage.meaning.clone(),
        is_leg: stage.is_leg,
        figures: figures(draws, &measured[at]),
        change: before.map(|before| {
            let against = &stages[before].title;
            change(field, draws, against, &measured[before], &measured[at])
        }),
    }
}

fn change(
    field: &Field,
    draws: &Draws,
    against: &str,
    before: &[Measured],
    after: &[Measured],
) -> Change {
    let (mut helped, mut hurt) = (Vec::new(), Vec::new());
    for (question, (before, after)) in field.questions.iter().zip(before.iter().zip(after)) {
        let moved = Moved {
            id: question.id.clone(),
            query: question.query.clone(),
            before: before.main(),
            after: after.main(),
        };
        if moved.after > moved.before + SAME {
            helped.push(moved);
        } else if moved.after < moved.before - SAME {
            hurt.push(moved);
        }
    }
    // Stable: equal ones stay in the order in which they are asked.
    let by = |moved: &Moved| (moved.after - moved.before).abs();
    helped.sort_by(|a, b| by(b).total_cmp(&by(a)));
    hurt.sort_by(|a, b| by(b).total_cmp(&by(a)));
    Change {
        against: against.to_owned(),
        difference: draws.difference(&column(after, MAIN), &column(before, MAIN)),
        unchanged: before.len() - helped.len() - hurt.len(),
        helped,
        hurt,
    }
}

fn categories(field: &Field, measured: &[Vec<Measured>]) -> Vec<Category> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, question) in field.questions.iter().enumerate() {
        if let Some(category) = &question.category {
            places.entry(category).or_default().push(place);
        }
    }
    let of = |stage: &[Measured], places: &[usize]| -> Vec<Measured> {
        places.iter().map(|&place| stage[place]).collect()
    };
    places
        .into_iter()
        .map(|(name, places)| Category {
            name: name.to_owned(),
            questions: places.len(),
            figures: measured.last().map_or_else(Figures::new, |whole| {
                figures(&Draws::new(places.len()), &of(whole, &places))
            }),
            by_stage: measured
                .iter()
                .map(|stage| super::sampling::mean(&column(&of(stage, &places), MAIN)))
                .collect(),
        })
        .collect()
}

fn asked(field: &Field, whole: &[Measured]) -> Vec<Asked> {
    let questions = field.questions.iter().zip(whole);
    questions
        .map(|(question, measured)| Asked {
            id: question.id.clone(),
            query: question.query.clone(),
            domain: question.domain.clone(),
            category: question.category.clone(),
            figures: MEASURES.iter().map(|m| m.name()).zip(measured.0).collect(),
        })
        .collect()
}

fn figures(draws: &Draws, measured: &[Measured]) -> Figures {
    let all = MEASURES.iter().enumerate();
    all.map(|(at, measure)| (measure.name(), draws.mean(&column(measured, at))))
        .collect()
}

/// One measure of every question.
pub(crate) fn column(measured: &[Measured], at: usize) -> Vec<f64> {
    measured.iter().map(|measured| measured.0[at]).collect()
}
