//! Files of a vault: where they lie, what they hold, and how they get onto the disk.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::refusal::{Code, Refusal};

/// Where a file of the vault lies. Nothing outside of the vault, and nothing that a link leads to.
pub(super) fn place(root: &Path, path: &str) -> Result<PathBuf, Refusal> {
    let bad = |why: &str| Err(Refusal::new(Code::Conflict, format!("{path} {why}")));
    let parts = path.split('/');
    if parts.clone().any(|part| matches!(part, "" | "." | "..")) || path.contains('\\') {
        return bad("is no path inside the vault");
    }
    let mut place = root.to_owned();
    for part in parts {
        place.push(part);
        if fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink()) {
            return bad("is a symbolic link, or lies behind one");
        }
    }
    Ok(place)
}

/// What a file holds; none if there is none.
pub(super) fn content(place: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(place) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A content, by its hash.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// A new file with this content, on the disk.
pub(super) fn written(file: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let written = File::create(file).and_then(|mut out| {
        out.write_all(bytes)?;
        out.sync_all()
    });
    written.map_err(|error| broken(file, &error))
}

pub(super) fn rename(from: &Path, to: &Path) -> Result<(), Refusal> {
    fs::rename(from, to).map_err(|error| broken(to, &error))
}

/// A folder's names, on the disk.
pub(super) fn synced(folder: &Path) -> Result<(), Refusal> {
    #[cfg(unix)]
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| broken(folder, &error))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// A file that cannot be read or written.
pub(super) fn broken(file: &Path, error: &io::Error) -> Refusal {
    Refusal::new(Code::Internal, format!("{}: {error}", file.display()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_the_vault_or_behind_a_link_has_a_place_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("a.md"), "1").unwrap();
        std::os::unix::fs::symlink("a.md", root.join("link.md")).unwrap();
        std::os::unix::fs::symlink("/tmp", root.join("out")).unwrap();
        assert_eq!(place(root, "a.md").unwrap(), root.join("a.md"));
        for path in ["link.md", "out/x.md", "../x.md", "/etc/x.md", "a//b.md"] {
            assert!(place(root, path).is_err(), "{path}");
        }
    }
}
