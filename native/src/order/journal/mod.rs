//! Many files changed at once: all of them or none, whenever the power goes.
//!
//! Every change of notes goes through here: promoting, renaming, undoing. A change is a list of files,
//! each with the content that it must have and the content that it gets.
//!
//! ```text
//! stage        plan and contents are written down                   plan.rs
//! lay beside   new contents beside the notes; are all as read?      replace.rs
//! commit       ONE RENAMING: from here on the change has happened   plan.rs
//! carry out    one renaming a note; what is not as read stays       replace.rs
//! ```
//!
//! Interrupted before the commit it has not happened, after it it has: [`recover`] makes it so. The last
//! changes are remembered (`history.rs`) and can be taken back (`undo.rs`).
//!
//! One process at a time has the [`Journal`], and only with it can notes be changed.

mod history;
mod plan;
mod recover;
mod replace;
#[cfg(test)]
mod tests;
mod undo;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub(crate) use recover::{recover, unfinished};
pub(crate) use undo::{LastRename, Undone, Wanted, last_rename};

use super::file::broken;
use crate::refusal::{Code, Refusal};
use crate::vault::KEPT;

/// A file that is to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// From the vault's folder, with `/`.
    pub(crate) path: String,
    /// What it must hold; none if it must not be there.
    pub(crate) old: Option<String>,
    /// What it gets; none if it goes.
    pub(crate) new: Option<String>,
}

/// What a change is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Promote,
    Rename,
    /// Only the page with proposals.
    Review,
    Undo,
}

/// What a change is for, and where.
#[derive(Clone, Copy)]
struct Purpose<'a> {
    kind: Kind,
    domain: &'a str,
    /// The change that this one takes back.
    undoes: Option<&'a str>,
    /// Old and new names of tags.
    renames: &'a [(String, String)],
}

/// What became of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Outcome {
    /// Its name, for undoing it; none if there was nothing to do.
    pub(crate) journal: Option<String>,
    /// Files that somebody else changed meanwhile, and that were left as they are.
    pub(crate) conflicts: Vec<Conflict>,
}

/// A file that was not touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Conflict {
    pub(crate) path: String,
    pub(crate) message: String,
}

impl Conflict {
    fn of(path: &str, message: String) -> Self {
        Self {
            path: path.to_owned(),
            message,
        }
    }

    fn changed(path: &str) -> Self {
        Self::of(path, "was changed by somebody else meanwhile".to_owned())
    }
}

/// The right to write notes of a vault, for one at a time.
pub(crate) struct Journal {
    root: PathBuf,
    /// The system lets go of it when the process ends, however it ends.
    _lock: File,
}

impl Journal {
    /// Becomes the one that writes, and finishes what was interrupted.
    pub(crate) fn open(root: &Path) -> Result<Self, Refusal> {
        let folder = history::folder(root);
        fs::create_dir_all(&folder).map_err(|error| broken(&folder, &error))?;
        let file = root.join(KEPT).join("lock");
        let lock = File::options().create(true).append(true).open(&file);
        let lock = lock.map_err(|error| broken(&file, &error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = "another process is changing notes of this vault";
                return Err(Refusal::new(Code::Busy, message).hint("wait for it to end"));
            }
            Err(TryLockError::Error(error)) => return Err(broken(&file, &error)),
        }
        let journal = Self {
            root: root.to_owned(),
            _lock: lock,
        };
        for interrupted in unfinished(root)? {
            journal.finish(&interrupted)?;
        }
        Ok(journal)
    }

    /// Changes all of these files, or none of them.
    pub(crate) fn change(
        &self,
        kind: Kind,
        domain: &str,
        changes: &[Change],
    ) -> Result<Outcome, Refusal> {
        let purpose = Purpose {
            kind,
            domain,
            undoes: None,
            renames: &[],
        };
        self.make(purpose, changes)
    }

    /// Likewise, where tags get other names.
    pub(crate) fn rename(
        &self,
        renames: &[(String, String)],
        domain: &str,
        changes: &[Change],
    ) -> Result<Outcome, Refusal> {
        let purpose = Purpose {
            kind: Kind::Rename,
            domain,
            undoes: None,
            renames,
        };
        self.make(purpose, changes)
    }

    fn make(&self, purpose: Purpose<'_>, changes: &[Change]) -> Result<Outcome, Refusal> {
        if changes.is_empty() {
            return Ok(Outcome::default());
        }
        let record = self.new_record()?;
        let staged = record.stage(purpose, changes);
        let staged = staged.and_then(|plan| {
            self.lay_all_beside(&record, &plan)?;
            Ok(plan)
        });
        let plan = match staged {
            Ok(plan) => plan,
            Err(refusal) => {
                self.discard(&record)?;
                return Err(refusal);
            }
        };
        record.commit()?;
        let conflicts = self.carry_out(&record, &plan)?;
        self.forget_old()?;
        Ok(Outcome {
            journal: Some(plan.id),
            conflicts,
        })
    }
}
