//! The best passages by words.
//!
//! BM25 of several phrases, as FTS5 has it, is a sum over them:
//!
//! ```text
//! score(d) = Σ_p idf_p · f_p · (k₁ + 1) / (f_p + k₁ · (1 − b + b · |d| / average))
//! ```
//!
//! What one phrase gives depends on which chunks there are and on nothing else, least of all on the
//! other phrases. So FTS5 is asked for one phrase at a time, and what it said is remembered until
//! chunks come or go. The words that take it long are those that stand in many passages, and these
//! are also the ones that are asked for again and again. Added up in the phrases' order, the scores
//! are those of one expression `"a" OR "b"` to the last bit.

use std::collections::HashMap;
use std::sync::Arc;

use crate::cache::Cache;
use crate::error::Error;
use crate::facts::{self, Chunks};
use crate::search::{Hit, Scope};

/// So many more than are wanted are put in order, so that of equal ones the first by note and place
/// are returned.
const SPARE: usize = 32;

/// So many finds are remembered, of all phrases together: 32 MB.
const MOST_REMEMBERED: usize = 2 << 20;

/// So many chunks are added up at a time: their sums stay in the processor's nearest cache.
const BLOCK: usize = 2_048;

/// BM25 weights of the columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnWeights {
    /// The chunk's text.
    pub text: f64,
    /// Its section label.
    pub section: f64,
    /// Its heading context.
    pub heading_context: f64,
}

impl Default for ColumnWeights {
    fn default() -> Self {
        Self {
            text: 1.0,
            section: 0.5,
            heading_context: 0.3,
        }
    }
}

impl ColumnWeights {
    fn bits(self) -> [u64; 3] {
        [self.text, self.section, self.heading_context].map(f64::to_bits)
    }
}

/// What a phrase gives to each chunk that it stands in, by ascending number.
#[derive(Debug, Default)]
pub(crate) struct Worth {
    chunks: Vec<i64>,
    scores: Vec<f64>,
}

/// What phrases were worth when they were asked for, as long as the chunks are the same.
#[derive(Default)]
pub(crate) struct Memory {
    of: Chunks,
    phrases: HashMap<(String, [u64; 3]), Arc<Worth>>,
    finds: usize,
}

impl Memory {
    pub(crate) fn get(
        &self,
        of: Chunks,
        phrase: &str,
        weights: ColumnWeights,
    ) -> Option<Arc<Worth>> {
        let key = (phrase.to_owned(), weights.bits());
        let known = self.phrases.get(&key).filter(|_| self.of == of);
        known.cloned()
    }

    /// When too much is remembered, all is forgotten: what is asked for often is soon back.
    pub(crate) fn put(
        &mut self,
        of: Chunks,
        phrase: &str,
        weights: ColumnWeights,
        worth: &Arc<Worth>,
    ) {
        let finds = worth.chunks.len();
        if finds > MOST_REMEMBERED / 4 {
            return;
        }
        if self.of != of || self.finds + finds > MOST_REMEMBERED {
            *self = Self {
                of,
                ..Self::default()
            };
        }
        let key = (phrase.to_owned(), weights.bits());
        if self.phrases.insert(key, Arc::clone(worth)).is_none() {
            self.finds += finds;
        }
    }
}

impl Cache {
    /// The chunks of the scope that match any of these phrases, best first. Equal ones come by note
    /// and place.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn matching(
        &self,
        phrases: &[String],
        k: u32,
        scope: &Scope,
        weights: ColumnWeights,
    ) -> Result<Vec<Hit>, Error> {
        let worth = phrases.iter().map(|phrase| self.worth(phrase, weights));
        let worth = worth
            .map(|worth| worth.map(Arc::new))
            .collect::<Result<Vec<_>, _>>()?;
        let place = |chunk| self.with(|connection| facts::place(connection, chunk));
        self.best(&worth, k, scope, place)
    }

    /// What a phrase gives to each chunk that it stands in.
    pub(crate) fn worth(&self, phrase: &str, weights: ColumnWeights) -> Result<Worth, Error> {
        // SQLite would end the phrase at a NUL, and with it before its closing quote.
        let quoted = format!("\"{}\"", phrase.replace('"', "\"\"").replace('\0', " "));
        let ColumnWeights {
            text,
            section,
            heading_context,
        } = weights;
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT rowid, -bm25(vault_chunk_fts, ?2, ?3, ?4) FROM vault_chunk_fts
                 WHERE vault_chunk_fts MATCH ?1 ORDER BY rowid",
            )?;
            let mut rows = statement.query((quoted, text, section, heading_context))?;
            let mut worth = Worth::default();
            while let Some(row) = rows.next()? {
                worth.chunks.push(row.get(0)?);
                worth.scores.push(row.get(1)?);
            }
            Ok(worth)
        })
    }

    /// The chunks of the scope to which phrases give most; `place` tells the note of a chunk, and its
    /// place there.
    pub(crate) fn best(
        &self,
        phrases: &[Arc<Worth>],
        k: u32,
        scope: &Scope,
        place: impl Fn(i64) -> Result<(String, u32), Error>,
    ) -> Result<Vec<Hit>, Error> {
        let allowed = self.within(scope)?;
        let mut best = Best::new((k as usize).saturating_add(SPARE));
        match allowed {
            None => sums(phrases, |hit| best.offer(hit)),
            Some(allowed) => {
                let mut allowed = allowed.into_iter().peekable();
                sums(phrases, |hit| {
                    while allowed.next_if(|&id| id < hit.chunk).is_some() {}
                    if allowed.peek() == Some(&hit.chunk) {
                        best.offer(hit);
                    }
                });
            }
        }
        let mut hits = best.in_order();
        put_equal_ones_in_order(&mut hits, place)?;
        hits.truncate(k as usize);
        Ok(hits)
    }
}

