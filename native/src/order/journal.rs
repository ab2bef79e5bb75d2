//! Many files changed at once: all of them or none, whenever the power goes.
//!
//! Every change of notes goes through here: promoting, renaming, undoing. A change is a list of files,
//! each with the content that it must have and the content that it gets. It lies in a folder of its
//! own below `.concord-keep/renames/`:
//!
//! ```text
//! contents      old and new contents, one after the other
//! plan.new      what there is to do, being written
//! plan.staged   complete; the new contents are being laid beside the files
//! plan.json     THE COMMIT POINT: from here on the change has happened
//! done          every file has been replaced; kept, so that the change can be undone
//! ```
//!
//! Until `plan.staged` is renamed to `plan.json` no note has been touched, and [`recover`] throws
//! the attempt away. After it, [`recover`] goes on where the change stopped. All contents are on the
//! disk before the commit point, so behind it there is only a renaming for each file.
//!
//! **Nobody else's work is overwritten.** A file is looked at before the commit point, and if one is
//! not as it was read the whole change is refused; and again when it is replaced, where another
//! content makes it a conflict: it stays, and is named. See [`super::swap`] for how narrow the gap
//! between looking and replacing is.
//!
//! A replaced file keeps its permissions and, where that is allowed, its owner. It is another file to
//! the system, so hard links to it part ways and extended attributes are lost.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::swap;
use crate::refusal::{Code, Refusal};
use crate::vault::KEPT;

const FOLDER: &str = "renames";
const CONTENTS: &str = "contents";
const NEW: &str = "plan.new";
const STAGED: &str = "plan.staged";
const COMMITTED: &str = "plan.json";
const DONE: &str = "done";

/// So many changes can be undone; older ones are forgotten.
const REMEMBERED: usize = 20;

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

/// What there is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) domain: String,
    /// The change that this one takes back.
    pub(crate) undoes: Option<String>,
    files: Vec<Planned>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Planned {
    path: String,
    old: Option<Held>,
    new: Option<Held>,
}

/// A content by its hash, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Held {
    hash: String,
    start: u64,
    length: u64,
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

/// The right to write notes of a vault, for one at a time.
pub(crate) struct Journal {
    root: PathBuf,
    folder: PathBuf,
    /// The system lets go of it when the process ends, however it ends.
    _lock: File,
}

impl Journal {
    /// Becomes the one that writes, and finishes what was interrupted.
    pub(crate) fn open(root: &Path) -> Result<Self, Refusal> {
        let folder = root.join(KEPT).join(FOLDER);
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
            folder,
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
        undoes: Option<&str>,
        changes: &[Change],
    ) -> Result<Outcome, Refusal> {
        if changes.is_empty() {
            return Ok(Outcome::default());
        }
        let id = self.new_id()?;
        let folder = self.folder.join(&id);
        let done = self.staged(&folder, &id, kind, domain, undoes, changes);
        let plan = match done {
            Ok(plan) => plan,
            Err(refusal) => {
                discard(&self.root, &folder)?;
                return Err(refusal);
            }
        };
        rename(&folder.join(STAGED), &folder.join(COMMITTED))?;
        synced(&folder)?;
        synced(&self.folder)?;
        let conflicts = self.carry_out(&folder, &plan)?;
        self.forget_old()?;
        Ok(Outcome {
            journal: Some(id),
            conflicts,
        })
    }

    /// Writes everything down that is needed, and looks whether all files are as they were read.
    fn staged(
        &self,
        folder: &Path,
        id: &str,
        kind: Kind,
        domain: &str,
        undoes: Option<&str>,
        changes: &[Change],
    ) -> Result<Plan, Refusal> {
        fs::create_dir(folder).map_err(|error| broken(folder, &error))?;
        let mut contents = Vec::new();
        let mut hold = |content: &Option<String>| {
            content.as_ref().map(|content| {
                let start = contents.len() as u64;
                contents.extend_from_slice(content.as_bytes());
                Held {
                    hash: hash(content.as_bytes()),
                    start,
                    length: content.len() as u64,
                }
            })
        };
        let files = changes.iter().map(|change| Planned {
            path: change.path.clone(),
            old: hold(&change.old),
            new: hold(&change.new),
        });
        let plan = Plan {
            id: id.to_owned(),
            kind,
            domain: domain.to_owned(),
            undoes: undoes.map(str::to_owned),
            files: files.collect(),
        };
        written(&folder.join(CONTENTS), &contents)?;
        let json = serde_json::to_vec(&plan).expect("a plan is plain data");
        written(&folder.join(NEW), &json)?;
        rename(&folder.join(NEW), &folder.join(STAGED))?;
        synced(folder)?;
        for (number, file) in plan.files.iter().enumerate() {
            self.look(file).map_err(|conflict| {
                let message = format!("{}: {}", conflict.path, conflict.message);
                Refusal::new(Code::Conflict, message).hint("nothing was changed; try again")
            })?;
            self.lay_beside(folder, id, number, file)?;
        }
        for file in &plan.files {
            self.look(file).map_err(|conflict| {
                let message = format!("{}: {}", conflict.path, conflict.message);
                Refusal::new(Code::Conflict, message).hint("nothing was changed; try again")
            })?;
        }
        Ok(plan)
    }

