//! Tags under other names, in all notes of a domain and on its two pages, or in none.
//!
//! A note that cannot be edited keeps all of them from being renamed: half a rename would be two
//! tags where there was one.

use std::collections::{BTreeMap, BTreeSet};

use concord_text::edit::{Renamed, Renames};
use concord_text::parse;
use serde::Serialize;

use super::journal::{Change, Conflict, Journal};
use super::{Order, Told, diff};
use crate::refusal::{Code, Refusal};

/// What was renamed, or would be.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Renaming {
    pub(crate) files: Vec<RenamedFile>,
    /// Tags that become one.
    pub(crate) merges: Vec<Merge>,
    /// What keeps them from being renamed.
    pub(crate) problems: Vec<Told>,
    pub(crate) applied: bool,
    /// The change's name, for taking it back.
    pub(crate) journal: Option<String>,
    /// Files that somebody changed meanwhile, and that were left as they are.
    pub(crate) conflicts: Vec<Conflict>,
}

/// A file in which tags get other names.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct RenamedFile {
    pub(crate) path: String,
    /// How many times.
    pub(crate) uses: usize,
    pub(crate) diff: String,
}

/// Several tags that become one: what was told apart can no longer be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Merge {
    pub(crate) into: String,
    pub(crate) from: Vec<String>,
}

impl Order<'_> {
    /// Renames tags; without `apply`, only tells what that would be.
    pub(crate) fn rename(&self, renames: &Renames, apply: bool) -> Result<Renaming, Refusal> {
        let journal = if apply {
            Some(Journal::open(self.root())?)
        } else {
            super::journal::recover(self.root())?;
            None
        };
        let mut renaming = Renaming {
            files: Vec::new(),
            merges: Vec::new(),
            problems: Vec::new(),
            applied: false,
            journal: None,
            conflicts: Vec::new(),
        };
        let mut changes = Vec::new();
        let mut tags = Tags::default();
        let mut take =
            |path: &str, old: String, renamed: Result<Option<Renamed>, concord_text::Problem>| {
                match renamed {
                    Ok(None) => {}
                    Ok(Some(Renamed { text, uses })) => {
                        renaming.files.push(RenamedFile {
                            path: path.to_owned(),
                            uses,
                            diff: diff(path, &old, &text),
                        });
                        changes.push(Change {
                            path: path.to_owned(),
                            old: Some(old),
                            new: Some(text),
                        });
                    }
                    Err(problem) => renaming.problems.push(Told {
                        line: Some(problem.line),
                        path: Some(path.to_owned()),
                        message: problem.message,
                    }),
                }
            };
        for path in &self.notes {
            // What is no text is no note, and has no tags.
            let text = match self.text(path) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(refusal) if refusal.code == Code::Conflict => continue,
                Err(refusal) => return Err(refusal),
            };
            tags.add(renames, &parse(path, &text).tags);
            let renamed = renames.note(&text);
            take(path, text, renamed);
        }
        if let Some(text) = self.text(&self.domain.taxonomy)? {
            let names = concord_text::taxonomy(&text).tags.into_iter();
            tags.add(renames, &names.map(|tag| tag.name).collect::<Vec<_>>());
            let renamed = renames.taxonomy(&text);
            take(&self.domain.taxonomy, text, renamed);
        }
        if let Some(text) = self.text(&self.domain.review_queue)? {
            let renamed = renames.queue(&text);
            take(&self.domain.review_queue, text, renamed);
        }
        renaming.merges = tags.merges();
        for (from, _) in renames.pairs() {
            if !tags.has(from) {
                renaming.problems.push(Told {
                    line: None,
                    path: None,
                    message: format!(
                        "no note of this domain and no line of its taxonomy has the tag `{from}`"
                    ),
                });
            }
        }
        if let (Some(journal), true) = (journal, renaming.problems.is_empty()) {
            let pairs = renames.pairs();
            let pairs: Vec<_> = pairs.map(|(from, to)| (from.into(), to.into())).collect();
            let outcome = journal.rename(&pairs, &self.domain.name, &changes)?;
            renaming.applied = true;
            renaming.journal = outcome.journal;
            renaming.conflicts = outcome.conflicts;
        }
        Ok(renaming)
    }
}

/// The tags of a domain, by what they are called afterwards.
#[derive(Default)]
struct Tags {
    /// The name, in lower case: as it is first met, and the names before.
    after: BTreeMap<String, (String, BTreeSet<String>)>,
    renamed: BTreeSet<String>,
    all: BTreeSet<String>,
}

impl Tags {
    fn add(&mut self, renames: &Renames, names: &[String]) {
        for name in names {
            let new = renames.of(name);
            let before = name.to_lowercase();
            self.all.insert(before.clone());
            if new.is_some() {
                self.renamed.insert(before.clone());
            }
            let new = new.unwrap_or_else(|| name.clone());
            let entry = self.after.entry(new.to_lowercase());
            let (_, names) = entry.or_insert_with(|| (new, BTreeSet::new()));
            names.insert(before);
        }
    }

    /// Whether there is this tag, or one below it.
    fn has(&self, tag: &str) -> bool {
        let tag = tag.to_lowercase();
        let below = format!("{tag}/");
        self.all.contains(&tag) || self.all.iter().any(|name| name.starts_with(&below))
    }

    fn merges(&self) -> Vec<Merge> {
        let mut merges = Vec::new();
        for (into, names) in self.after.values() {
            let from: Vec<String> = names
                .iter()
                .filter(|name| self.renamed.contains(*name))
                .cloned()
                .collect();
            if names.len() > 1 && !from.is_empty() {
                merges.push(Merge {
                    into: into.clone(),
                    from,
                });
            }
        }
        merges
    }
}