/// By note and place, since an index that is built anew may number its chunks otherwise.
fn put_equal_ones_in_order(
    hits: &mut [Hit],
    place: impl Fn(i64) -> Result<(String, u32), Error>,
) -> Result<(), Error> {
    for equal in hits.chunk_by_mut(|a, b| a.score == b.score) {
        if equal.len() == 1 {
            continue;
        }
        let places = equal.iter().map(|&hit| Ok((place(hit.chunk)?, hit)));
        let mut places = places.collect::<Result<Vec<_>, Error>>()?;
        places.sort_by(|a, b| a.0.cmp(&b.0));
        for (hit, (_, next)) in equal.iter_mut().zip(places) {
            *hit = next;
        }
    }
    Ok(())
}

/// What the phrases give together to every chunk that any of them stands in, by ascending number.
fn sums(phrases: &[Arc<Worth>], mut each: impl FnMut(Hit)) {
    let mut left: Vec<(&[i64], &[f64])> = phrases
        .iter()
        .map(|worth| (&worth.chunks[..], &worth.scores[..]))
        .collect();
    let mut sums = [0.0; BLOCK];
    let mut is_found = [false; BLOCK];
    while let Some(from) = left.iter().filter_map(|(chunks, _)| chunks.first()).min() {
        let from = *from;
        let place = |chunk: i64| usize::try_from(chunk - from).unwrap_or(BLOCK);
        for (chunks, scores) in &mut left {
            let here = chunks.partition_point(|&chunk| place(chunk) < BLOCK);
            for (&chunk, &score) in chunks[..here].iter().zip(&scores[..here]) {
                sums[place(chunk)] += score;
                is_found[place(chunk)] = true;
            }
            (*chunks, *scores) = (&chunks[here..], &scores[here..]);
        }
        for ((sum, is_found), chunk) in sums.iter_mut().zip(&mut is_found).zip(from..) {
            if std::mem::take(is_found) {
                let score = std::mem::take(sum);
                each(Hit { chunk, score });
            }
        }
    }
}

/// The best few of many that come by ascending number: of equal ones, the first.
struct Best {
    most: usize,
    hits: Vec<Hit>,
    /// Not more than this is no longer wanted.
    least: f64,
}

impl Best {
    fn new(most: usize) -> Self {
        Self {
            most,
            hits: Vec::new(),
            least: f64::NEG_INFINITY,
        }
    }

