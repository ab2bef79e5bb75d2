//! The vectors of sentences, made after the notes are in.
//!
//! An excerpt is chosen by the cosine of each sentence to the query, and encoding a page of
//! sentences takes many times as long as encoding the query. So they are encoded ahead, chunk by
//! chunk, and a run that is ended early has lost at most one batch: whatever chunk has no vectors
//! yet is what is left to do.
//!
//! Chunks are numbered upwards, and a chunk keeps its vectors as long as it lasts. So the number up to
//! which all have theirs is kept too ([`FILLED_TO`]), and a run over an unchanged vault reads none
//! of the pages that chunks and vectors fill.
//!
//! Sentences are handed over as they stand. Whatever the model wants before a query, it wants
//! before these too, and the caller's encoder puts it there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::params;

use crate::blob::spans;
use crate::cache::Cache;
use crate::error::Error;
use crate::facts;
use crate::sentences::SentenceVectors;
use crate::sync::Encode;
use crate::write::put_sentence_vectors;

/// A batch ends with the chunk that brings it to so many sentences.
const SENTENCES_AT_A_TIME: usize = 512;

/// Where the number is kept up to which every chunk has its vectors. Whoever takes vectors away from a
/// chunk that stays has to take this away too.
pub(crate) const FILLED_TO: &str = "sentences_filled_to";

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentenceProgress {
    /// Chunks done.
    pub done: usize,
    /// Chunks that had no vectors when the run began.
    pub chunks: usize,
    /// Sentences encoded; what stands twice in a batch is encoded once.
    pub encoded: usize,
    /// It was ended before all was done; the next run goes on.
    pub stopped: bool,
}

/// A chunk that waits for the vectors of its sentences.
struct Waiting {
    id: i64,
    text: String,
    sentences: Vec<(u32, u32)>,
}

impl Waiting {
    fn sentences(&self) -> impl Iterator<Item = &str> {
        let text = &self.text;
        // What lies outside its text is the doctor's to find; here it is an empty sentence.
        self.sentences
            .iter()
            .map(|&(start, end)| text.get(start as usize..end as usize).unwrap_or_default())
    }
}

impl Cache {
    /// Makes the vectors of the sentences that have none yet.
    ///
    /// # Errors
    /// If the cache cannot be written or a sentence cannot be encoded; what was written stays.
    pub fn fill_sentences(
        &mut self,
        encode: &Encode<'_>,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(SentenceProgress),
    ) -> Result<SentenceProgress, Error> {
        let mut at = SentenceProgress {
            chunks: self.chunks_without_sentence_vectors()?,
            ..SentenceProgress::default()
        };
        let filled = self.filled_to()?;
        let mut last = filled;
        loop {
            if stop.load(Ordering::Relaxed) {
                at.stopped = true;
                return Ok(at);
            }
            let batch = self.waiting_after(last)?;
            let Some(end) = batch.last() else {
                let newest = self.with(facts::last_chunk)?;
                if newest > filled {
                    self.note_down(FILLED_TO, &newest.to_string())?;
                }
                return Ok(at);
            };
            last = end.id;
            at.encoded += self.fill_batch(&batch, encode)?;
            at.done += batch.len();
            progress(at);
        }
    }

    /// How many chunks there are whose sentences have no vectors yet.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn chunks_without_sentence_vectors(&self) -> Result<usize, Error> {
        let query = format!("SELECT count(*) FROM vault_chunk WHERE id > ?1 AND {WITHOUT_VECTORS}");
        let filled = self.filled_to()?;
        let count: u32 =
            self.with(|connection| connection.query_row(&query, [filled], |row| row.get(0)))?;
        Ok(count as usize)
    }

    /// Every chunk up to this number has its vectors.
    fn filled_to(&self) -> Result<i64, Error> {
        let noted = self.noted(FILLED_TO)?;
        Ok(noted.and_then(|number| number.parse().ok()).unwrap_or(0))
    }

    /// The next chunks without vectors, by number.
    fn waiting_after(&self, last: i64) -> Result<Vec<Waiting>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT id, text, sentences FROM vault_chunk
                 WHERE id > ?1 AND {WITHOUT_VECTORS} ORDER BY id"
            ))?;
            let mut rows = statement.query(params![last])?;
            let mut batch: Vec<Waiting> = Vec::new();
            let mut sentences = 0;
            while sentences < SENTENCES_AT_A_TIME {
                let Some(row) = rows.next()? else {
                    break;
                };
                let waiting = Waiting {
                    id: row.get(0)?,
                    text: row.get(1)?,
                    sentences: spans(row.get_ref(2)?.as_blob()?),
                };
                // One, where there is none, so that a batch ends.
                sentences += waiting.sentences.len().max(1);
                batch.push(waiting);
            }
            Ok(batch)
        })
    }

    /// Encodes and stores a batch; how many sentences it had that differ.
    fn fill_batch(&mut self, batch: &[Waiting], encode: &Encode<'_>) -> Result<usize, Error> {
        let mut texts: Vec<&str> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for sentence in batch.iter().flat_map(Waiting::sentences) {
            places.entry(sentence).or_insert_with(|| {
                texts.push(sentence);
                texts.len() - 1
            });
        }
        let vectors = if texts.is_empty() {
            Vec::new()
        } else {
            encode(&texts).map_err(Error::Encoder)?
        };
        if vectors.len() != texts.len() {
            let (found, expected) = (vectors.len(), texts.len());
            let message = format!("{found} vectors came back for {expected} sentences");
            return Err(Error::Encoder(message));
        }
        let expected = self.identity.dimension;
        if let Some(odd) = vectors.iter().find(|it| it.len() != expected as usize) {
            return Err(Error::Dimension {
                found: odd.len(),
                expected,
            });
        }
        self.in_transaction(|transaction| {
            for chunk in batch {
                let own = chunk.sentences().map(|sentence| &vectors[places[sentence]]);
                put_sentence_vectors(transaction, chunk.id, &SentenceVectors::pack(own))?;
            }
            Ok(())
        })?;
        Ok(texts.len())
    }
}

const WITHOUT_VECTORS: &str =
    "NOT EXISTS (SELECT 1 FROM vault_sentence_vector WHERE chunk = vault_chunk.id)";
