//! The file of recommendations, in the vault's hidden folder `.concord-keep`.
//!
//! It cannot be made again from the notes, so it lies apart from the caches. Every change is one
//! transaction; `PRAGMA user_version` counts the steps that its tables have taken. The file is made
//! when something is first saved.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use concord_core::cite::CitationReason;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{DeepCandidate, DeepResult, Recommendation, SavedCitation, status};
use crate::collection::FoundIn;
use crate::refusal::{Code, Refusal};
use crate::vault::KEPT;

/// The file, in that folder.
const FILE: &str = "recommendations.db";

/// The version that this code writes.
const VERSION: u32 = 1;

/// Whoever else writes is waited for this long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Letters and digits that are not taken for one another.
const ID_LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The file of recommendations of a vault.
pub(crate) struct Store {
    file: PathBuf,
}

/// What of a citation is read whole or not at all.
#[derive(Default, Serialize, Deserialize)]
struct Details {
    spans: Vec<(u32, u32)>,
    source: Option<String>,
    found_in: Option<FoundIn>,
}

/// What of a deeper look is no citation.
#[derive(Serialize, Deserialize)]
struct DeepDetails {
    mode: String,
    at: i64,
    text: Option<String>,
    candidates: Vec<DeepCandidate>,
}

impl Store {
    /// That of the vault in a folder.
    pub(crate) fn of(root: &Path) -> Self {
        Self {
            file: root.join(KEPT).join(FILE),
        }
    }

    /// All of them, newest first.
    pub(super) fn all(&self) -> Result<Vec<Recommendation>, Refusal> {
        let Some(connection) = self.reader()? else {
            return Ok(Vec::new());
        };
        self.told(read(&connection, None))
    }

    /// One by its name.
    pub(super) fn get(&self, id: &str) -> Result<Recommendation, Refusal> {
        let found = match self.reader()? {
            Some(connection) => self.told(read(&connection, Some(id)))?.pop(),
            None => None,
        };
        found.ok_or_else(|| no_such(id))
    }

    /// Saves a recommendation under a new name, which is given to it.
    pub(super) fn insert(&self, recommendation: &mut Recommendation) -> Result<(), Refusal> {
        let mut connection = self.writer()?;
        recommendation.id = new_id()?;
        self.told((|| {
            let transaction = connection.transaction()?;
            transaction.execute(
                "INSERT INTO recommendation (id, domain, title, question, text, created_at, pack)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    recommendation.id,
                    recommendation.domain,
                    recommendation.title,
                    recommendation.question,
                    recommendation.text,
                    recommendation.created_at,
                    recommendation.pack,
                ],
            )?;
            let id = &recommendation.id;
            insert_citations(&transaction, id, Part::Text, &recommendation.citations)?;
            transaction.commit()
        })())
    }

    /// Writes what a deeper look came to, in place of an earlier one.
    pub(super) fn write_back(&self, id: &str, deep: &DeepResult) -> Result<(), Refusal> {
        let mut connection = self.writer()?;
        let details = DeepDetails {
            mode: deep.mode.clone(),
            at: deep.at,
            text: deep.text.clone(),
            candidates: deep.candidates.clone(),
        };
        let written: rusqlite::Result<bool> = (|| {
            let transaction = connection.transaction()?;
            let update = "UPDATE recommendation SET deep = ?2 WHERE id = ?1";
            let found = transaction.execute(update, params![id, json(&details)])? > 0;
            if found {
                let delete = "DELETE FROM citation WHERE recommendation = ?1 AND part = ?2";
                transaction.execute(delete, params![id, Part::Deep.name()])?;
                insert_citations(&transaction, id, Part::Deep, &deep.citations)?;
                transaction.commit()?;
            }
            Ok(found)
        })();
        match self.told(written)? {
            true => Ok(()),
            false => Err(no_such(id)),
        }
    }

    /// Deletes a recommendation with all that belongs to it.
    pub(super) fn delete(&self, id: &str) -> Result<(), Refusal> {
        if !self.file.exists() {
            return Err(no_such(id));
        }
        let connection = self.writer()?;
        let deleted = connection.execute("DELETE FROM recommendation WHERE id = ?1", [id]);
        match self.told(deleted)? {
            0 => Err(no_such(id)),
            _ => Ok(()),
        }
    }

    fn reader(&self) -> Result<Option<Connection>, Refusal> {
        if !self.file.exists() {
            return Ok(None);
        }
        // Read-write, since reading in WAL mode may have to make the shared-memory file.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = self.told(Connection::open_with_flags(&self.file, flags))?;
        self.told(connection.busy_timeout(PATIENCE))?;
        match self.version(&connection)? {
            // Somebody is just making it.
            0 => Ok(None),
            _ => Ok(Some(connection)),
        }
    }

    fn writer(&self) -> Result<Connection, Refusal> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder).map_err(|error| self.failed(&error))?;
        }
        let mut connection = self.told(Connection::open(&self.file))?;
        self.told(connection.busy_timeout(PATIENCE))?;
        if self.version(&connection)? < VERSION {
            self.told(connection.pragma_update(None, "journal_mode", "wal"))?;
            self.told(migrate(&mut connection))?;
        }
        self.told(connection.pragma_update(None, "foreign_keys", true))?;
        Ok(connection)
    }

    fn version(&self, connection: &Connection) -> Result<u32, Refusal> {
        let found = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
        let found: u32 = self.told(found)?;
        if found > VERSION {
            let message = format!(
                "{}: written by a later version of this program ({found}, and this one knows {VERSION})",
                self.file.display()
            );
            return Err(Refusal::new(Code::Internal, message).hint("use that version"));
        }
        Ok(found)
    }

    fn told<T>(&self, result: rusqlite::Result<T>) -> Result<T, Refusal> {
        result.map_err(|error| {
            let busy = matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            );
            let mut refusal = self.failed(&error);
            if busy {
                refusal.code = Code::Busy;
            }
            refusal
        })
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Refusal {
        let file = self.file.display();
        Refusal::new(Code::Internal, format!("{file}: {error}"))
    }
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let from: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if from == 0 {
        transaction.execute_batch(TABLES)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

const TABLES: &str = "
    CREATE TABLE recommendation (
        id TEXT PRIMARY KEY,
        domain TEXT NOT NULL,
        title TEXT NOT NULL,
        question TEXT NOT NULL,
        text TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        pack TEXT,
        deep TEXT
    ) WITHOUT ROWID;

    CREATE TABLE citation (
        recommendation TEXT NOT NULL REFERENCES recommendation (id) ON DELETE CASCADE,
        part TEXT NOT NULL,
        place INTEGER NOT NULL,
        quote TEXT,
        note TEXT,
        ordinal INTEGER,
        citation_reason TEXT NOT NULL,
        citation_verified INTEGER GENERATED ALWAYS AS (citation_reason = 'match') VIRTUAL,
        note_hash TEXT,
        details TEXT NOT NULL,
        PRIMARY KEY (recommendation, part, place)
    ) WITHOUT ROWID;
    CREATE INDEX citation_note ON citation (note);";

/// Which text a citation belongs to.
#[derive(Clone, Copy)]
enum Part {
    Text,
    Deep,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Deep => "deep",
        }
    }
}

