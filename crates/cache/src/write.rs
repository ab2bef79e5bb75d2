//! Writing: a note at a time, whole or not at all.
//!
//! A note's old rows go and its new rows come in one transaction, together with what is recorded of
//! its file. Killed at any moment, the cache holds each note either as it was or as it is, and a
//! file whose record is missing or old is looked at again.
//!
//! Edges depend on all notes at once (a new note may be what an old link meant), so they are
//! written together at the end. Until then `edges_stale` stands in `meta`, from within the
//! transaction that made them so.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::blob::{SPAN, to_floats, to_spans};
use crate::cache::Cache;
use crate::error::Error;
use crate::recall;
use crate::rows::{ChunkRow, Edge, FileRow, NoteRows, syntax_name};
use crate::sentences::SentenceVectors;

const EDGES_STALE: &str = "edges_stale";
const UNRESOLVED: &str = "unresolved_links";

impl Cache {
    /// Puts a note in the place of what was there under its path, and records its file.
    ///
    /// # Errors
    /// If a vector has the wrong length, or the file cannot be written.
    pub fn put_note(&mut self, note: &NoteRows, file: &FileRow) -> Result<(), Error> {
        let dimension = self.identity.dimension;
        for vector in note
            .chunks
            .iter()
            .filter_map(|chunk| chunk.embedding.as_ref())
        {
            if vector.len() != dimension as usize {
                return Err(Error::Dimension {
                    found: vector.len(),
                    expected: dimension,
                });
            }
        }
        self.in_transaction(|transaction| {
            remove(transaction, &note.facts.path, dimension)?;
            insert(transaction, note)?;
            record(transaction, file)?;
            mark_edges_stale(transaction)
        })
    }

    /// Takes a note out, and records what became of its file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn set_aside(&mut self, file: &FileRow) -> Result<(), Error> {
        let dimension = self.identity.dimension;
        self.in_transaction(|transaction| {
            if remove(transaction, &file.path, dimension)? {
                mark_edges_stale(transaction)?;
            }
            record(transaction, file)
        })
    }

    /// Forgets a file that is no longer there, and its note.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn forget(&mut self, path: &str) -> Result<(), Error> {
        let dimension = self.identity.dimension;
        self.in_transaction(|transaction| {
            if remove(transaction, path, dimension)? {
                mark_edges_stale(transaction)?;
            }
            transaction.execute("DELETE FROM vault_file WHERE path = ?1", [path])?;
            Ok(())
        })
    }

    /// Records a file that was looked at again and is the same: only its time has changed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn touch(&mut self, file: &FileRow) -> Result<(), Error> {
        self.in_transaction(|transaction| {
            let update = "UPDATE vault_node SET modified_at = ?2 WHERE path = ?1";
            transaction.execute(update, params![file.path, file.modified_at()])?;
            record(transaction, file)
        })
    }

    /// Whether notes were written since the edges were.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn edges_are_stale(&self) -> Result<bool, Error> {
        self.with(|connection| {
            let query = "SELECT 1 FROM meta WHERE key = ?1";
            let found: Option<i64> = connection
                .query_row(query, [EDGES_STALE], |row| row.get(0))
                .optional()?;
            Ok(found.is_some())
        })
    }

    /// Writes all edges anew, distinct (source, target, kind) by path, and how many links lead
    /// nowhere.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn put_edges(&mut self, edges: &[Edge], unresolved: usize) -> Result<(), Error> {
        self.in_transaction(|transaction| {
            transaction.execute("DELETE FROM vault_edge", [])?;
            let mut put = transaction.prepare(
                "INSERT OR IGNORE INTO vault_edge (source, target, kind) VALUES (?1, ?2, ?3)",
            )?;
            for (source, target, kind) in
                edges.iter().filter(|(source, target, _)| source != target)
            {
                put.execute(params![source, target, kind.name()])?;
            }
            transaction.execute("DELETE FROM meta WHERE key = ?1", [EDGES_STALE])?;
            let put = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
            transaction.execute(put, [UNRESOLVED, &unresolved.to_string()])?;
            recall::count_edges(transaction)
        })
    }

    /// How many links led nowhere when the edges were last written.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn unresolved_links(&self) -> Result<usize, Error> {
        self.with(|connection| {
            let query = "SELECT value FROM meta WHERE key = ?1";
            let count: Option<String> = connection
                .query_row(query, [UNRESOLVED], |row| row.get(0))
                .optional()?;
            Ok(count.and_then(|count| count.parse().ok()).unwrap_or(0))
        })
    }

    /// Stores the vectors of a chunk's sentences, one a sentence, in the place of any that were
    /// there. Whether that chunk is (still) there with as many sentences.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn put_sentence_vectors(
        &mut self,
        chunk: i64,
        vectors: &SentenceVectors,
    ) -> Result<bool, Error> {
        self.in_transaction(|transaction| put_sentence_vectors(transaction, chunk, vectors))
    }

    /// Folds the write-ahead log into the file and empties it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn checkpoint(&self) -> Result<(), Error> {
        self.with(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }
}

