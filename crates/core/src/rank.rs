//! The pipeline: fuse → decay → graph → cross-encoder → diversity → limit → budget → excerpt.
//!
//! One line a layer; the formulas stand at the head of each layer's file. Every sort is by score,
//! descending, and then by the candidate's canonical place (note, ordinal, id), which is unique.

use std::cmp::Reverse;

use crate::bundle::Note;
use crate::community;
use crate::cross;
use crate::decay;
use crate::digest;
use crate::error::Error;
use crate::excerpt;
use crate::fuse::{self, Fused, Scale};
use crate::graph::{self, Measures};
use crate::prepared::Prepared;
use crate::profile::{GraphMode, Profile, Recency, Relevance};
use crate::ranking::{
    DecayTrace, Dropped, GraphFacts, GraphNode, GraphView, Item, Range, Ranking, SignalTerm, Term,
    Trace,
};
use crate::score::{Score, Seconds};
use crate::shortlist;

/// The version of this crate: part of every digest, and moved whenever an answer may change.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A candidate on its way through the stages.
pub(crate) struct Candidate {
    /// Position in the bundle's chunks.
    pub(crate) chunk: usize,
    pub(crate) score: Score,
    pub(crate) trace: Trace,
}

impl Prepared {
    /// Ranks the bundle under a profile.
    ///
    /// # Errors
    /// If a number of the profile is out of range; the error names its key.
    pub fn rank(&self, profile: &Profile) -> Result<Ranking, Error> {
        let mut profile = profile.clone();
        profile.settle()?;
        let profile = &profile;

        let fused = fuse::fuse(&self.bundle, &self.index, profile);
        let (mut candidates, scale, facts) = self.score(fused, profile);
        self.order(&mut candidates, |trace, rank| trace.blended_rank = rank);
        cross::reorder(&self.bundle, &mut candidates, &profile.cross);
        self.order(&mut candidates, |trace, rank| trace.scored_rank = rank);

        let count = graph::dense(candidates.len());
        let chosen = shortlist::choose(&self.bundle, candidates, profile);
        let items = chosen.kept.into_iter().zip(1..);
        let mut ranking = Ranking {
            version: VERSION.into(),
            candidates: count,
            scale,
            graph: facts,
            small_corpus: chosen.small_corpus,
            items: items
                .map(|(candidate, rank)| self.item(candidate, rank, profile))
                .collect(),
            dropped: chosen
                .dropped
                .into_iter()
                .map(|(c, reason)| Dropped {
                    chunk: self.bundle.chunks[c.chunk].id,
                    score: c.score,
                    reason,
                })
                .collect(),
            digest: String::new(),
        };
        ranking.digest = digest::digest(self.bundle_sum, profile, &ranking);
        Ok(ranking)
    }

    /// The link graph with its measures under a profile, for display.
    ///
    /// # Errors
    /// If a number of the profile is out of range; the error names its key.
    pub fn graph(&self, profile: &Profile) -> Result<GraphView, Error> {
        let mut profile = profile.clone();
        profile.settle()?;
        let measures = self.graph.measures(&profile.graph);
        let communities = community::communities(&self.graph);
        let node = |(i, &place): (usize, &u32)| GraphNode {
            path: self.bundle.graph.nodes[place as usize].clone(),
            page_rank: measures.page_rank[i],
            centrality: measures.centrality[i],
            community: communities[i],
        };
        Ok(GraphView {
            facts: self.graph_facts(&profile, Some(&measures)),
            nodes: self.graph.nodes.iter().enumerate().map(node).collect(),
        })
    }