    /// Whether a file is still as it was read.
    fn look(&self, file: &Planned) -> Result<(), Conflict> {
        let conflict = |message: String| Conflict {
            path: file.path.clone(),
            message,
        };
        let place = place(&self.root, &file.path).map_err(|refusal| conflict(refusal.message))?;
        let now = content(&place).map_err(|error| conflict(error.to_string()))?;
        let now = now.map(|bytes| hash(&bytes));
        if now.as_ref() == file.old.as_ref().map(|held| &held.hash) {
            return Ok(());
        }
        Err(conflict(
            "was changed by somebody else meanwhile".to_owned(),
        ))
    }

    /// Lays a file's new content beside it, complete and on the disk.
    fn lay_beside(
        &self,
        folder: &Path,
        id: &str,
        number: usize,
        file: &Planned,
    ) -> Result<(), Refusal> {
        let Some(new) = &file.new else { return Ok(()) };
        let place = place(&self.root, &file.path)?;
        let beside = beside(&place, id, number);
        if content(&beside)
            .ok()
            .flatten()
            .is_some_and(|bytes| hash(&bytes) == new.hash)
        {
            return Ok(());
        }
        let bytes = held(folder, new)?;
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(|error| broken(parent, &error))?;
        }
        let mut out = File::create(&beside).map_err(|error| broken(&beside, &error))?;
        out.write_all(&bytes)
            .map_err(|error| broken(&beside, &error))?;
        if let Ok(metadata) = fs::symlink_metadata(&place) {
            if metadata.permissions().readonly() {
                let message = format!("{} must not be written", file.path);
                return Err(Refusal::new(Code::Conflict, message).hint("nothing was changed"));
            }
            let kept = out.set_permissions(metadata.permissions());
            kept.map_err(|error| broken(&beside, &error))?;
            keep_owner(&beside, &metadata);
        }
        out.sync_all().map_err(|error| broken(&beside, &error))
    }

    /// Replaces every file that is not replaced yet, and records that it is done.
    fn carry_out(&self, folder: &Path, plan: &Plan) -> Result<Vec<Conflict>, Refusal> {
        let mut conflicts = Vec::new();
        let mut folders = std::collections::BTreeSet::new();
        for (number, file) in plan.files.iter().enumerate() {
            let place = match place(&self.root, &file.path) {
                Ok(place) => place,
                Err(refusal) => {
                    conflicts.push(Conflict {
                        path: file.path.clone(),
                        message: refusal.message,
                    });
                    continue;
                }
            };
            let beside = beside(&place, &plan.id, number);
            let old = file.old.as_ref().map(|old| old.hash.as_str());
            let new = file.new.as_ref().map(|new| new.hash.as_str());
            if swap::held(&place).as_deref() == new {
                // Ended between exchanging the two and looking at what came out.
                let theirs = swap::held(&beside)
                    .is_some_and(|it| Some(&it[..]) != old && Some(&it[..]) != new);
                if theirs && old.is_some() {
                    swap::give_back(&beside, &place, new)
                        .map_err(|error| broken(&place, &error))?;
                    conflicts.push(changed(&file.path));
                }
                let _ = fs::remove_file(&beside);
                continue;
            }
            // Usually it lies there already, and this only looks.
            let looked = self.look(file).and_then(|()| {
                match self.lay_beside(folder, &plan.id, number, file) {
                    Ok(()) => self.look(file).map(Ok),
                    Err(refusal) if refusal.code == Code::Conflict => Err(Conflict {
                        path: file.path.clone(),
                        message: refusal.message,
                    }),
                    Err(refusal) => Ok(Err(refusal)),
                }
            });
            match looked {
                Ok(ready) => ready?,
                Err(conflict) => {
                    let _ = fs::remove_file(&beside);
                    conflicts.push(conflict);
                    continue;
                }
            }
            let put = swap::put(&beside, &place, old, new);
            if !put.map_err(|error| broken(&place, &error))? {
                conflicts.push(changed(&file.path));
                continue;
            }
            folders.extend(place.parent().map(Path::to_owned));
        }
        for folder in &folders {
            synced(folder)?;
        }
        let told = serde_json::to_vec(&conflicts).expect("conflicts are plain data");
        written(&folder.join("done.new"), &told)?;
        rename(&folder.join("done.new"), &folder.join(DONE))?;
        synced(folder)?;
        Ok(conflicts)
    }

    fn finish(&self, interrupted: &Interrupted) -> Result<(), Refusal> {
        match &interrupted.plan {
            None => discard(&self.root, &interrupted.folder),
            Some(plan) => self.carry_out(&interrupted.folder, plan).map(drop),
        }
    }

    /// Takes a change back: the last one of this kind that was not, or one by its name.
    pub(crate) fn undo(&self, wanted: &Wanted<'_>) -> Result<Undone, Refusal> {
        let plans = self.plans()?;
        let taken_back = |id: &str| plans.iter().any(|plan| plan.undoes.as_deref() == Some(id));
        let found = match wanted.id {
            Some(id) => plans.iter().find(|plan| plan.id == id),
            None => plans.iter().rev().find(|plan| {
                plan.kind == wanted.kind && plan.domain == wanted.domain && !taken_back(&plan.id)
            }),
        };
        let plan = found
            .filter(|plan| plan.domain == wanted.domain)
            .ok_or_else(|| {
                let what = wanted.id.map_or_else(
                    || "there is nothing to take back".to_owned(),
                    |id| format!("there is no change `{id}` to take back"),
                );
                let known: Vec<&str> = plans.iter().map(|plan| plan.id.as_str()).collect();
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                Refusal::new(Code::NotFound, what)
                    .hint(format!("changes that are remembered: {known}"))
            })?;
        if taken_back(&plan.id) {
            let message = format!("the change `{}` was taken back already", plan.id);
            return Err(Refusal::new(Code::Conflict, message));
        }
        let folder = self.folder.join(&plan.id);
        let (mut changes, mut conflicts) = (Vec::new(), Vec::new());
        for file in &plan.files {
            let back = Planned {
                path: file.path.clone(),
                old: file.new.clone(),
                new: file.old.clone(),
            };
            match self.look(&back) {
                Ok(()) => {
                    let text = |content: &Option<Held>| {
                        let bytes = content
                            .as_ref()
                            .map(|content| held(&folder, content))
                            .transpose()?;
                        let text = bytes.map(String::from_utf8).transpose();
                        text.map_err(|_| {
                            Refusal::new(Code::Internal, format!("{} is damaged", folder.display()))
                        })
                    };
                    changes.push(Change {
                        path: file.path.clone(),
                        old: text(&back.old)?,
                        new: text(&back.new)?,
                    });
                }
                Err(conflict) => conflicts.push(conflict),
            }
        }
        if !conflicts.is_empty() && !wanted.leave_changed {
            return Ok(Undone {
                restored: Vec::new(),
                conflicts,
                undone: None,
            });
        }
        let outcome = self.change(Kind::Undo, &plan.domain, Some(&plan.id), &changes)?;
        let lost = |path: &str| {
            outcome
                .conflicts
                .iter()
                .any(|conflict| conflict.path == path)
        };
        let restored = changes.into_iter().map(|change| change.path);
        let restored = restored.filter(|path| !lost(path)).collect();
        conflicts.extend(outcome.conflicts.iter().cloned());
        Ok(Undone {
            restored,
            conflicts,
            undone: Some(plan.id.clone()),
        })
    }

    /// Every change that is remembered, the oldest first.
    fn plans(&self) -> Result<Vec<Plan>, Refusal> {
        let mut plans = Vec::new();
        for folder in folders(&self.folder)? {
            plans.extend(plan(&folder.join(COMMITTED))?);
        }
        Ok(plans)
    }

    fn forget_old(&self) -> Result<(), Refusal> {
        let folders = folders(&self.folder)?;
        for folder in &folders[..folders.len().saturating_sub(REMEMBERED)] {
            fs::remove_dir_all(folder).map_err(|error| broken(folder, &error))?;
        }
        Ok(())
    }

    /// A name that sorts after all earlier ones.
    fn new_id(&self) -> Result<String, Refusal> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_secs());
        let last = folders(&self.folder)?.pop();
        let last = last.and_then(|folder| {
            let name = folder.file_name()?.to_str()?.to_owned();
            let (time, number) = name.split_once('-')?;
            Some((time.parse::<u64>().ok()?, number.parse::<u64>().ok()?))
        });
        Ok(match last {
            Some((time, number)) if time >= now => format!("{time:010}-{:03}", number + 1),
            _ => format!("{now:010}-000"),
        })
    }
}

