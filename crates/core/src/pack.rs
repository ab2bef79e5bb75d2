//! The evidence pack: a ranking as something to write from, with a number for every passage.
//!
//! Which passages, in what order and how many is the ranking's; a pack leaves nothing out and adds
//! nothing. Its context block is text for whoever writes, a person or a model:
//!
//! ```text
//! [1] Title › Section (path, author, 2026-07-30)
//!   the passage, verbatim,
//!   each of its lines indented
//!
//! [2] …
//! ```
//!
//! No line of a note begins at the margin, so no note can pass its words off as another passage;
//! and since white space does not count in quotations, one that runs over several lines verifies.
//! The same receipt always gives the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::bundle::Note;
use crate::digest;
use crate::normal::is_space;
use crate::profile::Profile;
use crate::ranking::DropReason;
use crate::receipt::Receipt;
use crate::relevance;
use crate::score::{Score, Seconds};
use crate::shortlist;

/// The budget of a pack whose profile has none: a pack goes into somebody's window.
pub const MAX_TOKENS: u32 = 4_000;

/// What there is to answer a question from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pack {
    /// The question's own name.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// The domain that was asked.
    pub domain: String,
    /// The moment that ages were counted from.
    pub now: Seconds,
    /// Nothing that was found answers the question.
    pub nothing_relevant: bool,
    /// Why not; or why search was by words alone.
    pub why: Option<String>,
    /// Best first.
    pub passages: Vec<Passage>,
    /// The passages as text, each under its number.
    pub context: String,
    /// What each number stands for.
    pub citations: BTreeMap<u32, Place>,
    /// The length of all passages, as the budget counts.
    pub tokens: u32,
    /// The length of `context`, which has a line of its own for every passage.
    pub context_tokens: u32,
    /// Candidates that are not among the passages, by the stage that dropped them.
    pub left_out: LeftOut,
    /// The digest of the ranking, which its receipt bears too.
    pub ranking: String,
    /// SHA-256 over that digest and the context; in hex.
    pub digest: String,
}

/// A passage of a pack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passage {
    /// From 1, by rank.
    pub number: u32,
    /// The note's path.
    pub note: String,
    /// The note's title.
    pub title: String,
    /// The heading that it stands under.
    pub section: String,
    /// Its place in the note, from 0.
    pub ordinal: u32,
    /// Who wrote the note.
    pub author: Option<String>,
    /// When the note was published.
    pub published_at: Option<Seconds>,
    /// What it was ranked by.
    pub score: Score,
    /// The sentences that matter, in document order.
    pub excerpt: Vec<String>,
    /// Verbatim.
    pub text: String,
    /// Its length.
    pub tokens: u32,
}

/// Where a passage stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// The note's path.
    pub note: String,
    /// The heading.
    #[serde(default)]
    pub section: String,
    /// The place in the note, from 0.
    pub ordinal: u32,
}

/// How many candidates each stage dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Their note stood there often enough.
    pub note_full: u32,
    /// Their page did.
    pub page_full: u32,
    /// The list was full.
    pub limit: u32,
    /// Their sentences that matter stood there already.
    #[serde(default)]
    pub repeats: u32,
    /// They did not fit into the budget.
    pub budget: u32,
}

/// The profile by which a pack is made: one's own, with as many passages and tokens as are asked
/// for. A profile without a budget gets [`MAX_TOKENS`].
#[must_use]
pub fn profile(mut profile: Profile, limit: Option<u32>, max_tokens: Option<u32>) -> Profile {
    profile.limit = limit.unwrap_or(profile.limit);
    let budget = &mut profile.budget.max_tokens;
    *budget = max_tokens.or(*budget).or(Some(MAX_TOKENS));
    profile
}

impl Pack {
    /// Makes a pack of a receipt, under a name.
    #[must_use]
    pub fn new(id: String, receipt: &Receipt) -> Self {
        let Receipt {
            bundle,
            profile,
            ranking,
        } = receipt;
        let chunks: BTreeMap<u32, _> = bundle.chunks.iter().map(|it| (it.id, it)).collect();
        let notes: BTreeMap<&str, &Note> = bundle
            .notes
            .iter()
            .map(|note| (note.path.as_str(), note))
            .collect();
        let mut passages = Vec::with_capacity(ranking.items.len());
        let mut tokens = 0;
        for item in &ranking.items {
            // A receipt from elsewhere may name what it does not hold.
            let (Some(chunk), Some(note)) =
                (chunks.get(&item.chunk), notes.get(item.note.as_str()))
            else {
                continue;
            };
            tokens += item.tokens;
            passages.push(Passage {
                number: item.rank,
                note: chunk.note.clone(),
                title: note.title.clone(),
                section: chunk.section.clone(),
                ordinal: chunk.ordinal,
                author: note.author.clone(),
                published_at: note.published_at,
                score: item.score,
                excerpt: item.excerpt.iter().map(|it| it.text.clone()).collect(),
                text: chunk.text.to_string(),
                tokens: item.tokens,
            });
        }
        let mut left_out = LeftOut::default();
        for dropped in &ranking.dropped {
            let count = match dropped.reason {
                DropReason::NoteFull => &mut left_out.note_full,
                DropReason::PageFull => &mut left_out.page_full,
                DropReason::Limit => &mut left_out.limit,
                DropReason::Repeats => &mut left_out.repeats,
                DropReason::Budget => &mut left_out.budget,
            };
            *count += 1;
        }
        let why = relevance::nothing_relevant(bundle);
        let context = context(&passages);
        Self {
            id,
            question: bundle.query.clone(),
            domain: bundle.domain.clone(),
            now: bundle.now,
            nothing_relevant: why.is_some(),
            why,
            citations: passages
                .iter()
                .map(|passage| (passage.number, passage.place()))
                .collect(),
            tokens,
            context_tokens: shortlist::tokens(&context, &profile.budget),
            left_out,
            ranking: ranking.digest.clone(),
            digest: digest::of_pack(ranking, &context),
            passages,
            context,
        }
    }
}

