//! Cold start: tags proposed for notes that have none.
//!
//! A note is **new** if it has no tag of the taxonomy and does not stand in the review queue. It gets
//! one to [`MOST`] tags, of the taxonomy and no others, as a line to be ticked. A proposal is a
//! person's to decide on; nothing here touches a note.
//!
//! Each tag of the taxonomy is a text: its name in words, its group, what it is for. How like a note
//! is to each of them is not comparable as it is: some tags are like everything, some notes are like
//! nothing. So what is usual for the tag (over the domain's notes) and for the note (over the tags) is
//! taken away:
//!
//! ```text
//! score(note, tag) = like(note, tag) − mean of the note − n / (n + CALM) · (mean of the tag − mean of all)
//! ```
//!
//! where `n` is the number of notes: in a small domain what is usual is not known well. The best tag is
//! always proposed, others if their score is at least [`LEAST`] and [`SHARE`] of the best one's.
//!
//! A model that writes proposes instead where somebody asked for it (`concord tag --llm`): see
//! [`super::ask`].
//!
//! `concord tag --measure` says how good that is, on the notes that have tags already. On the 71 of the
//! sample vault, with the model inside the program: the best proposal is a tag that the note has for
//! 58 (82 %), at least one of them for 68 (96 %); 89 of 170 proposed tags are right (52 %), of 168 that
//! the notes have (53 %). The three numbers below are those of the first attempt and were not fitted
//! to these notes.

use std::collections::{BTreeMap, BTreeSet};

use concord_text::edit::{self, Line};
use concord_text::{Taxonomy, TaxonomyTag, parse, review_queue};
use serde::Serialize;

use super::ask::named_by;
use super::journal::Journal;
use super::review::Review;
use super::{Order, Told};
use crate::collection::Collection;
use crate::llm::{Trouble, Usage, Writer};
use crate::refusal::{Code, Refusal};

/// A note gets no more tags than this.
pub(crate) const MOST: usize = 5;

/// A second tag must stand out at least so far.
const LEAST: f64 = 0.03;

/// And so far beside the best one.
const SHARE: f64 = 0.5;

/// From so many notes on, what is usual for a tag is rather believed than not.
const CALM: f64 = 10.0;

/// The page after tags were proposed.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Tagged {
    #[serde(flatten)]
    pub(crate) review: Review,
    /// How many lines came.
    pub(crate) proposed: usize,
    /// Notes for which none could be proposed.
    pub(crate) unproposed: Vec<Told>,
    /// What a model read and wrote for it, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
}

/// How often proposals are what people chose.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Measured {
    /// Notes that have tags of the taxonomy.
    pub(crate) notes: usize,
    /// Of those, how many of whose best proposals is one that they have.
    pub(crate) best_is_right: usize,
    /// How many have one of the proposed tags.
    pub(crate) one_is_right: usize,
    /// Proposed tags.
    pub(crate) proposed: usize,
    /// Tags that notes have.
    pub(crate) had: usize,
    /// Proposed tags that notes have.
    pub(crate) right: usize,
}

/// What proposes tags.
pub(crate) struct Proposer<'a> {
    collection: &'a Collection,
    writer: Option<&'a Writer>,
}

/// Tags for each of some notes, the best first, or why there are none.
type Proposals = BTreeMap<String, Result<Vec<String>, String>>;

impl<'a> Proposer<'a> {
    /// By the vectors of a domain's index, or by words where it has none.
    pub(crate) fn of(collection: &'a Collection) -> Self {
        let writer = None;
        Self { collection, writer }
    }

    /// By a model, which is sent the notes.
    pub(crate) fn asking(self, writer: &'a Writer) -> Self {
        let writer = Some(writer);
        Self { writer, ..self }
    }

    /// One to [`MOST`] tags for each of these notes, and what a model read and wrote for it.
    fn of_notes(
        &self,
        taxonomy: &Taxonomy,
        notes: &[(&str, String)],
    ) -> Result<(Proposals, Option<Usage>), Refusal> {
        if let Some(writer) = self.writer {
            let (proposals, usage) = by_model(writer, taxonomy, notes)?;
            return Ok((proposals, Some(usage)));
        }
        // Nothing is encoded where there is nothing to propose.
        if notes.is_empty() {
            return Ok((Proposals::new(), None));
        }
        let mut all = self.by_likeness(taxonomy)?;
        let unknown = || "is not in the index, or has no words".to_owned();
        let of_note = |(path, _): &(&str, String)| {
            let tags = all.remove(*path).ok_or_else(unknown);
            ((*path).to_owned(), tags)
        };
        Ok((notes.iter().map(of_note).collect(), None))
    }

