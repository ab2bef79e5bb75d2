//! One file in the place of another, without losing what somebody else saves in the same moment.
//!
//! To look at a file and then replace it leaves a gap in which a change would be lost. So where the
//! system can, the two files are *exchanged* in one step and what came out is looked at afterwards: if
//! it is not what it should be, they are exchanged back. What remains is a program that opened the old
//! file before the exchange and writes to it later, without a new name; nobody can see that coming.
//!
//! Where files cannot be exchanged (another system, some network drives) it is looked right before the
//! renaming: some microseconds are left.

use std::fs;
use std::io;
use std::path::Path;

use super::file::{content, hash};

/// What a file holds, by its hash; none if it cannot be read.
pub(super) fn held(place: &Path) -> Option<String> {
    content(place).ok().flatten().map(|bytes| hash(&bytes))
}

/// Puts what lies beside a file in its place if the file holds what it must; says whether. Without
/// a new content the file goes.
pub(super) fn put(
    beside: &Path,
    place: &Path,
    old: Option<&str>,
    new: Option<&str>,
) -> io::Result<bool> {
    let done = match (old, new) {
        (None, _) => create(beside, place)?,
        (Some(old), None) => {
            if let Err(error) = fs::rename(place, beside) {
                return if is_gone(&error) {
                    Ok(false)
                } else {
                    Err(error)
                };
            }
            let is_old = held(beside).as_deref() == Some(old);
            if !is_old {
                create(beside, place)?;
            }
            is_old
        }
        (Some(old), Some(_)) => match exchange(beside, place) {
            Ok(()) => {
                let is_old = held(beside).as_deref() == Some(old);
                if !is_old {
                    give_back(beside, place, new)?;
                }
                is_old
            }
            Err(error) if is_gone(&error) => false,
            Err(_) if held(place).as_deref() == Some(old) => {
                fs::rename(beside, place)?;
                true
            }
            Err(_) => false,
        },
    };
    let _ = fs::remove_file(beside);
    Ok(done)
}

/// Puts what came out of a file back into its place. If that was saved anew since, the newer stays.
pub(super) fn give_back(beside: &Path, place: &Path, new: Option<&str>) -> io::Result<()> {
    exchange(beside, place)?;
    if held(beside).as_deref() != new {
        exchange(beside, place)?;
    }
    Ok(())
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a file a name that nothing else has; says whether nothing had it.
fn create(from: &Path, to: &Path) -> io::Result<bool> {
    match fs::hard_link(from, to) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // Not every file system has links.
        Err(_) if to.exists() => Ok(false),
        Err(_) => fs::rename(from, to).map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_if_it_holds_what_it_must() {
        let folder = tempfile::tempdir().unwrap();
        let (place, beside) = (folder.path().join("a"), folder.path().join("b"));
        let of = |text: &str| hash(text.as_bytes());
        let check =
            |there: Option<&str>, old: Option<&str>, new: Option<&str>, expected: Option<&str>| {
                let _ = fs::remove_file(&place);
                if let Some(text) = there {
                    fs::write(&place, text).unwrap();
                }
                if let Some(text) = new {
                    fs::write(&beside, text).unwrap();
                }
                let (old, new) = (old.map(of), new.map(of));
                let put = put(&beside, &place, old.as_deref(), new.as_deref());
                let found = fs::read_to_string(&place).ok();
                assert_eq!(found.as_deref(), expected, "{there:?} {old:?} {new:?}");
                assert!(!beside.exists());
                put.is_ok_and(|put| put)
            };
        assert!(check(Some("1"), Some("1"), Some("2"), Some("2")));
        assert!(!check(Some("theirs"), Some("1"), Some("2"), Some("theirs")));
        assert!(!check(None, Some("1"), Some("2"), None));
        assert!(check(None, None, Some("2"), Some("2")));
        assert!(!check(Some("theirs"), None, Some("2"), Some("theirs")));
        assert!(check(Some("1"), Some("1"), None, None));
        assert!(!check(Some("theirs"), Some("1"), None, Some("theirs")));
    }

    #[test]
    fn what_came_out_goes_back_and_what_is_newer_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (place, beside) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&place, "new").unwrap();
        fs::write(&beside, "theirs").unwrap();
        if give_back(&beside, &place, Some(&hash(b"new"))).is_err() {
            return; // Files cannot be exchanged here, so nothing comes out.
        }
        assert_eq!(fs::read_to_string(&place).unwrap(), "theirs");
        fs::write(&place, "theirs, newer").unwrap();
        fs::write(&beside, "theirs").unwrap();
        give_back(&beside, &place, Some(&hash(b"new"))).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "theirs, newer");
    }
}
