//! A proposal for an owner's numbers, from their own golden questions.
//!
//! Numbers are tried one after the other, each at a few round values, and the best is kept; two
//! rounds of that, over the numbers of [`NUMBERS`]. What the search finds always looks good on the
//! questions that it searched on. So the questions are dealt into folds (seeded, and evenly over
//! the sets), the search runs on all folds but one, and what it found is measured on the one that it
//! did not see. Only if *that* gain is above 0 in its whole 95 % interval is a profile proposed; else
//! the advice is to keep what is there. With fewer than [`FEWEST`] questions a fold would hold five or
//! less, and no interval could be narrow enough: that is refused before anything is searched.
//!
//! Among values that are equally good, within [`WORTH`], the one nearest to what the owner has now
//! stays: a number is changed for a reason or not at all.

use std::path::Path;

use concord_core::Profile;
use concord_core::profile::{FuseMethod, GraphMode};
use serde::Serialize;

use super::Set;
use super::field::Lineup;
use super::sampling::{Difference, Draws, mean};
use crate::Outcome;
use crate::failure::Failure;
use crate::output;

/// With fewer questions nothing is proposed.
pub(crate) const FEWEST: usize = 30;

/// Into so many parts the questions are dealt.
const FOLDS: usize = 5;

/// A change has to be worth this much nDCG@10 on the questions it is chosen on.
const WORTH: f64 = 0.001;

/// How often the numbers are gone through.
const ROUNDS: usize = 2;

const SEED: u64 = 0x00c0_4c04_d001;

/// A number that is tried.
struct Number {
    key: &'static str,
    /// None where the profile does not use it.
    get: fn(&Profile) -> Option<f64>,
    set: fn(&mut Profile, f64),
    values: &'static [f64],
}

/// What is tried, in this order.
const NUMBERS: [Number; 8] = [
    Number {
        key: "fuse.weights.lexical",
        get: |p| p.fuse.weights.get("lexical").copied(),
        set: |p, value| {
            p.fuse.weights.insert("lexical".into(), value);
        },
        values: &[0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0],
    },
    Number {
        key: "fuse.k",
        get: |p| (p.fuse.method == FuseMethod::Rrf).then_some(p.fuse.k),
        set: |p, value| p.fuse.k = value,
        values: &[5.0, 10.0, 20.0, 40.0, 60.0, 100.0],
    },
    Number {
        key: "retrieve.pool_min",
        get: |p| Some(f64::from(p.retrieve.pool_min)),
        set: |p, value| p.retrieve.pool_min = value as u32,
        values: &[30.0, 60.0, 100.0],
    },
    Number {
        key: "graph.strength",
        get: |p| (p.graph.mode == GraphMode::Bounded).then_some(p.graph.strength),
        set: |p, value| p.graph.strength = value,
        values: &[0.0, 0.02, 0.05, 0.1, 0.2],
    },
    Number {
        key: "graph.alpha",
        get: |p| (p.graph.mode == GraphMode::Weighted).then_some(p.graph.alpha),
        set: |p, value| p.graph.alpha = value,
        values: &[0.6, 1.0, 2.0, 4.0, 8.0],
    },
    Number {
        key: "recency.amount",
        get: |p| Some(p.recency.amount),
        set: |p, value| p.recency.amount = value,
        values: &[0.0, 0.02, 0.05, 0.1],
    },
    Number {
        key: "retrieve.heading_weight",
        get: |p| Some(p.retrieve.heading_weight),
        set: |p, value| p.retrieve.heading_weight = value,
        values: &[0.0, 0.3, 1.0, 2.0],
    },
    Number {
        key: "retrieve.section_weight",
        get: |p| Some(p.retrieve.section_weight),
        set: |p, value| p.retrieve.section_weight = value,
        values: &[0.0, 0.5, 1.0],
    },
];

