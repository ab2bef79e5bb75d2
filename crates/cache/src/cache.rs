//! Opening a cache: for reading, or as the one that writes.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use crate::error::Error;
use crate::{extension, recall, schema};

/// What the vectors of a cache are: two caches with the same identity can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The encoder's fingerprint; none where search is by words alone.
    pub model: Option<String>,
    /// Numbers in a vector; 0 without an encoder.
    pub dimension: u32,
    /// How notes were cut into chunks.
    pub chunker: String,
}

impl Identity {
    fn in_words(&self) -> String {
        let model = self.model.as_deref().unwrap_or("no model");
        format!(
            "{model} ({} dimensions, chunks `{}`)",
            self.dimension, self.chunker
        )
    }
}

/// A domain's SQLite file.
pub struct Cache {
    pub(crate) connection: Connection,
    pub(crate) file: PathBuf,
    pub(crate) identity: Identity,
    /// Whether it had all tables and an identity when it was opened.
    is_complete: bool,
    is_frozen: bool,
    /// Held as long as this one writes. The system lets go of it when the process ends, however
    /// it ends.
    _lock: Option<File>,
}

impl Cache {
    /// Opens a cache for writing; it is made if it is not there.
    ///
    /// # Errors
    /// If another process writes to it, or it has another identity.
    pub fn writer(file: &Path, identity: &Identity) -> Result<Self, Error> {
        let lock = lock(file)?;
        Self::with_lock(file, identity, lock)
    }

