//! The vectors of sentences: made once, kept while their text stands, made on after an end.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use concord_cache::sync::{Inventory, LARGEST_NOTE, Selection, Sync, Territory};
use concord_cache::{Cache, Error, Identity, PackedQuery};
use concord_text::ChunkRules;

const DIMENSION: usize = 8;

fn open(file: &Path) -> Cache {
    let identity = Identity {
        model: Some("test-model".to_owned()),
        dimension: u32::try_from(DIMENSION).unwrap(),
        chunker: "h2".to_owned(),
    };
    Cache::writer(file, &identity).unwrap()
}

/// A vector that depends on every byte of the text.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.1; DIMENSION];
    for (place, byte) in text.bytes().enumerate() {
        vector[place % DIMENSION] += f32::from(byte) * (1.0 + place as f32);
    }
    vector
}

fn encode(texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
    Ok(texts.iter().map(|text| vector(text)).collect())
}

fn sync(cache: &mut Cache, vault: &Path) {
    let sync = Sync {
        vault: &Inventory::of(vault, &Selection::default()).unwrap(),
        territory: &Territory::default(),
        rules: ChunkRules::SECTIONS,
        largest_note: LARGEST_NOTE,
        encode: Some(&encode),
        stop: &AtomicBool::new(false),
    };
    cache.sync(&sync, &mut |_| {}).unwrap();
}

/// Which sentences were encoded.
fn fill(cache: &mut Cache) -> Vec<String> {
    let asked = RefCell::new(Vec::new());
    let listen = |texts: &[&str]| {
        asked
            .borrow_mut()
            .extend(texts.iter().map(|&text| text.to_owned()));
        encode(texts)
    };
    let never = AtomicBool::new(false);
    let end = cache.fill_sentences(&listen, &never, &mut |_| {}).unwrap();
    assert!(!end.stopped);
    assert_eq!(end.done, end.chunks);
    assert_eq!(cache.chunks_without_sentence_vectors().unwrap(), 0);
    let asked = asked.into_inner();
    assert_eq!(asked.len(), end.encoded);
    asked
}

#[test]
fn every_sentence_gets_its_own_vector_and_none_is_encoded_twice() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    fs::create_dir(&vault).unwrap();
    fs::write(vault.join("a.md"), "Margins fell. Freight rose.").unwrap();
    fs::write(vault.join("b.md"), "Freight rose. Nobody minded.").unwrap();
    let mut cache = open(&folder.path().join("a.db"));
    sync(&mut cache, &vault);
    let mut asked = fill(&mut cache);
    asked.sort();
    assert_eq!(asked, ["Freight rose.", "Margins fell.", "Nobody minded."]);
    assert_eq!(fill(&mut cache), Vec::<String>::new());

    for path in ["a.md", "b.md"] {
        let chunk = cache.chunks_of(path).unwrap().remove(0);
        let vectors = chunk.sentence_vectors.unwrap();
        assert_eq!(vectors.len(), 2);
        for (place, &(start, end)) in chunk.sentences.iter().enumerate() {
            let own = vector(&chunk.text[start as usize..end as usize]);
            assert!(vectors.cosines(&PackedQuery::new(&own))[place] > 0.9999);
        }
    }
    assert_eq!(cache.check().unwrap(), []);
}

