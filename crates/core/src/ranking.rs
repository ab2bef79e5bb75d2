//! The ranking: what comes out, with a trace from which every score can be recomputed.

use serde::{Deserialize, Serialize};

use crate::score::Score;

/// An ordered answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Ranking {
    /// The version of the core that computed it.
    pub version: String,
    /// How many candidates competed.
    pub candidates: u32,
    /// The range of decayed scores that relevance was scaled over.
    pub scale: Range,
    /// What was known of links.
    pub graph: GraphFacts,
    /// The small-corpus guard returned everything.
    pub small_corpus: bool,
    /// The answer, best first.
    pub items: Vec<Item>,
    /// Every other candidate, best first, with the stage that dropped it.
    pub dropped: Vec<Dropped>,
    /// SHA-256 over bundle, profile, the above, and the core's version; in hex.
    pub digest: String,
}

/// A closed range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Range {
    /// The least.
    pub low: Score,
    /// The greatest.
    pub high: Score,
}

/// What was known of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct GraphFacts {
    /// Links took part in the score.
    pub active: bool,
    /// Centrality is by degree, since the iteration did not converge.
    pub by_degree: bool,
    /// Notes in the subgraph.
    pub nodes: u32,
    /// Distinct citations in it.
    pub citations: u32,
    /// Distinct pairs linked either way.
    pub links: u32,
}

/// One row of the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Item {
    /// From 1.
    pub rank: u32,
    /// The chunk's id.
    pub chunk: u32,
    /// Its note.
    pub note: String,
    /// What it was ranked by.
    pub score: Score,
    /// The length of its text in tokens, as the budget counts them.
    pub tokens: u32,
    /// The sentences that matter, in document order.
    pub excerpt: Vec<ExcerptSentence>,
    /// How the score came about.
    pub trace: Trace,
}

/// A sentence of an excerpt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct ExcerptSentence {
    /// Which of the chunk's sentences.
    pub sentence: u32,
    /// Its cosine to the query.
    pub cosine: Score,
    /// Verbatim.
    pub text: String,
}

/// A candidate that is not in the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Dropped {
    /// The chunk's id.
    pub chunk: u32,
    /// What it was ranked by.
    pub score: Score,
    /// Which stage dropped it.
    pub reason: DropReason,
}

/// Why a candidate is not in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum DropReason {
    /// Its note already stands there often enough.
    NoteFull,
    /// Its page already stands there often enough.
    PageFull,
    /// The list was full.
    Limit,
    /// Its excerpt has no sentence that its note has not shown already.
    Repeats,
    /// Its text did not fit into what was left of the budget.
    Budget,
}

/// How a score came about, in the order of computation:
///
/// ```text
/// fused   = Σ legs.contribution
/// decayed = fused × decay.weight
/// blended = relevance + page_rank + centrality + recency + Σ signals   (each value × weight)
/// score   = cross.score if there is one, else blended
/// ```
///
/// [`Trace::recompute`] does this with the numbers of the trace alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Trace {
    /// What each leg gave, by the legs' names.
    pub legs: Vec<LegShare>,
    /// Their sum.
    pub fused: Score,
    /// How age weighed.
    pub decay: DecayTrace,
    /// After it did.
    pub decayed: Score,
    /// What is known of the note's links; says why weights were folded.
    pub links: LinkState,
    /// Relevance, with its weight after folding.
    pub relevance: Term,
    /// PageRank, likewise.
    pub page_rank: Term,
    /// Centrality, likewise.
    pub centrality: Term,
    /// The bonus for what was changed lately.
    pub recency: Score,
    /// The note's further numbers that the profile weighs.
    pub signals: Vec<SignalTerm>,
    /// The sum of the terms.
    pub blended: Score,
    /// The rank by it, from 1.
    pub blended_rank: u32,
    /// What the cross-encoder made of it, if it took part.
    pub cross: Option<CrossTrace>,
    /// The rank before diversity, limit and budget, from 1.
    pub scored_rank: u32,
}

