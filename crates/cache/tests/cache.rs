//! What a cache promises, on real files.

use std::path::Path;

use concord_cache::{
    Cache, CandidateStore as _, ChunkRow, ColumnWeights, EdgeKind, Error, Fate, FileRow, Identity,
    LinkRow, NoteFacts, NoteRows, PackedQuery, Repair, Scope, SentenceVectors, SharedCache, Syntax,
};

fn identity() -> Identity {
    Identity {
        model: Some("test-model".to_owned()),
        dimension: 4,
        chunker: "h2".to_owned(),
    }
}

fn open(folder: &Path) -> Cache {
    Cache::writer(&folder.join("a.db"), &identity()).unwrap()
}

fn file(path: &str) -> FileRow {
    FileRow {
        path: path.to_owned(),
        size: 10,
        modified_ns: 1,
        hash: [7; 32],
        fate: Fate::Indexed,
    }
}

/// A note with a chunk for each (text, vector).
fn note(path: &str, chunks: &[(&str, [f32; 4])]) -> NoteRows {
    let chunk = |&(text, vector): &(&str, [f32; 4])| ChunkRow {
        section: "Section".to_owned(),
        heading_context: path.to_owned(),
        text: text.to_owned(),
        page: None,
        embedding: Some(vector.to_vec()),
        sentences: vec![(0, u32::try_from(text.len()).unwrap())],
        sentence_vectors: None,
    };
    NoteRows {
        facts: NoteFacts {
            path: path.to_owned(),
            title: path.to_owned(),
            ..NoteFacts::default()
        },
        chunks: chunks.iter().map(chunk).collect(),
        links: Vec::new(),
    }
}

fn put(cache: &mut Cache, note: &NoteRows) {
    cache.put_note(note, &file(&note.facts.path)).unwrap();
}

fn paths(cache: &Cache, hits: &[concord_cache::Hit]) -> Vec<String> {
    let path = |hit: &concord_cache::Hit| cache.chunk(hit.chunk).unwrap().unwrap().note;
    hits.iter().map(path).collect()
}

fn matching(cache: &Cache, phrase: &str, scope: &Scope) -> Vec<String> {
    let phrases = [phrase.to_owned()];
    let hits = cache
        .matching(&phrases, 10, scope, ColumnWeights::default())
        .unwrap();
    paths(cache, &hits)
}

/// Everything belongs together once the edges are written.
fn assert_sound(cache: &mut Cache) {
    cache.put_edges(&[], 0).unwrap();
    assert_eq!(cache.check().unwrap(), []);
}

const X: [f32; 4] = [1.0, 0.0, 0.0, 0.0];
const Y: [f32; 4] = [0.0, 1.0, 0.0, 0.0];

#[test]
fn what_was_put_is_found_by_meaning_and_by_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    put(&mut cache, &note("x.md", &[("Margins fell sharply.", X)]));
    put(&mut cache, &note("y.md", &[("Freight was cheap.", Y)]));

    let near = cache
        .nearest(&[0.8, 0.6, 0.0, 0.0], 10, &Scope::default())
        .unwrap();
    assert_eq!(paths(&cache, &near), ["x.md", "y.md"]);
    assert!((near[0].score - 0.8).abs() < 1e-7 && (near[1].score - 0.6).abs() < 1e-7);

    // Stemmed, and in a column of less weight too.
    assert_eq!(matching(&cache, "margin", &Scope::default()), ["x.md"]);
    assert_eq!(matching(&cache, "y", &Scope::default()), ["y.md"]);
    assert_sound(&mut cache);
}

