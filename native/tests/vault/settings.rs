use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::harness::{concord, vault_of};

/// Path → (fate, reason).
fn fates(vault: &Path) -> BTreeMap<String, (String, String)> {
    let status = concord(&["status", "--json"], vault).done().json();
    let files = status[0]["files"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    files
        .map(|file| {
            let fate = (text(&file["fate"]), text(&file["reason"]));
            (text(&file["path"]), fate)
        })
        .collect()
}

const FILES: &[(&str, &str)] = &[
    ("a.md", "A note.\n"),
    ("Archive/b.md", "An old note.\n"),
    ("Templates/c.md", "A template.\n"),
];

#[test]
fn init_takes_over_what_obsidian_excludes_and_says_what_it_found() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(folder.path(), FILES);
    fs::create_dir(vault.join(".obsidian")).unwrap();
    let filters = r#"{"userIgnoreFilters": ["Archive/", "Templ", "/\\.tmp/"], "other": 1}"#;
    fs::write(vault.join(".obsidian/app.json"), filters).unwrap();

    let said = concord(&["init"], &vault).done().stdout;
    for part in [
        "concord.yaml",
        "1 note, 2 left out",
        "an Obsidian vault; 2 exclusions",
        r"regular expression /\.tmp/",
        "concord index",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    concord(&["index", "--words-only"], &vault).done();
    let fates = fates(&vault);
    let reason = |path: &str| fates[path].1.as_str();
    assert_eq!(reason("a.md"), "");
    assert_eq!(reason("Archive/b.md"), "`ignore` names it, by `/Archive/`");
    assert_eq!(reason("Templates/c.md"), "`ignore` names it, by `/Templ*`");
}

#[test]
fn init_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(folder.path(), FILES);
    let said = concord(&["init"], &vault).done().stdout;
    assert!(said.contains("3 notes, one domain: default"), "{said}");
    fs::write(vault.join("concord.yaml"), "mine: true\n").unwrap();
    concord(&["init"], &vault).refused(2, &["concord.yaml", "is there already"]);
    let kept = fs::read_to_string(vault.join("concord.yaml")).unwrap();
    assert_eq!(kept, "mine: true\n");
}

#[test]
fn another_chunker_or_model_in_the_settings_is_refused_with_the_ways_out() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(folder.path(), FILES);
    let file = vault.join("concord.yaml");
    fs::write(&file, "model: none\n").unwrap();
    concord(&["index"], &vault).done();
    let before = fs::read(vault.join(".concord/default.db")).unwrap();
    for settings in ["model: none\nchunker: obsidian\n", "chunker: sections\n"] {
        fs::write(&file, settings).unwrap();
        let ways_out = ["default.db", "delete this file", "concord index --rebuild"];
        concord(&["index"], &vault).refused(2, &ways_out);
    }
    assert_eq!(
        fs::read(vault.join(".concord/default.db")).unwrap(),
        before,
        "something was written before it was refused"
    );
    fs::write(&file, "model: none\nchunker: obsidian\n").unwrap();
    concord(&["index", "--rebuild"], &vault).done();
    concord(&["index"], &vault).done();
}

#[test]
fn settings_that_cannot_be_used_are_refused_by_file_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(folder.path(), FILES);
    let check = |settings: &str, key: &str| {
        fs::write(vault.join("concord.yaml"), settings).unwrap();
        concord(&["index"], &vault).refused(2, &["concord.yaml", key]);
        assert!(!vault.join(".concord").exists(), "{settings}");
    };
    check("ignroe: [a]\n", "ignroe");
    check("ignore: ['[']\n", "ignore[0]");
    check("largest_note_mb: -1\n", "largest_note_mb");
    check("model: ''\n", "model");
}