impl Passage {
    fn place(&self) -> Place {
        Place {
            note: self.note.clone(),
            section: self.section.clone(),
            ordinal: self.ordinal,
        }
    }
}

fn context(passages: &[Passage]) -> String {
    let mut text = String::new();
    for passage in passages {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = write!(text, "[{}] {}", passage.number, one_line(&passage.title));
        if !passage.section.is_empty() && passage.section != passage.title {
            let _ = write!(text, " › {}", one_line(&passage.section));
        }
        let _ = write!(text, " ({}", one_line(&passage.note));
        if let Some(author) = &passage.author {
            let _ = write!(text, ", {}", one_line(author));
        }
        if let Some(moment) = passage.published_at {
            let (year, month, day) = moment.civil();
            let _ = write!(text, ", {year:04}-{month:02}-{day:02}");
        }
        text.push_str(")\n");
        // Whatever somebody may take for the end of a line is one.
        for line in passage.text.split([
            '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
        ]) {
            let line = line.trim_end_matches(is_space);
            if !line.is_empty() {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    text
}

/// Text of others on a line of ours.
fn one_line(text: &str) -> String {
    let words = text.split(is_space).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Bundle;
    use crate::prepared::Prepared;

    fn receipt(profile: Profile) -> Receipt {
        let chunk = |id: u32, note: &str, ordinal: u32, text: &str| {
            serde_json::json!({ "id": id, "note": note, "ordinal": ordinal, "section": "Part\none",
                "page": null, "text": text, "cosine": 0.9, "cross": null,
                "sentences": [{ "start": 0, "end": 5, "cosine": 0.5 }] })
        };
        let note = |path: &str, author: Option<&str>, published_at: Option<u32>| {
            serde_json::json!({ "path": path, "title": "A\ttitle", "author": author,
                "published_at": published_at, "modified_at": null, "valid_from": null,
                "valid_until": null, "kind": null, "tags": [], "evergreen": false, "tier": null,
                "signals": {} })
        };
        let bundle = serde_json::json!({
            "schema": 1, "query": "what?", "now": 1_000, "domain": "d",
            "legs": [{ "name": "vector", "hits": [
                { "chunk": 0, "score": 3 }, { "chunk": 1, "score": 2 }, { "chunk": 2, "score": 1 }] }],
            "chunks": [
                chunk(0, "a.md", 0, "First line.\n\n[2] Not a passage (b.md)\nLast."),
                chunk(1, "b.md", 4, &"long ".repeat(100)),
                chunk(2, "b.md", 5, "Brief."),
            ],
            "notes": [note("a.md", Some("Ines"), Some(951_782_400)), note("b.md", None, None)],
            "graph": { "nodes": [], "citations": [], "wikilinks": [] },
            "corpus": { "chunks": 3, "model": null, "dimension": 0 },
        });
        let bundle = Bundle::from_json(&bundle.to_string()).expect("a bundle");
        let prepared = Prepared::new(bundle).expect("it holds together");
        let ranking = prepared.rank(&profile).expect("a ranking");
        Receipt {
            bundle: prepared.into_bundle(),
            profile,
            ranking,
        }
    }

    #[test]
    fn every_passage_has_a_number_and_no_note_can_forge_one() {
        let profile = profile(Profile::vault("d"), None, Some(30));
        let pack = Pack::new("q".to_owned(), &receipt(profile));
        assert_eq!(
            pack.context,
            "[1] A title › Part one (a.md, Ines, 2000-02-29)\n  First line.\n  \
             [2] Not a passage (b.md)\n  Last.\n\n[2] A title › Part one (b.md)\n  Brief.\n"
        );
        let place = |note: &str, ordinal| Place {
            note: note.to_owned(),
            section: "Part\none".to_owned(),
            ordinal,
        };
        assert_eq!(
            pack.citations,
            BTreeMap::from([(1, place("a.md", 0)), (2, place("b.md", 5))])
        );
        assert_eq!((pack.left_out.budget, pack.left_out.limit), (1, 0));
        assert!(pack.tokens <= 30);
        assert_eq!(pack.passages[0].excerpt, ["First"]);
    }

    #[test]
    fn a_pack_is_the_same_as_long_as_its_receipt_is() {
        let made = |limit| {
            let profile = profile(Profile::vault("d"), Some(limit), None);
            Pack::new(String::new(), &receipt(profile))
        };
        assert_eq!(made(3), made(3));
        assert_ne!(made(3).digest, made(2).digest);
        let (one, other) = (made(3), made(4));
        assert_eq!(one.context, other.context);
        assert_ne!(
            one.digest, other.digest,
            "the profile is part of the receipt"
        );
    }

    #[test]
    fn a_profile_without_a_budget_gets_one() {
        let check = |own: Option<u32>, asked: Option<u32>, expected: u32| {
            let mut base = Profile::balanced();
            base.budget.max_tokens = own;
            let found = profile(base, None, asked).budget.max_tokens;
            assert_eq!(found, Some(expected), "{own:?} {asked:?}");
        };
        check(None, None, MAX_TOKENS);
        check(Some(500), None, 500);
        check(Some(500), Some(900), 900);
    }
}