#[test]
fn a_note_that_is_put_again_leaves_nothing_of_its_old_self() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    put(
        &mut cache,
        &note("a.md", &[("The old text.", X), ("More of it.", Y)]),
    );
    put(&mut cache, &note("a.md", &[("A new one.", Y)]));
    assert!(matching(&cache, "old", &Scope::default()).is_empty());
    assert_eq!(cache.nearest(&X, 10, &Scope::default()).unwrap().len(), 1);
    assert_eq!(cache.chunks_of("a.md").unwrap().len(), 1);
    assert_sound(&mut cache);

    cache.forget("a.md").unwrap();
    assert!(cache.note("a.md").unwrap().is_none());
    assert!(cache.files().unwrap().is_empty());
    assert_sound(&mut cache);
}

#[test]
fn a_scope_acts_inside_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    // Five hundred nearer ones outside the scope, one far one inside.
    for i in 0..500 {
        put(
            &mut cache,
            &note(&format!("near/{i:03}.md"), &[("margin", X)]),
        );
    }
    let mut far = note("far_off/one.md", &[("margin", Y)]);
    far.facts.tags = vec!["money/fees".to_owned()];
    far.facts.kind = Some("Memo".to_owned());
    far.facts.author = Some("Ada".to_owned());
    far.facts.modified_at = Some(1_000);
    put(&mut cache, &far);
    // A folder whose name LIKE would confuse with the other's.
    put(&mut cache, &note("farXoff/two.md", &[("margin", Y)]));

    let scopes = [
        Scope {
            folder: Some("far_off/".to_owned()),
            ..Scope::default()
        },
        Scope {
            tags: vec!["money".to_owned()],
            ..Scope::default()
        },
        Scope {
            tags: vec!["other".to_owned(), "money/fees".to_owned()],
            ..Scope::default()
        },
        Scope {
            kind: Some("Memo".to_owned()),
            ..Scope::default()
        },
        Scope {
            author: Some("Ada".to_owned()),
            ..Scope::default()
        },
        Scope {
            since: Some(1_000),
            before: Some(1_001),
            ..Scope::default()
        },
        Scope {
            files: vec!["far_off/one.md".to_owned()],
            ..Scope::default()
        },
    ];
    for scope in scopes {
        let near = cache.nearest(&X, 3, &scope).unwrap();
        assert_eq!(paths(&cache, &near), ["far_off/one.md"], "{scope:?}");
        assert_eq!(
            matching(&cache, "margin", &scope),
            ["far_off/one.md"],
            "{scope:?}"
        );
    }
    for scope in [
        Scope {
            tags: vec!["mon".to_owned()],
            ..Scope::default()
        },
        Scope {
            before: Some(1_000),
            ..Scope::default()
        },
        Scope {
            folder: Some("far".to_owned()),
            ..Scope::default()
        },
    ] {
        assert!(
            cache.nearest(&X, 3, &scope).unwrap().is_empty(),
            "{scope:?}"
        );
    }
}