/// What one leg gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct LegShare {
    /// The leg's name.
    pub leg: String,
    /// The chunk it gave it for: with unit `note`, the note's best in this leg.
    pub chunk: u32,
    /// The rank there, from 1, among what competes.
    pub rank: u32,
    /// The leg's own score.
    pub raw: Score,
    /// The leg's weight.
    pub weight: Score,
    /// What it adds.
    pub contribution: Score,
}

/// How age weighed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct DecayTrace {
    /// By which rule.
    pub rule: DecayRule,
    /// The author, or kind and folder, whose notes it was ordered among.
    pub group: Option<String>,
    /// Its position there, from 0 for the newest.
    pub position: Option<u32>,
    /// The weight.
    pub weight: Score,
}

/// The rule by which age weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum DecayRule {
    /// Decay is off.
    Off,
    /// The note is evergreen.
    Evergreen,
    /// The note has no author, so it stands alone.
    NoAuthor,
    /// By position among the author's notes.
    Ladder,
    /// Of the newest quarter in its folder.
    NewestQuarter,
    /// Not of the newest quarter in its folder.
    OlderQuarter,
    /// By age.
    HalfLife,
    /// The note has no date, so it has no age.
    Undated,
    /// By what is left of its validity.
    ValidityWindow,
}

/// What is known of a note's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum LinkState {
    /// Links take no part: there are too few, or the profile says so.
    Inactive,
    /// The note has no link.
    Unlinked,
    /// The note has links, but no citation.
    Uncited,
    /// The note cites or is cited.
    Cited,
}

/// A term of a sum: it adds `value × weight`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Term {
    /// What it is.
    pub value: Score,
    /// What it counts.
    pub weight: Score,
}

impl Term {
    /// What it adds.
    #[must_use]
    pub fn product(self) -> f64 {
        self.value.get() * self.weight.get()
    }
}

/// One of a note's further numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct SignalTerm {
    /// Its name.
    pub name: String,
    /// Its value and weight.
    pub term: Term,
}

/// What the cross-encoder made of a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct CrossTrace {
    /// Its logit; none for a chunk that it was not asked about.
    pub logit: Option<Score>,
    /// The range of blended scores among those re-ordered.
    pub window: Range,
    /// The blended score, scaled onto it.
    pub blended: Score,
    /// The logit, scaled among those re-ordered.
    pub crossed: Score,
    /// The weight of the second against the first.
    pub weight: Score,
    /// The new score.
    pub score: Score,
}

impl CrossTrace {
    /// `low + (high − low) · ((1 − weight) · blended + weight · crossed)`
    pub(crate) fn mix(window: Range, blended: Score, crossed: Score, weight: Score) -> Score {
        let (low, high) = (window.low.get(), window.high.get());
        let kept = (1.0 - weight.get()) * blended.get();
        Score::new(low + (high - low) * (kept + weight.get() * crossed.get()))
    }
}

impl Trace {
    /// The score, from the numbers of the trace alone and in the order of computation; equal to
    /// the item's score to the last bit.
    #[must_use]
    pub fn recompute(&self) -> Score {
        match &self.cross {
            Some(cross) => {
                CrossTrace::mix(cross.window, cross.blended, cross.crossed, cross.weight)
            }
            None => self.sum_of_terms(),
        }
    }

    pub(crate) fn sum_of_terms(&self) -> Score {
        let mut sum = self.relevance.product();
        sum += self.page_rank.product();
        sum += self.centrality.product();
        sum += self.recency.get();
        for signal in &self.signals {
            sum += signal.term.product();
        }
        Score::new(sum)
    }
}

/// The link graph with its measures, for display.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct GraphView {
    /// What was known of links.
    pub facts: GraphFacts,
    /// By path.
    pub nodes: Vec<GraphNode>,
}

/// A note in the link graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct GraphNode {
    /// The note.
    pub path: String,
    /// PageRank, as a part of the greatest.
    pub page_rank: Score,
    /// Centrality, as a part of the greatest.
    pub centrality: Score,
    /// The community, 0 for the largest.
    pub community: u32,
}