    /// Layers 2 and 3 for every fused candidate.
    fn score(&self, fused: Vec<Fused>, profile: &Profile) -> (Vec<Candidate>, Range, GraphFacts) {
        let decays = self.decays(&fused, profile);
        let note_of = |candidate: &Fused| self.index.note_of_chunk[candidate.chunk];
        let weigh = |(candidate, decay): (&Fused, &DecayTrace)| {
            Score::new(candidate.score.get() * decay.weight.get())
        };
        let decayed: Vec<Score> = fused.iter().zip(&decays).map(weigh).collect();
        let scale = Scale::over(decayed.iter().copied());

        let links_act = self.links_act(profile);
        let measures = links_act.then(|| self.graph.measures(&profile.graph));

        let mut candidates = Vec::with_capacity(fused.len());
        for ((fused, decay), decayed) in fused.into_iter().zip(decays).zip(decayed) {
            let note = note_of(&fused);
            let relevance = match profile.graph.relevance {
                Relevance::Fused => scale.apply(decayed),
                Relevance::Cosine => {
                    let cosine = self.bundle.chunks[fused.chunk].cosine;
                    Score::new(cosine.unwrap_or(Score::ZERO).get().clamp(0.0, 1.0))
                }
            };
            let terms = graph::terms(
                &self.graph,
                measures.as_ref(),
                &profile.graph,
                self.index.node_of_note[note],
                relevance,
            );
            let note = &self.bundle.notes[note];
            let mut trace = Trace {
                legs: fused.legs,
                fused: fused.score,
                decay,
                decayed,
                links: terms.links,
                relevance: terms.relevance,
                page_rank: terms.page_rank,
                centrality: terms.centrality,
                recency: recency(note, self.bundle.now, &profile.recency),
                signals: signals(note, profile),
                blended: Score::ZERO,
                blended_rank: 0,
                cross: None,
                scored_rank: 0,
            };
            trace.blended = trace.sum_of_terms();
            candidates.push(Candidate {
                chunk: fused.chunk,
                score: trace.blended,
                trace,
            });
        }
        let range = Range {
            low: scale.low,
            high: scale.high,
        };
        (
            candidates,
            range,
            self.graph_facts(profile, measures.as_ref()),
        )
    }

    /// The decay of each candidate: notes are weighed among each other, each once.
    fn decays(&self, fused: &[Fused], profile: &Profile) -> Vec<DecayTrace> {
        let mut place: Vec<Option<usize>> = vec![None; self.bundle.notes.len()];
        let mut notes: Vec<&Note> = Vec::new();
        for candidate in fused {
            let note = self.index.note_of_chunk[candidate.chunk];
            if place[note].is_none() {
                place[note] = Some(notes.len());
                notes.push(&self.bundle.notes[note]);
            }
        }
        let weighed = decay::weigh(&notes, self.bundle.now, &profile.decay);
        fused
            .iter()
            .filter_map(|candidate| place[self.index.note_of_chunk[candidate.chunk]])
            .map(|place| weighed[place].clone())
            .collect()
    }

    fn links_act(&self, profile: &Profile) -> bool {
        let enough = self.graph.citation_count >= profile.graph.min_citations;
        profile.graph.mode != GraphMode::Off && enough && !self.graph.nodes.is_empty()
    }

    fn graph_facts(&self, profile: &Profile, measures: Option<&Measures>) -> GraphFacts {
        GraphFacts {
            active: self.links_act(profile),
            by_degree: measures.is_some_and(|measures| measures.by_degree),
            nodes: graph::dense(self.graph.nodes.len()),
            citations: self.graph.citation_count,
            links: self.graph.link_count,
        }
    }

    /// Sorts, and notes each rank, from 1.
    fn order(&self, candidates: &mut [Candidate], note_rank: impl Fn(&mut Trace, u32)) {
        candidates.sort_by_key(|c| (Reverse(c.score), self.index.chunk_order[c.chunk]));
        for (candidate, rank) in candidates.iter_mut().zip(1..) {
            note_rank(&mut candidate.trace, rank);
        }
    }

    fn item(&self, candidate: Candidate, rank: u32, profile: &Profile) -> Item {
        let chunk = &self.bundle.chunks[candidate.chunk];
        Item {
            rank,
            chunk: chunk.id,
            note: chunk.note.clone(),
            score: candidate.score,
            tokens: shortlist::tokens(&chunk.text, &profile.budget),
            excerpt: excerpt::choose(chunk, profile.excerpt.sentences),
            trace: candidate.trace,
        }
    }
}

/// `amount` if the note was changed within `days` of now; by another clock, that may be after it.
fn recency(note: &Note, now: Seconds, recency: &Recency) -> Score {
    match note.modified_at {
        Some(moment) if moment.days_before(now).abs() <= recency.days => Score::new(recency.amount),
        _ => Score::ZERO,
    }
}

/// The note's numbers that the profile weighs, by name.
fn signals(note: &Note, profile: &Profile) -> Vec<SignalTerm> {
    let weighed = profile.signals.iter().filter_map(|(name, &weight)| {
        let &value = note.signals.get(name)?;
        Some(SignalTerm {
            name: name.clone(),
            term: Term {
                value,
                weight: Score::new(weight),
            },
        })
    });
    weighed.collect()
}
