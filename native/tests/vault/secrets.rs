use std::fs;
use std::path::Path;

use concord_text::PATTERN_NAMES;

use crate::credentials::{Case, cases};
use crate::harness::{Run, concord, vault_of};

/// What of a sample must appear nowhere: of keys that span lines, each line of the key itself.
fn secrets(case: &Case) -> Vec<String> {
    let lines = case.fires.1.lines().flat_map(|line| line.split("\\n"));
    lines
        .map(|line| line.trim_start_matches("> ").to_owned())
        .filter(|line| line.len() > 6 && !line.contains("-----") && !line.contains("Version"))
        .collect()
}

fn assert_silent(runs: &[&Run], vault: &Path, cases: &[Case]) {
    let mut places: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(vault.join(".concord")).unwrap() {
        let path = entry.unwrap().path();
        places.push((path.display().to_string(), fs::read(&path).unwrap()));
    }
    for run in runs {
        places.push(("standard output".to_owned(), run.stdout.clone().into()));
        places.push(("standard error".to_owned(), run.stderr.clone().into()));
    }
    for case in cases {
        for secret in secrets(case) {
            for (place, bytes) in &places {
                let found = memory_holds(bytes, secret.as_bytes());
                assert!(!found, "a credential ({}) stands in {place}", case.name);
            }
        }
    }
}

fn memory_holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Every sample in the body; those of one line also as title, tag, author, heading, link and code.
fn plant(vault: &Path, cases: &[Case]) {
    for (number, case) in cases.iter().enumerate() {
        let (before, secret, after) = &case.fires;
        let whole = format!("{before}{secret}{after}");
        let mut text = format!("# Body\n\nIt was {whole}\n\n```\n{whole}\n```\n");
        if !whole.contains('\n') && !whole.contains(['"', '\'']) {
            let quoted = whole.trim();
            text = format!(
                "---\ntitle: \"{quoted}\"\nauthor: \"{quoted}\"\ntags: [\"{quoted}\"]\n---\n{text}\n\
                 ## {whole}\n\nSee [[{quoted}]] and [this](<{quoted}.md>), {whole}\n"
            );
        }
        fs::write(vault.join(format!("sample {number}.md")), text).unwrap();
    }
}

#[test]
fn no_credential_of_any_kind_reaches_the_index_or_the_terminal() {
    let cases = cases();
    for arguments in [&["index", "--words-only"][..], &["index"]] {
        let folder = tempfile::tempdir().unwrap();
        let vault = vault_of(folder.path(), &[]);
        plant(&vault, &cases);
        // While it is open, so that the log is there too.
        let index = concord(arguments, &vault).done();
        let open = rusqlite::Connection::open(vault.join(".concord/default.db")).unwrap();
        open.query_row("SELECT count(*) FROM vault_chunk", [], |_| Ok(()))
            .unwrap();
        let status = concord(&["status"], &vault).done();
        let json = concord(&["status", "--json"], &vault).done();
        for name in &*PATTERN_NAMES {
            assert!(index.stdout.contains(&format!("× {name}\n")), "{name}");
        }
        assert_silent(&[&index, &status, &json], &vault, &cases);

        // And none is left behind in pages that a note no longer needs.
        fs::write(vault.join("sample 0.md"), "Nothing here any more.\n").unwrap();
        let again = concord(arguments, &vault).done();
        assert_silent(&[&again], &vault, &cases);
    }
}

#[test]
fn a_file_whose_name_holds_a_credential_is_refused_under_a_name_without_it() {
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.name == "github")
        .collect();
    let name = format!("deep/{}.md", cases[0].fires.1);
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(
        folder.path(),
        &[(&name, "A note.\n"), ("a.md", "Another.\n")],
    );
    let index = concord(&["index", "--words-only"], &vault).done();
    let told = "deep/[REDACTED:github].md: its name holds a credential (github); rename it";
    assert!(index.stderr.contains(told), "{}", index.stderr);
    assert!(
        index.stdout.contains("1 indexed, 1 failed"),
        "{}",
        index.stdout
    );
    let again = concord(&["index", "--words-only"], &vault).done();
    assert!(again.stdout.contains("1 unchanged, 1 failed"));
    assert_silent(&[&index, &again], &vault, &cases);
}
