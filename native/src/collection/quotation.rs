//! Quotations of a draft against the notes that they cite.
//!
//! Each is checked by the core against the passage it cites; against every passage of the note, if
//! it names no passage. One that is not there is looked for
//!
//! 1. as it stands, in the rest of the note, then in the passages of the domain that share its words;
//! 2. nearly as it stands ([`near`]), in the note, then in those passages, then in the passages
//!    nearest in meaning.
//!
//! Where it turns up is told as `found_in`, and it is never counted as verified.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use concord_cache::{Candidate, CandidateStore as _, ColumnWeights, NoteFacts, Scope, Snapshot};
use concord_core::cite::{
    self, CitationCheck, CitationReason, CitationsStatus, Quotation, utf16_spans,
};
use concord_core::near::{Near, Sought};
use concord_text::{NoteNames, Resolution, Syntax, VaultIndex, lexical};
use serde::{Deserialize, Serialize};

use super::Collection;
use crate::refusal::Refusal;

/// A request has no more quotations than this.
pub(crate) const MOST_CITATIONS: usize = 1_000;

/// Passages of the domain in which a quotation is looked for, by words.
const BY_WORDS: u32 = 50;

/// And by meaning, if it is not in those.
const BY_MEANING: u32 = 20;

/// No more quotations of one request are encoded: invented ones are found nowhere, and each costs
/// as much as a question.
const MOST_ENCODED: u32 = 100;

/// A quotation and what it cites: a note of the domain, or a text.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Citation {
    pub(crate) quote: Option<String>,
    /// By its path, or as a link would name it.
    #[serde(default)]
    pub(crate) note: Option<String>,
    /// Which passage of the note; any, if not given.
    #[serde(default)]
    pub(crate) ordinal: Option<u32>,
    #[serde(default)]
    pub(crate) chunk_text: Option<String>,
}

/// What came of checking a draft's quotations.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Verdicts {
    pub(crate) status: CitationsStatus,
    pub(crate) results: Vec<Verdict>,
}

/// What came of checking one.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Verdict {
    pub(crate) citation_verified: bool,
    pub(crate) citation_reason: CitationReason,
    /// Units of UTF-16 in `source`, one pair a fragment.
    pub(crate) spans: Vec<(u32, u32)>,
    /// The note's path; what was cited, if no note is meant by it.
    pub(crate) note: Option<String>,
    /// The passage in which it was found, by its place in the note; else the one that is cited.
    pub(crate) ordinal: Option<u32>,
    /// The passage in which it was found.
    pub(crate) source: Option<String>,
    /// Where it stands instead.
    pub(crate) found_in: Option<FoundIn>,
    /// The hash of the note as it was indexed, for whoever wants to know later whether it changed.
    pub(crate) hash: Option<String>,
}

/// Where a quotation stands that is not where it was cited.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct FoundIn {
    pub(crate) note: String,
    pub(crate) ordinal: u32,
    pub(crate) section: String,
    /// The passage.
    pub(crate) source: String,
    /// Units of UTF-16 in `source`.
    pub(crate) spans: Vec<(u32, u32)>,
    /// It stands there with changes.
    pub(crate) near: bool,
    /// How many characters were changed; 0 if it stands there as it is.
    pub(crate) distance: u32,
}

impl Collection {
    /// Checks quotations.
    pub(crate) fn verify(&self, citations: &[Citation]) -> Result<Verdicts, Refusal> {
        if citations.len() > MOST_CITATIONS {
            return Err(Refusal::at(
                "citations",
                format!("must not be more than {MOST_CITATIONS}"),
            ));
        }
        let store = self.store.get()?;
        let snapshot = store.snapshot()?;
        let inquiry = Inquiry {
            collection: self,
            snapshot: &*snapshot,
            names: OnceCell::new(),
            encoded: Cell::new(0),
        };
        let results: Result<Vec<Verdict>, Refusal> = citations
            .iter()
            .map(|citation| inquiry.verdict(citation))
            .collect();
        let results = results?;
        let reasons: Vec<CitationReason> = results
            .iter()
            .map(|verdict| verdict.citation_reason)
            .collect();
        Ok(Verdicts {
            status: cite::status(&reasons),
            results,
        })
    }