    /// Opens an empty cache for writing; what was there is deleted.
    ///
    /// # Errors
    /// If another process writes to it: then nothing is deleted.
    pub fn anew(file: &Path, identity: &Identity) -> Result<Self, Error> {
        let lock = lock(file)?;
        for end in ["", "-wal", "-shm"] {
            let path = beside(file, end);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != ErrorKind::NotFound => {
                    return Err(Error::from_io(&path, source));
                }
                _ => {}
            }
        }
        Self::with_lock(file, identity, lock)
    }

    fn with_lock(file: &Path, identity: &Identity, lock: File) -> Result<Self, Error> {
        let mut cache = Self::open(file, OpenFlags::default(), Some(lock))?;
        cache.prepare(identity).map_err(|e| cache.sqlite(e))?;
        cache.refuse_other(identity)?;
        Ok(cache)
    }

    /// Opens a cache for reading. Whoever writes meanwhile is not waited for.
    ///
    /// Reading takes a small file beside it that says who reads what. Where that cannot be made
    /// (a folder that must not be written, a full disk), the file is read as it stands, see
    /// [`is_frozen`](Self::is_frozen).
    ///
    /// # Errors
    /// If it is not there, or cannot be read, or must not be written while changes wait in its log.
    pub fn reader(file: &Path) -> Result<Self, Error> {
        File::open(file).map_err(|source| Error::Io {
            file: file.to_owned(),
            source: match source.kind() {
                ErrorKind::NotFound => {
                    let words = "there is no cache yet; run `concord index`";
                    std::io::Error::new(ErrorKind::NotFound, words)
                }
                _ => source,
            },
        })?;
        // Read-write, since reading in WAL mode may have to make the shared-memory file.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let cache = match Self::open(file, flags, None) {
            Err(Error::NotWritable { .. } | Error::Full { .. }) => Self::frozen(file)?,
            other => other?,
        };
        let read_only = cache.connection.pragma_update(None, "query_only", true);
        read_only.map_err(|e| cache.sqlite(e))?;
        Ok(cache)
    }

    /// Opens the file as if nobody could ever change it, which is true only if no log waits.
    fn frozen(file: &Path) -> Result<Self, Error> {
        if fs::metadata(beside(file, "-wal")).is_ok_and(|log| log.len() > 0) {
            return Err(Error::Unfinished {
                file: file.to_owned(),
            });
        }
        let mut address = String::from("file:");
        for character in file.to_string_lossy().chars() {
            match character {
                '%' => address.push_str("%25"),
                '?' => address.push_str("%3f"),
                '#' => address.push_str("%23"),
                other => address.push(other),
            }
        }
        address.push_str("?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let mut cache = Self::open(Path::new(&address), flags, None)?;
        file.clone_into(&mut cache.file);
        cache.is_frozen = true;
        Ok(cache)
    }

    /// Whether it was opened as a file that nobody changes: what is indexed from now on will not
    /// be seen before it is opened anew.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// What its vectors are.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Where it lies.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    fn open(file: &Path, flags: OpenFlags, lock: Option<File>) -> Result<Self, Error> {
        let sqlite = |e| Error::from_sqlite(file, e);
        extension::register().map_err(sqlite)?;
        let connection = Connection::open_with_flags(file, flags).map_err(sqlite)?;
        connection
            .busy_timeout(Duration::from_secs(10))
            .map_err(sqlite)?;
        // Without it, a statement that was kept is compiled anew for other values.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map_err(sqlite)?;
        let version: u32 = connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(sqlite)?;
        if version > schema::VERSION {
            return Err(Error::Later {
                file: file.to_owned(),
                found: version,
                known: schema::VERSION,
            });
        }
        if lock.is_none() && version < schema::VERSION {
            return Err(Error::Earlier {
                file: file.to_owned(),
            });
        }
        let identity = if version == 0 {
            None
        } else {
            recorded(&connection).map_err(sqlite)?
        };
        Ok(Self {
            connection,
            file: file.to_owned(),
            is_complete: version == schema::VERSION && identity.is_some(),
            is_frozen: false,
            identity: identity.unwrap_or(Identity {
                model: None,
                dimension: 0,
                chunker: String::new(),
            }),
            _lock: lock,
        })
    }

    /// WAL and tables, and the identity of a file that has none yet.
    fn prepare(&mut self, identity: &Identity) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "journal_mode", "wal")?;
        self.connection
            .pragma_update(None, "synchronous", "normal")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        // What was scrubbed from a note must not live on in pages that nobody uses any more.
        self.connection.pragma_update(None, "secure_delete", true)?;
        // A file that is as it should be is not written to: a run that finds nothing changed must
        // not wait for the disk.
        if self.is_complete {
            return Ok(());
        }
        schema::migrate(&mut self.connection, identity.dimension)?;
        let transaction = self.connection.transaction()?;
        let is_new = recorded(&transaction)?.is_none();
        if is_new {
            let mut put = transaction.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)")?;
            if let Some(model) = &identity.model {
                put.execute(["model", model])?;
            }
            put.execute(["dimension", &identity.dimension.to_string()])?;
            put.execute(["chunker", &identity.chunker])?;
        }
        transaction.commit()?;
        if is_new {
            self.identity = identity.clone();
        }
        Ok(())
    }

    fn refuse_other(&self, wanted: &Identity) -> Result<(), Error> {
        if self.identity == *wanted {
            return Ok(());
        }
        Err(Error::OtherModel {
            file: self.file.clone(),
            recorded: self.identity.in_words(),
            wanted: wanted.in_words(),
        })
    }

    /// What was noted down under a key of one's own.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn noted(&self, key: &str) -> Result<Option<String>, Error> {
        self.with(|connection| meta(connection, key))
    }

    /// Notes something down that is no part of any answer.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note_down(&mut self, key: &str, value: &str) -> Result<(), Error> {
        self.with(|connection| {
            let put = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
            connection.execute(put, [key, value]).map(drop)
        })
    }

    pub(crate) fn sqlite(&self, error: rusqlite::Error) -> Error {
        Error::from_sqlite(&self.file, error)
    }

    /// Runs a task on the connection, and says for which file it failed.
    pub(crate) fn with<T>(
        &self,
        task: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        task(&self.connection).map_err(|e| self.sqlite(e))
    }

    /// Runs a task that writes, whole or not at all.
    pub(crate) fn in_transaction<T>(
        &mut self,
        task: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let done = self.connection.transaction().and_then(|transaction| {
            let value = task(&transaction)?;
            recall::count_write(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        done.map_err(|e| Error::from_sqlite(&self.file, e))
    }
}

/// The identity that a file bears, if it bears one.
fn recorded(connection: &Connection) -> rusqlite::Result<Option<Identity>> {
    let get = |key| meta(connection, key);
    let (Some(dimension), Some(chunker)) = (get("dimension")?, get("chunker")?) else {
        return Ok(None);
    };
    Ok(Some(Identity {
        model: get("model")?,
        dimension: dimension.parse().unwrap_or(0),
        chunker,
    }))
}

fn meta(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

/// Becomes the one that writes, or says that another is.
fn lock(file: &Path) -> Result<File, Error> {
    let path = beside(file, ".lock");
    let io = |source| Error::from_io(file, source);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(io)?;
    }
    let lock = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(io)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::Busy {
            file: file.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// The file of the same name with an end of its own.
fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{ChunkRow, Fate, FileRow, NoteFacts, NoteRows};

    fn put(cache: &mut Cache, number: usize) -> Result<(), Error> {
        let path = format!("{number}.md");
        let chunk = ChunkRow {
            text: format!("note {number} {}", "word ".repeat(400)),
            ..ChunkRow::default()
        };
        let note = NoteRows {
            facts: NoteFacts {
                path: path.clone(),
                ..NoteFacts::default()
            },
            chunks: vec![chunk],
            links: Vec::new(),
        };
        let file = FileRow {
            path,
            size: 0,
            modified_ns: 0,
            hash: [0; 32],
            fate: Fate::Indexed,
        };
        cache.put_note(&note, &file)
    }

    #[test]
    fn with_no_space_left_every_note_is_whole_or_not_there_and_the_rest_answers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let identity = Identity {
            model: None,
            dimension: 0,
            chunker: "sections".to_owned(),
        };
        let mut cache = Cache::writer(&file, &identity).unwrap();
        let limit = |cache: &Cache, pages: u32| {
            let set = format!("PRAGMA max_page_count = {pages}");
            cache.connection.query_row(&set, [], |_| Ok(())).unwrap();
        };
        limit(&cache, 120);
        let stored = (0..).find(|&number| match put(&mut cache, number) {
            Ok(()) => false,
            Err(Error::Full { file: named }) => named == file,
            Err(other) => panic!("{other}"),
        });
        let stored = stored.unwrap();
        assert!(stored > 3, "{stored}");
        assert_eq!(Cache::reader(&file).unwrap().notes().unwrap().len(), stored);
        let unsound = |cache: &Cache| {
            let findings = cache.check().unwrap();
            findings
                .into_iter()
                .filter(|it| !it.what.contains("edges"))
                .count()
        };
        assert_eq!(unsound(&cache), 0);
        limit(&cache, 10_000);
        put(&mut cache, stored).unwrap();
        assert_eq!(
            (cache.notes().unwrap().len(), unsound(&cache)),
            (stored + 1, 0)
        );
    }
}
