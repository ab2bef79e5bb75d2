use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use concord_cache::Cache;

use crate::harness::{command, concord, dump, sample};

#[test]
fn the_sample_vault_is_indexed_by_meaning_and_a_second_run_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let vault = sample(folder.path());
    let first = concord(&["index"], &vault);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    for domain in ["finance", "fitness", "learning", "nutrition"] {
        assert!(first.stdout.contains(domain), "{}", first.stdout);
    }
    assert!(
        first.stdout.contains("indexed") && !first.stdout.contains("failed"),
        "{}",
        first.stdout
    );
    let again = concord(&["index"], &vault);
    assert!(again.stdout.contains("unchanged"), "{}", again.stdout);
    assert!(
        !again.stdout.contains("indexed") && !again.stdout.contains("encoded"),
        "{}",
        again.stdout
    );

    let doctor = concord(&["doctor"], &vault);
    assert_eq!(
        (doctor.code, doctor.stdout.matches("sound").count()),
        (Some(0), 4),
        "{}",
        doctor.stdout
    );

    let status = concord(&["status", "--json"], &vault);
    let status: serde_json::Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!(status.as_array().unwrap().len(), 4);
    assert_eq!(status[0]["dimension"], 384);
    let files = status[0]["files"].as_array().unwrap();
    assert!(
        files
            .iter()
            .any(|file| file["path"] == "_taxonomy.md" && file["fate"] == "skipped")
    );
    assert!(
        files
            .iter()
            .filter(|file| file["fate"] == "indexed")
            .count()
            > 20
    );
}

#[test]
fn another_model_under_an_index_is_refused_with_the_ways_out() {
    let folder = tempfile::tempdir().unwrap();
    let vault = sample(folder.path());
    assert_eq!(concord(&["index", "--words-only"], &vault).code, Some(0));
    let refused = concord(&["index"], &vault);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    for part in [
        "finance.db",
        "no model",
        "delete this file",
        "concord index --rebuild",
    ] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    assert_eq!(
        concord(&["index", "--words-only", "--rebuild"], &vault).code,
        Some(0)
    );
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let vault = sample(folder.path());
    let check = |arguments: &[&str], vault: &Path, part: &str| {
        let run = concord(arguments, vault);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
    };
    check(&["index"], Path::new("no/such/vault"), "no such folder");
    check(
        &["index", "--domain", "cooking"],
        &vault,
        "there is no domain `cooking`",
    );
    check(&["status"], &vault, "run `concord index`");
    check(&["doctor"], &vault, "run `concord index`");
    check(
        &["index", "--model", "no/such/model"],
        &vault,
        "no/such/model",
    );
    fs::write(vault.join("_domains.yaml"), "finance: { legasy: true }\n").unwrap();
    check(&["index"], &vault, "legasy");
}

#[test]
fn a_drifted_index_is_found_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let vault = sample(folder.path());
    concord(&["index", "--words-only", "--domain", "fitness"], &vault);
    let file = vault.join(".concord/fitness.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection
        .execute_batch("INSERT INTO vault_chunk_fts (rowid, text, section, heading_context) VALUES (9999, 'ghost', '', '')")
        .unwrap();
    drop(connection);
    let found = concord(&["doctor", "--domain", "fitness"], &vault);
    assert_eq!(found.code, Some(1), "{}", found.stdout);
    assert!(
        found.stdout.contains("concord doctor --repair"),
        "{}",
        found.stdout
    );
    assert_eq!(
        concord(&["doctor", "--repair", "--domain", "fitness"], &vault).code,
        Some(0)
    );
    assert_eq!(
        concord(&["doctor", "--domain", "fitness"], &vault).code,
        Some(0)
    );
}

#[test]
fn killed_at_any_moment_the_next_run_ends_where_one_without_a_kill_does() {
    let folder = tempfile::tempdir().unwrap();
    let vault = sample(folder.path());
    assert_eq!(concord(&["index"], &vault).code, Some(0));
    let expected: Vec<String> = ["finance", "learning"]
        .map(|domain| dump(&vault, domain))
        .to_vec();
    fs::remove_dir_all(vault.join(".concord")).unwrap();

    let mut rng = fastrand::Rng::with_seed(1);
    let mut killed = 0;
    for _ in 0..12 {
        let mut child = command(&["index"], &vault)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(rng.u64(20..900)));
        killed += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(killed > 0, "every run was over before it was killed");
    let last = concord(&["index"], &vault);
    assert_eq!(last.code, Some(0), "{}", last.stderr);
    let found: Vec<String> = ["finance", "learning"]
        .map(|domain| dump(&vault, domain))
        .to_vec();
    assert!(
        found == expected,
        "the index differs from one that was never killed"
    );
    assert_eq!(concord(&["doctor"], &vault).code, Some(0));
}

#[test]
fn a_watched_vault_is_kept_in_step_as_notes_come_move_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    fs::create_dir(&vault).unwrap();
    fs::write(vault.join("a.md"), "The first note.\n").unwrap();
    let mut child = command(&["watch", "--words-only"], &vault)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let notes = || -> Vec<String> {
        let Ok(cache) = Cache::reader(&vault.join(".concord/default.db")) else {
            return Vec::new();
        };
        let notes = cache.notes().unwrap_or_default();
        notes.into_iter().map(|note| note.path).collect()
    };
    let becomes = |expected: &[&str]| {
        for _ in 0..300 {
            if notes() == expected {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("expected {expected:?}, found {:?}", notes());
    };
    becomes(&["a.md"]);
    fs::write(vault.join("b.md"), "The second note.\n").unwrap();
    becomes(&["a.md", "b.md"]);
    fs::create_dir(vault.join("deep")).unwrap();
    fs::rename(vault.join("a.md"), vault.join("deep/c.md")).unwrap();
    becomes(&["b.md", "deep/c.md"]);
    fs::remove_file(vault.join("b.md")).unwrap();
    becomes(&["deep/c.md"]);
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
}