    /// One to [`MOST`] tags for every note of the index, the best first.
    fn by_likeness(&self, taxonomy: &Taxonomy) -> Result<BTreeMap<String, Vec<String>>, Refusal> {
        let texts: Vec<String> = taxonomy.tags.iter().map(described).collect();
        let like = self.collection.likeness(&texts)?;
        let scores = centred(&like.values().cloned().collect::<Vec<_>>());
        let names = |scores: Vec<f64>| {
            let chosen = chosen(&scores).into_iter();
            chosen.map(|tag| taxonomy.tags[tag].name.clone()).collect()
        };
        Ok(like
            .into_keys()
            .zip(scores.into_iter().map(names))
            .collect())
    }
}

/// Asks a model note by note. What it was paid for is kept: if its service fails on the way, the notes
/// that are left are told of, and only if it fails on the first is there nothing to tell.
fn by_model(
    writer: &Writer,
    taxonomy: &Taxonomy,
    notes: &[(&str, String)],
) -> Result<(Proposals, Usage), Refusal> {
    let (mut proposals, mut usage) = (Proposals::new(), Usage::default());
    let mut failed: Option<String> = None;
    for (path, text) in notes {
        let tags = match &failed {
            Some(why) => Err(format!("was not asked about: {why}")),
            None => match named_by(writer, taxonomy, text) {
                Ok((tags, more)) => {
                    usage.add(more);
                    Ok(tags)
                }
                Err(trouble) => {
                    let why = trouble.to_string();
                    match trouble {
                        Trouble::Declined(_, more) => usage.add(more),
                        _ if proposals.is_empty() => {
                            return Err(Refusal::new(Code::ModelDown, why));
                        }
                        _ => failed = Some(why.clone()),
                    }
                    Err(why)
                }
            },
        };
        proposals.insert((*path).to_owned(), tags);
    }
    Ok((proposals, usage))
}

/// A tag as a text that can be compared with notes.
fn described(tag: &TaxonomyTag) -> String {
    let name = tag.name.replace(['/', '-', '_'], " ");
    let group = tag.group.as_deref().unwrap_or_default();
    let text = [&name, group, &tag.description].map(str::trim).join(". ");
    text.trim_matches(['.', ' ']).to_owned()
}

/// Scores without what is usual for a note and for a tag.
fn centred(like: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = like.len() as f64;
    let tags = like.first().map_or(0, Vec::len);
    let of_notes: Vec<f64> = like
        .iter()
        .map(|row| row.iter().sum::<f64>() / row.len().max(1) as f64)
        .collect();
    let of_all = of_notes.iter().sum::<f64>() / count.max(1.0);
    let trust = count / (count + CALM);
    let of_tags: Vec<f64> = (0..tags)
        .map(|tag| trust * (like.iter().map(|row| row[tag]).sum::<f64>() / count - of_all))
        .collect();
    let rows = like.iter().zip(&of_notes);
    rows.map(|(row, of_note)| {
        let each = row.iter().zip(&of_tags);
        each.map(|(like, of_tag)| like - of_note - of_tag).collect()
    })
    .collect()
}

/// The tags to propose, the best first; equal ones in the order of the page.
fn chosen(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let Some(&best) = order.first() else {
        return order;
    };
    let floor = LEAST.max(SHARE * scores[best]);
    let stands_out = |&tag: &usize| tag == best || scores[tag] >= floor;
    order.into_iter().filter(stands_out).take(MOST).collect()
}

