//! Walking outward along links: the core says where to go next, the cache how near it is.
//!
//! Without a question, nearness is to the note that the walk starts from: to the mean of its
//! passages' vectors. Ages weigh among the notes that a walk has reached so far.

use std::collections::{BTreeMap, BTreeSet};

use concord_cache::{CandidateStore as _, Snapshot};
use concord_core::profile::WalkPolicy;
use concord_core::traverse::{Stop, Traversal, Walk};
use concord_core::{Note, Score, decay};
use concord_text::{Resolution, Syntax, VaultIndex};
use serde::Serialize;

use super::candidates::note;
use super::quotation::names;
use super::{Collection, Question};
use crate::refusal::{Code, Refusal};

/// Which way of walking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mode {
    /// Narrow and cheap
    Fast,
    /// Wide, with nothing dropped silently
    Deep,
    /// Both, side by side
    Compare,
}

impl Mode {
    pub(crate) const NAMES: &'static [&'static str] = &["fast", "deep", "compare"];

    pub(crate) fn named(name: &str) -> Self {
        match name {
            "deep" => Self::Deep,
            "compare" => Self::Compare,
            _ => Self::Fast,
        }
    }
}

/// Where a walk starts.
pub(crate) enum Start<'a> {
    /// At a note, by its path, by any name that a link may use, or by its title.
    Note(&'a str),
    /// At the best hits of the question.
    Hits,
}

/// What one or two walks found.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Walks {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fast: Option<Walked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deep: Option<Walked>,
    /// Links among all notes that were retained or pruned: from, to, kind.
    pub(crate) edges: Vec<(String, String, String)>,
    /// Titles of those notes.
    pub(crate) titles: BTreeMap<String, String>,
}

/// What a walk found, and what it cost.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Walked {
    pub(crate) walk: Traversal,
    /// How many embeddings were read.
    pub(crate) embeddings_read: u32,
}

impl Collection {
    /// Walks from a note, or from the best hits of a question, `depth` hops at most.
    pub(crate) fn traverse(
        &self,
        start: &Start<'_>,
        question: &Question,
        mode: Mode,
        depth: Option<u32>,
    ) -> Result<Walks, Refusal> {
        let Some(encoder) = &self.encoder else {
            let why = self.words_only.as_deref().unwrap_or_default();
            let message = format!("walking needs vectors, and search is by words alone: {why}");
            return Err(
                Refusal::new(Code::BadRequest, message).hint("run `concord index --rebuild`")
            );
        };
        let hits = match start {
            Start::Note(_) => Vec::new(),
            Start::Hits if question.query.is_empty() => {
                return Err(Refusal::at(
                    "q",
                    "a walk starts from a note or from a question",
                ));
            }
            Start::Hits => self.best_notes(question)?,
        };
        let store = self.store.get()?;
        let snapshot = store.snapshot()?;
        let seeds = match start {
            Start::Note(named) => vec![self.meant(&*snapshot, named)?],
            Start::Hits => hits,
        };
        let target = match start {
            _ if !question.query.is_empty() => encoder.encode_query(&question.query)?,
            Start::Note(_) => mean(&snapshot.embeddings_of(&seeds[0])?),
            Start::Hits => Vec::new(),
        };
        let walk = |policy: &WalkPolicy| {
            let mut policy = policy.clone();
            policy.max_hops = depth.unwrap_or(policy.max_hops);
            let seeds = match start {
                Start::Note(_) => &seeds[..],
                Start::Hits => &seeds[..seeds.len().min(policy.seed_count as usize)],
            };
            Trip {
                snapshot: &*snapshot,
                question,
                target: &target,
                reached: BTreeMap::new(),
                read: 0,
            }
            .walk(&policy, seeds)
        };
        let policies = &question.profile.traverse;
        let fast = (mode != Mode::Deep)
            .then(|| walk(&policies.fast))
            .transpose()?;
        let deep = (mode != Mode::Fast)
            .then(|| walk(&policies.deep))
            .transpose()?;

        let mut paths = BTreeSet::new();
        for Walked { walk, .. } in [&fast, &deep].into_iter().flatten() {
            paths.extend(walk.retained.iter().map(|kept| kept.path.as_str()));
            paths.extend(walk.pruned.iter().map(|pruned| pruned.path.as_str()));
        }
        let paths: Vec<&str> = paths.into_iter().collect();
        let titles = snapshot
            .notes(&paths)?
            .into_iter()
            .map(|note| (note.path.clone(), note.title.clone()));
        let titles = titles.collect();
        let edges = snapshot
            .edges_among(&paths)?
            .into_iter()
            .map(|(from, to, kind)| {
                let name = |place: u32| paths[place as usize].to_owned();
                (name(from), name(to), kind.name().to_owned())
            });
        let edges = edges.collect();
        Ok(Walks {
            fast,
            deep,
            edges,
            titles,
        })
    }

