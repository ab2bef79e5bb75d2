//! Reading back: what the core needs to know about candidates, and what sync needs about files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use concord_text::EdgeKind;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::blob::{floats, spans};
use crate::cache::Cache;
use crate::error::Error;
use crate::rows::{ChunkRow, Edge, Fate, FileRow, LinkRow, NoteFacts, kind_named, syntax_named};
use crate::sentences::SentenceVectors;
use crate::store::{Candidate, Counts, Similarities};
use crate::vector::cosine;

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
        self.with(|connection| note_at(connection, path))
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
    pub fn chunks_of(&self, path: &str) -> Result<Vec<Candidate>, Error> {
        self.with(|connection| chunks_of(connection, path, self.identity.dimension))
    }

    /// A chunk by its number.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn chunk(&self, id: i64) -> Result<Option<Candidate>, Error> {
        self.with(|connection| candidate(connection, id, self.identity.dimension))
    }

    /// Gives a chunk the vectors that its text has in a note: what was encoded once is not
    /// encoded again when a note is moved, or changed elsewhere.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn reuse_vectors_of(&self, path: &str, chunk: &mut ChunkRow) -> Result<(), Error> {
        let dimension = self.identity.dimension;
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT chunk.embedding, chunk.sentences, sentence.vectors FROM vault_chunk chunk
                 JOIN vault_node node ON node.id = chunk.node
                 LEFT JOIN vault_sentence_vector sentence ON sentence.chunk = chunk.id
                 WHERE node.path = ?1 AND chunk.text = ?2 AND chunk.embedding IS NOT NULL LIMIT 1",
            )?;
            let mut rows = statement.query([path, &chunk.text])?;
            let Some(row) = rows.next()? else {
                return Ok(());
            };
            chunk.embedding = Some(floats(row.get_ref(0)?.as_blob()?));
            if spans(row.get_ref(1)?.as_blob()?) == chunk.sentences {
                chunk.sentence_vectors = sentence_vectors(row.get_ref(2)?, dimension)?;
            }
            Ok(())
        })
    }

    /// Tells this file from another that takes its place under the same name.
    pub(crate) fn birth(&self) -> Result<String, Error> {
        self.with(|connection| {
            let query = "SELECT value FROM meta WHERE key = 'birth'";
            connection.query_row(query, [], |row| row.get(0))
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
    pub fn edges_of(&self, path: &str) -> Result<Vec<Edge>, Error> {
        self.with(|connection| edges_touching(connection, &[path]))
    }
}

/// What is known of a note.
pub(crate) fn note_at(connection: &Connection, path: &str) -> rusqlite::Result<Option<NoteFacts>> {
    let query = format!("SELECT {NOTE_COLUMNS} FROM vault_node WHERE path = ?1");
    let mut statement = connection.prepare_cached(&query)?;
    statement.query_row([path], note).optional()
}

/// The chunk of this number.
pub(crate) fn candidate(
    connection: &Connection,
    id: i64,
    dimension: u32,
) -> rusqlite::Result<Option<Candidate>> {
    let mut statement = connection.prepare_cached(&format!("{CHUNKS} WHERE chunk.id = ?1"))?;
    let read = |row: &Row<'_>| passage(row, dimension);
    statement.query_row([id], read).optional()
}

/// The note of a chunk, and its place there.
pub(crate) fn place(connection: &Connection, id: i64) -> rusqlite::Result<(String, u32)> {
    let query = "SELECT node.path, chunk.ordinal FROM vault_chunk chunk
                 JOIN vault_node node ON node.id = chunk.node WHERE chunk.id = ?1";
    let mut statement = connection.prepare_cached(query)?;
    statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Whether there is a chunk of this number.
pub(crate) fn has_chunk(connection: &Connection, id: i64) -> rusqlite::Result<bool> {
    let query = "SELECT 1 FROM vault_chunk WHERE id = ?1";
    connection.prepare_cached(query)?.exists([id])
}

/// The chunks of a note, in order.
pub(crate) fn chunks_of(
    connection: &Connection,
    path: &str,
    dimension: u32,
) -> rusqlite::Result<Vec<Candidate>> {
    let sql = format!("{CHUNKS} WHERE node.path = ?1 ORDER BY chunk.ordinal");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([path], |row| passage(row, dimension))?;
    rows.collect()
}

/// The edges with one of these notes at either end, each once, in order.
pub(crate) fn edges_touching(
    connection: &Connection,
    paths: &[&str],
) -> rusqlite::Result<Vec<Edge>> {
    let mut from = connection.prepare_cached(EDGES_FROM)?;
    let query = "SELECT source, kind FROM vault_edge WHERE target = ?1";
    let mut to = connection.prepare_cached(query)?;
    let mut edges = BTreeSet::new();
    for &path in paths {
        let mut rows = from.query([path])?;
        while let Some(row) = rows.next()? {
            edges.insert((path.to_owned(), row.get(0)?, kind(row)?));
        }
        let mut rows = to.query([path])?;
        while let Some(row) = rows.next()? {
            edges.insert((row.get(0)?, path.to_owned(), kind(row)?));
        }
    }
    Ok(edges.into_iter().collect())
}

/// The other ends of these notes' edges that are not among these, by path, with how many edges.
pub(crate) fn neighbours(
    connection: &Connection,
    paths: &[&str],
) -> rusqlite::Result<Vec<(String, u32)>> {
    let own: BTreeSet<&str> = paths.iter().copied().collect();
    let mut counts = BTreeMap::new();
    for (source, target, _) in edges_touching(connection, paths)? {
        for end in [source, target] {
            if !own.contains(end.as_str()) {
                *counts.entry(end).or_default() += 1;
            }
        }
    }
    Ok(counts.into_iter().collect())
}

/// The edges with these notes at both ends, as places in `paths`, in order.
pub(crate) fn edges_among(
    connection: &Connection,
    paths: &[&str],
) -> rusqlite::Result<Vec<(u32, u32, EdgeKind)>> {
    let places: HashMap<&str, u32> = paths.iter().copied().zip(0..).collect();
    let mut from = connection.prepare_cached(EDGES_FROM)?;
    let mut edges = Vec::new();
    for (&path, source) in paths.iter().zip(0..) {
        let mut rows = from.query([path])?;
        while let Some(row) = rows.next()? {
            if let Some(&target) = places.get(row.get_ref(0)?.as_str()?) {
                edges.push((source, target, kind(row)?));
            }
        }
    }
    edges.sort_unstable();
    Ok(edges)
}

const EDGES_FROM: &str = "SELECT target, kind FROM vault_edge WHERE source = ?1";

/// The kind in the second column.
pub(crate) fn kind(row: &Row<'_>) -> rusqlite::Result<EdgeKind> {
    Ok(kind_named(row.get_ref(1)?.as_str()?))
}

/// The best cosine of each note's chunks to a vector.
pub(crate) fn similarities(
    connection: &Connection,
    paths: &[&str],
    vector: &[f32],
) -> rusqlite::Result<Similarities> {
    let mut similarities = Similarities::default();
    for &path in paths {
        let mut best: Option<f64> = None;
        each_embedding_of(connection, path, |embedding| {
            similarities.read += 1;
            let cosine = cosine(vector, embedding);
            best = Some(best.map_or(cosine, |best| best.max(cosine)));
        })?;
        similarities
            .notes
            .extend(best.map(|best| (path.to_owned(), best)));
    }
    Ok(similarities)
}

/// Shows the embeddings of a note's chunks, in order.
pub(crate) fn each_embedding_of(
    connection: &Connection,
    path: &str,
    mut show: impl FnMut(&[f32]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT embedding FROM vault_chunk
         WHERE node = (SELECT id FROM vault_node WHERE path = ?1) AND embedding IS NOT NULL
         ORDER BY ordinal",
    )?;
    let mut rows = statement.query([path])?;
    while let Some(row) = rows.next()? {
        show(&floats(row.get_ref(0)?.as_blob()?));
    }
    Ok(())
}

/// Shows the embeddings of the chunks after this number, by number.
pub(crate) fn each_embedding_after(
    connection: &Connection,
    last: i64,
    mut show: impl FnMut(i64, &[u8]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT id, embedding FROM vault_chunk
         WHERE id > ?1 AND embedding IS NOT NULL ORDER BY id",
    )?;
    let mut rows = statement.query([last])?;
    while let Some(row) = rows.next()? {
        show(row.get(0)?, row.get_ref(1)?.as_blob()?);
    }
    Ok(())
}

/// The greatest number of a chunk; 0 where there is none.
pub(crate) fn last_chunk(connection: &Connection) -> rusqlite::Result<i64> {
    let query = "SELECT coalesce(max(id), 0) FROM vault_chunk";
    let mut statement = connection.prepare_cached(query)?;
    statement.query_row([], |row| row.get(0))
}

/// Tells which chunks there are: the greatest number, and how many. Numbers only grow, so of the
/// chunks up to some number there are ever fewer, and no two sets of them have both in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunks {
    pub(crate) last: i64,
    pub(crate) count: u32,
}

pub(crate) fn chunks_at_this_moment(connection: &Connection) -> rusqlite::Result<Chunks> {
    Ok(Chunks {
        last: last_chunk(connection)?,
        count: count(connection, "vault_chunk")?,
    })
}

/// The numbers of all chunks, ascending.
pub(crate) fn chunk_numbers(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached("SELECT id FROM vault_chunk")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    let mut numbers: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
    numbers.sort_unstable();
    Ok(numbers)
}

/// How much there is.
pub(crate) fn counts(connection: &Connection) -> rusqlite::Result<Counts> {
    Ok(Counts {
        notes: count(connection, "vault_node")?,
        chunks: count(connection, "vault_chunk")?,
        edges: count(connection, "vault_edge")?,
    })
}

/// The rows of a table.
pub(crate) fn count(connection: &Connection, table: &str) -> rusqlite::Result<u32> {
    let mut statement = connection.prepare_cached(&format!("SELECT count(*) FROM {table}"))?;
    statement.query_row([], |row| row.get(0))
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

const CHUNKS: &str = "SELECT chunk.id, node.path, chunk.ordinal, chunk.section, chunk.page, \
                      chunk.text, chunk.sentences, chunk.embedding, sentence.vectors \
                      FROM vault_chunk chunk JOIN vault_node node ON node.id = chunk.node \
                      LEFT JOIN vault_sentence_vector sentence ON sentence.chunk = chunk.id";

fn passage(row: &Row<'_>, dimension: u32) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        id: row.get(0)?,
        note: row.get(1)?,
        ordinal: row.get(2)?,
        section: row.get(3)?,
        page: row.get(4)?,
        text: row.get::<_, String>(5)?.into(),
        embedding: row
            .get_ref(7)?
            .as_blob_or_null()?
            .map(|bytes| floats(bytes).into()),
        sentences: spans(row.get_ref(6)?.as_blob()?),
        sentence_vectors: sentence_vectors(row.get_ref(8)?, dimension)?,
    })
}

fn sentence_vectors(
    value: ValueRef<'_>,
    dimension: u32,
) -> rusqlite::Result<Option<SentenceVectors>> {
    let bytes = value.as_blob_or_null()?;
    Ok(bytes.and_then(|bytes| SentenceVectors::from_bytes(bytes, dimension)))
}

fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
