//! Which notes the vault's owner wants indexed.
//!
//! Globs as in a `.gitignore`: `Archive/` is a folder anywhere, `/Archive/` one at the root,
//! `*.draft.md` a file's name anywhere, `!` takes back. A note that `ignore` names is left out; where
//! there is an `allow`, so is every note that it does not name. Both are reported as skipped.

use std::collections::BTreeSet;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Which notes are wanted; all of them by default.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    ignore: Option<Gitignore>,
    allow: Option<Gitignore>,
    /// Pages that steer a domain and are no notes, beside those of the usual names.
    steering: BTreeSet<String>,
}

impl Selection {
    /// From two lists of globs; an empty list says nothing.
    ///
    /// # Errors
    /// Names the list, the place in it and what is wrong with the glob there.
    pub fn new(ignore: &[String], allow: &[String]) -> Result<Self, String> {
        Ok(Self {
            ignore: globs("ignore", ignore)?,
            allow: globs("allow", allow)?,
            steering: BTreeSet::new(),
        })
    }

    /// Says that a page steers a domain and is no note.
    pub fn steered_by(&mut self, path: &str) {
        self.steering.insert(path.to_owned());
    }

    /// Whether a page steers a domain.
    pub(super) fn is_steering(&self, path: &str) -> bool {
        self.steering.contains(path)
    }

    /// Why a note is left out, if it is.
    pub(super) fn reason_against(&self, path: &str) -> Option<String> {
        let matched = |globs: &Gitignore| match globs.matched_path_or_any_parents(path, false) {
            Match::Ignore(glob) => Some(glob.original().to_owned()),
            Match::None | Match::Whitelist(_) => None,
        };
        if let Some(glob) = self.ignore.as_ref().and_then(matched) {
            return Some(format!("`ignore` names it, by `{glob}`"));
        }
        let allow = self.allow.as_ref()?;
        matched(allow)
            .is_none()
            .then(|| "`allow` does not name it".to_owned())
    }
}

fn globs(key: &str, list: &[String]) -> Result<Option<Gitignore>, String> {
    if list.is_empty() {
        return Ok(None);
    }
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    for (place, glob) in list.iter().enumerate() {
        let refused = |why: &dyn std::fmt::Display| format!("{key}[{place}]: `{glob}`: {why}");
        if glob.trim().is_empty() || glob.starts_with('#') {
            return Err(refused(&"names nothing"));
        }
        builder.add_line(None, glob).map_err(|e| refused(&e))?;
    }
    let built = builder.build().map_err(|e| format!("{key}: {e}"))?;
    Ok(Some(built))
}

#[cfg(test)]
mod tests {
    use super::Selection;

    #[test]
    fn globs_name_notes_as_a_gitignore_does() {
        let check = |ignore: &[&str], allow: &[&str], path: &str, reason: Option<&str>| {
            let list = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
            let (ignore, allow): (Vec<String>, Vec<String>) = (list(ignore), list(allow));
            let selection = Selection::new(&ignore, &allow).unwrap();
            let found = selection.reason_against(path);
            assert_eq!(found.as_deref(), reason, "{ignore:?} {allow:?} {path}");
        };
        let not_allowed = Some("`allow` does not name it");
        check(&[], &[], "a.md", None);
        check(
            &["Archive/"],
            &[],
            "x/Archive/deep/a.md",
            Some("`ignore` names it, by `Archive/`"),
        );
        check(&["/Archive/"], &[], "x/Archive/a.md", None);
        check(&["Archive/"], &[], "Archive.md", None);
        check(
            &["*.draft.md"],
            &[],
            "x/a.draft.md",
            Some("`ignore` names it, by `*.draft.md`"),
        );
        check(&["*.md", "!keep.md"], &[], "keep.md", None);
        check(&[], &["Work/"], "Work/a.md", None);
        check(&[], &["Work/"], "Home/a.md", not_allowed);
        check(&[], &["Work/", "!Work/old/"], "Work/old/a.md", not_allowed);
        check(
            &["b.md"],
            &["Work/"],
            "Work/b.md",
            Some("`ignore` names it, by `b.md`"),
        );
    }

    #[test]
    fn a_glob_that_cannot_be_used_is_named_by_its_place() {
        let check = |globs: &[&str], part: &str| {
            let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
            let message = Selection::new(&globs, &[]).unwrap_err();
            assert!(message.starts_with(part), "{message}");
        };
        check(&["fine", "a[b"], "ignore[1]: `a[b`: ");
        check(&[""], "ignore[0]: ``: names nothing");
        check(&["# a"], "ignore[0]: `# a`: names nothing");
    }
}
