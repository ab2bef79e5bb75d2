//! Citations: is the quotation in the passage that it cites?
//!
//! `verified ⇔ every fragment of normal(quote) occurs in normal(chunk), in order, without overlap`
//!
//! A quotation is cut into fragments at `…`, `...`, `[…]` and `[...]` (any run of three or more
//! dots). Its longest fragment must have 12 characters in normal form; a shorter one is
//! `too_short`, which is not a pass, so that a trivial match cannot manufacture confidence. That
//! number is no profile's business: verified has to mean the same everywhere. Verification
//! annotates and never blocks.

use serde::{Deserialize, Serialize};

use crate::normal::Normal;

/// A quotation whose longest fragment is shorter than this cannot be verified.
pub const MIN_CHARACTERS: usize = 12;

/// A quotation and the chunk that it cites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Quotation {
    /// What is quoted.
    pub quote: Option<String>,
    /// The text of the chunk that it cites.
    pub chunk: Option<String>,
}

/// What came of checking a quotation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct CitationCheck {
    /// It is in the chunk.
    pub citation_verified: bool,
    /// Why, or why not.
    pub citation_reason: CitationReason,
    /// `[start, end]` of each fragment in the chunk as it was given, if all were found. Bytes of
    /// UTF-8 in Rust, units of UTF-16 in JavaScript.
    pub spans: Vec<(u32, u32)>,
}

/// Why a quotation is verified, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum CitationReason {
    /// It is in the chunk.
    Match,
    /// Nothing is quoted.
    NoQuote,
    /// There is no text to find it in.
    NoChunkText,
    /// Too short to mean anything.
    TooShort,
    /// It is not in the chunk.
    NotFound,
}

impl CitationReason {
    /// The name that it bears on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::NoQuote => "no_quote",
            Self::NoChunkText => "no_chunk_text",
            Self::TooShort => "too_short",
            Self::NotFound => "not_found",
        }
    }
}

/// What the citations of one text amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum CitationsStatus {
    /// Nothing is quoted.
    NoQuotes,
    /// Every quotation was found.
    AllVerified,
    /// At least one was not found.
    HasMismatch,
    /// None was refuted, but not all could be checked.
    Unverifiable,
}

/// Checks one quotation.
#[must_use]
pub fn verify(quotation: &Quotation) -> CitationCheck {
    let source = Source::new(quotation.chunk.as_deref());
    source.check(quotation.quote.as_deref())
}

/// Checks many; a chunk that is cited several times in a row is normalised once.
#[must_use]
pub fn verify_many(quotations: &[Quotation]) -> Vec<CitationCheck> {
    let mut checks = Vec::with_capacity(quotations.len());
    for run in quotations.chunk_by(|a, b| a.chunk == b.chunk) {
        let source = Source::new(run[0].chunk.as_deref());
        let check = |quotation: &Quotation| source.check(quotation.quote.as_deref());
        checks.extend(run.iter().map(check));
    }
    checks
}

/// What the checks of one text amount to.
#[must_use]
pub fn status(checks: &[CitationReason]) -> CitationsStatus {
    let mut quoted = checks
        .iter()
        .filter(|&&reason| reason != CitationReason::NoQuote);
    if quoted.clone().next().is_none() {
        CitationsStatus::NoQuotes
    } else if quoted
        .clone()
        .any(|&reason| reason == CitationReason::NotFound)
    {
        CitationsStatus::HasMismatch
    } else if quoted.all(|&reason| reason == CitationReason::Match) {
        CitationsStatus::AllVerified
    } else {
        CitationsStatus::Unverifiable
    }
}

/// A text that quotations are looked for in.
struct Source(Normal);

impl Source {
    fn new(chunk: Option<&str>) -> Self {
        Self(Normal::of(chunk.unwrap_or_default()))
    }

    fn check(&self, quote: Option<&str>) -> CitationCheck {
        let quote = Normal::of(quote.unwrap_or_default()).text;
        let fragments = fragments(&quote);
        let lengths = fragments.iter().map(|fragment| fragment.chars().count());
        let (reason, spans) = match lengths.max() {
            None => (CitationReason::NoQuote, Vec::new()),
            Some(_) if self.0.text.is_empty() => (CitationReason::NoChunkText, Vec::new()),
            Some(longest) if longest < MIN_CHARACTERS => (CitationReason::TooShort, Vec::new()),
            Some(_) => match self.find(&fragments) {
                Some(spans) => (CitationReason::Match, spans),
                None => (CitationReason::NotFound, Vec::new()),
            },
        };
        CitationCheck {
            citation_verified: reason == CitationReason::Match,
            citation_reason: reason,
            spans,
        }
    }