fn changed(path: &str) -> Conflict {
    Conflict {
        path: path.to_owned(),
        message: "was changed by somebody else meanwhile".to_owned(),
    }
}

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

/// A change that did not come to its end.
pub(crate) struct Interrupted {
    folder: PathBuf,
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

/// The changes of a vault that did not come to their end.
pub(crate) fn unfinished(root: &Path) -> Result<Vec<Interrupted>, Refusal> {
    let mut found = Vec::new();
    for folder in folders(&root.join(KEPT).join(FOLDER))? {
        if folder.join(DONE).exists() {
            continue;
        }
        let plan = plan(&folder.join(COMMITTED))?;
        found.push(Interrupted { folder, plan });
    }
    Ok(found)
}

/// Finishes what was interrupted, if anything was. What is not finished is told by the others.
pub(crate) fn recover(root: &Path) -> Result<usize, Refusal> {
    let count = unfinished(root)?.len();
    if count > 0 {
        Journal::open(root)?;
    }
    Ok(count)
}

/// Where a file of the vault lies. Nothing outside of the vault, and nothing that a link leads to.
pub(crate) fn place(root: &Path, path: &str) -> Result<PathBuf, Refusal> {
    let bad = |why: &str| Err(Refusal::new(Code::Conflict, format!("{path} {why}")));
    let parts = path.split('/');
    if parts.clone().any(|part| matches!(part, "" | "." | "..")) || path.contains('\\') {
        return bad("is no path inside the vault");
    }
    let mut place = root.to_owned();
    for part in parts {
        place.push(part);
        if fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink()) {
            return bad("is a symbolic link, or lies behind one");
        }
    }
    Ok(place)
}