    /// The hash of each of these notes as it was indexed; one that is not in the index is left out.
    pub(crate) fn hashes(&self, notes: &[&str]) -> Result<Vec<(String, String)>, Refusal> {
        let store = self.store.get()?;
        Ok(store.snapshot()?.hashes(notes)?)
    }
}

/// The quotations of one request, looked for in one snapshot.
struct Inquiry<'a> {
    collection: &'a Collection,
    snapshot: &'a dyn Snapshot,
    /// What links call the notes; read when a citation first names one otherwise than by its path.
    names: OnceCell<VaultIndex>,
    encoded: Cell<u32>,
}

impl Inquiry<'_> {
    fn verdict(&self, citation: &Citation) -> Result<Verdict, Refusal> {
        let quote = citation.quote.as_deref();
        if let Some(text) = &citation.chunk_text {
            let check = check(quote, Some(text));
            return Ok(Verdict {
                spans: utf16_spans(text, &check.spans),
                source: Some(text.clone()),
                ..Verdict::of(&check, citation)
            });
        }
        let (note, passages) = match &citation.note {
            Some(named) => self.passages(named)?,
            None => (None, Vec::new()),
        };
        let is_cited =
            |chunk: &&Arc<Candidate>| citation.ordinal.is_none_or(|it| it == chunk.ordinal);
        let cited: Vec<&Arc<Candidate>> = passages.iter().filter(is_cited).collect();
        if let Some((chunk, check)) = find(cited.iter().copied(), quote) {
            return Ok(Verdict {
                spans: utf16_spans(&chunk.text, &check.spans),
                hash: self.hash(note.as_deref())?,
                note,
                ordinal: Some(chunk.ordinal),
                source: Some(chunk.text.to_string()),
                ..Verdict::of(&check, citation)
            });
        }
        let check = check(quote, cited.first().map(|chunk| &*chunk.text));
        let found_in = match (check.citation_reason, quote) {
            (CitationReason::NotFound | CitationReason::NoChunkText, Some(quote)) => {
                self.elsewhere(&passages, quote)?
            }
            _ => None,
        };
        let hash = self.hash(note.as_deref())?;
        Ok(Verdict {
            note: note.or_else(|| citation.note.clone()),
            found_in,
            hash,
            ..Verdict::of(&check, citation)
        })
    }

    fn hash(&self, note: Option<&str>) -> Result<Option<String>, Refusal> {
        let Some(note) = note else {
            return Ok(None);
        };
        let found = self.snapshot.hashes(&[note])?.pop();
        Ok(found.map(|(_, hash)| hash))
    }

    /// The note that a citation means, and its passages.
    fn passages(&self, named: &str) -> Result<(Option<String>, Vec<Arc<Candidate>>), Refusal> {
        let passages = self.snapshot.chunks_of(named)?;
        if !passages.is_empty() {
            return Ok((Some(named.to_owned()), passages));
        }
        let names = match self.names.get() {
            Some(names) => names,
            None => {
                let notes = self.collection.notes()?;
                self.names
                    .get_or_init(|| VaultIndex::new(notes.into_iter().map(names)))
            }
        };
        match names.resolve("", named, Syntax::Wiki) {
            Resolution::Found(path) => {
                let passages = self.snapshot.chunks_of(&path)?;
                Ok((Some(path), passages))
            }
            _ => Ok((None, Vec::new())),
        }
    }

    /// Where a quotation stands that is not where it was cited. `note` are the passages of the note.
    fn elsewhere(&self, note: &[Arc<Candidate>], quote: &str) -> Result<Option<FoundIn>, Refusal> {
        if let Some((chunk, check)) = find(note, Some(quote)) {
            return Ok(Some(FoundIn::exactly(chunk, &check)));
        }
        let by_words = self.by_words(quote)?;
        if let Some((chunk, check)) = find(&by_words, Some(quote)) {
            return Ok(Some(FoundIn::exactly(chunk, &check)));
        }
        let Some(sought) = Sought::new(quote) else {
            return Ok(None);
        };
        for passages in [note, &by_words] {
            if let Some(found) = nearest(passages, &sought) {
                return Ok(Some(found));
            }
        }
        Ok(nearest(&self.by_meaning(quote)?, &sought))
    }

    /// The passages of the domain that share most words with a quotation.
    fn by_words(&self, quote: &str) -> Result<Vec<Arc<Candidate>>, Refusal> {
        let phrases = lexical::phrases(quote);
        let (all, weights) = (Scope::default(), ColumnWeights::default());
        let finds = self.snapshot.matching(&phrases, BY_WORDS, &all, weights)?;
        let ids: Vec<i64> = finds.iter().map(|find| find.chunk).collect();
        Ok(self.snapshot.candidates(&ids)?)
    }

    /// The passages of the domain that are nearest to a quotation in meaning.
    fn by_meaning(&self, quote: &str) -> Result<Vec<Arc<Candidate>>, Refusal> {
        let Some(encoder) = &self.collection.encoder else {
            return Ok(Vec::new());
        };
        if self.encoded.get() >= MOST_ENCODED {
            return Ok(Vec::new());
        }
        self.encoded.set(self.encoded.get() + 1);
        let vector = encoder.encode_query(quote)?;
        let finds = self
            .snapshot
            .nearest(&vector, BY_MEANING, &Scope::default())?;
        let ids: Vec<i64> = finds.iter().map(|find| find.chunk).collect();
        Ok(self.snapshot.candidates(&ids)?)
    }
}

