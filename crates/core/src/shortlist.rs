//! From a sorted list of candidates to the answer: diversity, limit, small-corpus guard, budget.
//!
//! In the order of the list, a candidate is dropped if its note or page already stands there as
//! often as the profile allows; then if the list is full; then if every sentence of its excerpt was
//! shown by another chunk of its note (one without an excerpt repeats nothing); then if its text does
//! not fit into what is left of the budget (a shorter one further down still may). Nothing vanishes:
//! what was dropped is returned with the reason.
//!
//! Small-corpus guard: with fewer than `below` candidates of which the limit would drop more than
//! the part `max_dropped`, the limit does not apply.

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::Bundle;
use crate::excerpt;
use crate::profile::{Budget, Profile};
use crate::rank::Candidate;
use crate::ranking::DropReason;

/// What is shown, and what is not.
pub(crate) struct Shortlist {
    pub(crate) kept: Vec<Candidate>,
    pub(crate) dropped: Vec<(Candidate, DropReason)>,
    /// The guard lifted the limit.
    pub(crate) small_corpus: bool,
}

/// Walks down the list once.
pub(crate) fn choose(bundle: &Bundle, candidates: Vec<Candidate>, profile: &Profile) -> Shortlist {
    let small_corpus = guards(candidates.len(), profile);
    let limit = if small_corpus {
        candidates.len()
    } else {
        profile.limit as usize
    };
    let diversity = &profile.diversity;
    let mut tokens_left = profile.budget.max_tokens;
    let mut of_note: BTreeMap<&str, u32> = BTreeMap::new();
    let mut of_page: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    let mut shown: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut list = Shortlist {
        kept: Vec::new(),
        dropped: Vec::new(),
        small_corpus,
    };

    for candidate in candidates {
        let chunk = &bundle.chunks[candidate.chunk];
        let note = chunk.note.as_str();
        let page = chunk.page.map(|page| (note, page));
        let is_full = |count: Option<&u32>, most: Option<u32>| {
            most.is_some_and(|most| count.copied().unwrap_or(0) >= most)
        };
        // Only where it matters: to count the characters of every text takes longer than all else here.
        let length = || tokens(&chunk.text, &profile.budget);
        let sentences = || excerpt::texts(chunk, profile.excerpt.sentences).map(|it| (note, it));
        let repeats = || {
            let mut sentences = sentences().peekable();
            sentences.peek().is_some() && sentences.all(|sentence| shown.contains(&sentence))
        };

        let reason = if is_full(of_note.get(note), diversity.max_per_note) {
            Some(DropReason::NoteFull)
        } else if page.is_some_and(|page| is_full(of_page.get(&page), diversity.max_per_page)) {
            Some(DropReason::PageFull)
        } else if list.kept.len() >= limit {
            Some(DropReason::Limit)
        } else if !diversity.repeats && repeats() {
            Some(DropReason::Repeats)
        } else if tokens_left.is_some_and(|left| length() > left) {
            Some(DropReason::Budget)
        } else {
            None
        };

        if let Some(reason) = reason {
            list.dropped.push((candidate, reason));
            continue;
        }
        *of_note.entry(note).or_default() += 1;
        if let Some(page) = page {
            *of_page.entry(page).or_default() += 1;
        }
        tokens_left = tokens_left.map(|left| left - length());
        shown.extend(sentences());
        list.kept.push(candidate);
    }
    list
}

fn guards(candidates: usize, profile: &Profile) -> bool {
    let guard = &profile.small_corpus;
    let candidates = crate::graph::dense(candidates);
    let dropped = f64::from(candidates.saturating_sub(profile.limit));
    guard.guard && candidates < guard.below && dropped > guard.max_dropped * f64::from(candidates)
}

/// The length of a text in tokens, rounded up.
pub(crate) fn tokens(text: &str, budget: &Budget) -> u32 {
    let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    characters.div_ceil(budget.chars_per_token)
}
