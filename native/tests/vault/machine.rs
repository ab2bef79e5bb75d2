use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{concord, finish, skipped, unprivileged, vault_of};

/// A file system of its own in a folder, gone when it is dropped.
struct Mount(PathBuf);

impl Mount {
    fn of_bytes(folder: &Path, size: &str) -> Option<Self> {
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder)
            .output();
        mount
            .is_ok_and(|output| output.status.success())
            .then(|| Self(folder.to_owned()))
    }

    fn grow_to(&self, size: &str) {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,size={size}")]);
        assert!(mount.arg(&self.0).status().unwrap().success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_named_and_the_old_index_still_answers() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(folder.path(), &[("old.md", "The old note.\n")]);
    fs::create_dir(vault.join(".concord")).unwrap();
    let Some(mount) = Mount::of_bytes(&vault.join(".concord"), "1m") else {
        return skipped("mounting takes rights that this test does not have");
    };
    concord(&["index", "--words-only"], &vault).done();
    for number in 0..400 {
        let text = format!("Note {number}.\n\n{}", "many words ".repeat(800));
        fs::write(vault.join(format!("new {number}.md")), text).unwrap();
    }
    let full = ["no space left", "default.db", "free some and run it again"];
    concord(&["index", "--words-only"], &vault).refused(3, &full);
    let status = concord(&["status", "--json"], &vault).done().json();
    let files = status[0]["files"].as_array().unwrap();
    assert!(
        files
            .iter()
            .any(|file| file["path"] == "old.md" && file["fate"] == "indexed"),
        "{status}"
    );
    // With room again, the next run goes on.
    mount.grow_to("64m");
    concord(&["index", "--words-only"], &vault).done();
    concord(&["doctor"], &vault).done();
}

/// Takes everybody's right to write from a folder and all in it, or gives the owner's back.
fn set_writable(folder: &Path, writable: bool) {
    for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if path.is_dir() {
            set_writable(&path, writable);
        } else {
            let mode = if writable { 0o644 } else { 0o444 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
    }
    let mode = if writable { 0o755 } else { 0o555 };
    fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn an_index_that_must_not_be_written_is_read_and_said_to_be_so() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(folder.path(), &[("a.md", "A note.\n")]);
    concord(&["index", "--words-only"], &vault).done();
    let Some(concord_as_other) = unprivileged(folder.path()) else {
        return skipped("there is no way to run as somebody with fewer rights");
    };
    fs::remove_file(vault.join(".concord/default.db.lock")).unwrap();
    set_writable(&vault, false);

    let status = finish(concord_as_other(&["status"], &vault)).done();
    assert!(status.stdout.contains("1 note"), "{}", status.stdout);
    assert!(
        status.stderr.contains("read as it stands"),
        "{}",
        status.stderr
    );
    let refused = ["default.db cannot be written", "can still be read"];
    finish(concord_as_other(&["index", "--words-only"], &vault)).refused(3, &refused);

    // Changes that wait in the log would be missed, so that is refused.
    set_writable(&vault, true);
    let log = vault.join(".concord/default.db-wal");
    fs::write(&log, "something").unwrap();
    set_writable(&vault, false);
    let waits = ["default.db must not be written", "-wal"];
    finish(concord_as_other(&["status"], &vault)).refused(3, &waits);
    set_writable(&vault, true);
}

#[test]
fn a_file_that_must_not_be_read_fails_alone_and_is_read_once_it_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(
        folder.path(),
        &[("a.md", "A note.\n"), ("closed.md", "Closed.\n")],
    );
    let Some(concord_as_other) = unprivileged(folder.path()) else {
        return skipped("there is no way to run as somebody with fewer rights");
    };
    let closed = vault.join("closed.md");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever runs it needs a place for the index.
    fs::set_permissions(&vault, fs::Permissions::from_mode(0o777)).unwrap();
    let run = finish(concord_as_other(&["index", "--words-only"], &vault)).done();
    assert!(
        run.stderr.contains("closed.md: Permission denied"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("1 indexed, 1 failed"), "{}", run.stdout);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o644)).unwrap();
    let run = finish(concord_as_other(&["index", "--words-only"], &vault)).done();
    assert!(
        run.stdout.contains("1 indexed, 1 unchanged"),
        "{}",
        run.stdout
    );
}
