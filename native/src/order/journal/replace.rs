//! The notes' side of a change: looking at files, laying new contents beside them, replacing them.
//!
//! **Nobody else's work is overwritten.** A file is looked at before the commit point, and if one is
//! not as it was read the whole change is refused; and again when it is replaced, where another
//! content makes it a conflict: it stays, and is named. See [`swap`] for how narrow the gap between
//! looking and replacing is.
//!
//! **Everything here can be done twice.** Whoever finishes an interrupted change does all of it again
//! and cannot tell from the result that it was interrupted.
//!
//! A replaced file keeps its permissions and, where that is allowed, its owner. It is another file to
//! the system, so hard links to it part ways and extended attributes are lost.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::plan::{Held, Plan, Planned, Record};
use super::{Conflict, Journal};
use crate::order::file::{broken, content, hash, place, synced};
use crate::order::swap;
use crate::refusal::{Code, Refusal};

/// Why a file was not replaced.
enum Stopped {
    /// The others can be, all the same.
    Conflict(Conflict),
    /// The change has to be finished by somebody else.
    Broken(Refusal),
}

impl From<Conflict> for Stopped {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl Journal {
    /// Whether a file is still as it was read.
    pub(super) fn look(&self, file: &Planned) -> Result<(), Conflict> {
        let place = place(&self.root, &file.path)
            .map_err(|refusal| Conflict::of(&file.path, refusal.message))?;
        let now = content(&place).map_err(|error| Conflict::of(&file.path, error.to_string()))?;
        if now.map(|bytes| hash(&bytes)).as_deref() == hash_of(file.old.as_ref()) {
            return Ok(());
        }
        Err(Conflict::changed(&file.path))
    }

    /// Lays all new contents beside their files, if every file is as it was read, before and after.
    pub(super) fn lay_all_beside(&self, record: &Record, plan: &Plan) -> Result<(), Refusal> {
        let look = |file| {
            self.look(file).map_err(|conflict| {
                let message = format!("{}: {}", conflict.path, conflict.message);
                Refusal::new(Code::Conflict, message).hint("nothing was changed; try again")
            })
        };
        for (number, file) in plan.files.iter().enumerate() {
            look(file)?;
            self.lay_beside(record, number, file)?;
        }
        plan.files.iter().try_for_each(look)
    }

    /// Takes away what was laid beside files for a change that does not happen.
    pub(super) fn clear_beside(&self, plan: &Plan) {
        for (number, file) in plan.files.iter().enumerate() {
            if let Ok(place) = place(&self.root, &file.path) {
                let _ = fs::remove_file(beside(&place, &plan.id, number));
            }
        }
    }

    /// Replaces every file that is not replaced yet, and records that it is done.
    pub(super) fn carry_out(&self, record: &Record, plan: &Plan) -> Result<Vec<Conflict>, Refusal> {
        let mut conflicts = Vec::new();
        let mut folders = BTreeSet::new();
        for (number, file) in plan.files.iter().enumerate() {
            match self.replace(record, number, file) {
                Ok(place) => folders.extend(place.parent().map(Path::to_owned)),
                Err(Stopped::Conflict(conflict)) => conflicts.push(conflict),
                Err(Stopped::Broken(refusal)) => return Err(refusal),
            }
        }
        // A note that was to go may have gone with its folder.
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            synced(folder)?;
        }
        record.close(&conflicts)?;
        Ok(conflicts)
    }

    /// Replaces one file, unless it is already; says where it lies.
    fn replace(&self, record: &Record, number: usize, file: &Planned) -> Result<PathBuf, Stopped> {
        let place = place(&self.root, &file.path)
            .map_err(|refusal| Conflict::of(&file.path, refusal.message))?;
        let beside = beside(&place, record.id(), number);
        let (old, new) = (hash_of(file.old.as_ref()), hash_of(file.new.as_ref()));
        let failed = |error| Stopped::Broken(broken(&place, &error));
        if swap::held(&place).as_deref() == new {
            // Ended between exchanging the two and looking at what came out.
            let came_out = swap::held(&beside);
            let theirs =
                old.is_some() && came_out.is_some() && ![old, new].contains(&came_out.as_deref());
            if theirs {
                swap::give_back(&beside, &place, new).map_err(failed)?;
            }
            let _ = fs::remove_file(&beside);
            return if theirs {
                Err(Conflict::changed(&file.path).into())
            } else {
                Ok(place)
            };
        }
        let ready = self.ready(record, number, file);
        if let Err(Stopped::Conflict(_)) = ready {
            let _ = fs::remove_file(&beside);
        }
        ready?;
        if swap::put(&beside, &place, old, new).map_err(failed)? {
            Ok(place)
        } else {
            Err(Conflict::changed(&file.path).into())
        }
    }

    /// Makes sure that the new content lies beside a file that is as it was read. Usually it does
    /// already, and this only looks.
    fn ready(&self, record: &Record, number: usize, file: &Planned) -> Result<(), Stopped> {
        self.look(file)?;
        self.lay_beside(record, number, file).map_err(|refusal| {
            if refusal.code == Code::Conflict {
                Stopped::Conflict(Conflict::of(&file.path, refusal.message))
            } else {
                Stopped::Broken(refusal)
            }
        })?;
        Ok(self.look(file)?)
    }

    /// Lays a file's new content beside it, complete and on the disk.
    fn lay_beside(&self, record: &Record, number: usize, file: &Planned) -> Result<(), Refusal> {
        let Some(new) = &file.new else { return Ok(()) };
        let place = place(&self.root, &file.path)?;
        let beside = beside(&place, record.id(), number);
        if swap::held(&beside).as_ref() == Some(&new.hash) {
            return Ok(());
        }
        let bytes = record.content(new)?;
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(|error| broken(parent, &error))?;
        }
        let failed = |error| broken(&beside, &error);
        let mut out = File::create(&beside).map_err(failed)?;
        out.write_all(&bytes).map_err(failed)?;
        if let Ok(metadata) = fs::symlink_metadata(&place) {
            if metadata.permissions().readonly() {
                let message = format!("{} must not be written", file.path);
                return Err(Refusal::new(Code::Conflict, message).hint("nothing was changed"));
            }
            out.set_permissions(metadata.permissions())
                .map_err(failed)?;
            keep_owner(&beside, &metadata);
        }
        out.sync_all().map_err(failed)
    }
}

fn hash_of(held: Option<&Held>) -> Option<&str> {
    held.map(|held| held.hash.as_str())
}

/// The hidden file beside a note that will take its place.
pub(super) fn beside(place: &Path, id: &str, number: usize) -> PathBuf {
    place.with_file_name(format!(".concord-{id}-{number}.new"))
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
