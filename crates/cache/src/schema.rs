//! The tables, and how an older file becomes a newer one.
//!
//! `PRAGMA user_version` counts the steps that were taken; each step is one transaction, so a
//! file is at some version and never between two.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::blob::to_spans;

/// The version that this code writes.
pub(crate) const VERSION: u32 = 3;

/// Brings a file to [`VERSION`]. `dimension` is 0 where there is no encoder.
pub(crate) fn migrate(connection: &mut Connection, dimension: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match from {
        0 => create(&transaction, dimension)?,
        // Version 2 did not count what was written to it, which those who remember rely on.
        1 => one_to_two(&transaction)?,
        _ => {}
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// All tables of a new file.
fn create(transaction: &Transaction<'_>, dimension: u32) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

         CREATE TABLE vault_file (
             path TEXT PRIMARY KEY,
             size INTEGER NOT NULL,
             modified_ns INTEGER NOT NULL,
             hash BLOB NOT NULL,
             fate TEXT NOT NULL,
             reason TEXT
         ) WITHOUT ROWID;

         CREATE TABLE vault_node (
             id INTEGER PRIMARY KEY,
             path TEXT NOT NULL UNIQUE,
             title TEXT NOT NULL,
             author TEXT,
             published_at INTEGER,
             modified_at INTEGER,
             valid_from INTEGER,
             valid_until INTEGER,
             kind TEXT,
             tags TEXT NOT NULL,
             aliases TEXT NOT NULL,
             evergreen INTEGER NOT NULL,
             permalink TEXT,
             problems TEXT NOT NULL
         );

         CREATE VIRTUAL TABLE vault_chunk_fts USING fts5 (
             text, section, heading_context,
             content = 'vault_chunk', content_rowid = 'id',
             tokenize = 'porter unicode61'
         );

         CREATE TABLE vault_link (
             node INTEGER NOT NULL REFERENCES vault_node (id),
             ordinal INTEGER NOT NULL,
             target TEXT NOT NULL,
             syntax TEXT NOT NULL,
             kind TEXT NOT NULL,
             PRIMARY KEY (node, ordinal)
         ) WITHOUT ROWID;

         CREATE TABLE vault_edge (
             source TEXT NOT NULL,
             target TEXT NOT NULL,
             kind TEXT NOT NULL,
             PRIMARY KEY (source, target, kind)
         ) WITHOUT ROWID;
         CREATE INDEX vault_edge_target ON vault_edge (target);",
    )?;
    transaction.execute_batch(CHUNKS)?;
    transaction.execute_batch(CHUNK_TRIGGERS)?;
    transaction.execute(BIRTH, [])?;
    if dimension > 0 {
        transaction.execute_batch(&format!(
            "CREATE VIRTUAL TABLE vault_chunk_vec USING vec0 (
                 id INTEGER PRIMARY KEY,
                 embedding float[{dimension}] distance_metric=cosine
             );"
        ))?;
    }
    Ok(())
}

/// Chunks and the vectors of their sentences.
///
/// A number is never given twice (AUTOINCREMENT), and a row is written once and never changed:
/// what is kept of a chunk outside the file, by its number, can only become superfluous, not wrong.
/// The embedding stands before the text, so that reading it does not walk through the text's pages.
const CHUNKS: &str = "
    CREATE TABLE vault_chunk (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        node INTEGER NOT NULL REFERENCES vault_node (id),
        ordinal INTEGER NOT NULL,
        page INTEGER,
        section TEXT NOT NULL,
        sentences BLOB NOT NULL,
        embedding BLOB,
        text TEXT NOT NULL,
        heading_context TEXT NOT NULL,
        UNIQUE (node, ordinal)
    );
    CREATE TABLE vault_sentence_vector (
        chunk INTEGER PRIMARY KEY REFERENCES vault_chunk (id),
        vectors BLOB NOT NULL
    );";

/// A content table does not tell FTS5 of its changes by itself, and an index that was not told
/// answers with rows that are gone.
const CHUNK_TRIGGERS: &str = "
    CREATE TRIGGER vault_chunk_inserted AFTER INSERT ON vault_chunk BEGIN
        INSERT INTO vault_chunk_fts (rowid, text, section, heading_context)
        VALUES (new.id, new.text, new.section, new.heading_context);
    END;
    CREATE TRIGGER vault_chunk_deleted AFTER DELETE ON vault_chunk BEGIN
        INSERT INTO vault_chunk_fts (vault_chunk_fts, rowid, text, section, heading_context)
        VALUES ('delete', old.id, old.text, old.section, old.heading_context);
    END;";

/// Tells this file from another that takes its place under the same name.
const BIRTH: &str = "INSERT INTO meta (key, value) VALUES ('birth', hex(randomblob(16)))";

/// Version 1 used chunk numbers again, and had a row a sentence.
fn one_to_two(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "DROP TRIGGER vault_chunk_inserted;
         DROP TRIGGER vault_chunk_deleted;
         ALTER TABLE vault_chunk RENAME TO chunk_1;",
    )?;
    transaction.execute_batch(CHUNKS)?;
    let ids: Vec<i64> = transaction
        .prepare("SELECT id FROM chunk_1 ORDER BY id")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let query = "SELECT start, end, vector FROM vault_sentence WHERE chunk = ?1 ORDER BY ordinal";
    let mut sentences = transaction.prepare(query)?;
    let mut put_chunk = transaction.prepare(
        "INSERT INTO vault_chunk
             (id, node, ordinal, page, section, sentences, embedding, text, heading_context)
         SELECT id, node, ordinal, page, section, ?2, embedding, text, heading_context
         FROM chunk_1 WHERE id = ?1",
    )?;
    let put = "INSERT INTO vault_sentence_vector (chunk, vectors) VALUES (?1, ?2)";
    let mut put_vectors = transaction.prepare(put)?;
    for id in ids {
        let mut rows = sentences.query([id])?;
        let mut spans = Vec::new();
        let mut vectors = Some(Vec::new());
        while let Some(row) = rows.next()? {
            spans.push((row.get(0)?, row.get(1)?));
            let vector: Option<Vec<u8>> = row.get(2)?;
            vectors = vectors.zip(vector).and_then(|(all, one)| {
                let (_scale, steps) = one.split_first_chunk::<4>()?;
                Some([&all, steps].concat())
            });
        }
        put_chunk.execute(params![id, to_spans(&spans)])?;
        if let Some(vectors) = vectors.filter(|vectors| !vectors.is_empty()) {
            put_vectors.execute(params![id, vectors])?;
        }
    }
    transaction.execute_batch("DROP TABLE vault_sentence; DROP TABLE chunk_1;")?;
    transaction.execute_batch(CHUNK_TRIGGERS)?;
    transaction.execute(BIRTH, [])?;
    Ok(())
}
