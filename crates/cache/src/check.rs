//! `concord doctor`'s view of a cache: do vectors, words, links and chunks still belong together?

use rusqlite::Connection;

use crate::blob::spans;
use crate::cache::Cache;
use crate::error::Error;
use crate::sync::FILLED_TO;

/// Something that does not belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong, and how often.
    pub what: String,
    /// What mends it.
    pub repair: Repair,
}

/// What mends a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// [`Cache::repair`] does, from the chunks.
    FromChunks,
    /// The next sync does: it writes the edges anew.
    Sync,
    /// Only indexing the vault again does.
    Rebuild,
}

/// (what is wrong, a query that counts it, what mends it)
type Question = (&'static str, &'static str, Repair);

const QUESTIONS: [Question; 6] = [
    (
        "chunks whose note is gone",
        "SELECT count(*) FROM vault_chunk WHERE node NOT IN (SELECT id FROM vault_node)",
        Repair::Rebuild,
    ),
    (
        "indexed files without a note",
        "SELECT count(*) FROM vault_file
         WHERE fate = 'indexed' AND path NOT IN (SELECT path FROM vault_node)",
        Repair::Rebuild,
    ),
    (
        "notes without an indexed file",
        "SELECT count(*) FROM vault_node
         WHERE path NOT IN (SELECT path FROM vault_file WHERE fate = 'indexed')",
        Repair::Rebuild,
    ),
    (
        "links whose note is gone",
        "SELECT count(*) FROM vault_link WHERE node NOT IN (SELECT id FROM vault_node)",
        Repair::Rebuild,
    ),
    (
        "edges from or to notes that are gone",
        "SELECT count(*) FROM vault_edge
         WHERE source NOT IN (SELECT path FROM vault_node)
         OR target NOT IN (SELECT path FROM vault_node)",
        Repair::Sync,
    ),
    (
        "edges that were not written since notes changed",
        "SELECT count(*) FROM meta WHERE key = 'edges_stale'",
        Repair::Sync,
    ),
];

/// The vectors of sentences that belong to no chunk, or are not one a sentence (8 bytes a span).
const ODD_SENTENCE_VECTORS: &str = "FROM vault_sentence_vector WHERE NOT EXISTS (
    SELECT 1 FROM vault_chunk chunk
    WHERE chunk.id = vault_sentence_vector.chunk
    AND length(vectors) * 8
        = length(chunk.sentences) * (SELECT value FROM meta WHERE key = 'dimension'))";

const VECTOR_QUESTIONS: [Question; 3] = [
    (
        "chunks without a vector in the index",
        "SELECT count(*) FROM vault_chunk
         WHERE embedding IS NOT NULL AND id NOT IN (SELECT id FROM vault_chunk_vec)",
        Repair::FromChunks,
    ),
    (
        "vectors in the index whose chunk is gone",
        "SELECT count(*) FROM vault_chunk_vec
         WHERE id NOT IN (SELECT id FROM vault_chunk WHERE embedding IS NOT NULL)",
        Repair::FromChunks,
    ),
    (
        "vectors in the index that differ from the chunk's",
        "SELECT count(*) FROM vault_chunk_vec vec JOIN vault_chunk chunk ON chunk.id = vec.id
         WHERE vec.embedding IS NOT chunk.embedding",
        Repair::FromChunks,
    ),
];

impl Cache {
    /// Everything that does not belong together; empty if all is well.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn check(&self) -> Result<Vec<Finding>, Error> {
        let has_vectors = self.identity.dimension > 0;
        self.with(|connection| {
            let mut findings = Vec::new();
            let damage: String =
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if damage != "ok" {
                findings.push(Finding {
                    what: format!("the file is damaged: {damage}"),
                    repair: Repair::Rebuild,
                });
            }
            let vectors = if has_vectors {
                &VECTOR_QUESTIONS[..]
            } else {
                &[]
            };
            for &(what, query, repair) in QUESTIONS.iter().chain(vectors) {
                let count: i64 = connection.query_row(query, [], |row| row.get(0))?;
                if count > 0 {
                    let what = format!("{count} {what}");
                    findings.push(Finding { what, repair });
                }
            }
            let odd = format!("SELECT count(*) {ODD_SENTENCE_VECTORS}");
            let odd: i64 = connection.query_row(&odd, [], |row| row.get(0))?;
            if odd > 0 {
                findings.push(Finding {
                    what: format!("{odd} chunks with vectors of sentences that they do not have"),
                    repair: Repair::FromChunks,
                });
            }
            let outside = chunks_with_sentences_outside(connection)?;
            if outside > 0 {
                findings.push(Finding {
                    what: format!("{outside} chunks with sentences that lie outside their text"),
                    repair: Repair::Rebuild,
                });
            }
            if words_have_drifted(connection)? {
                findings.push(Finding {
                    what: "the word index differs from the chunks".to_owned(),
                    repair: Repair::FromChunks,
                });
            }
            Ok(findings)
        })
    }

    /// Makes the word index and the vector index anew from the chunks, and drops vectors of
    /// sentences that are not there; the next `concord index` makes those that then are missing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn repair(&mut self) -> Result<(), Error> {
        let has_vectors = self.identity.dimension > 0;
        self.in_transaction(|transaction| {
            transaction.execute(
                "INSERT INTO vault_chunk_fts (vault_chunk_fts) VALUES ('rebuild')",
                [],
            )?;
            transaction.execute(&format!("DELETE {ODD_SENTENCE_VECTORS}"), [])?;
            transaction.execute("DELETE FROM meta WHERE key = ?1", [FILLED_TO])?;
            if has_vectors {
                transaction.execute_batch(
                    "DELETE FROM vault_chunk_vec;
                     INSERT INTO vault_chunk_vec (id, embedding)
                     SELECT id, embedding FROM vault_chunk WHERE embedding IS NOT NULL;",
                )?;
            }
            Ok(())
        })
    }
}

fn chunks_with_sentences_outside(connection: &Connection) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare("SELECT text, sentences FROM vault_chunk")?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str()?;
        let sentences = spans(row.get_ref(1)?.as_blob()?);
        let is_inside =
            |&(start, end): &(u32, u32)| text.get(start as usize..end as usize).is_some();
        count += usize::from(!sentences.iter().all(is_inside));
    }
    Ok(count)
}

/// FTS5's own check, with its content compared: it fails where the two have drifted apart.
fn words_have_drifted(connection: &Connection) -> rusqlite::Result<bool> {
    let check = "INSERT INTO vault_chunk_fts (vault_chunk_fts, rank) VALUES ('integrity-check', 1)";
    match connection.execute(check, []) {
        Ok(_) => Ok(false),
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt) => {
            Ok(true)
        }
        Err(error) => Err(error),
    }
}