/// What a file holds; none if there is none.
pub(crate) fn content(place: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match fs::read(place) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A content, by its hash.
pub(crate) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// A file that cannot be read or written.
pub(crate) fn broken(file: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(Code::Internal, format!("{}: {error}", file.display()))
}

/// Throws an attempt away that has touched no note.
fn discard(root: &Path, folder: &Path) -> Result<(), Refusal> {
    if let Some(plan) = plan(&folder.join(STAGED))? {
        for (number, file) in plan.files.iter().enumerate() {
            if let Ok(place) = place(root, &file.path) {
                let _ = fs::remove_file(beside(&place, &plan.id, number));
            }
        }
    }
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(broken(folder, &error)),
        _ => Ok(()),
    }
}

/// The hidden file beside a note that will take its place.
fn beside(place: &Path, id: &str, number: usize) -> PathBuf {
    place.with_file_name(format!(".concord-{id}-{number}.new"))
}

/// The folders of changes, by name.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(broken(folder, &error)),
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    Ok(found)
}

fn plan(file: &Path) -> Result<Option<Plan>, Refusal> {
    let Some(bytes) = content(file).map_err(|error| broken(file, &error))? else {
        return Ok(None);
    };
    let plan = serde_json::from_slice(&bytes);
    plan.map(Some).map_err(|error| {
        let message = format!("{} is damaged: {error}", file.display());
        Refusal::new(Code::Internal, message)
    })
}

