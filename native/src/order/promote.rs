//! What people agreed with, written into their notes.
//!
//! A ticked line of the review queue is applied if its note is there, its tags are in the taxonomy
//! and the note can be edited; then the line goes. A line that cannot be applied stays as it is, and
//! is told with its reason. Notes and queue change together or not at all.

use std::collections::BTreeMap;

use concord_text::edit;
use concord_text::review_queue;
use serde::Serialize;

use super::journal::{Change, Conflict, Journal, Kind};
use super::{Order, Told, diff};
use crate::refusal::Refusal;

/// What was promoted, or would be.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Promoted {
    pub(crate) applied: Vec<Applied>,
    /// Lines that stay, and why.
    pub(crate) problems: Vec<Told>,
    pub(crate) dry_run: bool,
    /// Entries that are left on the page.
    pub(crate) left: usize,
    /// The change's name, for taking it back.
    pub(crate) journal: Option<String>,
    /// Notes that somebody changed meanwhile, and that were left as they are.
    pub(crate) conflicts: Vec<Conflict>,
}

/// A note that got tags.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Applied {
    pub(crate) path: String,
    /// Empty if it had them all.
    pub(crate) added: Vec<String>,
    pub(crate) diff: String,
}

impl Order<'_> {
    /// Writes what is ticked into the notes; on a dry run, only tells what that would be.
    pub(crate) fn promote(&self, dry_run: bool) -> Result<Promoted, Refusal> {
        let journal = if dry_run {
            super::journal::recover(self.root())?;
            None
        } else {
            Some(Journal::open(self.root())?)
        };
        let page = &self.domain.review_queue;
        let old_page = self.text(page)?;
        let text = old_page.clone().unwrap_or_default();
        let queue = review_queue(&text);
        let allowed = self.taxonomy()?;
        let mut promoted = Promoted {
            applied: Vec::new(),
            problems: Vec::new(),
            dry_run,
            left: 0,
            journal: None,
            conflicts: Vec::new(),
        };
        for problem in &queue.problems {
            promoted.problems.push(Told {
                line: Some(problem.line),
                path: None,
                message: problem.message.clone(),
            });
        }
        // By note, since a note may stand on several lines.
        let mut notes: BTreeMap<String, Edited> = BTreeMap::new();
        let mut done = Vec::new();
        for entry in queue.entries.iter().filter(|entry| entry.ticked) {
            let mut tags = Vec::new();
            let unknown = entry.tags.iter().find(|tag| match allowed.allows(tag) {
                Some(known) => {
                    tags.push(known.name.as_str());
                    false
                }
                None => true,
            });
            let applied = match (unknown, self.note(&entry.path)) {
                (Some(tag), _) => Err(format!(
                    "`{tag}` is not in {}; add it there, or take it from the line",
                    self.domain.taxonomy
                )),
                (None, None) => Err("there is no such note in this domain".to_owned()),
                (None, Some(note)) => self
                    .edited(&mut notes, note)
                    .and_then(|note| note.add(&tags)),
            };
            match applied {
                Ok(()) => done.push(entry.line),
                Err(message) => promoted.problems.push(Told {
                    line: Some(entry.line),
                    path: Some(entry.path.clone()),
                    message,
                }),
            }
        }
        promoted.left = queue.entries.len() - done.len();
        let new_page = edit::drop_entries(&text, &done).map_err(|problem| {
            Refusal::new(crate::refusal::Code::Conflict, format!("{page}: {problem}"))
        })?;
        let mut changes = Vec::new();
        for (path, Edited { old, new, added }) in notes {
            promoted.applied.push(Applied {
                diff: diff(&path, &old, &new),
                path: path.clone(),
                added,
            });
            if new != old {
                changes.push(Change {
                    path,
                    old: Some(old),
                    new: Some(new),
                });
            }
        }
        if new_page != text {
            changes.push(Change {
                path: page.clone(),
                old: old_page,
                new: Some(new_page),
            });
        }
        if let Some(journal) = journal {
            let outcome = journal.change(Kind::Promote, &self.domain.name, &changes)?;
            promoted.journal = outcome.journal;
            promoted.conflicts = outcome.conflicts;
        }
        Ok(promoted)
    }

    /// A note as it is edited so far.
    fn edited<'n>(
        &self,
        notes: &'n mut BTreeMap<String, Edited>,
        path: &str,
    ) -> Result<&'n mut Edited, String> {
        if !notes.contains_key(path) {
            let text = self.text(path).map_err(|refusal| refusal.message)?;
            let text = text.ok_or("there is no such note any more")?;
            notes.insert(path.to_owned(), Edited::new(text));
        }
        notes
            .get_mut(path)
            .ok_or_else(|| "there is no such note".to_owned())
    }
}

/// A note that is being edited.
struct Edited {
    old: String,
    new: String,
    added: Vec<String>,
}

impl Edited {
    fn new(text: String) -> Self {
        Self {
            new: text.clone(),
            old: text,
            added: Vec::new(),
        }
    }

    /// All of these tags, or none of them.
    fn add(&mut self, tags: &[&str]) -> Result<(), String> {
        let has = concord_text::parse("", &self.new).tags;
        if let Some(new) = edit::add_tags(&self.new, tags).map_err(|problem| problem.to_string())? {
            let now = concord_text::parse("", &new).tags;
            self.added
                .extend(now.into_iter().filter(|tag| !has.contains(tag)));
            self.new = new;
        }
        Ok(())
    }
}
