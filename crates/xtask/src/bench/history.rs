//! The figures of all runs: a file with a line of JSON a row, only ever added to.
//!
//! It is kept in the checkout, so that it outlives the target folder and travels with the code that
//! it tells about. A run adds to it; whoever commits decides which runs are worth keeping.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::row::Row;

/// Where it is kept, from the checkout's root.
pub(crate) const FILE: &str = "tests/bench-history.jsonl";

/// A row of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// When the run began; the same for all of its rows.
    pub(crate) at: String,
    /// Of what it was a run.
    pub(crate) commit: String,
    /// Where.
    pub(crate) machine: Machine,
    /// The load average before this part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) load: Option<f64>,
    /// The part of the processors that others had meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) others: Option<f64>,
    #[serde(flatten)]
    pub(crate) row: Row,
}

/// Adds entries at the end.
pub(crate) fn append(file: &Path, entries: &[Entry]) -> Result<()> {
    let mut lines = String::new();
    for entry in entries {
        lines += &serde_json::to_string(entry)?;
        lines.push('\n');
    }
    let open = OpenOptions::new().append(true).create(true).open(file);
    open.and_then(|mut open| open.write_all(lines.as_bytes()))
        .with_context(|| format!("{} cannot be written", file.display()))
}

/// All entries, oldest first; none where there is no file.
pub(crate) fn read(file: &Path) -> Result<Vec<Entry>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("{}", file.display())),
    };
    let entry = |(line, number): (&str, usize)| {
        serde_json::from_str(line)
            .with_context(|| format!("{}, line {number}: not an entry", file.display()))
    };
    text.lines().zip(1..).map(entry).collect()
}

#[cfg(test)]
pub(super) fn sample(at: &str, ours: f64) -> Entry {
    Entry {
        at: at.to_owned(),
        commit: "0123456789ab".to_owned(),
        machine: Machine {
            cpu: "Some <CPU>".to_owned(),
            cores: 2,
            features: vec!["avx2".to_owned()],
        },
        load: Some(0.4),
        others: None,
        row: Row::alone("knn", "50000x1024", "ms", ours)
            .beside("sqlite-vec", 80.0)
            .at_most(0.25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_comes_back_behind_what_was_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("history.jsonl");
        assert_eq!(read(&file).expect("nothing yet"), []);
        let (old, new) = (
            sample("2026-01-01T00:00:00Z", 9.0),
            sample("2026-01-02T00:00:00Z", 8.5),
        );
        append(&file, std::slice::from_ref(&old)).expect("written");
        append(&file, std::slice::from_ref(&new)).expect("written");
        assert_eq!(read(&file).expect("two"), [old, new]);
    }

    #[test]
    fn a_line_that_is_no_entry_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("history.jsonl");
        fs::write(&file, "{}\n").expect("written");
        let error = format!("{:#}", read(&file).expect_err("not an entry"));
        assert!(error.contains("line 1: not an entry"), "{error}");
    }

    #[test]
    fn every_line_of_the_kept_history_can_be_read() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(FILE);
        read(&file).expect("the history of this checkout");
    }
}