/// A content that was written down, checked.
fn held(folder: &Path, held: &Held) -> Result<Vec<u8>, Refusal> {
    use std::io::Seek as _;
    let file = folder.join(CONTENTS);
    let read = || -> std::io::Result<Vec<u8>> {
        let mut contents = File::open(&file)?;
        contents.seek(std::io::SeekFrom::Start(held.start))?;
        let mut bytes = Vec::new();
        contents.take(held.length).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| broken(&file, &error))?;
    if hash(&bytes) != held.hash {
        let message = format!("{} is damaged", file.display());
        return Err(Refusal::new(Code::Internal, message));
    }
    Ok(bytes)
}

fn written(file: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let written = File::create(file).and_then(|mut out| {
        out.write_all(bytes)?;
        out.sync_all()
    });
    written.map_err(|error| broken(file, &error))
}

fn rename(from: &Path, to: &Path) -> Result<(), Refusal> {
    fs::rename(from, to).map_err(|error| broken(to, &error))
}

/// A folder's names, on the disk.
fn synced(folder: &Path) -> Result<(), Refusal> {
    #[cfg(unix)]
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| broken(folder, &error))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Another owner than oneself can only be kept by those who may give files away.
fn keep_owner(file: &Path, like: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let _ = std::os::unix::fs::chown(file, Some(like.uid()), Some(like.gid()));
    }
    #[cfg(not(unix))]
    let _ = (file, like);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }

    fn read(root: &Path, path: &str) -> Option<String> {
        fs::read_to_string(root.join(path)).ok()
    }

    fn change(path: &str, old: Option<&str>, new: Option<&str>) -> Change {
        Change {
            path: path.to_owned(),
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
        }
    }

    fn rename_all(root: &Path, changes: &[Change]) -> Result<Outcome, Refusal> {
        Journal::open(root)?.change(Kind::Rename, "d", None, changes)
    }

    fn undo(root: &Path, leave_changed: bool) -> Result<Undone, Refusal> {
        Journal::open(root)?.undo(&Wanted {
            id: None,
            kind: Kind::Rename,
            domain: "d",
            leave_changed,
        })
    }

    /// Everything in the vault but what is kept.
    fn listing(root: &Path) -> Vec<String> {
        let names = fs::read_dir(root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.retain(|name| name != KEPT);
        names.sort();
        names
    }

    #[test]
    fn all_files_change_and_change_back() {
        let vault = vault(&[("a.md", "1"), ("b/c.md", "2")]);
        let root = vault.path();
        let changes = [
            change("a.md", Some("1"), Some("one")),
            change("b/c.md", Some("2"), Some("two")),
            change("new.md", None, Some("three")),
        ];
        let outcome = rename_all(root, &changes).unwrap();
        assert!(outcome.journal.is_some() && outcome.conflicts.is_empty());
        assert_eq!(read(root, "a.md").as_deref(), Some("one"));
        assert_eq!(read(root, "new.md").as_deref(), Some("three"));
        let undone = undo(root, false).unwrap();
        assert_eq!(undone.restored, ["a.md", "b/c.md", "new.md"]);
        assert_eq!(read(root, "b/c.md").as_deref(), Some("2"));
        assert_eq!(listing(root), ["a.md", "b"]);
        assert_eq!(undo(root, false).unwrap_err().code, Code::NotFound);
    }

    #[test]
    fn a_file_that_is_not_as_it_was_read_keeps_all_from_being_changed() {
        let vault = vault(&[("a.md", "1"), ("b.md", "edited")]);
        let root = vault.path();
        let changes = [
            change("a.md", Some("1"), Some("one")),
            change("b.md", Some("2"), Some("two")),
        ];
        let refusal = rename_all(root, &changes).unwrap_err();
        assert_eq!(refusal.code, Code::Conflict);
        assert!(refusal.message.contains("b.md"), "{}", refusal.message);
        assert_eq!(read(root, "a.md").as_deref(), Some("1"));
        assert_eq!(listing(root), ["a.md", "b.md"]);
        assert!(unfinished(root).unwrap().is_empty());
    }

    #[test]
    fn an_undo_leaves_what_was_changed_since() {
        let vault = vault(&[("a.md", "1"), ("b.md", "2")]);
        let root = vault.path();
        let changes = [
            change("a.md", Some("1"), Some("one")),
            change("b.md", Some("2"), Some("two")),
        ];
        rename_all(root, &changes).unwrap();
        fs::write(root.join("b.md"), "edited").unwrap();
        let refused = undo(root, false).unwrap();
        assert_eq!((refused.restored.len(), refused.conflicts.len()), (0, 1));
        assert_eq!(read(root, "a.md").as_deref(), Some("one"));
        let undone = undo(root, true).unwrap();
        assert_eq!(undone.restored, ["a.md"]);
        assert_eq!(read(root, "b.md").as_deref(), Some("edited"));
    }

    /// A change that was ended after some of its files were replaced.
    fn interrupted(root: &Path, committed: bool, replaced: &[&str]) {
        let journal = Journal::open(root).unwrap();
        let changes = [
            change("a.md", Some("1"), Some("one")),
            change("b.md", Some("2"), Some("two")),
            change("c.md", Some("3"), Some("three")),
        ];
        let id = journal.new_id().unwrap();
        let folder = journal.folder.join(&id);
        let plan = journal.staged(&folder, &id, Kind::Rename, "d", None, &changes);
        let plan = plan.unwrap();
        if committed {
            rename(&folder.join(STAGED), &folder.join(COMMITTED)).unwrap();
        }
        for (number, file) in plan.files.iter().enumerate() {
            if replaced.contains(&file.path.as_str()) {
                let place = place(root, &file.path).unwrap();
                rename(&beside(&place, &id, number), &place).unwrap();
            }
        }
    }

    #[test]
    fn what_was_interrupted_before_it_happened_has_not_happened() {
        let vault = vault(&[("a.md", "1"), ("b.md", "2"), ("c.md", "3")]);
        let root = vault.path();
        interrupted(root, false, &[]);
        assert_eq!(listing(root).len(), 6);
        assert_eq!(recover(root).unwrap(), 1);
        assert_eq!(listing(root), ["a.md", "b.md", "c.md"]);
        assert_eq!(read(root, "a.md").as_deref(), Some("1"));
    }

    #[test]
    fn what_was_interrupted_after_it_happened_is_finished_and_overwrites_nobody() {
        let vault = vault(&[("a.md", "1"), ("b.md", "2"), ("c.md", "3")]);
        let root = vault.path();
        interrupted(root, true, &["a.md"]);
        fs::write(root.join("c.md"), "edited").unwrap();
        assert_eq!(recover(root).unwrap(), 1);
        assert_eq!(read(root, "a.md").as_deref(), Some("one"));
        assert_eq!(read(root, "b.md").as_deref(), Some("two"));
        assert_eq!(read(root, "c.md").as_deref(), Some("edited"));
        assert_eq!(listing(root), ["a.md", "b.md", "c.md"]);
        assert_eq!(recover(root).unwrap(), 0);
    }

    #[test]
    fn one_writes_at_a_time_and_only_the_last_changes_are_remembered() {
        let vault = vault(&[("a.md", "0")]);
        let root = vault.path();
        let held = Journal::open(root).unwrap();
        assert_eq!(Journal::open(root).err().unwrap().code, Code::Busy);
        drop(held);
        for number in 0..REMEMBERED + 5 {
            let (old, new) = (number.to_string(), (number + 1).to_string());
            rename_all(root, &[change("a.md", Some(&old), Some(&new))]).unwrap();
        }
        let journal = Journal::open(root).unwrap();
        assert_eq!(journal.plans().unwrap().len(), REMEMBERED);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_what_is_protected_or_elsewhere_is_not_touched() {
        use std::os::unix::fs::PermissionsExt as _;
        let vault = vault(&[("a.md", "1"), ("b.md", "2")]);
        let root = vault.path();
        let mode = |path: &str| fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
        fs::set_permissions(root.join("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
        rename_all(root, &[change("a.md", Some("1"), Some("one"))]).unwrap();
        assert_eq!(mode("a.md"), 0o640);
        fs::set_permissions(root.join("b.md"), fs::Permissions::from_mode(0o444)).unwrap();
        let refusal = rename_all(root, &[change("b.md", Some("2"), Some("two"))]).unwrap_err();
        assert_eq!(refusal.code, Code::Conflict);
        std::os::unix::fs::symlink("a.md", root.join("link.md")).unwrap();
        std::os::unix::fs::symlink("/tmp", root.join("out")).unwrap();
        for path in ["link.md", "out/x.md", "../x.md", "/etc/x.md", "a//b.md"] {
            assert!(place(root, path).is_err(), "{path}");
        }
        assert_eq!(listing(root), ["a.md", "b.md", "link.md", "out"]);
    }
}
