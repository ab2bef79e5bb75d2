//! The index of vectors finds what a look at every vector finds, whatever became of the cache.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use concord_cache::{
    Cache, CandidateStore as _, ChunkRow, EdgeKind, Error, Fate, FileRow, Hit, Identity, NoteFacts,
    NoteRows, PackedQuery, Scope, SharedCache, Snapshot,
};
use proptest::prelude::*;

fn identity(dimension: usize) -> Identity {
    Identity {
        model: Some("test-model".to_owned()),
        dimension: u32::try_from(dimension).unwrap(),
        chunker: "h2".to_owned(),
    }
}

/// A note with a chunk for each vector.
fn put(cache: &mut Cache, path: &str, vectors: &[Vec<f32>]) {
    let chunk = |vector: &Vec<f32>| ChunkRow {
        text: format!("margins of {path}"),
        embedding: Some(vector.clone()),
        ..ChunkRow::default()
    };
    let note = NoteRows {
        facts: NoteFacts {
            path: path.to_owned(),
            title: path.to_owned(),
            ..NoteFacts::default()
        },
        chunks: vectors.iter().map(chunk).collect(),
        links: Vec::new(),
    };
    let file = FileRow {
        path: path.to_owned(),
        size: 1,
        modified_ns: 1,
        hash: [0; 32],
        fate: Fate::Indexed,
    };
    cache.put_note(&note, &file).unwrap();
}

/// An open cache in a folder that vanishes with it.
struct Bench {
    _folder: tempfile::TempDir,
    file: PathBuf,
    cache: Cache,
    shared: SharedCache,
}

impl Bench {
    fn new(dimension: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let cache = Cache::writer(&file, &identity(dimension)).unwrap();
        let shared = SharedCache::open(&file).unwrap();
        shared.warm().unwrap();
        Self {
            _folder: folder,
            file,
            cache,
            shared,
        }
    }
}

/// In eight sums side by side: what a cosine is, to the last bit.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| {
        let mut sums = [0.0; 8];
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            sums[i % 8] += f64::from(a) * f64::from(b);
        }
        sums.iter().fold(0.0, |total, sum| total + sum)
    };
    let cosine = dot(a, b) / f64::sqrt(dot(a, a) * dot(b, b));
    if cosine.is_finite() { cosine } else { 0.0 }
}

/// What a look at every vector of the folder finds: (path, ordinal, cosine).
fn by_looking_at_all(
    notes: &[(String, Vec<Vec<f32>>)],
    query: &[f32],
    k: usize,
    folder: &str,
) -> Vec<(String, u32, f64)> {
    let mut all = Vec::new();
    for (path, vectors) in notes.iter().filter(|(path, _)| path.starts_with(folder)) {
        for (vector, ordinal) in vectors.iter().zip(0..) {
            all.push((path.clone(), ordinal, cosine(query, vector)));
        }
    }
    all.sort_by(|a, b| {
        b.2.total_cmp(&a.2)
            .then_with(|| (&a.0, a.1).cmp(&(&b.0, b.1)))
    });
    all.truncate(k);
    all
}

fn named(snapshot: &dyn Snapshot, hits: &[Hit]) -> Vec<(String, u32, f64)> {
    let ids: Vec<i64> = hits.iter().map(|hit| hit.chunk).collect();
    let chunks = snapshot.candidates(&ids).unwrap();
    assert_eq!(chunks.len(), hits.len());
    let both = chunks.iter().zip(hits);
    both.map(|(chunk, hit)| (chunk.note.clone(), chunk.ordinal, hit.score))
        .collect()
}

/// What was found of everything, and of one folder, is what a look at all finds, to the last bit.
fn check(shared: &SharedCache, notes: &[(String, Vec<Vec<f32>>)], query: &[f32], k: usize) {
    let snapshot = shared.snapshot().unwrap();
    for folder in ["", "a/"] {
        let scope = Scope {
            folder: Some(folder.to_owned()),
            ..Scope::default()
        };
        let hits = snapshot
            .nearest(query, u32::try_from(k).unwrap(), &scope)
            .unwrap();
        let expected = by_looking_at_all(notes, query, k, folder);
        assert_eq!(
            named(&*snapshot, &hits),
            expected,
            "folder {folder:?}, k {k}"
        );
    }
}

/// Whole numbers make equal cosines and opposite vectors, halves and sizes make near ones.
fn vector(dimension: usize) -> impl Strategy<Value = Vec<f32>> {
    let number = prop_oneof![
        4 => (-2_i8..=2).prop_map(f32::from),
        4 => -1.0_f32..1.0,
        1 => prop_oneof![Just(1e-30_f32), Just(-1e30), Just(0.0), Just(1e-42)],
    ];
    prop_oneof![
        9 => prop::collection::vec(number, dimension),
        1 => Just(vec![0.0; dimension]),
    ]
}

