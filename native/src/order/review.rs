//! The page with proposals, as others see it, and as they change it.

use concord_text::edit::{self, Line};
use concord_text::{parse, review_queue};
use serde::{Deserialize, Serialize};

use super::file::hash;
use super::journal::{Change, Journal, Kind};
use super::{Order, Told};
use crate::refusal::{Code, Refusal};

/// The page with proposals.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Review {
    /// Its path in the vault.
    file: String,
    /// Changes with its content.
    pub(crate) hash: String,
    pub(crate) entries: Vec<Entry>,
    /// Lines that cannot be used.
    problems: Vec<Told>,
    /// The tags that the domain allows.
    taxonomy: Vec<Allowed>,
}

/// A line of the page.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Entry {
    line: usize,
    pub(crate) path: String,
    /// None if there is no such note.
    title: Option<String>,
    ticked: bool,
    tags: Vec<Named>,
    /// Whether the domain has the note.
    exists: bool,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
struct Named {
    name: String,
    /// Whether the taxonomy has it.
    known: bool,
}

/// A tag that the domain allows.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
struct Allowed {
    name: String,
    description: String,
    group: Option<String>,
}

/// What the page should say.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// That of the page which was looked at.
    hash: String,
    entries: Vec<WantedEntry>,
}

#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct WantedEntry {
    path: String,
    ticked: bool,
    tags: Vec<String>,
}

impl Order<'_> {
    /// The page as it is.
    pub(crate) fn review(&self) -> Result<Review, Refusal> {
        let file = &self.domain.review_queue;
        let text = self.text(file)?.unwrap_or_default();
        let allowed = self.taxonomy()?;
        let queue = review_queue(&text);
        let mut entries = Vec::new();
        for entry in queue.entries {
            let note = self.note(&entry.path);
            let title = match note.map(|note| self.text(note)) {
                Some(Ok(Some(text))) => Some(parse(&entry.path, &text).title),
                _ => None,
            };
            let named = entry.tags.into_iter().map(|name| Named {
                known: allowed.allows(&name).is_some(),
                name,
            });
            entries.push(Entry {
                line: entry.line,
                path: entry.path.clone(),
                title,
                ticked: entry.ticked,
                tags: named.collect(),
                exists: note.is_some(),
            });
        }
        let problems = queue.problems.into_iter().map(|problem| Told {
            line: Some(problem.line),
            path: None,
            message: problem.message,
        });
        let taxonomy = allowed.tags.into_iter().map(|tag| Allowed {
            name: tag.name,
            description: tag.description,
            group: tag.group,
        });
        Ok(Review {
            file: file.clone(),
            hash: hash(text.as_bytes()),
            entries,
            problems: problems.collect(),
            taxonomy: taxonomy.collect(),
        })
    }

    /// Has the page say this, unless somebody changed it since it was looked at.
    pub(crate) fn set_review(&self, wanted: &Wanted) -> Result<Review, Refusal> {
        let journal = Journal::open(self.root())?;
        let file = &self.domain.review_queue;
        let old = self.text(file)?;
        let text = old.clone().unwrap_or_default();
        if hash(text.as_bytes()) != wanted.hash {
            let message = format!("{file} was changed since it was looked at");
            return Err(Refusal::new(Code::Conflict, message).hint("look at it again"));
        }
        let lines = wanted.entries.iter().map(|entry| Line {
            path: entry.path.clone(),
            ticked: entry.ticked,
            tags: entry.tags.clone(),
        });
        let lines: Vec<Line> = lines.collect();
        let new = edit::rewrite(&text, &lines);
        let new = new.map_err(|problem| Refusal::at("entries", problem.to_string()))?;
        self.put_page(&journal, old, new)?;
        self.review()
    }

    /// Writes the page, if it says something else than before.
    pub(crate) fn put_page(
        &self,
        journal: &Journal,
        old: Option<String>,
        new: String,
    ) -> Result<(), Refusal> {
        if old.as_ref() == Some(&new) || (old.is_none() && new.is_empty()) {
            return Ok(());
        }
        let change = Change {
            path: self.domain.review_queue.clone(),
            old,
            new: Some(new),
        };
        journal
            .change(Kind::Review, &self.domain.name, &[change])
            .map(drop)
    }
}
