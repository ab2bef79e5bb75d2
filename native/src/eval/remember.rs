//! An encoder that encodes no question twice, not even in another run.
//!
//! The vectors of questions are kept in the cache folder, a file a model: for each the hash of the
//! question, and its numbers. What cannot be read is made anew; what cannot be written is made
//! again next time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use concord_encode::{Encoded, Encoder, Result};

/// Bytes of a question's hash.
const KEY: usize = 32;

type Key = [u8; KEY];

/// An encoder with a memory.
pub(crate) struct Remembering {
    encoder: Arc<dyn Encoder>,
    file: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    vectors: BTreeMap<Key, Vec<f32>>,
    /// Something came that the file does not hold.
    has_news: bool,
}

impl Remembering {
    pub(crate) fn new(encoder: Arc<dyn Encoder>, caches: &Path) -> Self {
        let model = blake3::hash(encoder.fingerprint().as_bytes()).to_hex();
        let file = caches
            .join("questions")
            .join(format!("{}.vectors", &model[..16]));
        let vectors = fs::read(&file).map(|bytes| read(&bytes, encoder.dimension()));
        Self {
            encoder,
            file,
            known: Mutex::new(Known {
                vectors: vectors.unwrap_or_default(),
                has_news: false,
            }),
        }
    }

    /// Writes down what came since, whole or not at all, beside what others of the same model did.
    pub(crate) fn save(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.has_news {
            return;
        }
        let written = fs::read(&self.file).unwrap_or_default();
        for (key, vector) in read(&written, self.encoder.dimension()) {
            known.vectors.entry(key).or_insert(vector);
        }
        let mut bytes = Vec::new();
        for (key, vector) in &known.vectors {
            bytes.extend_from_slice(key);
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        }
        let beside = self.file.with_extension(std::process::id().to_string());
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&beside, bytes))
            .and_then(|()| fs::rename(&beside, &self.file));
        known.has_news = written.is_err();
    }
}

/// Every whole record; nothing of a file of another length.
fn read(bytes: &[u8], dimension: usize) -> BTreeMap<Key, Vec<f32>> {
    let record = KEY + 4 * dimension;
    if !bytes.len().is_multiple_of(record) {
        return BTreeMap::new();
    }
    let records = bytes.chunks_exact(record).filter_map(|record| {
        let (key, numbers) = record.split_first_chunk::<KEY>()?;
        let (numbers, _) = numbers.as_chunks::<4>();
        Some((
            *key,
            numbers
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect(),
        ))
    });
    records.collect()
}

impl Encoder for Remembering {
    fn encode_query(&self, query: &str) -> Result<Vec<f32>> {
        let key = *blake3::hash(query.as_bytes()).as_bytes();
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = lock().vectors.get(&key) {
            return Ok(vector.clone());
        }
        let vector = self.encoder.encode_query(query)?;
        let mut known = lock();
        known.has_news = true;
        known.vectors.insert(key, vector.clone());
        Ok(vector)
    }

    fn encode_documents(&self, texts: &[&str]) -> Result<Encoded> {
        self.encoder.encode_documents(texts)
    }

    fn query_prefix(&self) -> &str {
        self.encoder.query_prefix()
    }

    fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    fn name(&self) -> &str {
        self.encoder.name()
    }

    fn fingerprint(&self) -> &str {
        self.encoder.fingerprint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts what it is asked for.
    struct Counting(AtomicUsize);

    impl Encoder for Counting {
        fn encode_query(&self, query: &str) -> Result<Vec<f32>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(vec![query.len() as f32, 0.5])
        }
        fn encode_documents(&self, _: &[&str]) -> Result<Encoded> {
            unreachable!("no document is asked for")
        }
        fn query_prefix(&self) -> &str {
            ""
        }
        fn dimension(&self) -> usize {
            2
        }
        fn name(&self) -> &str {
            "counting"
        }
        fn fingerprint(&self) -> &str {
            "counting:1"
        }
    }

    #[test]
    fn no_question_is_encoded_twice_not_even_in_another_run() {
        let caches = tempfile::tempdir().unwrap();
        let counting = Arc::new(Counting(AtomicUsize::new(0)));
        let open = || Remembering::new(Arc::clone(&counting) as Arc<dyn Encoder>, caches.path());
        let first = open();
        assert_eq!(first.encode_query("why").unwrap(), [3.0, 0.5]);
        assert_eq!(first.encode_query("why").unwrap(), [3.0, 0.5]);
        first.save();
        let second = open();
        assert_eq!(second.encode_query("why").unwrap(), [3.0, 0.5]);
        assert_eq!(counting.0.load(Ordering::Relaxed), 1);
        assert_eq!(second.encode_query("when").unwrap(), [4.0, 0.5]);
        assert_eq!(counting.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn two_that_remember_beside_each_other_lose_nothing() {
        let caches = tempfile::tempdir().unwrap();
        let counting = Arc::new(Counting(AtomicUsize::new(0)));
        let open = || Remembering::new(Arc::clone(&counting) as Arc<dyn Encoder>, caches.path());
        let both = [open(), open()];
        both[0].encode_query("why").unwrap();
        both[1].encode_query("when").unwrap();
        both.iter().for_each(Remembering::save);
        let later = open();
        later.encode_query("why").unwrap();
        later.encode_query("when").unwrap();
        assert_eq!(counting.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_as_good_as_none() {
        let caches = tempfile::tempdir().unwrap();
        let counting = Arc::new(Counting(AtomicUsize::new(0)));
        let open = || Remembering::new(Arc::clone(&counting) as Arc<dyn Encoder>, caches.path());
        let first = open();
        first.encode_query("why").unwrap();
        first.save();
        fs::write(&first.file, b"torn").unwrap();
        assert_eq!(open().encode_query("why").unwrap(), [3.0, 0.5]);
        assert_eq!(counting.0.load(Ordering::Relaxed), 2);
    }
}
