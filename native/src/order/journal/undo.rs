//! Taking a change back.
//!
//! To take back is to change: the files of the plan get the contents that they had, by the same way
//! through the journal, and with the same regard for what somebody else saved since. An undo is
//! remembered like any change, and names the one that it took back, which cannot be taken back again.

use std::path::Path;

use serde::Serialize;

use super::history::happened;
use super::plan::{Held, Plan, Record};
use super::{Change, Conflict, Journal, Kind, Purpose};
use crate::refusal::{Code, Refusal};

/// Which change is to be taken back.
pub(crate) struct Wanted<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) kind: Kind,
    pub(crate) domain: &'a str,
    /// Restore the others where some were changed since.
    pub(crate) leave_changed: bool,
}

/// What was taken back.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Undone {
    /// Files that are as they were before.
    pub(crate) restored: Vec<String>,
    /// Files that were changed since, and are left as they are.
    pub(crate) conflicts: Vec<Conflict>,
    /// The change that was taken back; none if it was not.
    pub(crate) undone: Option<String>,
}

/// A renaming that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct LastRename {
    /// The change's name.
    pub(crate) journal: String,
    /// Unix seconds.
    pub(crate) at: Option<u64>,
    /// Old and new names; none if the change is older than their being kept.
    pub(crate) renames: Vec<(String, String)>,
    pub(crate) files: Vec<String>,
}

/// The renaming of a domain that would be taken back next, if there is one. Nothing is changed.
pub(crate) fn last_rename(root: &Path, domain: &str) -> Result<Option<LastRename>, Refusal> {
    let happened = happened(root)?;
    Ok(
        last(&happened, Kind::Rename, domain).map(|(record, plan)| LastRename {
            journal: plan.id.clone(),
            at: record.time(),
            renames: plan.renames.clone(),
            files: plan.files.iter().map(|file| file.path.clone()).collect(),
        }),
    )
}

/// The last change of a kind that was not taken back.
fn last<'h>(
    happened: &'h [(Record, Plan)],
    kind: Kind,
    domain: &str,
) -> Option<&'h (Record, Plan)> {
    happened.iter().rfind(|(_, plan)| {
        plan.domain == domain && plan.kind == kind && !taken_back(happened, &plan.id)
    })
}

fn taken_back(happened: &[(Record, Plan)], id: &str) -> bool {
    let mut plans = happened.iter().map(|(_, plan)| plan);
    plans.any(|plan| plan.undoes.as_deref() == Some(id))
}

impl Journal {
    /// Takes a change back: the last one of this kind that was not, or one by its name.
    pub(crate) fn undo(&self, wanted: &Wanted<'_>) -> Result<Undone, Refusal> {
        let happened = happened(&self.root)?;
        let (record, plan) = wanted.among(&happened)?;
        let (changes, mut conflicts) = self.back(record, plan)?;
        if !conflicts.is_empty() && !wanted.leave_changed {
            return Ok(Undone {
                restored: Vec::new(),
                conflicts,
                undone: None,
            });
        }
        let purpose = Purpose {
            kind: Kind::Undo,
            domain: &plan.domain,
            undoes: Some(&plan.id),
            renames: &[],
        };
        let outcome = self.make(purpose, &changes)?;
        let lost = |path: &str| outcome.conflicts.iter().any(|it| it.path == path);
        let restored = changes.into_iter().map(|change| change.path);
        let restored = restored.filter(|path| !lost(path)).collect();
        conflicts.extend(outcome.conflicts);
        Ok(Undone {
            restored,
            conflicts,
            undone: Some(plan.id.clone()),
        })
    }

    /// The change the other way round, but for the files that are not as it left them.
    fn back(&self, record: &Record, plan: &Plan) -> Result<(Vec<Change>, Vec<Conflict>), Refusal> {
        let text = |held: &Option<Held>| {
            let bytes = held.as_ref().map(|held| record.content(held)).transpose()?;
            bytes.map(String::from_utf8).transpose().map_err(|_| {
                let message = format!("{} is damaged", record.folder().display());
                Refusal::new(Code::Internal, message)
            })
        };
        let (mut changes, mut conflicts) = (Vec::new(), Vec::new());
        for back in plan.files.iter().map(|file| file.back()) {
            match self.look(&back) {
                Ok(()) => changes.push(Change {
                    old: text(&back.old)?,
                    new: text(&back.new)?,
                    path: back.path,
                }),
                Err(conflict) => conflicts.push(conflict),
            }
        }
        Ok((changes, conflicts))
    }
}

impl Wanted<'_> {
    /// The one that is meant, if it can be taken back.
    fn among<'h>(&self, happened: &'h [(Record, Plan)]) -> Result<&'h (Record, Plan), Refusal> {
        let found = match self.id {
            Some(id) => {
                let mut all = happened.iter();
                all.find(|(_, plan)| plan.domain == self.domain && plan.id == id)
            }
            None => last(happened, self.kind, self.domain),
        };
        let Some(found) = found else {
            let what = self.id.map_or_else(
                || "there is nothing to take back".to_owned(),
                |id| format!("there is no change `{id}` to take back"),
            );
            let known: Vec<&str> = happened.iter().map(|(_, plan)| plan.id.as_str()).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            let hint = format!("changes that are remembered: {known}");
            return Err(Refusal::new(Code::NotFound, what).hint(hint));
        };
        if taken_back(happened, &found.1.id) {
            let message = format!("the change `{}` was taken back already", found.1.id);
            return Err(Refusal::new(Code::Conflict, message));
        }
        Ok(found)
    }
}
