//! The changes that are kept so that they can be undone: their order, their names, and how many.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Journal;
use super::plan::{Plan, Record};
use crate::order::file::broken;
use crate::refusal::Refusal;
use crate::vault::KEPT;

/// So many changes can be undone; older ones are forgotten.
pub(super) const REMEMBERED: usize = 20;

/// Where the changes of a vault are kept.
pub(super) fn folder(root: &Path) -> PathBuf {
    root.join(KEPT).join("renames")
}

/// Every change of a vault that is kept, whatever became of it, the oldest first.
pub(super) fn records(root: &Path) -> Result<Vec<Record>, Refusal> {
    let folder = folder(root);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(broken(&folder, &error)),
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    Ok(found.into_iter().map(Record::at).collect())
}

/// Every change of a vault that happened and is remembered, the oldest first.
pub(super) fn happened(root: &Path) -> Result<Vec<(Record, Plan)>, Refusal> {
    let mut happened = Vec::new();
    for record in records(root)? {
        if let Some(plan) = record.committed()? {
            happened.push((record, plan));
        }
    }
    Ok(happened)
}

impl Journal {
    /// The folder of a change to come, whose name sorts after all earlier ones.
    pub(super) fn new_record(&self) -> Result<Record, Refusal> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_secs());
        let last = records(&self.root)?.pop();
        let last = last.and_then(|record| {
            let (time, number) = record.id().split_once('-')?;
            Some((time.parse::<u64>().ok()?, number.parse::<u64>().ok()?))
        });
        let id = match last {
            Some((time, number)) if time >= now => format!("{time:010}-{:03}", number + 1),
            _ => format!("{now:010}-000"),
        };
        Ok(Record::at(folder(&self.root).join(id)))
    }

    /// Forgets all but the last changes.
    pub(super) fn forget_old(&self) -> Result<(), Refusal> {
        let records = records(&self.root)?;
        let old = records.len().saturating_sub(REMEMBERED);
        records[..old].iter().try_for_each(Record::remove)
    }
}
