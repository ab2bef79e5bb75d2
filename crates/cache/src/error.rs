//! What can go wrong with a cache, whose fault it is, and the way out.

use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cache was made with another model, or cut by other rules.
    #[error(
        "{file} was made with {recorded}, and this is {wanted}: the two cannot be mixed in one \
         index. Stop, delete this file and start again (or run `concord index --rebuild`), or go \
         back to {recorded}",
        file = file.display()
    )]
    OtherModel {
        /// The cache.
        file: PathBuf,
        /// What it was made with.
        recorded: String,
        /// What is at hand.
        wanted: String,
    },
    /// Another process writes to it.
    #[error(
        "{file} is being written by another process; wait for it to finish, or end it",
        file = file.display()
    )]
    Busy {
        /// The cache.
        file: PathBuf,
    },
    /// The file was written by a later version.
    #[error(
        "{file} was written by a later version of Concord (schema {found}, this one knows up to \
         {known}): update Concord, or delete the file and index again",
        file = file.display()
    )]
    Later {
        /// The cache.
        file: PathBuf,
        /// Its schema version.
        found: u32,
        /// The latest that this version knows.
        known: u32,
    },
    /// The file was written by an earlier version, and whoever only reads cannot bring it up to date.
    #[error(
        "{file} was written by an earlier version of Concord: run `concord index` to bring it up to \
         date",
        file = file.display()
    )]
    Earlier {
        /// The cache.
        file: PathBuf,
    },
    /// Another file has taken its place since it was opened.
    #[error("{file} was made anew while it was in use: open it again", file = file.display())]
    Replaced {
        /// The cache.
        file: PathBuf,
    },
    /// The file is no cache, or is damaged.
    #[error(
        "{file} cannot be read as a cache ({reason}): delete it and index again; your notes are \
         not in danger",
        file = file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// The disk is full.
    #[error(
        "no space left for {file}: free some and run it again; what was indexed before is still there",
        file = file.display()
    )]
    Full {
        /// The cache.
        file: PathBuf,
    },
    /// It, or the folder that it lies in, must not be written.
    #[error(
        "{file} cannot be written ({reason}): make it and its folder writable, or index a copy of the \
         vault; what was indexed before can still be read",
        file = file.display()
    )]
    NotWritable {
        /// The cache.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// It must not be written, and its latest changes wait in its log.
    #[error(
        "{file} must not be written, and its latest changes wait in the file of the same name with \
         -wal: let it be written once (`concord status` is enough), or copy both files to where it can",
        file = file.display()
    )]
    Unfinished {
        /// The cache.
        file: PathBuf,
    },
    /// A text could not be turned into a vector.
    #[error("the encoder failed: {0}")]
    Encoder(String),
    /// A vector of another length than the cache's.
    #[error("a vector has {found} numbers, and the cache's have {expected}")]
    Dimension {
        /// What it has.
        found: usize,
        /// What it ought to have.
        expected: u32,
    },
    /// The file or its folder cannot be used.
    #[error("{file}: {source}", file = file.display())]
    Io {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Whatever else SQLite refuses.
    #[error("{file}: {source}", file = file.display())]
    Sqlite {
        /// The cache.
        file: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
}

impl Error {
    /// SQLite's error, as what it means for this file.
    pub(crate) fn from_sqlite(file: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseCorrupt, DiskFull, NotADatabase, ReadOnly,
        };
        use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
        let file = file.to_owned();
        let reason = source.to_string();
        let extended = source.sqlite_error().map(|error| error.extended_code);
        match source.sqlite_error_code() {
            // The second: no room for the small file by which readers and the writer agree.
            Some(DiskFull) => Self::Full { file },
            _ if extended == Some(SQLITE_IOERR_SHMSIZE) => Self::Full { file },
            Some(DatabaseBusy) => Self::Busy { file },
            Some(NotADatabase | DatabaseCorrupt) => Self::Damaged { file, reason },
            Some(CannotOpen | ReadOnly) => Self::NotWritable { file, reason },
            _ => Self::Sqlite { file, source },
        }
    }

    /// The system's error, as what it means for a file that is to be written.
    pub(crate) fn from_io(file: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
        let file = file.to_owned();
        match source.kind() {
            StorageFull => Self::Full { file },
            PermissionDenied | ReadOnlyFilesystem => Self::NotWritable {
                file,
                reason: source.to_string(),
            },
            _ => Self::Io { file, source },
        }
    }
}
