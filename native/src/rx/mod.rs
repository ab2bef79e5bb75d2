//! Recommendations: a text, what it quotes, and whether the quotations hold.
//!
//! A recommendation is published whatever comes of its quotations: each is annotated, and what they
//! amount to is derived when it is read. A deeper look at its question can be written back to it.
//! Saved quotations are looked at again once their note has changed; one that was verified and no
//! longer is, is *stale*.
//!
//! They lie in a file of their own ([`store`]), outside the caches, which can be deleted.

pub(crate) mod command;
pub(crate) mod deep;
pub(crate) mod desk;
pub(crate) mod retrieve;
mod store;
mod witness;

use std::collections::BTreeMap;

use concord_core::cite::{self, CitationReason, CitationsStatus};
use concord_core::pack::Place;
use serde::{Deserialize, Serialize};

use crate::collection::{Citation, FoundIn, Verdict};

pub(crate) use deep::{DeepCandidate, DeepResult};
pub(crate) use desk::{Desk, cited as citations_in};
pub(crate) use store::Store;
pub(crate) use witness::{Opened, Witness, Witnesses};

/// A recommendation to save.
#[derive(Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRecommendation {
    /// The beginning of the question or of the text, if not given.
    #[serde(default)]
    pub(crate) title: Option<String>,
    /// What it answers; the pack's, if not given.
    #[serde(default)]
    pub(crate) question: Option<String>,
    pub(crate) text: String,
    /// What it quotes; without this, the quotations that stand in the text.
    #[serde(default)]
    pub(crate) citations: Option<Vec<Cited>>,
    /// The evidence it was written from, which says what numbers stand for.
    #[serde(default)]
    pub(crate) pack: Option<PackReference>,
}

/// A quotation, and what it cites.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cited {
    pub(crate) quote: Option<String>,
    /// By its path, or as a link would name it.
    #[serde(default)]
    pub(crate) note: Option<String>,
    /// Which passage of the note, from 0.
    #[serde(default)]
    pub(crate) ordinal: Option<u32>,
    /// Which passage of the pack, instead of note and ordinal.
    #[serde(default)]
    pub(crate) number: Option<u32>,
}

/// Of a pack, what a recommendation needs; all else in it is not looked at.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
pub(crate) struct PackReference {
    #[serde(default)]
    pub(crate) question: Option<String>,
    #[serde(default)]
    pub(crate) citations: BTreeMap<u32, Place>,
    #[serde(default)]
    pub(crate) digest: Option<String>,
}

/// A recommendation.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Recommendation {
    pub(crate) id: String,
    pub(crate) domain: String,
    pub(crate) title: String,
    pub(crate) question: String,
    pub(crate) text: String,
    /// Unix seconds.
    pub(crate) created_at: i64,
    /// The digest of the pack that it was written from.
    pub(crate) pack: Option<String>,
    /// What all its quotations amount to, those of the deeper look among them.
    pub(crate) citations_status: CitationsStatus,
    pub(crate) citations: Vec<SavedCitation>,
    /// What was written back after a deeper look.
    pub(crate) deep: Option<DeepResult>,
}

/// A quotation as it was found when it was saved, and whether that still holds.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct SavedCitation {
    pub(crate) quote: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) ordinal: Option<u32>,
    pub(crate) citation_verified: bool,
    pub(crate) citation_reason: CitationReason,
    /// Units of UTF-16 in `source`, one pair a fragment.
    pub(crate) spans: Vec<(u32, u32)>,
    /// The passage in which it was found.
    pub(crate) source: Option<String>,
    /// Where it stood instead.
    pub(crate) found_in: Option<FoundIn>,
    /// It was verified, and its note no longer has it; none where its domain cannot be asked.
    pub(crate) stale: Option<bool>,
    /// What checking it came to when its note was last seen to have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<CitationReason>,
    /// The hash of the note when it was saved.
    #[serde(skip)]
    pub(crate) hash: Option<String>,
}

/// A recommendation in a list.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) domain: String,
    pub(crate) title: String,
    pub(crate) question: String,
    /// Unix seconds.
    pub(crate) created_at: i64,
    pub(crate) citations_status: CitationsStatus,
    /// How many quotations there are, those of the deeper look among them.
    pub(crate) citations: usize,
    /// How many were verified.
    pub(crate) verified: usize,
    /// How many of these no longer are; none where the domain cannot be asked.
    pub(crate) stale: Option<usize>,
    /// Whether a deeper look was written back.
    pub(crate) deep: bool,
}

impl Recommendation {
    /// All quotations, those of the deeper look last.
    pub(crate) fn all_citations(&self) -> impl Iterator<Item = &SavedCitation> {
        let deep = self.deep.iter().flat_map(|deep| &deep.citations);
        self.citations.iter().chain(deep)
    }

    fn all_citations_mut(&mut self) -> impl Iterator<Item = &mut SavedCitation> {
        let deep = self.deep.iter_mut().flat_map(|deep| &mut deep.citations);
        self.citations.iter_mut().chain(deep)
    }

    /// As a line of a list.
    pub(crate) fn row(&self) -> Row {
        let stale: Option<Vec<bool>> = self.all_citations().map(|it| it.stale).collect();
        Row {
            id: self.id.clone(),
            domain: self.domain.clone(),
            title: self.title.clone(),
            question: self.question.clone(),
            created_at: self.created_at,
            citations_status: self.citations_status,
            citations: self.all_citations().count(),
            verified: self
                .all_citations()
                .filter(|it| it.citation_verified)
                .count(),
            stale: stale.map(|all| all.into_iter().filter(|&stale| stale).count()),
            deep: self.deep.is_some(),
        }
    }
}

impl SavedCitation {
    fn new(quote: Option<String>, verdict: Verdict) -> Self {
        Self {
            quote,
            note: verdict.note,
            ordinal: verdict.ordinal,
            citation_verified: verdict.citation_verified,
            citation_reason: verdict.citation_reason,
            spans: verdict.spans,
            source: verdict.source,
            found_in: verdict.found_in,
            stale: Some(false),
            now: None,
            hash: verdict.hash,
        }
    }

    /// To be checked against the whole of its note: what was written above a passage since moves
    /// it to another place, and does not make a quotation wrong.
    fn again(&self) -> Citation {
        Citation {
            quote: self.quote.clone(),
            note: self.note.clone(),
            ..Citation::default()
        }
    }
}

/// What quotations amount to.
fn status<'c>(citations: impl IntoIterator<Item = &'c SavedCitation>) -> CitationsStatus {
    let reasons: Vec<CitationReason> = citations
        .into_iter()
        .map(|citation| citation.citation_reason)
        .collect();
    cite::status(&reasons)
}

/// The status of a name.
pub(crate) fn status_named(name: &str) -> Option<CitationsStatus> {
    serde_json::from_value(name.into()).ok()
}

/// The names of all statuses.
pub(crate) const STATUSES: &[&str] = &["no_quotes", "all_verified", "has_mismatch", "unverifiable"];

/// The name of a status.
pub(crate) fn status_name(status: CitationsStatus) -> &'static str {
    match status {
        CitationsStatus::NoQuotes => STATUSES[0],
        CitationsStatus::AllVerified => STATUSES[1],
        CitationsStatus::HasMismatch => STATUSES[2],
        CitationsStatus::Unverifiable => STATUSES[3],
    }
}