#[test]
fn nearest_agrees_with_looking_at_every_vector() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    let mut rng = fastrand::Rng::with_seed(1);
    let mut vector = || [0; 4].map(|_| rng.f32() - 0.5);
    let all: Vec<(String, [f32; 4])> = (0..400).map(|i| (format!("{i:03}.md"), vector())).collect();
    for (path, vector) in &all {
        put(&mut cache, &note(path, &[("text", *vector)]));
    }
    for _ in 0..20 {
        let query = vector();
        let cosine = |other: &[f32; 4]| {
            let dot: f64 = query
                .iter()
                .zip(other)
                .map(|(a, b)| f64::from(*a) * f64::from(*b))
                .sum();
            let length = |v: &[f32; 4]| v.iter().map(|a| f64::from(*a).powi(2)).sum::<f64>().sqrt();
            dot / (length(&query) * length(other))
        };
        let mut expected: Vec<(&String, f64)> = all.iter().map(|(p, v)| (p, cosine(v))).collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        let found = cache.nearest(&query, 30, &Scope::default()).unwrap();
        let expected: Vec<&String> = expected
            .into_iter()
            .take(30)
            .map(|(path, _)| path)
            .collect();
        assert_eq!(paths(&cache, &found).iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn equal_hits_come_by_note_and_place_whatever_was_put_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    for path in ["c.md", "a.md", "b.md"] {
        let mut same = note(path, &[("margin", X), ("margin", X)]);
        for chunk in &mut same.chunks {
            chunk.heading_context = String::new();
        }
        put(&mut cache, &same);
    }
    let order = ["a.md", "a.md", "b.md", "b.md", "c.md", "c.md"];
    let near = cache.nearest(&X, 10, &Scope::default()).unwrap();
    assert_eq!(paths(&cache, &near), order);
    assert_eq!(matching(&cache, "margin", &Scope::default()), order);
}

#[test]
fn a_cache_of_another_model_is_refused_with_both_ways_out() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let path = folder.path().join("a.db");
    for other in [
        Identity {
            model: Some("other".to_owned()),
            ..identity()
        },
        Identity {
            dimension: 8,
            ..identity()
        },
        Identity {
            chunker: "obsidian".to_owned(),
            ..identity()
        },
        Identity {
            model: None,
            dimension: 0,
            ..identity()
        },
    ] {
        let error = Cache::writer(&path, &other).err().unwrap();
        let message = error.to_string();
        assert!(matches!(error, Error::OtherModel { .. }), "{message}");
        for part in [
            "a.db",
            "test-model",
            "delete this file",
            "concord index --rebuild",
        ] {
            assert!(message.contains(part), "{message}");
        }
    }
    assert_eq!(*open(folder.path()).identity(), identity());
}

#[test]
fn one_process_writes_and_others_read_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    put(&mut cache, &note("a.md", &[("first", X)]));
    let path = folder.path().join("a.db");
    assert!(matches!(
        Cache::writer(&path, &identity()),
        Err(Error::Busy { .. })
    ));

    let reader = Cache::reader(&path).unwrap();
    put(&mut cache, &note("b.md", &[("second", X)]));
    assert_eq!(reader.notes().unwrap().len(), 2);
    drop(cache);
    open(folder.path());
}

#[test]
fn a_cache_is_begun_anew_only_by_the_one_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let mut cache = open(folder.path());
    put(&mut cache, &note("a.md", &[("first", X)]));
    assert!(matches!(
        Cache::anew(&path, &identity()),
        Err(Error::Busy { .. })
    ));
    assert_eq!(cache.notes().unwrap().len(), 1);
    drop(cache);
    let other = Identity {
        model: Some("other".to_owned()),
        ..identity()
    };
    let cache = Cache::anew(&path, &other).unwrap();
    assert!(cache.notes().unwrap().is_empty());
    assert_eq!(*cache.identity(), other);
}

#[test]
fn a_reader_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let mut reader = Cache::reader(&folder.path().join("a.db")).unwrap();
    assert!(
        reader
            .put_note(&note("a.md", &[("x", X)]), &file("a.md"))
            .is_err()
    );
    assert!(Cache::reader(&folder.path().join("none.db")).is_err());
}

#[test]
fn what_is_no_cache_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let text = "these are somebody's notes, and no database at all ".repeat(100);
    std::fs::write(&path, &text).unwrap();
    let error = Cache::writer(&path, &identity()).err().unwrap();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_cache_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let path = folder.path().join("a.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    assert!(matches!(
        Cache::writer(&path, &identity()),
        Err(Error::Later { found: 99, .. })
    ));
}

#[test]
fn edges_are_stale_until_they_are_written_and_self_links_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    let mut a = note("a.md", &[("a", X)]);
    a.links = vec![LinkRow {
        target: "b".to_owned(),
        syntax: Syntax::Wiki,
        kind: EdgeKind::Citation,
    }];
    put(&mut cache, &a);
    put(&mut cache, &note("b.md", &[("b", Y)]));
    assert!(cache.edges_are_stale().unwrap());
    assert_eq!(
        cache.links().unwrap(),
        [("a.md".to_owned(), a.links[0].clone())]
    );

    let edge = |from: &str, to: &str| (from.to_owned(), to.to_owned(), EdgeKind::Citation);
    cache
        .put_edges(
            &[
                edge("a.md", "b.md"),
                edge("a.md", "b.md"),
                edge("b.md", "b.md"),
            ],
            1,
        )
        .unwrap();
    assert!(!cache.edges_are_stale().unwrap());
    assert_eq!(cache.edges_of("b.md").unwrap(), [edge("a.md", "b.md")]);
    assert_eq!(cache.check().unwrap(), []);
}

