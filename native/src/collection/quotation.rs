//! Quotations of a draft against the notes that they cite.
//!
//! Each is checked by the core against every passage of the note it cites. One that is not there is
//! looked for in the passages of the domain that share its words; where it turns up is told as
//! `found_in`, and it is never counted as verified.

use concord_cache::{Candidate, CandidateStore as _, ColumnWeights, Scope, Snapshot};
use concord_core::cite::{
    self, CitationCheck, CitationReason, CitationsStatus, Quotation, utf16_spans,
};
use concord_text::lexical;
use serde::{Deserialize, Serialize};

use super::Collection;
use crate::refusal::Refusal;

/// A request has no more quotations than this.
const MOST: usize = 1_000;

/// Passages of the domain in which a quotation is looked for.
const ELSEWHERE: u32 = 50;

/// A quotation and what it cites: a note of the domain, or a text.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Citation {
    quote: Option<String>,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    chunk_text: Option<String>,
}

/// What came of checking a draft's quotations.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Verdicts {
    pub(crate) status: CitationsStatus,
    pub(crate) results: Vec<Verdict>,
}

/// What came of checking one.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Verdict {
    pub(crate) citation_verified: bool,
    pub(crate) citation_reason: CitationReason,
    /// Units of UTF-16 in `source`, one pair a fragment.
    spans: Vec<(u32, u32)>,
    note: Option<String>,
    /// The passage in which it was found.
    source: Option<String>,
    /// Where it stands instead.
    pub(crate) found_in: Option<FoundIn>,
}

/// Where a quotation stands that is not where it was cited.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct FoundIn {
    pub(crate) note: String,
    ordinal: u32,
    section: String,
    /// The passage.
    source: String,
    /// Units of UTF-16 in `source`.
    spans: Vec<(u32, u32)>,
}

impl Collection {
    /// Checks quotations.
    pub(crate) fn verify(&self, citations: &[Citation]) -> Result<Verdicts, Refusal> {
        if citations.len() > MOST {
            return Err(Refusal::at(
                "citations",
                format!("must not be more than {MOST}"),
            ));
        }
        let store = self.store.get()?;
        let snapshot = store.snapshot()?;
        let results: Result<Vec<Verdict>, Refusal> = citations
            .iter()
            .map(|citation| verdict(&*snapshot, citation))
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
}

fn verdict(snapshot: &dyn Snapshot, citation: &Citation) -> Result<Verdict, Refusal> {
    let quote = citation.quote.as_deref();
    let told = |check: CitationCheck, source: Option<String>, found_in: Option<FoundIn>| Verdict {
        citation_verified: check.citation_verified,
        citation_reason: check.citation_reason,
        spans: source
            .as_deref()
            .map(|text| utf16_spans(text, &check.spans))
            .unwrap_or_default(),
        note: citation.note.clone(),
        source,
        found_in,
    };
    if let Some(text) = &citation.chunk_text {
        let check = check(quote, Some(text));
        return Ok(told(check, Some(text.clone()), None));
    }
    let cited = match &citation.note {
        Some(note) => snapshot.chunks_of(note, None)?,
        None => Vec::new(),
    };
    if let Some((chunk, check)) = find(&cited, quote) {
        return Ok(told(check, Some(chunk.text.clone()), None));
    }
    let check = check(quote, cited.first().map(|chunk| chunk.text.as_str()));
    let found_in = match check.citation_reason {
        CitationReason::NotFound | CitationReason::NoChunkText => elsewhere(snapshot, quote)?,
        _ => None,
    };
    Ok(told(check, None, found_in))
}

fn check(quote: Option<&str>, text: Option<&str>) -> CitationCheck {
    cite::verify(&Quotation {
        quote: quote.map(str::to_owned),
        chunk: text.map(str::to_owned),
    })
}

/// The first of some passages that has the quotation.
fn find<'c>(
    passages: &'c [Candidate],
    quote: Option<&str>,
) -> Option<(&'c Candidate, CitationCheck)> {
    passages.iter().find_map(|chunk| {
        let check = check(quote, Some(&chunk.text));
        check.citation_verified.then_some((chunk, check))
    })
}

fn elsewhere(snapshot: &dyn Snapshot, quote: Option<&str>) -> Result<Option<FoundIn>, Refusal> {
    let Some(expression) = quote.and_then(lexical::match_expression) else {
        return Ok(None);
    };
    let weights = ColumnWeights::default();
    let finds = snapshot.matching(&expression, ELSEWHERE, &Scope::default(), weights)?;
    let ids: Vec<i64> = finds.iter().map(|find| find.chunk).collect();
    let passages = snapshot.candidates(&ids, None)?;
    Ok(find(&passages, quote).map(|(chunk, check)| FoundIn {
        note: chunk.note.clone(),
        ordinal: chunk.ordinal,
        section: chunk.section.clone(),
        spans: utf16_spans(&chunk.text, &check.spans),
        source: chunk.text.clone(),
    }))
}