fn insert_citations(
    transaction: &Transaction<'_>,
    id: &str,
    part: Part,
    citations: &[SavedCitation],
) -> rusqlite::Result<()> {
    let mut put = transaction.prepare(
        "INSERT INTO citation (recommendation, part, place, quote, note, ordinal,
                               citation_reason, note_hash, details)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for (citation, place) in citations.iter().zip(0_i64..) {
        let details = Details {
            spans: citation.spans.clone(),
            source: citation.source.clone(),
            found_in: citation.found_in.clone(),
        };
        put.execute(params![
            id,
            part.name(),
            place,
            citation.quote,
            citation.note,
            citation.ordinal,
            citation.citation_reason.name(),
            citation.hash,
            json(&details),
        ])?;
    }
    Ok(())
}

fn read(connection: &Connection, id: Option<&str>) -> rusqlite::Result<Vec<Recommendation>> {
    // One snapshot for a recommendation and its citations.
    let transaction = connection.unchecked_transaction()?;
    let mut found = transaction.prepare(
        "SELECT id, domain, title, question, text, created_at, pack, deep FROM recommendation
         WHERE ?1 IS NULL OR id = ?1 ORDER BY created_at DESC, id",
    )?;
    let rows = found.query_map([id], |row| {
        let deep: Option<String> = row.get(7)?;
        let recommendation = Recommendation {
            id: row.get(0)?,
            domain: row.get(1)?,
            title: row.get(2)?,
            question: row.get(3)?,
            text: row.get(4)?,
            created_at: row.get(5)?,
            pack: row.get(6)?,
            citations_status: status([]),
            citations: Vec::new(),
            deep: None,
        };
        Ok((recommendation, deep))
    })?;
    let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
    let mut of = transaction.prepare(
        "SELECT quote, note, ordinal, citation_reason, note_hash, details FROM citation
         WHERE recommendation = ?1 AND part = ?2 ORDER BY place",
    )?;
    let mut all = Vec::with_capacity(rows.len());
    for (mut recommendation, deep) in rows {
        let mut citations = |part: Part| -> rusqlite::Result<Vec<SavedCitation>> {
            of.query_map([&recommendation.id, part.name()], citation)?
                .collect()
        };
        let own = citations(Part::Text)?;
        let deep = match deep.and_then(|deep| serde_json::from_str::<DeepDetails>(&deep).ok()) {
            None => None,
            Some(details) => {
                let citations = citations(Part::Deep)?;
                Some(DeepResult {
                    mode: details.mode,
                    at: details.at,
                    text: details.text,
                    candidates: details.candidates,
                    citations_status: status(&citations),
                    citations,
                })
            }
        };
        recommendation.citations = own;
        recommendation.deep = deep;
        recommendation.citations_status = status(recommendation.all_citations());
        all.push(recommendation);
    }
    Ok(all)
}

fn citation(row: &Row<'_>) -> rusqlite::Result<SavedCitation> {
    let reason: String = row.get(3)?;
    let reason: CitationReason =
        serde_json::from_value(reason.into()).unwrap_or(CitationReason::NotFound);
    let details: Details = serde_json::from_str(&row.get::<_, String>(5)?).unwrap_or_default();
    Ok(SavedCitation {
        quote: row.get(0)?,
        note: row.get(1)?,
        ordinal: row.get(2)?,
        citation_verified: reason == CitationReason::Match,
        citation_reason: reason,
        spans: details.spans,
        source: details.source,
        found_in: details.found_in,
        stale: None,
        now: None,
        hash: row.get(4)?,
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the wire shapes are plain data")
}

fn new_id() -> Result<String, Refusal> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("no random numbers to be had: {error}"),
        )
    })?;
    let letter = |byte: &u8| char::from(ID_LETTERS[usize::from(byte % 32)]);
    Ok(bytes.iter().map(letter).collect())
}

fn no_such(id: &str) -> Refusal {
    Refusal::new(Code::NotFound, format!("there is no recommendation {id:?}"))
        .hint("`concord rx list` names them all")
}