fn mark_edges_stale(connection: &Connection) -> rusqlite::Result<()> {
    let put = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, 'yes')";
    connection.execute(put, [EDGES_STALE])?;
    Ok(())
}

/// Whether there was anything to remove.
fn remove(connection: &Connection, path: &str, dimension: u32) -> rusqlite::Result<bool> {
    let query = "SELECT id FROM vault_node WHERE path = ?1";
    let node: Option<i64> = connection
        .query_row(query, [path], |row| row.get(0))
        .optional()?;
    let Some(node) = node else {
        return Ok(false);
    };
    let of_node = "(SELECT id FROM vault_chunk WHERE node = ?1)";
    if dimension > 0 {
        connection.execute(
            &format!("DELETE FROM vault_chunk_vec WHERE id IN {of_node}"),
            [node],
        )?;
    }
    connection.execute(
        &format!("DELETE FROM vault_sentence_vector WHERE chunk IN {of_node}"),
        [node],
    )?;
    connection.execute("DELETE FROM vault_chunk WHERE node = ?1", [node])?;
    connection.execute("DELETE FROM vault_link WHERE node = ?1", [node])?;
    connection.execute("DELETE FROM vault_node WHERE id = ?1", [node])?;
    Ok(true)
}

fn insert(connection: &Connection, note: &NoteRows) -> rusqlite::Result<()> {
    let facts = &note.facts;
    connection.execute(
        "INSERT INTO vault_node (path, title, author, published_at, modified_at, valid_from,
             valid_until, kind, tags, aliases, evergreen, permalink, problems)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            facts.path,
            facts.title,
            facts.author,
            facts.published_at,
            facts.modified_at,
            facts.valid_from,
            facts.valid_until,
            facts.kind,
            list(&facts.tags),
            list(&facts.aliases),
            facts.evergreen,
            facts.permalink,
            list(&facts.problems),
        ],
    )?;
    let node = connection.last_insert_rowid();
    for (ordinal, chunk) in note.chunks.iter().enumerate() {
        insert_chunk(connection, node, as_i64(ordinal), chunk)?;
    }
    let mut put = connection.prepare_cached(
        "INSERT INTO vault_link (node, ordinal, target, syntax, kind) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (ordinal, link) in note.links.iter().enumerate() {
        let syntax = syntax_name(link.syntax);
        put.execute(params![
            node,
            as_i64(ordinal),
            link.target,
            syntax,
            link.kind.name()
        ])?;
    }
    Ok(())
}

fn insert_chunk(
    connection: &Connection,
    node: i64,
    ordinal: i64,
    chunk: &ChunkRow,
) -> rusqlite::Result<()> {
    let embedding = chunk.embedding.as_deref().map(to_floats);
    connection
        .prepare_cached(
            "INSERT INTO vault_chunk (node, ordinal, page, section, sentences, embedding, text,
                                      heading_context)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            node,
            ordinal,
            chunk.page,
            chunk.section,
            to_spans(&chunk.sentences),
            embedding,
            chunk.text,
            chunk.heading_context,
        ])?;
    let id = connection.last_insert_rowid();
    if let Some(embedding) = embedding {
        connection
            .prepare_cached("INSERT INTO vault_chunk_vec (id, embedding) VALUES (?1, ?2)")?
            .execute(params![id, embedding])?;
    }
    if let Some(vectors) = &chunk.sentence_vectors {
        put_sentence_vectors(connection, id, vectors)?;
    }
    Ok(())
}

/// Stored only where there is one a sentence: the chunk may be gone since it was read.
pub(crate) fn put_sentence_vectors(
    connection: &Connection,
    chunk: i64,
    vectors: &SentenceVectors,
) -> rusqlite::Result<bool> {
    let put = "INSERT OR REPLACE INTO vault_sentence_vector (chunk, vectors)
               SELECT id, ?2 FROM vault_chunk WHERE id = ?1 AND length(sentences) = ?3";
    let spans = as_i64(vectors.len() * SPAN);
    let mut put = connection.prepare_cached(put)?;
    Ok(put.execute(params![chunk, vectors.bytes(), spans])? > 0)
}

fn record(connection: &Connection, file: &FileRow) -> rusqlite::Result<()> {
    let (fate, reason) = file.fate.parts();
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO vault_file (path, size, modified_ns, hash, fate, reason)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            file.path,
            i64::try_from(file.size).unwrap_or(i64::MAX),
            file.modified_ns,
            file.hash,
            fate,
            reason,
        ])?;
    Ok(())
}

/// A list as JSON text, which SQLite's `json_each` can look into.
fn list(values: &[String]) -> String {
    serde_json::json!(values).to_string()
}

fn as_i64(ordinal: usize) -> i64 {
    i64::try_from(ordinal).unwrap_or(i64::MAX)
}
