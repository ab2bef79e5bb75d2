//! A change as it lies on the disk, and the one moment at which it happens.
//!
//! ```text
//! contents      old and new contents, one after the other
//! plan.new      what there is to do, being written
//! plan.staged   complete; the new contents are being laid beside the files
//! plan.json     THE COMMIT POINT: from here on the change has happened
//! done          every file has been replaced; kept, so that the change can be undone
//! ```
//!
//! What stands here of a change never changes: one file is written after the other, each is on the disk
//! before the next has its name, and a name says how far the change has come. Nothing in this module
//! touches a note, and nothing outside of it knows these names.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Change, Conflict, Kind, Purpose};
use crate::order::file::{broken, content, hash, rename, synced, written};
use crate::refusal::{Code, Refusal};

const CONTENTS: &str = "contents";
const NEW: &str = "plan.new";
const STAGED: &str = "plan.staged";
const COMMITTED: &str = "plan.json";
const DONE_NEW: &str = "done.new";
const DONE: &str = "done";

/// What there is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) id: String,
    pub(super) kind: Kind,
    pub(super) domain: String,
    /// The change that this one takes back.
    pub(super) undoes: Option<String>,
    /// Old and new names of tags, for telling what the change was.
    #[serde(default)]
    pub(super) renames: Vec<(String, String)>,
    pub(super) files: Vec<Planned>,
}

/// A file that is to change, by what it holds before and after.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Planned {
    /// From the vault's folder, with `/`.
    pub(super) path: String,
    pub(super) old: Option<Held>,
    pub(super) new: Option<Held>,
}

/// A content by its hash, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Held {
    pub(super) hash: String,
    start: u64,
    length: u64,
}

impl Planned {
    /// The change of the same file the other way round.
    pub(super) fn back(&self) -> Self {
        Self {
            path: self.path.clone(),
            old: self.new.clone(),
            new: self.old.clone(),
        }
    }
}

/// The folder of one change, by the change's name.
pub(super) struct Record {
    folder: PathBuf,
}

impl Record {
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The name of the change. Names sort as changes came.
    pub(super) fn id(&self) -> &str {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    }

    /// When the change was made, in Unix seconds: its name begins so.
    pub(super) fn time(&self) -> Option<u64> {
        self.id().split_once('-')?.0.parse().ok()
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes everything down that is needed to make the change and to take it back.
    pub(super) fn stage(&self, purpose: Purpose<'_>, changes: &[Change]) -> Result<Plan, Refusal> {
        fs::create_dir(&self.folder).map_err(|error| broken(&self.folder, &error))?;
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
            id: self.id().to_owned(),
            kind: purpose.kind,
            domain: purpose.domain.to_owned(),
            undoes: purpose.undoes.map(str::to_owned),
            renames: purpose.renames.to_vec(),
            files: files.collect(),
        };
        written(&self.folder.join(CONTENTS), &contents)?;
        let json = serde_json::to_vec(&plan).expect("a plan is plain data");
        self.write_as(NEW, STAGED, &json)?;
        Ok(plan)
    }

    /// The moment at which the change happens: one renaming.
    pub(super) fn commit(&self) -> Result<(), Refusal> {
        rename(&self.folder.join(STAGED), &self.folder.join(COMMITTED))?;
        synced(&self.folder)?;
        self.folder.parent().map_or(Ok(()), synced)
    }

    /// Records that every file has been replaced, but for these.
    pub(super) fn close(&self, conflicts: &[Conflict]) -> Result<(), Refusal> {
        let told = serde_json::to_vec(conflicts).expect("conflicts are plain data");
        self.write_as(DONE_NEW, DONE, &told)
    }

    /// Whether nothing is left to do.
    pub(super) fn is_closed(&self) -> bool {
        self.folder.join(DONE).exists()
    }

    /// The plan of a change that has happened.
    pub(super) fn committed(&self) -> Result<Option<Plan>, Refusal> {
        self.plan(COMMITTED)
    }

    /// The plan of a change that has not, and may have been about to.
    pub(super) fn staged(&self) -> Result<Option<Plan>, Refusal> {
        self.plan(STAGED)
    }

    /// A content that was written down, checked.
    pub(super) fn content(&self, held: &Held) -> Result<Vec<u8>, Refusal> {
        let file = self.folder.join(CONTENTS);
        let read = || -> std::io::Result<Vec<u8>> {
            let mut contents = File::open(&file)?;
            contents.seek(SeekFrom::Start(held.start))?;
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

    /// Forgets the change, if it is there.
    pub(super) fn remove(&self) -> Result<(), Refusal> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(broken(&self.folder, &error)),
            _ => Ok(()),
        }
    }

    fn write_as(&self, unfinished: &str, name: &str, bytes: &[u8]) -> Result<(), Refusal> {
        written(&self.folder.join(unfinished), bytes)?;
        rename(&self.folder.join(unfinished), &self.folder.join(name))?;
        synced(&self.folder)
    }

    fn plan(&self, name: &str) -> Result<Option<Plan>, Refusal> {
        let file = self.folder.join(name);
        let Some(bytes) = content(&file).map_err(|error| broken(&file, &error))? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let message = format!("{} is damaged: {error}", file.display());
            Refusal::new(Code::Internal, message)
        })
    }
}
