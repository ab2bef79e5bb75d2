//! `concord index`, `status` and `doctor` on the sample vault, run as a user runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt as _;
use concord_cache::Cache;

struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn command(arguments: &[&str], vault: &Path) -> Command {
    let mut command = Command::cargo_bin("concord").unwrap();
    command
        .args(arguments)
        .arg(vault)
        .env_remove("DOMAIN")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

fn concord(arguments: &[&str], vault: &Path) -> Run {
    let output = command(arguments, vault).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A copy of the sample vault that a test may change.
fn sample(folder: &Path) -> PathBuf {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() == ".concord" {
                continue;
            }
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy(&entry.path(), &target);
            } else {
                fs::copy(entry.path(), target).unwrap();
            }
        }
    }
    let vault = folder.join("vault");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-vault"),
        &vault,
    );
    vault
}

fn dump(vault: &Path, domain: &str) -> String {
    let cache = Cache::reader(&vault.join(".concord").join(format!("{domain}.db"))).unwrap();
    cache.dump().unwrap()
}

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
fn no_credential_reaches_the_index_or_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    fs::create_dir(&vault).unwrap();
    // Put together here, so that no scanner takes this file for a leak.
    let secrets = [
        ["gh", "p_", &"a1B2c3D4e5".repeat(4)[..36]].concat(),
        ["AK", "IA", "QWERTYUIOPASDFGH"].concat(),
        [
            "xo",
            "xb-",
            "123456789012-1234567890123-",
            &"aB3dE6gH9".repeat(3)[..24],
        ]
        .concat(),
        [
            "eyJ",
            "hbGciOiJIUzI1NiJ9",
            ".eyJ",
            "zdWIiOiIxMjM0NTY3ODkwIn0",
            ".",
            &"abcDEF123".repeat(5),
        ]
        .concat(),
        ["hunter", "2-correct-horse-battery"].concat(),
    ];
    let note = format!(
        "---\ntitle: Keys {0}\ntags: [ops]\n---\n## Access\n\nThe token is {0} and the key {1}.\nBot: {2}\n\nAuthorization: Bearer {3}\npassword = \"{4}\"\n",
        secrets[0], secrets[1], secrets[2], secrets[3], secrets[4]
    );
    fs::write(vault.join("keys.md"), note).unwrap();
    let run = concord(&["index", "--words-only"], &vault);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("struck out"), "{}", run.stdout);
    for secret in &secrets {
        assert!(!run.stdout.contains(secret.as_str()) && !run.stderr.contains(secret.as_str()));
        for entry in fs::read_dir(vault.join(".concord")).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "a credential stands in {}", path.display());
        }
    }
    let cache = Cache::reader(&vault.join(".concord/default.db")).unwrap();
    assert!(
        cache.chunks_of("keys.md").unwrap()[0]
            .text
            .contains("[REDACTED:")
    );
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
