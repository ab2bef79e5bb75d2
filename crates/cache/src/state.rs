//! What of a cache others remember, to see later whether it has changed.

use blake3::Hasher;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _};

use crate::cache::Identity;
use crate::store::State;

/// The hash of each of these notes' files, in hex.
pub(crate) fn hashes(
    connection: &Connection,
    paths: &[&str],
) -> rusqlite::Result<Vec<(String, String)>> {
    let mut statement = connection
        .prepare_cached("SELECT hash FROM vault_file WHERE path = ?1 AND fate = 'indexed'")?;
    let mut found = Vec::with_capacity(paths.len());
    for &path in paths {
        let hash: Option<[u8; 32]> = statement.query_row([path], |row| row.get(0)).optional()?;
        let hex = hash.map(|hash| blake3::Hash::from_bytes(hash).to_hex().to_string());
        found.extend(hex.map(|hex| (path.to_owned(), hex)));
    }
    Ok(found)
}

/// All that an answer depends on: the notes and when they changed, the links among them, which of
/// their sentences have vectors, and what made those.
const PARTS: [&str; 3] = [
    "SELECT node.path, file.hash, node.modified_at FROM vault_node node
     LEFT JOIN vault_file file ON file.path = node.path ORDER BY node.path",
    "SELECT source, target, kind FROM vault_edge ORDER BY source, target, kind",
    "SELECT count(*) FROM vault_sentence_vector",
];

pub(crate) fn state(connection: &Connection, identity: &Identity) -> rusqlite::Result<State> {
    let mut hasher = Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(identity.model.as_deref().unwrap_or_default().as_bytes());
    add(&identity.dimension.to_le_bytes());
    add(identity.chunker.as_bytes());
    for part in PARTS {
        let mut statement = connection.prepare(part)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                match row.get_ref(column)? {
                    ValueRef::Integer(number) => add(&number.to_le_bytes()),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => add(bytes),
                    ValueRef::Null | ValueRef::Real(_) => add(b"\0"),
                }
            }
        }
    }
    let newest = connection.query_row("SELECT max(modified_at) FROM vault_node", [], |row| {
        row.get(0)
    })?;
    Ok(State {
        mark: hasher.finalize().to_hex().to_string(),
        newest,
    })
}