/// What happens to a cache between two questions.
#[derive(Clone, Debug)]
enum Change {
    Put(String, Vec<Vec<f32>>),
    Forget(String),
}

fn changes(dimension: usize) -> impl Strategy<Value = Vec<Change>> {
    let path = "[ab]/[a-e]\\.md";
    let put = (path, prop::collection::vec(vector(dimension), 0..5));
    let change = prop_oneof![
        4 => put.prop_map(|(path, vectors)| Change::Put(path, vectors)),
        1 => path.prop_map(Change::Forget),
    ];
    prop::collection::vec(change, 1..12)
}

/// Changes, then a question: its vector, and how many are wanted.
type Step = (Vec<Change>, Vec<f32>, usize);

fn history() -> impl Strategy<Value = (usize, Vec<Step>)> {
    prop_oneof![Just(1_usize), Just(2), Just(3), Just(17), Just(129)].prop_flat_map(|dimension| {
        let step = (changes(dimension), vector(dimension), 0_usize..12);
        (Just(dimension), prop::collection::vec(step, 1..5))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_found_is_what_a_look_at_every_vector_finds((dimension, steps) in history()) {
        let mut bench = Bench::new(dimension);
        let mut notes: Vec<(String, Vec<Vec<f32>>)> = Vec::new();
        for (changes, query, k) in steps {
            for change in changes {
                match change {
                    Change::Put(path, vectors) => {
                        put(&mut bench.cache, &path, &vectors);
                        notes.retain(|(other, _)| *other != path);
                        notes.push((path, vectors));
                    }
                    Change::Forget(path) => {
                        bench.cache.forget(&path).unwrap();
                        notes.retain(|(other, _)| *other != path);
                    }
                }
            }
            check(&bench.shared, &notes, &query, k);
        }
    }
}

/// Enough rows for several blocks and threads, so alike that bounds alone cannot order them.
#[test]
fn many_vectors_that_hardly_differ_are_told_apart() {
    let dimension = 768;
    let mut bench = Bench::new(dimension);
    let mut rng = fastrand::Rng::with_seed(3);
    let centre: Vec<f32> = (0..dimension).map(|_| rng.f32() - 0.5).collect();
    let mut near = |by: f32| -> Vec<f32> {
        let moved = centre.iter().map(|number| number + by * (rng.f32() - 0.5));
        moved.collect()
    };
    let notes: Vec<(String, Vec<Vec<f32>>)> = (0..31)
        .map(|i| {
            let folder = if i % 7 == 0 { "a" } else { "b" };
            (
                format!("{folder}/{i}.md"),
                (0..100).map(|_| near(0.01)).collect(),
            )
        })
        .collect();
    for (path, vectors) in &notes {
        put(&mut bench.cache, path, vectors);
    }
    for k in [1, 30, 3_200] {
        check(&bench.shared, &notes, &near(0.02), k);
    }
    let alone = SharedCache::open(&bench.file).unwrap().threads(1);
    alone.warm().unwrap();
    check(&alone, &notes, &near(0.02), 30);
}

#[test]
fn the_first_question_is_answered_without_an_index_and_alike() {
    let mut bench = Bench::new(2);
    for (path, vector) in [
        ("a/1.md", [1.0, 0.1]),
        ("b/2.md", [0.5, 0.5]),
        ("a/3.md", [0.0, 1.0]),
    ] {
        put(&mut bench.cache, path, &[vector.to_vec()]);
    }
    let cold = SharedCache::open(&bench.file).unwrap();
    let snapshot = cold.snapshot().unwrap();
    let ask = || snapshot.nearest(&[1.0, 0.0], 2, &Scope::default()).unwrap();
    let first = ask();
    assert_eq!(first.len(), 2);
    assert_eq!(first, ask());
}

#[test]
fn most_rows_may_die_and_the_living_are_found() {
    let mut bench = Bench::new(3);
    let mut notes = Vec::new();
    for round in 0..40_u8 {
        for note in 0..3_u8 {
            let path = format!("a/{note}.md");
            let vectors = vec![vec![f32::from(round), f32::from(note), 1.0]; 4];
            put(&mut bench.cache, &path, &vectors);
            notes.retain(|(other, _)| *other != path);
            notes.push((path, vectors));
        }
        check(&bench.shared, &notes, &[1.0, 1.0, 0.0], 20);
    }
}

#[test]
fn a_snapshot_does_not_see_what_is_written_after_it() {
    let mut bench = Bench::new(2);
    put(&mut bench.cache, "base.md", &[vec![-1.0, 0.0]]);
    bench.shared.warm().unwrap();
    put(
        &mut bench.cache,
        "old.md",
        &[vec![1.0, 0.0], vec![0.9, 0.1]],
    );
    let nearest = |snapshot: &dyn Snapshot| -> Vec<String> {
        let hits = snapshot.nearest(&[1.0, 0.0], 9, &Scope::default()).unwrap();
        named(snapshot, &hits).into_iter().map(|it| it.0).collect()
    };
    let before = bench.shared.snapshot().unwrap();
    bench.cache.forget("old.md").unwrap();
    put(&mut bench.cache, "new.md", &[vec![1.0, 0.0]]);
    // Another question takes the new row into the shared index, which never had the old ones.
    for _ in 0..3 {
        let after = bench.shared.snapshot().unwrap();
        assert_eq!(nearest(&*after), ["new.md", "base.md"]);
        assert_eq!(after.counts().unwrap().chunks, 2);
    }
    assert_eq!(nearest(&*before), ["old.md", "old.md", "base.md"]);
    assert_eq!(before.counts().unwrap().chunks, 3);
    assert!(before.notes(&["new.md"]).unwrap().is_empty());
}

/// Every note has two chunks in one direction, and both come from the same writing of it. A
/// snapshot that mixed two moments would show a note once, three times, or with two directions.
#[test]
fn readers_see_whole_notes_while_another_writes() {
    let mut bench = Bench::new(8);
    let turned =
        |round: u8| -> Vec<f32> { (0..8).map(|i| f32::from((round + i) % 11) + 1.0).collect() };
    let write = |cache: &mut Cache, note: u8, round: u8| {
        put(
            cache,
            &format!("{note}.md"),
            &[turned(round), turned(round)],
        );
    };
    for note in 0..20 {
        write(&mut bench.cache, note, 0);
    }
    let done = AtomicBool::new(false);
    let (shared, cache) = (&bench.shared, &mut bench.cache);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let snapshot = shared.snapshot().unwrap();
                    let hits = snapshot
                        .nearest(&turned(0), 100, &Scope::default())
                        .unwrap();
                    assert_eq!(hits.len(), 40);
                    let mut found = named(&*snapshot, &hits);
                    found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
                    for pair in found.chunks(2) {
                        assert_eq!(
                            (&pair[0].0, pair[0].2.to_bits()),
                            (&pair[1].0, pair[1].2.to_bits())
                        );
                    }
                }
            });
        }
        for round in 1..20 {
            for note in 0..20 {
                write(cache, note, round);
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_file_that_took_the_place_of_the_first_is_not_mixed_with_it() {
    let bench = Bench::new(2);
    let held = bench.shared.snapshot().unwrap();
    drop(bench.cache);
    let _anew = Cache::anew(&bench.file, &identity(2)).unwrap();
    // The idle connection is taken, so that this needs a new one.
    let error = bench.shared.snapshot().err().unwrap();
    assert!(matches!(error, Error::Replaced { .. }), "{error}");
    drop(held);
}

#[test]
fn links_and_similarities_are_those_of_the_notes_asked_for() {
    let mut bench = Bench::new(2);
    for (path, vectors) in [
        ("a.md", vec![vec![1.0, 0.0], vec![0.0, 1.0]]),
        ("b.md", vec![vec![0.6, 0.8]]),
        ("c.md", vec![]),
        ("d.md", vec![vec![-1.0, 0.0]]),
    ] {
        put(&mut bench.cache, path, &vectors);
    }
    let edge = |from: &str, to: &str, kind| (from.to_owned(), to.to_owned(), kind);
    let edges = [
        edge("a.md", "b.md", EdgeKind::Citation),
        edge("a.md", "b.md", EdgeKind::Wikilink),
        edge("b.md", "c.md", EdgeKind::Citation),
        edge("d.md", "a.md", EdgeKind::Wikilink),
    ];
    bench.cache.put_edges(&edges, 0).unwrap();
    let snapshot = bench.shared.snapshot().unwrap();

    let touching = snapshot.edges_touching(&["a.md", "d.md"]).unwrap();
    assert_eq!(
        touching,
        [edges[0].clone(), edges[1].clone(), edges[3].clone()]
    );
    let neighbours = snapshot.neighbours(&["a.md", "none.md"]).unwrap();
    let expected = [("b.md".to_owned(), 2), ("d.md".to_owned(), 1)];
    assert_eq!(neighbours, expected);
    let among = snapshot.edges_among(&["b.md", "c.md", "a.md"]).unwrap();
    let expected = [
        (0, 1, EdgeKind::Citation),
        (2, 0, EdgeKind::Citation),
        (2, 0, EdgeKind::Wikilink),
    ];
    assert_eq!(among, expected);

    let similar = snapshot
        .similarities(&["b.md", "none.md", "c.md", "a.md"], &[1.0, 0.0])
        .unwrap();
    assert_eq!(similar.read, 3);
    let [(b, of_b), (a, of_a)] = &similar.notes[..] else {
        panic!("{similar:?}");
    };
    assert_eq!((b.as_str(), a.as_str()), ("b.md", "a.md"));
    assert!((of_b - 0.6).abs() < 1e-7 && (of_a - 1.0).abs() < 1e-7);
    assert_eq!(
        snapshot.embeddings_of("a.md").unwrap(),
        [[1.0, 0.0], [0.0, 1.0]]
    );
    let paths: Vec<String> = snapshot
        .notes(&["d.md", "none.md", "a.md"])
        .unwrap()
        .into_iter()
        .map(|note| note.path.clone())
        .collect();
    assert_eq!(paths, ["d.md", "a.md"]);
    assert!(matches!(
        snapshot.similarities(&["a.md"], &[1.0]),
        Err(Error::Dimension {
            found: 1,
            expected: 2
        })
    ));
}

#[test]
fn candidates_come_in_the_order_asked_for_with_their_cosine() {
    let mut bench = Bench::new(2);
    put(&mut bench.cache, "a.md", &[vec![1.0, 0.0], vec![0.0, 2.0]]);
    let snapshot = bench.shared.snapshot().unwrap();
    let ids: Vec<i64> = snapshot
        .chunks_of("a.md")
        .unwrap()
        .iter()
        .map(|it| it.id)
        .collect();
    let asked = [ids[1], 4_711, ids[0]];
    let found = snapshot.candidates(&asked).unwrap();
    let found: Vec<(i64, Option<f64>)> = found
        .iter()
        .map(|it| (it.id, it.cosine(&vec![0.0, 1.0].into())))
        .collect();
    assert_eq!(found, [(ids[1], Some(1.0)), (ids[0], Some(0.0))]);
}

#[test]
fn a_file_of_version_one_is_brought_up_to_date_with_all_that_was_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.db");
    first_version(&old);
    assert!(matches!(Cache::reader(&old), Err(Error::Earlier { .. })));

    let cache = Cache::writer(&old, &identity(4)).unwrap();
    let chunks = cache.chunks_of("a.md").unwrap();
    assert_eq!(chunks.len(), 2);
    assert_eq!((chunks[0].id, chunks[1].id), (5, 9));
    assert_eq!(&*chunks[0].text, "One. Two.");
    assert_eq!(chunks[0].section, "Section");
    assert_eq!(chunks[0].page, Some(3));
    assert_eq!(chunks[0].sentences, [(0, 4), (5, 9)]);
    let vectors = chunks[0].sentence_vectors.clone().unwrap();
    let cosines = vectors.cosines(&PackedQuery::new(&[1.0, 0.0, 0.0, 0.0]));
    assert_eq!(cosines, [1.0, 0.0]);
    // One of its two sentences had none.
    assert_eq!(chunks[1].sentence_vectors, None);
    assert_eq!(cache.chunks_without_sentence_vectors().unwrap(), 1);
    assert_eq!(cache.check().unwrap(), []);
    let hits = cache
        .nearest(&[1.0, 0.0, 0.0, 0.0], 1, &Scope::default())
        .unwrap();
    assert_eq!(hits[0].chunk, 5);
    drop(cache);

    let new = folder.path().join("new.db");
    drop(Cache::writer(&new, &identity(4)).unwrap());
    assert_eq!(tables(&old), tables(&new));
}

#[test]
fn a_number_is_never_given_to_another_chunk() {
    let mut bench = Bench::new(1);
    put(&mut bench.cache, "a.md", &[vec![1.0]]);
    let first = bench.cache.chunks_of("a.md").unwrap()[0].id;
    bench.cache.forget("a.md").unwrap();
    put(&mut bench.cache, "b.md", &[vec![1.0]]);
    assert!(bench.cache.chunks_of("b.md").unwrap()[0].id > first);
}

/// What makes the tables, but for spaces.
fn tables(file: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let query = "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name";
    let mut statement = connection.prepare(query).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    let words = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
    rows.map(|sql| words(sql.unwrap())).collect()
}

/// A cache as version 1 made it, with what was in it that can be lost.
fn first_version(file: &Path) {
    // Registers the extension that the table of vectors needs.
    drop(Cache::writer(&file.with_extension("other"), &identity(4)).unwrap());
    let connection = rusqlite::Connection::open(file).unwrap();
    connection
        .execute_batch(include_str!("data/version-1.sql"))
        .unwrap();
}
