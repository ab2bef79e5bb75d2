//! Reading back: what the core needs to know about candidates, and what sync needs about files.

use std::collections::BTreeMap;

use concord_text::EdgeKind;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::cache::Cache;
use crate::error::Error;
use crate::rows::{
    ChunkRow, Fate, FileRow, FoundChunk, LinkRow, NoteFacts, SentenceRow, kind_named, syntax_named,
};
use crate::write::from_bytes;

impl Cache {
    /// What became of every file, by path.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn files(&self) -> Result<BTreeMap<String, FileRow>, Error> {
        self.with(|connection| {
            let query = "SELECT path, size, modified_ns, hash, fate, reason FROM vault_file";
            let mut statement = connection.prepare(query)?;
            let rows = statement.query_map([], |row| {
                let path: String = row.get(0)?;
                let fate: String = row.get(4)?;
                let file = FileRow {
                    path: path.clone(),
                    size: row.get::<_, i64>(1)?.try_into().unwrap_or(0),
                    modified_ns: row.get(2)?,
                    hash: row.get(3)?,
                    fate: Fate::from_parts(&fate, row.get(5)?),
                };
                Ok((path, file))
            })?;
            rows.collect()
        })
    }

    /// What is known of a note.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn note(&self, path: &str) -> Result<Option<NoteFacts>, Error> {
        self.with(|connection| {
            let query = format!("SELECT {NOTE_COLUMNS} FROM vault_node WHERE path = ?1");
            let mut statement = connection.prepare_cached(&query)?;
            statement.query_row([path], note).optional()
        })
    }

    /// All notes, by path.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn notes(&self) -> Result<Vec<NoteFacts>, Error> {
        self.with(|connection| {
            let query = format!("SELECT {NOTE_COLUMNS} FROM vault_node ORDER BY path");
            let mut statement = connection.prepare(&query)?;
            let rows = statement.query_map([], note)?;
            rows.collect()
        })
    }

    /// The chunks of a note, in order.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn chunks_of(&self, path: &str) -> Result<Vec<FoundChunk>, Error> {
        self.with(|connection| {
            let query = format!("{CHUNKS} WHERE node.path = ?1 ORDER BY chunk.ordinal");
            let mut statement = connection.prepare_cached(&query)?;
            let chunks = statement.query_map([path], chunk)?;
            with_sentences(connection, chunks.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A chunk by its number.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn chunk(&self, id: i64) -> Result<Option<FoundChunk>, Error> {
        self.with(|connection| {
            let query = format!("{CHUNKS} WHERE chunk.id = ?1");
            let mut statement = connection.prepare_cached(&query)?;
            let found = statement.query_row([id], chunk).optional()?;
            let found = with_sentences(connection, found.into_iter().collect())?;
            Ok(found.into_iter().next())
        })
    }

    /// The sentences of a chunk, with the vectors that were stored.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn sentences(&self, chunk: i64) -> Result<Vec<SentenceRow>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT start, end, vector FROM vault_sentence WHERE chunk = ?1 ORDER BY ordinal",
            )?;
            let rows = statement.query_map([chunk], |row| {
                let vector: Option<Vec<u8>> = row.get(2)?;
                Ok(SentenceRow {
                    start: row.get(0)?,
                    end: row.get(1)?,
                    vector: vector.as_deref().and_then(from_bytes),
                })
            })?;
            rows.collect()
        })
    }

    /// The embedding of a text that is stored already, under whatever path: what was encoded
    /// once is not encoded again when a note is moved.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn embedding_of(&self, path: &str, text: &str) -> Result<Option<Vec<f32>>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT chunk.embedding FROM vault_chunk chunk
                 JOIN vault_node node ON node.id = chunk.node
                 WHERE node.path = ?1 AND chunk.text = ?2 AND chunk.embedding IS NOT NULL LIMIT 1",
            )?;
            let blob: Option<Vec<u8>> = statement
                .query_row([path, text], |row| row.get(0))
                .optional()?;
            Ok(blob.as_deref().map(floats))
        })
    }

    /// All links as they are written, with the path of the note that has them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn links(&self) -> Result<Vec<(String, LinkRow)>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT node.path, link.target, link.syntax, link.kind FROM vault_link link
                 JOIN vault_node node ON node.id = link.node ORDER BY node.path, link.ordinal",
            )?;
            let rows = statement.query_map([], |row| {
                let (syntax, kind): (String, String) = (row.get(2)?, row.get(3)?);
                let link = LinkRow {
                    target: row.get(1)?,
                    syntax: syntax_named(&syntax),
                    kind: kind_named(&kind),
                };
                Ok((row.get(0)?, link))
            })?;
            rows.collect()
        })
    }

    /// The edges that touch a note, either way.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn edges_of(&self, path: &str) -> Result<Vec<(String, String, EdgeKind)>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT source, target, kind FROM vault_edge WHERE source = ?1
                 UNION SELECT source, target, kind FROM vault_edge WHERE target = ?1
                 ORDER BY source, target, kind",
            )?;
            let rows = statement.query_map([path], |row| {
                let kind: String = row.get(2)?;
                Ok((row.get(0)?, row.get(1)?, kind_named(&kind)))
            })?;
            rows.collect()
        })
    }
}

const NOTE_COLUMNS: &str = "path, title, author, published_at, modified_at, valid_from, \
                            valid_until, kind, tags, aliases, evergreen, permalink, problems";

fn note(row: &Row<'_>) -> rusqlite::Result<NoteFacts> {
    Ok(NoteFacts {
        path: row.get(0)?,
        title: row.get(1)?,
        author: row.get(2)?,
        published_at: row.get(3)?,
        modified_at: row.get(4)?,
        valid_from: row.get(5)?,
        valid_until: row.get(6)?,
        kind: row.get(7)?,
        tags: list(&row.get::<_, String>(8)?),
        aliases: list(&row.get::<_, String>(9)?),
        evergreen: row.get(10)?,
        permalink: row.get(11)?,
        problems: list(&row.get::<_, String>(12)?),
    })
}

const CHUNKS: &str = "SELECT chunk.id, node.path, chunk.ordinal, chunk.section, \
                      chunk.heading_context, chunk.text, chunk.page, chunk.embedding \
                      FROM vault_chunk chunk JOIN vault_node node ON node.id = chunk.node";

fn chunk(row: &Row<'_>) -> rusqlite::Result<FoundChunk> {
    let embedding: Option<Vec<u8>> = row.get(7)?;
    Ok(FoundChunk {
        id: row.get(0)?,
        note: row.get(1)?,
        ordinal: row.get(2)?,
        row: ChunkRow {
            section: row.get(3)?,
            heading_context: row.get(4)?,
            text: row.get(5)?,
            page: row.get(6)?,
            embedding: embedding.as_deref().map(floats),
            sentences: Vec::new(),
        },
    })
}

fn with_sentences(
    connection: &Connection,
    mut chunks: Vec<FoundChunk>,
) -> rusqlite::Result<Vec<FoundChunk>> {
    let query = "SELECT start, end FROM vault_sentence WHERE chunk = ?1 ORDER BY ordinal";
    let mut statement = connection.prepare_cached(query)?;
    for chunk in &mut chunks {
        let spans = statement.query_map(params![chunk.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        chunk.row.sentences = spans.collect::<rusqlite::Result<_>>()?;
    }
    Ok(chunks)
}

fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// float32, little-endian.
pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(4);
    numbers
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}