/// What the search came to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Proposal {
    pub(crate) questions: usize,
    pub(crate) folds: usize,
    /// Profiles that were tried in all.
    pub(crate) tried: usize,
    /// The gain of the proposal on the questions that it was chosen on.
    pub(crate) training: Difference,
    /// What searching gains on questions that it did not see.
    pub(crate) held_out: Difference,
    /// What would change.
    pub(crate) numbers: Vec<Changed>,
    /// Whether it is worth it.
    pub(crate) advised: bool,
    /// What is proposed, as a patch.
    pub(crate) patch: serde_json::Value,
}

/// A number that would change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Changed {
    pub(crate) key: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Why nothing can be proposed, if there are too few questions.
pub(super) fn too_few(sets: &[Set]) -> Option<String> {
    let questions: usize = sets.iter().map(|set| set.field.questions.len()).sum();
    (questions < FEWEST).then(|| {
        format!(
            "--tune: {questions} questions are too few to choose numbers by: below {FEWEST}, what they \
             gain cannot be told from chance. Keep what you have, and write more questions"
        )
    })
}

/// Looks for better numbers for the profile of some sets.
pub(super) fn propose(sets: &[Set]) -> Result<Proposal, Failure> {
    let questions: usize = sets.iter().map(|set| set.field.questions.len()).sum();
    let search = Search::new(sets);
    let now = search.figures(&Choice::default())?;

    let mut held_out = vec![0.0; questions];
    for fold in 0..FOLDS {
        let train: Vec<usize> = (0..questions)
            .filter(|&q| search.fold_of[q] != fold)
            .collect();
        let chosen = search.best(&train)?;
        let figures = search.figures(&chosen)?;
        for question in (0..questions).filter(|&q| search.fold_of[q] == fold) {
            held_out[question] = figures[question];
        }
    }
    let all: Vec<usize> = (0..questions).collect();
    let chosen = search.best(&all)?;
    let figures = search.figures(&chosen)?;

    let draws = Draws::new(questions);
    let (training, held_out) = (
        draws.difference(&figures, &now),
        draws.difference(&held_out, &now),
    );
    let tried = search.known.borrow().len();
    Ok(Proposal {
        questions,
        folds: FOLDS,
        tried,
        training,
        held_out,
        numbers: search.changes(&chosen),
        advised: held_out.low > 0.0 && !chosen.is_empty(),
        patch: patch(&search.lineup.name, &chosen),
    })
}

/// Values by the place of their number; what is not named stays as it is.
type Choice = std::collections::BTreeMap<usize, OrderedValue>;

/// Values come from the tables above, so their bits tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OrderedValue(u64);

impl OrderedValue {
    fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

struct Search<'a> {
    sets: &'a [Set],
    lineup: &'a Lineup,
    fold_of: Vec<usize>,
    /// nDCG@10 of every question, by choice.
    known: std::cell::RefCell<std::collections::BTreeMap<Choice, Vec<f64>>>,
}

impl<'a> Search<'a> {
    fn new(sets: &'a [Set]) -> Self {
        let mut random = fastrand::Rng::with_seed(SEED);
        let fold_of = sets.iter().flat_map(|set| {
            let mut folds: Vec<usize> = (0..set.field.questions.len()).map(|q| q % FOLDS).collect();
            random.shuffle(&mut folds);
            folds
        });
        Self {
            sets,
            lineup: &sets[0].lineup,
            fold_of: fold_of.collect(),
            known: std::cell::RefCell::default(),
        }
    }

    /// nDCG@10 of every question under a choice.
    fn figures(&self, choice: &Choice) -> Result<Vec<f64>, Failure> {
        if let Some(known) = self.known.borrow().get(choice) {
            return Ok(known.clone());
        }
        let mut figures = Vec::new();
        for set in self.sets {
            let lineup = set.lineup.with(&set.lineup.name, |profile| {
                for (&number, value) in choice {
                    (NUMBERS[number].set)(profile, value.get());
                }
            });
            let measured = set.field.measured(&lineup)?;
            figures.extend(measured.iter().map(super::measure::Measured::main));
        }
        self.known
            .borrow_mut()
            .insert(choice.clone(), figures.clone());
        Ok(figures)
    }