    /// The spans of all fragments in the original. Taking each as early as possible leaves the
    /// most room for the next, so if any way exists this finds one.
    fn find(&self, fragments: &[&str]) -> Option<Vec<(u32, u32)>> {
        let text = &self.0.text;
        let mut free_from = 0;
        let mut spans = Vec::with_capacity(fragments.len());
        for fragment in fragments {
            let start = free_from + text[free_from..].find(fragment)?;
            free_from = start + fragment.len();
            spans.push(self.0.original(start, free_from));
        }
        Some(spans)
    }
}

/// The pieces of a normalised quotation between its elisions.
pub(crate) fn fragments(quote: &str) -> Vec<&str> {
    let mut fragments = Vec::new();
    let mut rest = quote;
    while let Some((before, after)) = split_at_elision(rest) {
        fragments.push(before);
        rest = after;
    }
    fragments.push(rest);
    // In normal form the only white space is a single ' '.
    let trimmed = fragments.into_iter().map(|piece| piece.trim_matches(' '));
    trimmed.filter(|piece| !piece.is_empty()).collect()
}

/// What precedes the first elision and what follows it, with its brackets if it has both.
fn split_at_elision(text: &str) -> Option<(&str, &str)> {
    let start = text.find("...")?;
    let (before, dots) = text.split_at(start);
    let after = dots.trim_start_matches('.');
    let bracketed = before
        .trim_end_matches(' ')
        .strip_suffix('[')
        .zip(after.trim_start_matches(' ').strip_prefix(']'));
    Some(bracketed.unwrap_or((before, after)))
}

/// Byte spans of a text, in units of UTF-16.
///
/// `spans` must be at character boundaries and ascending, as [`CitationCheck`] has them; two
/// fragments may come from one and the same character.
#[must_use]
pub fn utf16_spans(text: &str, spans: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let units = |part: &str| u32::try_from(part.encode_utf16().count()).unwrap_or(u32::MAX);
    let mut converted = Vec::with_capacity(spans.len());
    let (mut bytes_before, mut units_before) = (0, 0);
    for &(start, end) in spans {
        let (start, end) = (start as usize, end as usize);
        let from = bytes_before.min(start);
        let first = if from == bytes_before {
            units_before + units(&text[from..start])
        } else {
            units(&text[..start])
        };
        let last = first + units(&text[start..end]);
        converted.push((first, last));
        (bytes_before, units_before) = (end, last);
    }
    converted
}

#[cfg(test)]
mod tests {
    use super::CitationReason::{Match, NoChunkText, NoQuote, NotFound, TooShort};
    use super::*;

    #[test]
    fn the_checks_of_a_text_amount_to_one_status() {
        let check = |reasons: &[CitationReason], expected| {
            assert_eq!(status(reasons), expected, "{reasons:?}");
        };
        check(&[], CitationsStatus::NoQuotes);
        check(&[NoQuote, NoQuote], CitationsStatus::NoQuotes);
        check(&[Match, NoQuote, Match], CitationsStatus::AllVerified);
        check(&[Match, TooShort], CitationsStatus::Unverifiable);
        check(&[NoChunkText], CitationsStatus::Unverifiable);
        check(&[Match, NotFound, TooShort], CitationsStatus::HasMismatch);
    }

    #[test]
    fn reasons_are_named_as_on_the_wire() {
        for reason in [Match, NoQuote, NoChunkText, TooShort, NotFound] {
            assert_eq!(serde_json::json!(reason), reason.name());
        }
    }

    #[test]
    fn many_checks_are_the_same_as_one_by_one() {
        let quotation = |quote: &str, chunk: &str| Quotation {
            quote: Some(quote.to_owned()),
            chunk: Some(chunk.to_owned()),
        };
        let all = [
            quotation("the first of all", "This is the first of all."),
            quotation("nothing of the sort", "This is the first of all."),
            quotation("the first of all", "Another text altogether."),
            quotation("the first of all", "This is the first of all."),
        ];
        let each: Vec<_> = all.iter().map(verify).collect();
        assert_eq!(verify_many(&all), each);
    }
}
