//! What becomes of a change that was interrupted.
//!
//! Before the commit point no note has been touched, and the attempt is thrown away. After it the change
//! has happened, and whoever opens the journal next goes on where it stopped. There is no third case,
//! and nobody is asked.

use std::path::Path;

use super::plan::{Plan, Record};
use super::{Journal, history};
use crate::refusal::Refusal;

/// A change that did not come to its end.
pub(crate) struct Interrupted {
    record: Record,
    /// None if nothing had been touched yet.
    plan: Option<Plan>,
}

impl Interrupted {
    /// In words.
    pub(crate) fn told(&self) -> String {
        match &self.plan {
            None => "a change of notes was given up before it touched any".to_owned(),
            Some(plan) => format!(
                "a change of {} notes ({}) stopped half-way",
                plan.files.len(),
                plan.id
            ),
        }
    }
}

/// The changes of a vault that did not come to their end. Nothing is done about them.
pub(crate) fn unfinished(root: &Path) -> Result<Vec<Interrupted>, Refusal> {
    let mut found = Vec::new();
    for record in history::records(root)? {
        if !record.is_closed() {
            let plan = record.committed()?;
            found.push(Interrupted { record, plan });
        }
    }
    Ok(found)
}

/// Finishes what was interrupted, if anything was; says how many changes were.
pub(crate) fn recover(root: &Path) -> Result<usize, Refusal> {
    let count = unfinished(root)?.len();
    if count > 0 {
        Journal::open(root)?;
    }
    Ok(count)
}

impl Journal {
    /// Brings an interrupted change to its end, or undoes its beginning.
    pub(super) fn finish(&self, interrupted: &Interrupted) -> Result<(), Refusal> {
        match &interrupted.plan {
            None => self.discard(&interrupted.record),
            Some(plan) => self.carry_out(&interrupted.record, plan).map(drop),
        }
    }

    /// Throws an attempt away that has touched no note.
    pub(super) fn discard(&self, record: &Record) -> Result<(), Refusal> {
        if let Some(plan) = record.staged()? {
            self.clear_beside(&plan);
        }
        record.remove()
    }
}
