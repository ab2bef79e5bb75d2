//! A file of packs that is written bit by bit, can be ended at any moment and gone on with, and
//! takes its place whole or not at all.
//!
//! Lines go to `NAME.partial`. What they depend on (the questions, the index, the profile) stands in
//! `NAME.partial.json`, which is written first. A later run that depends on the same keeps every
//! whole line that belongs there; any other begins anew. At the end the file is renamed to its name.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output;

/// What a run writes.
pub(super) struct Partial {
    target: PathBuf,
    partial: PathBuf,
    basis: PathBuf,
    /// Locked as long as this run writes.
    out: File,
    /// How many lines were kept.
    pub(super) kept: usize,
}

impl Partial {
    /// Begins, or goes on where an earlier run on the same basis ended. `belongs` says whether a
    /// line may stand at its place, from 0.
    pub(super) fn open(
        target: &Path,
        basis_now: &str,
        belongs: impl Fn(usize, &str) -> bool,
    ) -> Result<Self, Failure> {
        if target.is_dir() {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(Failure::file(target.display(), &error));
        }
        let (partial, basis) = (beside(target, ".partial"), beside(target, ".partial.json"));
        let failed = |error: io::Error| Failure::file(partial.display(), &error);
        let mut options = File::options();
        options.read(true).write(true).create(true);
        let mut out = options.open(&partial).map_err(failed)?;
        match out.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let file = target.display();
                return Err(Failure::Busy(format!("{file}: another run is writing it")));
            }
            // A file system without locks: the user's own care has to do.
            Err(TryLockError::Error(_)) => {}
        }
        let before = fs::read_to_string(&basis).ok();
        let (mut kept, mut length) = (0, 0);
        if before.as_deref() == Some(basis_now) {
            (kept, length) = whole_lines(&out, belongs).map_err(failed)?;
        } else {
            if before.is_some() {
                output::notice(
                    "questions, index or profile are not those of the run that was ended; beginning anew",
                );
            }
            out.set_len(0).map_err(failed)?;
            write_durably(&basis, basis_now).map_err(failed)?;
        }
        out.set_len(length).map_err(failed)?;
        out.seek(SeekFrom::Start(length)).map_err(failed)?;
        Ok(Self {
            target: target.to_owned(),
            partial,
            basis,
            out,
            kept,
        })
    }

    /// Adds lines. What was written stays, whatever becomes of the run.
    pub(super) fn add(&mut self, lines: &str) -> Result<(), Failure> {
        let written = self.out.write_all(lines.as_bytes());
        written.map_err(|error| Failure::file(self.partial.display(), &error))
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let renamed = self
            .out
            .sync_all()
            .and_then(|()| fs::rename(&self.partial, &self.target));
        renamed.map_err(|error| Failure::file(self.target.display(), &error))?;
        // Left behind, it would only be replaced by the next run.
        let _ = fs::remove_file(&self.basis);
        Ok(())
    }
}

/// How many lines from the first on are whole and belong where they stand, and how long they are.
fn whole_lines(file: &File, belongs: impl Fn(usize, &str) -> bool) -> io::Result<(usize, u64)> {
    let mut reader = BufReader::new(file);
    let (mut kept, mut length) = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        let whole = line.strip_suffix(b"\n").map(std::str::from_utf8);
        match whole {
            Some(Ok(text)) if belongs(kept, text) => {
                kept += 1;
                length += read as u64;
            }
            _ => return Ok((kept, length)),
        }
    }
}

fn write_durably(file: &Path, text: &str) -> io::Result<()> {
    let mut out = File::create(file)?;
    out.write_all(text.as_bytes())?;
    out.sync_all()
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(target: &Path, basis: &str) -> Partial {
        let belongs = |place: usize, line: &str| line == format!("line {place}");
        Partial::open(target, basis, belongs).expect("a file")
    }

    #[test]
    fn a_run_goes_on_after_the_last_whole_line_that_belongs_there() {
        let check = |left: &str, kept: usize| {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("packs.jsonl");
            let mut partial = open(&target, "basis");
            partial.add(left).unwrap();
            drop(partial);
            let mut partial = open(&target, "basis");
            assert_eq!(partial.kept, kept, "{left:?}");
            for place in kept..3 {
                partial.add(&format!("line {place}\n")).unwrap();
            }
            partial.finish().unwrap();
            let written = fs::read_to_string(&target).unwrap();
            assert_eq!(written, "line 0\nline 1\nline 2\n");
            let left_over: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
            assert_eq!(left_over.len(), 1, "nothing else is left");
        };
        check("", 0);
        check("line 0\n", 1);
        check("line 0\nline 1", 1);
        check("line 0\nli", 1);
        check("line 0\nline 2\nline 1\n", 1);
        check("line 0\n\0\0\0\0", 1);
        check("line 0\nline 1\nline 2\n", 3);
    }

    #[test]
    fn another_basis_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("packs.jsonl");
        open(&target, "one").add("line 0\n").unwrap();
        assert_eq!(open(&target, "other").kept, 0);
        assert_eq!(open(&target, "one").kept, 0);
    }

    #[test]
    fn two_runs_do_not_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("packs.jsonl");
        let first = open(&target, "basis");
        let second = Partial::open(&target, "basis", |_, _| true);
        assert!(matches!(second, Err(Failure::Busy(_))));
        drop(first);
        open(&target, "basis").finish().unwrap();
    }
}