#[test]
fn a_note_that_moved_or_changed_in_part_keeps_the_vectors_of_what_stayed() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    fs::create_dir(&vault).unwrap();
    let stays = "## One\n\nThis one stays. As it is.\n\n";
    fs::write(
        vault.join("a.md"),
        format!("{stays}## Two\n\nThis one goes.\n"),
    )
    .unwrap();
    fs::write(vault.join("b.md"), "This one moves.").unwrap();
    let mut cache = open(&folder.path().join("a.db"));
    sync(&mut cache, &vault);
    fill(&mut cache);

    fs::write(
        vault.join("a.md"),
        format!("{stays}## Two\n\nThis one is new.\n"),
    )
    .unwrap();
    fs::rename(vault.join("b.md"), vault.join("c.md")).unwrap();
    sync(&mut cache, &vault);
    let asked = fill(&mut cache);
    assert!(asked.contains(&"This one is new.".to_owned()), "{asked:?}");
    for kept in ["This one stays.", "As it is.", "This one moves."] {
        assert!(!asked.contains(&kept.to_owned()), "{asked:?}");
    }
    let mut anew = open(&folder.path().join("anew.db"));
    sync(&mut anew, &vault);
    fill(&mut anew);
    assert_eq!(cache.dump().unwrap(), anew.dump().unwrap());
}

/// More than fit one batch.
fn large_vault(vault: &Path) {
    fs::create_dir(vault).unwrap();
    for note in 0..40 {
        let text: String = (0..40)
            .map(|i| format!("Sentence {i} of note {note}. "))
            .collect();
        fs::write(vault.join(format!("{note}.md")), text).unwrap();
    }
}

#[test]
fn a_run_that_was_ended_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    large_vault(&vault);
    let mut cache = open(&folder.path().join("a.db"));
    sync(&mut cache, &vault);
    let all = cache.chunks_without_sentence_vectors().unwrap();

    let stop = AtomicBool::new(false);
    let end = cache
        .fill_sentences(&encode, &stop, &mut |_| stop.store(true, Ordering::Relaxed))
        .unwrap();
    assert!(end.stopped && 0 < end.done && end.done < all, "{end:?}");
    assert_eq!(
        cache.chunks_without_sentence_vectors().unwrap(),
        all - end.done
    );

    // An encoder that fails, the same.
    let fails = |_: &[&str]| Err("no power".to_owned());
    let never = AtomicBool::new(false);
    let error = cache
        .fill_sentences(&fails, &never, &mut |_| {})
        .unwrap_err();
    assert!(matches!(error, Error::Encoder(_)), "{error}");
    let asked = fill(&mut cache);
    assert_eq!(asked.len(), 40 * 40 - end.encoded);

    let mut at_once = open(&folder.path().join("b.db"));
    sync(&mut at_once, &vault);
    fill(&mut at_once);
    assert_eq!(cache.dump().unwrap(), at_once.dump().unwrap());
}

#[test]
fn what_a_repair_takes_away_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    large_vault(&vault);
    let file = folder.path().join("a.db");
    let mut cache = open(&file);
    sync(&mut cache, &vault);
    fill(&mut cache);
    let whole = cache.dump().unwrap();
    assert_eq!(fill(&mut cache), Vec::<String>::new());

    let damage = "UPDATE vault_sentence_vector SET vectors = x'00'
                  WHERE chunk = (SELECT min(chunk) FROM vault_sentence_vector)";
    let connection = rusqlite::Connection::open(&file).unwrap();
    assert_eq!(connection.execute(damage, []).unwrap(), 1);
    drop(connection);
    assert_eq!(cache.check().unwrap().len(), 1);
    cache.repair().unwrap();
    assert_eq!(cache.chunks_without_sentence_vectors().unwrap(), 1);
    assert_eq!(fill(&mut cache).len(), 40);
    assert_eq!(cache.dump().unwrap(), whole);
}

#[test]
fn vectors_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    large_vault(&vault);
    let mut cache = open(&folder.path().join("a.db"));
    sync(&mut cache, &vault);
    let never = AtomicBool::new(false);
    let short = |texts: &[&str]| Ok(vec![vec![1.0; DIMENSION - 1]; texts.len()]);
    let few = |_: &[&str]| Ok(vec![vec![1.0; DIMENSION]]);
    let short = cache.fill_sentences(&short, &never, &mut |_| {});
    assert!(matches!(short, Err(Error::Dimension { .. })));
    let few = cache.fill_sentences(&few, &never, &mut |_| {});
    assert!(matches!(few, Err(Error::Encoder(_))));
}