#[test]
fn sentence_vectors_give_nearly_the_cosines_of_what_was_packed() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    put(&mut cache, &note("a.md", &[("One sentence.", X)]));
    let chunk = cache.chunks_of("a.md").unwrap().remove(0);
    assert_eq!(chunk.sentences, [(0, 13)]);
    assert_eq!(chunk.sentence_vectors, None);

    let vectors = SentenceVectors::pack([vec![0.6, -0.8, 0.0, 0.0]]);
    assert!(cache.put_sentence_vectors(chunk.id, &vectors).unwrap());
    let stored = cache.chunk(chunk.id).unwrap().unwrap().sentence_vectors;
    let cosines = stored.unwrap().cosines(&PackedQuery::new(&X));
    assert!((cosines[0] - 0.6).abs() < 0.004, "{cosines:?}");

    // One vector too many, and a chunk that is gone.
    let two = SentenceVectors::pack([X.to_vec(), Y.to_vec()]);
    assert!(!cache.put_sentence_vectors(chunk.id, &two).unwrap());
    assert!(!cache.put_sentence_vectors(99, &vectors).unwrap());
    assert_sound(&mut cache);
}

#[test]
fn an_index_that_drifted_is_found_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let mut cache = open(folder.path());
    put(
        &mut cache,
        &note("a.md", &[("first of all", X), ("second", Y)]),
    );
    cache.put_edges(&[], 0).unwrap();
    let chunk = cache.chunks_of("a.md").unwrap()[0].id;
    let vectors = SentenceVectors::pack([X.to_vec()]);
    assert!(cache.put_sentence_vectors(chunk, &vectors).unwrap());
    let dump = cache.dump().unwrap();
    let harm = [
        "INSERT INTO vault_sentence_vector (chunk, vectors) VALUES (99, zeroblob(4))",
        "INSERT INTO vault_sentence_vector (chunk, vectors) VALUES (2, zeroblob(5))",
        "DELETE FROM vault_chunk_vec WHERE id = 1",
        "INSERT INTO vault_chunk_vec (id, embedding) VALUES (99, zeroblob(16))",
        "UPDATE vault_chunk_vec SET embedding = zeroblob(16) WHERE id = 2",
        "INSERT INTO vault_chunk_fts (vault_chunk_fts, rowid, text, section, heading_context)
         VALUES ('delete', 1, 'first of all', 'Section', 'a.md')",
        "INSERT INTO vault_chunk_fts (rowid, text, section, heading_context)
         VALUES (77, 'a ghost', '', '')",
    ];
    for harm in harm {
        // The extension is registered for every connection of this process.
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .pragma_update(None, "foreign_keys", false)
            .unwrap();
        connection.execute_batch(harm).unwrap();
        drop(connection);
        let findings = cache.check().unwrap();
        assert!(!findings.is_empty(), "{harm}");
        assert!(
            findings
                .iter()
                .all(|finding| finding.repair == Repair::FromChunks),
            "{findings:?}"
        );
        cache.repair().unwrap();
        assert_eq!(cache.check().unwrap(), [], "{harm}");
        assert_eq!(cache.dump().unwrap(), dump, "{harm}");
    }
}