    /// How good a choice is on some questions: the mean over the sets of their means, so that a
    /// large set does not drown a small one.
    fn worth(&self, choice: &Choice, questions: &[usize]) -> Result<f64, Failure> {
        let figures = self.figures(choice)?;
        let (mut means, mut from) = (Vec::new(), 0);
        for set in self.sets {
            let to = from + set.field.questions.len();
            let inside = questions.iter().filter(|&&q| (from..to).contains(&q));
            let inside: Vec<f64> = inside.map(|&q| figures[q]).collect();
            if !inside.is_empty() {
                means.push(mean(&inside));
            }
            from = to;
        }
        Ok(mean(&means))
    }

    /// The best choice for some questions.
    fn best(&self, questions: &[usize]) -> Result<Choice, Failure> {
        let mut chosen = Choice::default();
        let mut worth = self.worth(&chosen, questions)?;
        for _ in 0..ROUNDS {
            let before = chosen.clone();
            for (place, number) in NUMBERS.iter().enumerate() {
                let Some(own) = self.own(number) else {
                    continue;
                };
                // Nearest to the owner's own first, so that only something better takes its place.
                let mut values = number.values.to_vec();
                values.sort_by(|a, b| (a - own).abs().total_cmp(&(b - own).abs()));
                for value in values {
                    let mut tried = chosen.clone();
                    tried.remove(&place);
                    if value != own {
                        tried.insert(place, OrderedValue::new(value));
                    }
                    let found = self.worth(&tried, questions)?;
                    if found > worth + WORTH {
                        (chosen, worth) = (tried, found);
                    }
                }
            }
            if chosen == before {
                break;
            }
        }
        Ok(chosen)
    }

    /// The number as the profile has it, where it has one and uses it.
    fn own(&self, number: &Number) -> Option<f64> {
        self.lineup.profiles.first().and_then(number.get)
    }

    fn changes(&self, choice: &Choice) -> Vec<Changed> {
        let changes = choice.iter().map(|(&place, value)| Changed {
            key: NUMBERS[place].key.to_owned(),
            from: self.own(&NUMBERS[place]).unwrap_or_default(),
            to: value.get(),
        });
        changes.collect()
    }
}

/// A profile file that changes what the choice does.
fn patch(base: &str, choice: &Choice) -> serde_json::Value {
    let mut patch = serde_json::json!({ "extends": base });
    for (&place, value) in choice {
        let mut at = &mut patch;
        let keys: Vec<&str> = NUMBERS[place].key.split('.').collect();
        for key in keys {
            at = &mut at[key];
        }
        let value = value.get();
        *at = if NUMBERS[place].key == "retrieve.pool_min" {
            serde_json::json!(value as u32)
        } else {
            serde_json::json!(value)
        };
    }
    patch
}

impl Proposal {
    /// The advice, in a sentence.
    pub(crate) fn conclusion(&self) -> String {
        if self.advised {
            return "Worth taking: the gain holds on questions that it was not chosen on."
                .to_owned();
        }
        if self.numbers.is_empty() {
            return "Keep what you have: nothing that was tried is better.".to_owned();
        }
        "Keep what you have: on questions that it was not chosen on, the gain may be chance."
            .to_owned()
    }

    /// Writes the profile where it is wanted and worth it.
    pub(super) fn conclude(&self, file: Option<&Path>) -> Result<Outcome, Failure> {
        if !self.advised {
            return Ok(Outcome::No);
        }
        if let Some(file) = file {
            let yaml = serde_norway::to_string(&self.patch).expect("a patch is plain data");
            std::fs::write(file, yaml).map_err(|error| Failure::file(file.display(), &error))?;
            output::notice(&format!("{}: the proposed profile", file.display()));
        }
        Ok(Outcome::Done)
    }
}
