//! The tables, and how an older file becomes a newer one.
//!
//! `PRAGMA user_version` counts the steps that were taken; each step is one transaction, so a
//! file is at some version and never between two.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// The version that this code writes.
pub(crate) const VERSION: u32 = 1;

/// Brings a file to [`VERSION`]. `dimension` is 0 where there is no encoder.
pub(crate) fn migrate(connection: &mut Connection, dimension: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if from < 1 {
        first(&transaction, dimension)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

fn first(transaction: &Transaction<'_>, dimension: u32) -> rusqlite::Result<()> {
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

         CREATE TABLE vault_chunk (
             id INTEGER PRIMARY KEY,
             node INTEGER NOT NULL REFERENCES vault_node (id),
             ordinal INTEGER NOT NULL,
             section TEXT NOT NULL,
             heading_context TEXT NOT NULL,
             text TEXT NOT NULL,
             page INTEGER,
             embedding BLOB,
             UNIQUE (node, ordinal)
         );

         CREATE VIRTUAL TABLE vault_chunk_fts USING fts5 (
             text, section, heading_context,
             content = 'vault_chunk', content_rowid = 'id',
             tokenize = 'porter unicode61'
         );
         -- A content table does not tell FTS5 of its changes by itself, and an index that was not
         -- told answers with rows that are gone.
         CREATE TRIGGER vault_chunk_inserted AFTER INSERT ON vault_chunk BEGIN
             INSERT INTO vault_chunk_fts (rowid, text, section, heading_context)
             VALUES (new.id, new.text, new.section, new.heading_context);
         END;
         CREATE TRIGGER vault_chunk_deleted AFTER DELETE ON vault_chunk BEGIN
             INSERT INTO vault_chunk_fts (vault_chunk_fts, rowid, text, section, heading_context)
             VALUES ('delete', old.id, old.text, old.section, old.heading_context);
         END;

         CREATE TABLE vault_sentence (
             chunk INTEGER NOT NULL REFERENCES vault_chunk (id),
             ordinal INTEGER NOT NULL,
             start INTEGER NOT NULL,
             end INTEGER NOT NULL,
             vector BLOB,
             PRIMARY KEY (chunk, ordinal)
         ) WITHOUT ROWID;

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
