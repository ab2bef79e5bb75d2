//! What is remembered of a cache is never another thing than what the snapshot that asks would read.

use std::sync::Arc;

use concord_cache::{
    Cache, Candidate, CandidateStore as _, ChunkRow, ColumnWeights, EdgeKind, Fate, FileRow,
    Identity, NoteFacts, NoteRows, Scope, SentenceVectors, SharedCache, Snapshot,
};
use proptest::prelude::*;

const NORTH: [f32; 2] = [0.0, 1.0];

/// A cache, asked by many.
struct Bench {
    _folder: tempfile::TempDir,
    file: std::path::PathBuf,
    cache: Cache,
    shared: SharedCache,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let identity = Identity {
            model: Some("test-model".to_owned()),
            dimension: 2,
            chunker: "sections".to_owned(),
        };
        let cache = Cache::writer(&file, &identity).unwrap();
        let shared = SharedCache::open(&file).unwrap();
        Self {
            _folder: folder,
            file,
            cache,
            shared,
        }
    }

    /// A snapshot of somebody who has never asked before.
    fn fresh(&self) -> SharedCache {
        SharedCache::open(&self.file).unwrap()
    }
}

/// A note of one sentence.
fn put(cache: &mut Cache, path: &str, title: &str, text: &str) {
    let note = NoteRows {
        facts: NoteFacts {
            path: path.to_owned(),
            title: title.to_owned(),
            ..NoteFacts::default()
        },
        chunks: vec![ChunkRow {
            text: text.to_owned(),
            sentences: vec![(0, u32::try_from(text.len()).unwrap())],
            embedding: Some(NORTH.to_vec()),
            ..ChunkRow::default()
        }],
        links: Vec::new(),
    };
    cache.put_note(&note, &file_row(path)).unwrap();
}

fn file_row(path: &str) -> FileRow {
    FileRow {
        path: path.to_owned(),
        size: 1,
        modified_ns: 1,
        hash: [0; 32],
        fate: Fate::Indexed,
    }
}

/// All passages that are found by meaning, with all that is known of them, and the notes' titles.
fn seen(snapshot: &dyn Snapshot) -> (Vec<Arc<Candidate>>, Vec<String>) {
    let hits = snapshot.nearest(&NORTH, 10, &Scope::default()).unwrap();
    let ids: Vec<i64> = hits.iter().map(|hit| hit.chunk).collect();
    let candidates = snapshot.candidates(&ids).unwrap();
    let paths: Vec<&str> = candidates.iter().map(|it| it.note.as_str()).collect();
    let notes = snapshot.notes(&paths).unwrap();
    let titles = notes.iter().map(|note| note.title.clone()).collect();
    (candidates, titles)
}

#[test]
fn each_snapshot_remembers_the_notes_of_its_own_moment() {
    let mut bench = Bench::new();
    put(&mut bench.cache, "a.md", "old", "the old text");
    put(&mut bench.cache, "b.md", "kept", "a text that stays");
    bench.shared.warm().unwrap();
    let before = bench.shared.snapshot().unwrap();
    let old = seen(&*before);
    assert_eq!(old.1, ["old", "kept"]);

    put(&mut bench.cache, "a.md", "new", "the new text");
    let fresh = bench.fresh();
    let after = bench.shared.snapshot().unwrap();
    // In turns, so that each finds what the other has just left behind.
    for _ in 0..3 {
        let new = seen(&*after);
        assert_eq!(new, seen(&*fresh.snapshot().unwrap()));
        assert_eq!(
            (new.1.as_slice(), &*new.0[0].text),
            (&["new".to_owned(), "kept".to_owned()][..], "the new text")
        );
        assert_eq!(seen(&*before), old);
    }
    drop(before);
    bench.cache.forget("b.md").unwrap();
    assert_eq!(seen(&*bench.shared.snapshot().unwrap()).1, ["new"]);
}

#[test]
fn a_note_whose_file_was_only_touched_is_not_remembered_as_it_was() {
    let mut bench = Bench::new();
    put(&mut bench.cache, "a.md", "a", "text");
    let modified = |shared: &SharedCache| {
        let snapshot = shared.snapshot().unwrap();
        snapshot.notes(&["a.md"]).unwrap()[0].modified_at
    };
    let before = modified(&bench.shared);
    let touched = FileRow {
        modified_ns: 5_000_000_000,
        ..file_row("a.md")
    };
    bench.cache.touch(&touched).unwrap();
    assert_ne!(before, Some(5));
    assert_eq!(modified(&bench.shared), Some(5));
}

#[test]
fn vectors_of_sentences_are_seen_as_soon_as_they_are_there() {
    let mut bench = Bench::new();
    put(&mut bench.cache, "a.md", "a", "one sentence");
    bench.shared.warm().unwrap();
    let vectors = |bench: &Bench| {
        let (candidates, _) = seen(&*bench.shared.snapshot().unwrap());
        (candidates[0].id, candidates[0].sentence_vectors.clone())
    };
    let (id, none) = vectors(&bench);
    assert_eq!(none, None);
    let made = SentenceVectors::pack([NORTH.to_vec()]);
    assert!(bench.cache.put_sentence_vectors(id, &made).unwrap());
    assert_eq!(vectors(&bench), (id, Some(made)));
}

#[test]
fn phrases_are_remembered_until_something_is_written() {
    let mut bench = Bench::new();
    put(&mut bench.cache, "a.md", "a", "margins and copper");
    let phrases = ["copper".to_owned()];
    let weights = ColumnWeights::default();
    let asked = |bench: &Bench| {
        let snapshot = bench.shared.snapshot().unwrap();
        let known = snapshot.remembers(&phrases, weights).unwrap();
        let found = snapshot.matching(&phrases, 5, &Scope::default(), weights);
        (known, found.unwrap().len(), snapshot.passages().unwrap())
    };
    assert_eq!(asked(&bench), (false, 1, 1));
    assert_eq!(asked(&bench), (true, 1, 1));
    put(&mut bench.cache, "b.md", "b", "copper again");
    assert_eq!(asked(&bench), (false, 2, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The first question reads the edges it needs, the later ones have them all in memory.
    #[test]
    fn edges_in_memory_are_those_of_the_file(
        edges in proptest::collection::vec((0_u8..20, 0_u8..20, any::<bool>()), 0..80),
        asked in proptest::collection::vec(0_u8..25, 0..12),
    ) {
        let mut bench = Bench::new();
        put(&mut bench.cache, "a.md", "a", "text");
        let name = |note: &u8| format!("{:02}.md", note.wrapping_mul(7) % 32);
        let kind = |cites: bool| if cites { EdgeKind::Citation } else { EdgeKind::Wikilink };
        let mut asked: Vec<String> = asked.iter().map(name).collect();
        asked.sort();
        asked.dedup();
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let first = |bench: &Bench| {
            let shared = bench.fresh();
            let snapshot = shared.snapshot().unwrap();
            (snapshot.neighbours(&asked).unwrap(), snapshot.edges_among(&asked).unwrap())
        };
        bench.shared.warm().unwrap();
        // Written twice, so that what is in memory has to be read again.
        for part in [&edges[..edges.len() / 2], &edges[..]] {
            let rows: Vec<_> = part.iter().map(|(a, b, cites)| (name(a), name(b), kind(*cites))).collect();
            bench.cache.put_edges(&rows, 0).unwrap();
            let snapshot = bench.shared.snapshot().unwrap();
            let later = (snapshot.neighbours(&asked).unwrap(), snapshot.edges_among(&asked).unwrap());
            prop_assert_eq!(later, first(&bench));
        }
    }
}