#[test]
fn sentences_outside_their_text_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for span in [(0, 6), (3, 2), (0, 2)] {
        let path = folder.path().join(format!("{span:?}.db"));
        let mut cache = Cache::writer(&path, &identity()).unwrap();
        let mut odd = note("a.md", &[("aéb", X)]);
        odd.chunks[0].sentences = vec![span];
        put(&mut cache, &odd);
        cache.put_edges(&[], 0).unwrap();
        let findings = cache.check().unwrap();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].repair, Repair::Rebuild);
    }
}

#[test]
fn the_order_of_writing_does_not_show_in_the_dump() {
    let folder = tempfile::tempdir().unwrap();
    let notes = [
        note("a.md", &[("one", X), ("two", Y)]),
        note("b.md", &[("three", Y)]),
        note("c.md", &[("four", X)]),
    ];
    let mut first = Cache::writer(&folder.path().join("1.db"), &identity()).unwrap();
    let mut second = Cache::writer(&folder.path().join("2.db"), &identity()).unwrap();
    for note in &notes {
        put(&mut first, note);
    }
    put(&mut second, &note("b.md", &[("draft", X)]));
    put(&mut second, &note("gone.md", &[("draft", X)]));
    for note in notes.iter().rev() {
        put(&mut second, note);
    }
    second.forget("gone.md").unwrap();
    assert_eq!(first.dump().unwrap(), second.dump().unwrap());
}

#[test]
fn without_an_encoder_words_are_searched_and_nothing_fails() {
    let folder = tempfile::tempdir().unwrap();
    let words = Identity {
        model: None,
        dimension: 0,
        chunker: "h2".to_owned(),
    };
    let mut cache = Cache::writer(&folder.path().join("w.db"), &words).unwrap();
    let mut plain = note("a.md", &[("Margins fell.", X)]);
    plain.chunks[0].embedding = None;
    put(&mut cache, &plain);
    assert_eq!(matching(&cache, "margins", &Scope::default()), ["a.md"]);
    assert!(cache.nearest(&[], 5, &Scope::default()).unwrap().is_empty());
    assert_sound(&mut cache);
    put(&mut cache, &plain);
    cache.repair().unwrap();
    assert!(
        cache
            .put_note(&note("b.md", &[("x", X)]), &file("b.md"))
            .is_err()
    );
}

#[test]
fn what_was_deleted_is_gone_from_the_bytes_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    let secret = "unrepeatable-marker-text";
    put(&mut cache, &note("a.md", &[(secret, X)]));
    cache.forget("a.md").unwrap();
    // The word index keeps what was deleted until it merges.
    cache.repair().unwrap();
    cache.checkpoint().unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let found = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!found);
    }
}

#[test]
fn a_store_tells_itself_from_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path());
    let changed_at = |moment: i64| {
        let mut note = note("x.md", &[("Margins fell sharply.", X)]);
        note.facts.modified_at = Some(moment);
        note
    };
    put(&mut cache, &changed_at(5));
    let shared = SharedCache::open(&folder.path().join("a.db")).unwrap();
    let state = || shared.snapshot().unwrap().state().unwrap();
    let first = state();
    assert_eq!(first.newest, Some(5));
    assert_eq!(state(), first);
    let hashes = shared.snapshot().unwrap().hashes(&["none.md", "x.md"]);
    assert_eq!(hashes.unwrap(), [("x.md".to_owned(), "07".repeat(32))]);

    // When a note was changed is part of every answer, as are links and other notes.
    put(&mut cache, &changed_at(6));
    let touched = state();
    assert_eq!(touched.newest, Some(6));
    let edge = ("x.md".to_owned(), "y.md".to_owned(), EdgeKind::Citation);
    cache.put_edges(&[edge], 0).unwrap();
    let linked = state();
    put(&mut cache, &note("y.md", &[("Freight was cheap.", Y)]));
    let marks = [&first, &touched, &linked, &state()].map(|state| state.mark.clone());
    let distinct: std::collections::BTreeSet<&String> = marks.iter().collect();
    assert_eq!(distinct.len(), 4);
}
