//! Which files a vault has and which of them belong to a domain, without opening any of them.
//!
//! A vault is walked once for all its domains, and for the links between them.
//!
//! Left out without a word: what `.gitignore` names, hidden files and folders (`.obsidian`,
//! `.trash`, `.git`), and what is no markdown. Left out and reported: what the vault's owner does
//! not want indexed ([`Selection`]), symbolic links, which may lead out of the vault or in circles,
//! and the domains' own control files. A file whose name holds a credential fails, under a name
//! without it: notes are found by their paths, so the path cannot be stored and be scrubbed as well.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

use concord_text::scrub;
use ignore::{WalkBuilder, WalkState};

use crate::error::Error;
use crate::sync::select::Selection;

/// Files that steer a domain and are no notes.
const CONTROL_FILES: [&str; 2] = ["_taxonomy.md", "_review-queue.md"];

/// The part of a vault that a domain covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Territory {
    /// Below one of these folders; everywhere if there are none.
    pub folders: Vec<String>,
    /// But not below these.
    pub except: Vec<String>,
}

impl Territory {
    fn covers(&self, path: &str) -> bool {
        let below = |folders: &[String]| folders.iter().any(|folder| is_below(path, folder));
        (self.folders.is_empty() || below(&self.folders)) && !below(&self.except)
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder.trim_matches('/'));
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// A file, as the folder tells of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    /// From the vault's root, with `/`.
    pub(super) path: String,
    /// What can be known without opening it, or why it will not be opened.
    pub(super) state: State,
}

/// What can be known of a file without opening it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// To be looked into.
    File { size: u64, modified_ns: i64 },
    /// Left out on purpose.
    Skipped(String),
    /// Cannot be looked into.
    Failed(String),
}

/// All markdown of a vault at one moment, by path.
pub struct Inventory {
    pub(super) root: PathBuf,
    files: Vec<Seen>,
}

impl Inventory {
    /// Walks a vault's folder.
    ///
    /// # Errors
    /// If there is no such folder. What cannot be read inside it is a file that failed.
    pub fn of(root: &Path, selection: &Selection) -> Result<Self, Error> {
        if !root.is_dir() {
            let source =
                std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such folder");
            return Err(Error::Io {
                file: root.to_owned(),
                source,
            });
        }
        // On all processors: a run that finds nothing changed spends most of its time here.
        let walk = WalkBuilder::new(root)
            .follow_links(false)
            // The vault's own rules, whether it is a repository or not, and nobody else's.
            .require_git(false)
            .parents(false)
            .git_global(false)
            .git_exclude(false)
            .build_parallel();
        let (found, files) = mpsc::channel();
        walk.run(|| {
            let found = found.clone();
            Box::new(move |entry| {
                if let Some(seen) = seen(root, selection, entry) {
                    let _ = found.send(seen);
                }
                WalkState::Continue
            })
        });
        drop(found);
        let mut files: Vec<Seen> = files.into_iter().collect();
        files.sort_unstable();
        Ok(Self {
            root: root.to_owned(),
            files,
        })
    }

    /// How many files will be looked into, and how many will not.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let files = self.files.iter();
        let is_file = |seen: &&Seen| matches!(seen.state, State::File { .. });
        let wanted = files.filter(is_file).count();
        (wanted, self.files.len() - wanted)
    }

    /// All paths, whatever became of the files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|seen| seen.path.as_str())
    }

    /// The files of a domain.
    pub(super) fn below(&self, territory: &Territory) -> Vec<&Seen> {
        let files = self.files.iter();
        files.filter(|seen| territory.covers(&seen.path)).collect()
    }

    /// The notes of a domain, by path: what is looked into.
    pub fn notes<'a>(&'a self, territory: &Territory) -> impl Iterator<Item = &'a str> {
        let files = self.below(territory).into_iter();
        let notes = files.filter(|seen| matches!(seen.state, State::File { .. }));
        notes.map(|seen| seen.path.as_str())
    }

    /// A hash of all paths: while it is the same, and no note has changed, links mean what they
    /// meant.
    pub(super) fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for path in self.paths() {
            hasher.update(path.as_bytes()).update(&[0]);
        }
        hasher.finalize().to_hex().to_string()
    }
}

fn seen(
    root: &Path,
    selection: &Selection,
    entry: Result<ignore::DirEntry, ignore::Error>,
) -> Option<Seen> {
    let failed = |path: String, reason: String| {
        Some(Seen {
            path,
            state: State::Failed(reason),
        })
    };
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => {
            let path = path_of(&error)
                .and_then(|path| relative(root, path))
                .unwrap_or_default();
            return failed(path, error.to_string());
        }
    };
    let kind = entry.file_type()?;
    if kind.is_dir() || !is_markdown(entry.path()) {
        return None;
    }
    let Some(path) = relative(root, entry.path()) else {
        let shown = entry.path().strip_prefix(root).unwrap_or(entry.path());
        return failed(
            shown.to_string_lossy().into_owned(),
            "its name is not UTF-8".to_owned(),
        );
    };
    let scrubbed = scrub(&path);
    if let Some((kind, _)) = scrubbed.fired.first() {
        let reason =
            format!("its name holds a credential ({kind}); rename it, and change the credential");
        return failed(scrubbed.text.into_owned(), reason);
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let state = if kind.is_symlink() {
        State::Skipped("a symbolic link".to_owned())
    } else if !kind.is_file() {
        State::Skipped("not a regular file".to_owned())
    } else if CONTROL_FILES.contains(&name) || selection.is_steering(&path) {
        State::Skipped("steers the domain, and is no note".to_owned())
    } else if let Some(reason) = selection.reason_against(&path) {
        State::Skipped(reason)
    } else {
        match entry.metadata() {
            Ok(metadata) => State::File {
                size: metadata.len(),
                modified_ns: modified_ns(&metadata),
            },
            Err(error) => State::Failed(error.to_string()),
        }
    };
    Some(Seen { path, state })
}

/// The path that an error is about, if it says.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|it| it.eq_ignore_ascii_case("md") || it.eq_ignore_ascii_case("markdown"))
}

/// From the root, with `/` whatever the system; none if it is no text.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(root).ok()?.iter();
    let parts: Option<Vec<&str>> = parts.map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// Nanoseconds since 1970; 0 where the system does not say.
fn modified_ns(metadata: &std::fs::Metadata) -> i64 {
    metadata.modified().map_or(0, nanoseconds)
}

/// Nanoseconds since 1970.
pub(super) fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::Territory;

    #[test]
    fn a_territory_ends_at_its_folders() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let check = |folders: &[&str], except: &[&str], path: &str, expected: bool| {
            let territory = Territory {
                folders: list(folders),
                except: list(except),
            };
            assert_eq!(territory.covers(path), expected, "{territory:?} {path}");
        };
        check(&[], &[], "a.md", true);
        check(&["fitness"], &[], "fitness/a.md", true);
        check(&["fitness/"], &[], "fitness/deep/a.md", true);
        check(&["fitness"], &[], "fitness-old/a.md", false);
        check(&["fitness"], &[], "a.md", false);
        check(&[], &["fitness"], "fitness/a.md", false);
        check(&[], &["fitness"], "fitness.md", true);
    }
}