impl Verdict {
    fn of(check: &CitationCheck, citation: &Citation) -> Self {
        Self {
            citation_verified: check.citation_verified,
            citation_reason: check.citation_reason,
            spans: Vec::new(),
            note: citation.note.clone(),
            ordinal: citation.ordinal,
            source: None,
            found_in: None,
            hash: None,
        }
    }
}

impl FoundIn {
    fn at(chunk: &Candidate, spans: &[(u32, u32)], distance: u32) -> Self {
        Self {
            note: chunk.note.clone(),
            ordinal: chunk.ordinal,
            section: chunk.section.clone(),
            spans: utf16_spans(&chunk.text, spans),
            source: chunk.text.to_string(),
            near: distance > 0,
            distance,
        }
    }

    fn exactly(chunk: &Candidate, check: &CitationCheck) -> Self {
        Self::at(chunk, &check.spans, 0)
    }
}

/// What links call a note.
pub(super) fn names(note: NoteFacts) -> NoteNames {
    NoteNames {
        path: note.path,
        aliases: note.aliases,
        permalink: note.permalink,
    }
}

fn check(quote: Option<&str>, text: Option<&str>) -> CitationCheck {
    cite::verify(&Quotation {
        quote: quote.map(str::to_owned),
        chunk: text.map(str::to_owned),
    })
}

/// The first of some passages that has the quotation.
fn find<'c>(
    passages: impl IntoIterator<Item = &'c Arc<Candidate>>,
    quote: Option<&str>,
) -> Option<(&'c Arc<Candidate>, CitationCheck)> {
    passages.into_iter().find_map(|chunk| {
        let check = check(quote, Some(&chunk.text));
        check.citation_verified.then_some((chunk, check))
    })
}

/// The passage that has the quotation with the fewest changes; the first of several.
fn nearest(passages: &[Arc<Candidate>], sought: &Sought) -> Option<FoundIn> {
    let mut best: Option<(&Arc<Candidate>, Near)> = None;
    for chunk in passages {
        let Some(near) = sought.nearest_in(&chunk.text) else {
            continue;
        };
        if best
            .as_ref()
            .is_none_or(|(_, found)| near.distance < found.distance)
        {
            best = Some((chunk, near));
        }
    }
    best.map(|(chunk, near)| FoundIn::at(chunk, &near.spans, near.distance))
}