impl Order<'_> {
    /// Proposes tags for new notes, at the end of the page.
    pub(crate) fn tag(&self, proposer: &Proposer<'_>) -> Result<Tagged, Refusal> {
        let journal = Journal::open(self.root())?;
        let taxonomy = self.allowed()?;
        let page = self.text(&self.domain.review_queue)?;
        let text = page.clone().unwrap_or_default();
        let waiting: BTreeSet<String> = review_queue(&text)
            .entries
            .into_iter()
            .map(|entry| {
                self.note(&entry.path)
                    .map_or(entry.path.clone(), str::to_owned)
            })
            .collect();
        let new = self.notes.iter().filter_map(|path| {
            let text = self.text(path).ok().flatten()?;
            let is_new = !waiting.contains(path) && !has_allowed(path, &text, &taxonomy);
            is_new.then_some((path.as_str(), text))
        });
        let new: Vec<(&str, String)> = new.collect();
        let (proposals, usage) = proposer.of_notes(&taxonomy, &new)?;
        let (mut lines, mut unproposed) = (Vec::new(), Vec::new());
        for (path, tags) in proposals {
            match tags {
                Ok(tags) => lines.push(Line {
                    path,
                    ticked: false,
                    tags,
                }),
                Err(message) => unproposed.push(Told {
                    line: None,
                    path: Some(path),
                    message,
                }),
            }
        }
        let (new, unwritten) = edit::propose(&text, &lines);
        let proposed = lines.len() - unwritten.len();
        unproposed.extend(unwritten.into_iter().map(|line| Told {
            line: None,
            path: Some(line.path),
            message: "its path cannot stand on the page; rename the file".to_owned(),
        }));
        if proposed > 0 {
            self.put_page(&journal, page, new)?;
        }
        Ok(Tagged {
            review: self.review()?,
            proposed,
            unproposed,
            usage,
        })
    }

    /// How often proposals are what people chose, over the notes that have tags of the taxonomy.
    /// Their tags play no part in a proposal, so nothing has to be hidden from it.
    pub(crate) fn measure(&self, proposer: &Proposer<'_>) -> Result<Measured, Refusal> {
        let taxonomy = self.allowed()?;
        let proposals = proposer.by_likeness(&taxonomy)?;
        let mut measured = Measured::default();
        for path in &self.notes {
            let (Ok(Some(text)), Some(proposed)) = (self.text(path), proposals.get(path)) else {
                continue;
            };
            let tags = parse(path, &text).tags;
            let had: BTreeSet<&str> = tags
                .iter()
                .filter_map(|tag| taxonomy.allows(tag))
                .map(|tag| tag.name.as_str())
                .collect();
            if had.is_empty() {
                continue;
            }
            let right = proposed
                .iter()
                .filter(|tag| had.contains(tag.as_str()))
                .count();
            measured.notes += 1;
            measured.best_is_right += usize::from(
                proposed
                    .first()
                    .is_some_and(|tag| had.contains(tag.as_str())),
            );
            measured.one_is_right += usize::from(right > 0);
            measured.proposed += proposed.len();
            measured.had += had.len();
            measured.right += right;
        }
        Ok(measured)
    }

    /// The taxonomy, which there must be.
    fn allowed(&self) -> Result<Taxonomy, Refusal> {
        let taxonomy = self.taxonomy()?;
        if taxonomy.tags.is_empty() {
            let message = format!("{} names no tags", self.domain.taxonomy);
            let hint = "write one tag a line: `- tag: what it is for`";
            return Err(Refusal::new(Code::BadRequest, message).hint(hint));
        }
        Ok(taxonomy)
    }
}

/// Whether a note has a tag of the taxonomy.
fn has_allowed(path: &str, text: &str, taxonomy: &Taxonomy) -> bool {
    let tags = parse(path, text).tags;
    tags.iter().any(|tag| taxonomy.allows(tag).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_tag_is_always_proposed_and_others_if_they_stand_out() {
        let check = |scores: &[f64], expected: &[usize]| {
            assert_eq!(chosen(scores), expected, "{scores:?}");
        };
        check(&[], &[]);
        check(&[-0.2, -0.1], &[1]);
        check(&[0.01, 0.02, 0.02], &[1]);
        check(&[0.2, 0.05, 0.15, 0.2], &[0, 3, 2]);
        check(&[0.1; 9], &[0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_usual_for_a_tag_and_for_a_note_counts_for_nothing() {
        // The first tag is like everything, the last note like nothing.
        let like: Vec<Vec<f64>> = (0..40)
            .map(|note| {
                let own = if note % 2 == 0 {
                    [0.0, 0.1, 0.0]
                } else {
                    [0.0, 0.0, 0.1]
                };
                let base = if note == 39 { 0.1 } else { 0.5 };
                vec![base + 0.2 + own[0], base + own[1], base + own[2]]
            })
            .collect();
        let scores = centred(&like);
        assert_eq!(chosen(&scores[0])[0], 1);
        assert_eq!(chosen(&scores[39])[0], 2);
        // Of a single note nothing is known to be usual.
        assert_eq!(chosen(&centred(&[vec![0.2, 0.5, 0.3]])[0])[0], 1);
    }

    #[test]
    fn a_tag_is_compared_by_its_words() {
        let page = "## Sectors\n\n- sector/cold-storage: keeping things cold\n- x\n";
        let tags = concord_text::taxonomy(page).tags;
        assert_eq!(
            described(&tags[0]),
            "sector cold storage. Sectors. keeping things cold"
        );
        assert_eq!(described(&tags[1]), "x. Sectors");
    }
}
