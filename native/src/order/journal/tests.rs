//! Changes made, refused, interrupted and taken back, on real folders.

use std::fs;
use std::path::Path;

use super::history::{REMEMBERED, happened};
use super::replace::beside;
use super::*;
use crate::order::file::{place, rename};

fn vault(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

fn read(root: &Path, path: &str) -> Option<String> {
    fs::read_to_string(root.join(path)).ok()
}

fn change(path: &str, old: Option<&str>, new: Option<&str>) -> Change {
    Change {
        path: path.to_owned(),
        old: old.map(str::to_owned),
        new: new.map(str::to_owned),
    }
}

fn rename_all(root: &Path, changes: &[Change]) -> Result<Outcome, Refusal> {
    Journal::open(root)?.change(Kind::Rename, "d", changes)
}

fn undo(root: &Path, leave_changed: bool) -> Result<Undone, Refusal> {
    Journal::open(root)?.undo(&Wanted {
        id: None,
        kind: Kind::Rename,
        domain: "d",
        leave_changed,
    })
}

/// Everything in the vault but what is kept.
fn listing(root: &Path) -> Vec<String> {
    let names = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.retain(|name| name != KEPT);
    names.sort();
    names
}

#[test]
fn all_files_change_and_change_back() {
    let vault = vault(&[("a.md", "1"), ("b/c.md", "2")]);
    let root = vault.path();
    let changes = [
        change("a.md", Some("1"), Some("one")),
        change("b/c.md", Some("2"), Some("two")),
        change("new.md", None, Some("three")),
    ];
    let outcome = rename_all(root, &changes).unwrap();
    assert!(outcome.journal.is_some() && outcome.conflicts.is_empty());
    assert_eq!(read(root, "a.md").as_deref(), Some("one"));
    assert_eq!(read(root, "new.md").as_deref(), Some("three"));
    let undone = undo(root, false).unwrap();
    assert_eq!(undone.restored, ["a.md", "b/c.md", "new.md"]);
    assert_eq!(read(root, "b/c.md").as_deref(), Some("2"));
    assert_eq!(listing(root), ["a.md", "b"]);
    assert_eq!(undo(root, false).unwrap_err().code, Code::NotFound);
}

#[test]
fn a_file_that_is_not_as_it_was_read_keeps_all_from_being_changed() {
    let vault = vault(&[("a.md", "1"), ("b.md", "edited")]);
    let root = vault.path();
    let changes = [
        change("a.md", Some("1"), Some("one")),
        change("b.md", Some("2"), Some("two")),
    ];
    let refusal = rename_all(root, &changes).unwrap_err();
    assert_eq!(refusal.code, Code::Conflict);
    assert!(refusal.message.contains("b.md"), "{}", refusal.message);
    assert_eq!(read(root, "a.md").as_deref(), Some("1"));
    assert_eq!(listing(root), ["a.md", "b.md"]);
    assert!(unfinished(root).unwrap().is_empty());
}

#[test]
fn an_undo_leaves_what_was_changed_since() {
    let vault = vault(&[("a.md", "1"), ("b.md", "2")]);
    let root = vault.path();
    let changes = [
        change("a.md", Some("1"), Some("one")),
        change("b.md", Some("2"), Some("two")),
    ];
    rename_all(root, &changes).unwrap();
    fs::write(root.join("b.md"), "edited").unwrap();
    let refused = undo(root, false).unwrap();
    assert_eq!((refused.restored.len(), refused.conflicts.len()), (0, 1));
    assert_eq!(read(root, "a.md").as_deref(), Some("one"));
    let undone = undo(root, true).unwrap();
    assert_eq!(undone.restored, ["a.md"]);
    assert_eq!(read(root, "b.md").as_deref(), Some("edited"));
}

/// A change that was ended after some of its files were replaced.
fn interrupted(root: &Path, committed: bool, replaced: &[&str]) {
    let journal = Journal::open(root).unwrap();
    let changes = [
        change("a.md", Some("1"), Some("one")),
        change("b.md", Some("2"), Some("two")),
        change("c.md", Some("3"), Some("three")),
    ];
    let purpose = Purpose {
        kind: Kind::Rename,
        domain: "d",
        undoes: None,
        renames: &[],
    };
    let record = journal.new_record().unwrap();
    let plan = record.stage(purpose, &changes).unwrap();
    journal.lay_all_beside(&record, &plan).unwrap();
    if committed {
        record.commit().unwrap();
    }
    for (number, file) in plan.files.iter().enumerate() {
        if replaced.contains(&file.path.as_str()) {
            let place = place(root, &file.path).unwrap();
            rename(&beside(&place, record.id(), number), &place).unwrap();
        }
    }
}

#[test]
fn what_was_interrupted_before_it_happened_has_not_happened() {
    let vault = vault(&[("a.md", "1"), ("b.md", "2"), ("c.md", "3")]);
    let root = vault.path();
    interrupted(root, false, &[]);
    assert_eq!(listing(root).len(), 6);
    assert_eq!(recover(root).unwrap(), 1);
    assert_eq!(listing(root), ["a.md", "b.md", "c.md"]);
    assert_eq!(read(root, "a.md").as_deref(), Some("1"));
}

#[test]
fn what_was_interrupted_after_it_happened_is_finished_and_overwrites_nobody() {
    let vault = vault(&[("a.md", "1"), ("b.md", "2"), ("c.md", "3")]);
    let root = vault.path();
    interrupted(root, true, &["a.md"]);
    fs::write(root.join("c.md"), "edited").unwrap();
    assert_eq!(recover(root).unwrap(), 1);
    assert_eq!(read(root, "a.md").as_deref(), Some("one"));
    assert_eq!(read(root, "b.md").as_deref(), Some("two"));
    assert_eq!(read(root, "c.md").as_deref(), Some("edited"));
    assert_eq!(listing(root), ["a.md", "b.md", "c.md"]);
    assert_eq!(recover(root).unwrap(), 0);
}

#[test]
fn one_writes_at_a_time_and_only_the_last_changes_are_remembered() {
    let vault = vault(&[("a.md", "0")]);
    let root = vault.path();
    let held = Journal::open(root).unwrap();
    assert_eq!(Journal::open(root).err().unwrap().code, Code::Busy);
    drop(held);
    for number in 0..REMEMBERED + 5 {
        let (old, new) = (number.to_string(), (number + 1).to_string());
        rename_all(root, &[change("a.md", Some(&old), Some(&new))]).unwrap();
    }
    assert_eq!(happened(root).unwrap().len(), REMEMBERED);
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_what_is_protected_is_not_touched() {
    use std::os::unix::fs::PermissionsExt as _;
    let vault = vault(&[("a.md", "1"), ("b.md", "2")]);
    let root = vault.path();
    let mode = |path: &str| fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(root.join("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
    rename_all(root, &[change("a.md", Some("1"), Some("one"))]).unwrap();
    assert_eq!(mode("a.md"), 0o640);
    fs::set_permissions(root.join("b.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let refusal = rename_all(root, &[change("b.md", Some("2"), Some("two"))]).unwrap_err();
    assert_eq!(refusal.code, Code::Conflict);
    assert_eq!(listing(root), ["a.md", "b.md"]);
}