    fn offer(&mut self, hit: Hit) {
        if hit.score > self.least {
            self.hits.push(hit);
            if self.hits.len() >= self.most.saturating_mul(4) {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.hits.len() > self.most {
            self.hits.select_nth_unstable_by(self.most, best_first);
            self.hits.truncate(self.most);
            let least = self.hits.iter().map(|hit| hit.score);
            self.least = least.fold(f64::INFINITY, f64::min);
        }
    }

    fn in_order(mut self) -> Vec<Hit> {
        self.cut();
        self.hits.sort_unstable_by(best_first);
        self.hits
    }
}

fn best_first(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    let by_score = b.score.total_cmp(&a.score);
    by_score.then_with(|| a.chunk.cmp(&b.chunk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SharedCache;
    use crate::cache::Identity;
    use crate::rows::{ChunkRow, Fate, FileRow, NoteFacts, NoteRows};
    use crate::store::CandidateStore as _;

    /// Notes of words that are drawn so that some are common and most are rare.
    fn a_cache(folder: &std::path::Path, notes: usize) -> Cache {
        let identity = Identity {
            model: None,
            dimension: 0,
            chunker: "sections".to_owned(),
        };
        let mut cache = Cache::writer(&folder.join("words.db"), &identity).unwrap();
        let mut random = fastrand::Rng::with_seed(7);
        for number in 0..notes {
            let mut chunk = || ChunkRow {
                section: format!("word{}", random.u32(..40)),
                text: (0..random.usize(1..60))
                    .map(|_| {
                        let most = 1 + random.u32(..200);
                        format!("word{} ", random.u32(..most))
                    })
                    .collect(),
                ..ChunkRow::default()
            };
            // Backwards, so that numbers and paths disagree.
            put(
                &mut cache,
                &format!("{:05}.md", notes - number),
                vec![chunk(), chunk()],
            );
        }
        cache
    }

    fn put(cache: &mut Cache, path: &str, chunks: Vec<ChunkRow>) {
        let facts = NoteFacts {
            path: path.to_owned(),
            ..NoteFacts::default()
        };
        let file = FileRow {
            path: path.to_owned(),
            size: 0,
            modified_ns: 0,
            hash: [0; 32],
            fate: Fate::Indexed,
        };
        let links = Vec::new();
        cache
            .put_note(
                &NoteRows {
                    facts,
                    chunks,
                    links,
                },
                &file,
            )
            .unwrap();
    }

    /// What FTS5 says of one expression with all phrases.
    fn by_one_expression(cache: &Cache, phrases: &[String], k: u32) -> Vec<(i64, u64)> {
        let quoted: Vec<String> = phrases
            .iter()
            .map(|phrase| format!("\"{phrase}\""))
            .collect();
        let mut statement = cache
            .connection
            .prepare(
                "SELECT fts.rowid, -bm25(vault_chunk_fts, 1.0, 0.5, 0.3) AS score
                 FROM vault_chunk_fts fts JOIN vault_chunk chunk ON chunk.id = fts.rowid
                 JOIN vault_node node ON node.id = chunk.node WHERE vault_chunk_fts MATCH ?1
                 ORDER BY score DESC, node.path, chunk.ordinal LIMIT ?2",
            )
            .unwrap();
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, f64>(1)?.to_bits()));
        let rows = statement.query_map((quoted.join(" OR "), k), read).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }

    fn bits(hits: &[Hit]) -> Vec<(i64, u64)> {
        hits.iter()
            .map(|hit| (hit.chunk, hit.score.to_bits()))
            .collect()
    }

    #[test]
    fn phrases_one_by_one_give_the_bits_of_one_expression() {
        let folder = tempfile::tempdir().unwrap();
        let cache = a_cache(folder.path(), 1_500);
        let shared = SharedCache::open(cache.file()).unwrap();
        let mut random = fastrand::Rng::with_seed(3);
        for question in 0..60 {
            let mut phrases: Vec<String> = (0..random.usize(1..8))
                .map(|_| format!("word{}", random.u32(..60)))
                .collect();
            phrases.push(format!("word{} word{}", random.u32(..3), random.u32(..3)));
            phrases.push(phrases[0].clone());
            let expected = by_one_expression(&cache, &phrases, 40);
            let all = Scope::default();
            let weights = ColumnWeights::default();
            let found = cache.matching(&phrases, 40, &all, weights).unwrap();
            assert_eq!(bits(&found), expected, "question {question}: {phrases:?}");
            // Once to be remembered, once from memory.
            for _ in 0..2 {
                let snapshot = shared.snapshot().unwrap();
                let found = snapshot.matching(&phrases, 40, &all, weights).unwrap();
                assert_eq!(bits(&found), expected, "question {question}: {phrases:?}");
            }
        }
    }

    #[test]
    fn what_is_remembered_ends_with_the_chunks_that_it_is_of() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = a_cache(folder.path(), 20);
        let shared = SharedCache::open(cache.file()).unwrap();
        let found = |cache: &Cache| {
            let phrases = ["word1".to_owned(), "kestrel".to_owned()];
            let snapshot = shared.snapshot().unwrap();
            let weights = ColumnWeights::default();
            let found = snapshot.matching(&phrases, 10, &Scope::default(), weights);
            let found = bits(&found.unwrap());
            assert_eq!(found, by_one_expression(cache, &phrases, 10));
            found
        };
        let before = found(&cache);
        let kestrel = ChunkRow {
            text: "a kestrel".to_owned(),
            ..ChunkRow::default()
        };
        put(&mut cache, "kestrel.md", vec![kestrel]);
        let with = found(&cache);
        assert!(with.len() > before.len() || with[0] != before[0]);
        cache.forget("kestrel.md").unwrap();
        assert_eq!(found(&cache), before);
    }

    #[test]
    fn no_phrase_is_syntax() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = a_cache(folder.path(), 1);
        let chunk = ChunkRow {
            text: "say \"or\" near".to_owned(),
            ..ChunkRow::default()
        };
        put(&mut cache, "or.md", vec![chunk]);
        let count = |phrase: &str| {
            let phrases = [phrase.to_owned()];
            let weights = ColumnWeights::default();
            let found = cache.matching(&phrases, 9, &Scope::default(), weights);
            found.unwrap().len()
        };
        let finds = ["or", "say \"or\"", "\" OR \"", "NEAR", "say\0or"];
        assert_eq!(finds.map(count), [1; 5]);
        let nothing = [
            "",
            "\"",
            "\0",
            "text : x",
            "say NOT or",
            "{",
            "🙂",
            "^say near",
        ];
        assert_eq!(nothing.map(count), [0; 8]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut memory = Memory::default();
        let (of, weights) = (Chunks::default(), ColumnWeights::default());
        let worth = Arc::new(Worth {
            chunks: vec![1; MOST_REMEMBERED / 4],
            scores: Vec::new(),
        });
        for number in 0..5 {
            memory.put(of, &number.to_string(), weights, &worth);
            assert!(memory.get(of, &number.to_string(), weights).is_some());
            assert!(memory.finds <= MOST_REMEMBERED);
        }
        assert!(memory.get(of, "0", weights).is_none());
    }
}
