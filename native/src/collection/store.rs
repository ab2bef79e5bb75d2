//! The cache behind an open domain, opened again when another file has taken its place.
//!
//! `concord index --rebuild` deletes the file and makes another. Whoever had the old one open would
//! go on reading what no longer has a name, so each question first looks whether the file is still
//! the one that was opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use concord_cache::{CandidateStore as _, Error, SharedCache};

/// A cache that follows its file.
pub(super) struct Store {
    file: PathBuf,
    open: RwLock<(Option<FileId>, Arc<SharedCache>)>,
}

/// Tells a file from another of the same name.
type FileId = (u64, u64);

impl Store {
    pub(super) fn open(file: &Path) -> Result<Self, Error> {
        let id = id(file);
        let open = Arc::new(SharedCache::open(file)?);
        Ok(Self {
            file: file.to_owned(),
            open: RwLock::new((id, open)),
        })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// The cache as it lies there now. A file that is gone for the moment, or is of another model,
    /// is an error until that is mended.
    pub(super) fn get(&self) -> Result<Arc<SharedCache>, Error> {
        let found = id(&self.file);
        {
            let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
            if open.0 == found {
                return Ok(Arc::clone(&open.1));
            }
        }
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        let fresh = Arc::new(SharedCache::open(&self.file)?);
        if fresh.identity() != open.1.identity() {
            return Err(Error::Replaced {
                file: self.file.clone(),
            });
        }
        // Many questions are certain to come.
        let warmed = Arc::clone(&fresh);
        std::thread::spawn(move || warmed.warm());
        *open = (found, Arc::clone(&fresh));
        Ok(fresh)
    }
}

#[cfg(unix)]
fn id(file: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Elsewhere a file that is open cannot be deleted.
#[cfg(not(unix))]
fn id(file: &Path) -> Option<FileId> {
    fs::metadata(file).ok().map(|_| (0, 0))
}
