//! Taking recommendations in, and looking at them again: the same for the command line and HTTP.

use std::collections::{BTreeMap, BTreeSet};

use concord_core::cite::CitationsStatus;
use concord_text::{quotations, scrub};

use super::deep::{DeepResult, MOST_CANDIDATES, WriteBack};
use super::{
    Cited, NewRecommendation, PackReference, Recommendation, SavedCitation, Store, Witness,
    Witnesses, status,
};
use crate::collection::{self, Citation, MOST_CITATIONS, Verdict};
use crate::refusal::Refusal;

/// A title made from a text is no longer than this.
const TITLE: usize = 80;

/// Recommendations, and those who can say whether their quotations hold.
pub(crate) struct Desk<'a> {
    pub(crate) store: Store,
    pub(crate) witnesses: &'a dyn Witnesses,
}

/// Which recommendations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter<'a> {
    pub(crate) domain: Option<&'a str>,
    pub(crate) status: Option<CitationsStatus>,
    /// Only those with a quotation that went stale.
    pub(crate) stale: bool,
}

impl Desk<'_> {
    /// Saves a recommendation, whatever comes of its quotations.
    pub(crate) fn take_in(
        &self,
        domain: &str,
        new: NewRecommendation,
    ) -> Result<Recommendation, Refusal> {
        if new.text.trim().is_empty() {
            return Err(Refusal::at("text", "must not be empty"));
        }
        let pack = new.pack.as_ref();
        let text = clean(&new.text);
        let citations = cited(new.citations, &text, pack)?;
        let witness = self.witnesses.of(domain)?;
        let question = new.question.or_else(|| pack?.question.clone());
        let question = clean(question.as_deref().unwrap_or_default());
        let title = new
            .title
            .filter(|title| !title.trim().is_empty())
            .unwrap_or_else(|| {
                beginning(if question.is_empty() {
                    &text
                } else {
                    &question
                })
            });
        let citations = checked(&*witness, citations)?;
        let mut recommendation = Recommendation {
            id: String::new(),
            domain: domain.to_owned(),
            title: clean(title.trim()),
            question,
            text,
            created_at: moment(),
            pack: pack.and_then(|pack| pack.digest.clone()),
            citations_status: status(&citations),
            citations,
            deep: None,
        };
        self.store.insert(&mut recommendation)?;
        Ok(recommendation)
    }

    /// Writes a deeper look back, whatever comes of its quotations.
    pub(crate) fn write_back(&self, result: WriteBack) -> Result<Recommendation, Refusal> {
        if result.candidates.len() > MOST_CANDIDATES {
            let message = format!("must not be more than {MOST_CANDIDATES}");
            return Err(Refusal::at("candidates", message));
        }
        let mode = result.mode.unwrap_or_else(|| "deep".to_owned());
        if !["deep", "compare"].contains(&mode.as_str()) {
            return Err(Refusal::at("mode", "must be deep or compare"));
        }
        let recommendation = self.store.get(&result.id)?;
        let text = result.text.as_deref().map(clean);
        let citations = cited(result.citations, text.as_deref().unwrap_or_default(), None)?;
        let witness = self.witnesses.of(&recommendation.domain)?;
        let citations = checked(&*witness, citations)?;
        let deep = DeepResult {
            mode,
            at: moment(),
            text,
            candidates: result.candidates,
            citations_status: status(&citations),
            citations,
        };
        self.store.write_back(&result.id, &deep)?;
        self.read(&result.id)
    }

    /// A recommendation, with its quotations as they are now.
    pub(crate) fn read(&self, id: &str) -> Result<Recommendation, Refusal> {
        let mut found = [self.store.get(id)?];
        self.look_again(&mut found);
        let [found] = found;
        Ok(found)
    }

    /// Those that a filter lets through, newest first, with their quotations as they are now.
    pub(crate) fn list(&self, filter: &Filter<'_>) -> Result<Vec<Recommendation>, Refusal> {
        let mut all = self.store.all()?;
        all.retain(|it| {
            filter.domain.is_none_or(|domain| it.domain == domain)
                && filter
                    .status
                    .is_none_or(|status| it.citations_status == status)
        });
        self.look_again(&mut all);
        if filter.stale {
            all.retain(|it| it.all_citations().any(|it| it.stale == Some(true)));
        }
        Ok(all)
    }

    pub(crate) fn delete(&self, id: &str) -> Result<(), Refusal> {
        self.store.delete(id)
    }

    /// Looks again at the quotations whose note has changed. Those of a domain that cannot be asked
    /// stay as they are, with nothing said about whether they are stale.
    fn look_again(&self, all: &mut [Recommendation]) {
        let mut by_domain: BTreeMap<String, Vec<&mut SavedCitation>> = BTreeMap::new();
        for recommendation in all {
            let domain = recommendation.domain.clone();
            let citations = by_domain.entry(domain).or_default();
            citations.extend(recommendation.all_citations_mut());
        }
        for (domain, mut citations) in by_domain {
            let witness = self.witnesses.of(&domain);
            let looked = witness.and_then(|witness| look_again(&*witness, &mut citations));
            if looked.is_err() {
                for citation in citations {
                    (citation.stale, citation.now) = (None, None);
                }
            }
        }
    }
}