    /// The path of the note that a name means.
    fn meant(&self, snapshot: &dyn Snapshot, named: &str) -> Result<String, Refusal> {
        if !snapshot.notes(&[named])?.is_empty() {
            return Ok(named.to_owned());
        }
        let names = self.notes()?.into_iter().map(|note| {
            let title = note.title.clone();
            let mut names = names(note);
            names.aliases.push(title);
            names
        });
        match VaultIndex::new(names).resolve("", named, Syntax::Wiki) {
            Resolution::Found(path) => Ok(path),
            Resolution::Missing => Err(Self::no_such_note(named)),
            Resolution::Ambiguous(paths) => {
                let message = format!("`{named}` may mean several notes of this domain");
                let paths = paths.join("`, `");
                Err(Refusal::new(Code::BadRequest, message)
                    .hint(format!("name one by its path: `{paths}`")))
            }
        }
    }

    /// The notes of the best hits, each once.
    fn best_notes(&self, question: &Question) -> Result<Vec<String>, Refusal> {
        let mut notes: Vec<String> = Vec::new();
        for item in self.ask(question)?.receipt.ranking.items {
            if !notes.contains(&item.note) {
                notes.push(item.note);
            }
        }
        Ok(notes)
    }
}

/// A walk under way, with what it has read.
struct Trip<'a> {
    snapshot: &'a dyn Snapshot,
    question: &'a Question,
    target: &'a [f32],
    reached: BTreeMap<String, Note>,
    read: u32,
}

impl Trip<'_> {
    fn walk(mut self, policy: &WalkPolicy, seeds: &[String]) -> Result<Walked, Refusal> {
        let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
        let stops = self.stops(&seeds)?;
        let mut walk = Walk::new(policy, stops);
        while walk.ended().is_none() {
            let frontier: Vec<&str> = walk.frontier().iter().map(String::as_str).collect();
            let mut near = BTreeSet::new();
            for (source, target, _) in self.snapshot.edges_touching(&frontier)? {
                near.extend([source, target]);
            }
            let fresh: Vec<&str> = near
                .iter()
                .map(String::as_str)
                .filter(|path| !walk.has_seen(path))
                .collect();
            let stops = self.stops(&fresh)?;
            walk.step(stops);
        }
        Ok(Walked {
            walk: walk.finish(),
            embeddings_read: self.read,
        })
    }

    /// How near some notes are, and what their age weighs.
    fn stops(&mut self, paths: &[&str]) -> Result<Vec<Stop>, Refusal> {
        for facts in self.snapshot.notes(paths)? {
            self.reached.insert(facts.path.clone(), note(&facts));
        }
        let notes: Vec<&Note> = self.reached.values().collect();
        let weights = decay::weigh(&notes, self.question.now, &self.question.profile.decay);
        let weights: BTreeMap<&str, Score> = notes
            .iter()
            .zip(weights)
            .map(|(note, trace)| (note.path.as_str(), trace.weight))
            .collect();
        let similar = self.snapshot.similarities(paths, self.target)?;
        self.read += similar.read;
        let mut similarity: BTreeMap<String, f64> = similar.notes.into_iter().collect();
        // A note of another domain, or one without any passage, is as far as can be.
        let stops = paths
            .iter()
            .filter(|path| weights.contains_key(**path))
            .map(|&path| Stop {
                path: path.to_owned(),
                similarity: Score::new(similarity.remove(path).unwrap_or(0.0)),
                decay_weight: weights[path],
            });
        Ok(stops.collect())
    }
}

/// The mean of some vectors; its length does not matter to a cosine.
fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = vectors.first().cloned().unwrap_or_default();
    for vector in vectors.iter().skip(1) {
        for (sum, number) in sum.iter_mut().zip(vector) {
            *sum += number;
        }
    }
    sum
}
