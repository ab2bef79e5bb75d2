//! A cache as text: two caches with the same dump answer the same.
//!
//! Row numbers, file times and the order of insertion are left out, since they depend on how the
//! cache came about; everything that an answer can depend on is in.

use std::fmt::Write as _;

use crate::cache::Cache;
use crate::error::Error;

const TABLES: [&str; 6] = [
    "SELECT 'file', path, size, hex(hash), fate, reason FROM vault_file ORDER BY path",
    "SELECT 'node', path, title, author, published_at, valid_from, valid_until, kind,
            tags, aliases, evergreen, permalink, problems FROM vault_node ORDER BY path",
    "SELECT 'chunk', node.path, ordinal, section, heading_context, text, page, hex(embedding),
            hex(sentences)
     FROM vault_chunk chunk JOIN vault_node node ON node.id = chunk.node ORDER BY path, ordinal",
    "SELECT 'sentences', node.path, ordinal, hex(vectors)
     FROM vault_sentence_vector vector JOIN vault_chunk chunk ON chunk.id = vector.chunk
     JOIN vault_node node ON node.id = chunk.node ORDER BY path, ordinal",
    "SELECT 'link', node.path, ordinal, target, syntax, link.kind
     FROM vault_link link JOIN vault_node node ON node.id = link.node ORDER BY path, ordinal",
    "SELECT 'edge', source, target, kind FROM vault_edge ORDER BY source, target, kind",
];

impl Cache {
    /// Everything in it that an answer can depend on, a line a row.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn dump(&self) -> Result<String, Error> {
        self.with(|connection| {
            let mut text = String::new();
            for query in TABLES {
                let mut statement = connection.prepare(query)?;
                let columns = statement.column_count();
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    for column in 0..columns {
                        let value: rusqlite::types::Value = row.get(column)?;
                        let _ = write!(text, "{value:?}\t");
                    }
                    text.push('\n');
                }
            }
            Ok(text)
        })
    }
}