/// Only what its note's hash says has changed is checked again.
fn look_again(witness: &dyn Witness, citations: &mut [&mut SavedCitation]) -> Result<(), Refusal> {
    let notes: BTreeSet<&str> = citations
        .iter()
        .filter_map(|citation| citation.note.as_deref().filter(|_| citation.hash.is_some()))
        .collect();
    let notes: Vec<&str> = notes.into_iter().collect();
    let hashes: BTreeMap<String, String> = if notes.is_empty() {
        BTreeMap::new()
    } else {
        witness.hashes(&notes)?.into_iter().collect()
    };
    let mut changed: Vec<&mut SavedCitation> = Vec::new();
    for citation in citations {
        citation.stale = Some(false);
        let hash = citation.note.as_ref().and_then(|note| hashes.get(note));
        if citation.hash.is_some() && hash != citation.hash.as_ref() {
            changed.push(citation);
        }
    }
    let asked: Vec<Citation> = changed.iter().map(|citation| citation.again()).collect();
    for (citation, verdict) in changed.into_iter().zip(verdicts(witness, &asked)?) {
        citation.stale = Some(citation.citation_verified && !verdict.citation_verified);
        citation.now = Some(verdict.citation_reason);
    }
    Ok(())
}

/// What a text quotes: as it was said, or as it stands in the text.
pub(crate) fn cited(
    given: Option<Vec<Cited>>,
    text: &str,
    pack: Option<&PackReference>,
) -> Result<Vec<Citation>, Refusal> {
    let given = given.unwrap_or_else(|| {
        let found = quotations(text).into_iter();
        let found = found.map(|found| Cited {
            quote: Some(found.quote),
            // Without a pack a number in a text means something else, such as a footnote.
            number: found.number.filter(|_| pack.is_some()),
            note: found.cites,
            ordinal: None,
        });
        found.collect()
    });
    if given.len() > MOST_CITATIONS {
        let message = format!("must not be more than {MOST_CITATIONS}");
        return Err(Refusal::at("citations", message));
    }
    let citations = given.into_iter().zip(0..).map(|(cited, i)| {
        let Cited {
            quote,
            note,
            ordinal,
            number,
        } = cited;
        let quote = quote.as_deref().map(clean);
        let Some(number) = number.filter(|_| note.is_none()) else {
            return Ok(Citation {
                quote,
                note,
                ordinal,
                ..Citation::default()
            });
        };
        let Some(pack) = pack else {
            let key = format!("citations[{i}].number");
            return Err(Refusal::at(&key, "means nothing without `pack`"));
        };
        // A number that the pack does not have cites nothing, and is told as such.
        let place = pack.citations.get(&number);
        Ok(Citation {
            quote,
            note: place.map(|place| place.note.clone()),
            ordinal: place.map(|place| place.ordinal),
            ..Citation::default()
        })
    });
    citations.collect()
}

fn checked(witness: &dyn Witness, citations: Vec<Citation>) -> Result<Vec<SavedCitation>, Refusal> {
    let verdicts = verdicts(witness, &citations)?;
    let quotes = citations.into_iter().map(|citation| citation.quote);
    let saved = quotes.zip(verdicts);
    Ok(saved
        .map(|(quote, verdict)| SavedCitation::new(quote, verdict))
        .collect())
}

fn verdicts(witness: &dyn Witness, citations: &[Citation]) -> Result<Vec<Verdict>, Refusal> {
    let mut verdicts = Vec::with_capacity(citations.len());
    for part in citations.chunks(MOST_CITATIONS) {
        verdicts.extend(witness.verify(part)?.results);
    }
    Ok(verdicts)
}

/// Credentials are struck out of what is kept, as they are out of notes.
fn clean(text: &str) -> String {
    scrub(text).text.into_owned()
}

/// The first line of a text that says something, as far as it fits.
fn beginning(text: &str) -> String {
    let line = text.lines().map(|line| line.trim().trim_start_matches('#'));
    let line = line.map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    match line.char_indices().nth(TITLE) {
        None => line.to_owned(),
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
    }
}

fn moment() -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "whole seconds")]
    let moment = collection::now().get() as i64;
    moment
}
