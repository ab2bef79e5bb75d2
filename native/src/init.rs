//! `concord init`: a vault's `concord.yaml`, to start editing from.
//!
//! An Obsidian vault has told once already what it does not want to see (Settings, Files and links,
//! Excluded files); that is taken over. Nothing that is there is ever overwritten.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use concord_cache::sync::Inventory;
use serde::Deserialize;

use crate::Outcome;
use crate::failure::Failure;
use crate::output::{self, FAINT, GOOD, STRONG, counted, plain};
use crate::vault::Vault;
use crate::vault::command::refused;
use crate::vault::settings::{FILE, template};

/// Write a vault's settings file, with every key explained.
///
/// Exclusions of an Obsidian vault are taken over. A file that is there already is left alone.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The vault's folder
    #[arg(value_name = "VAULT", default_value = ".")]
    vault: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let root = &args.vault;
    let file = root.join(FILE);
    // Before anything is read of it: a file that is there may be what is wrong with the vault.
    if file.exists() {
        return Err(is_there(&file));
    }
    let found = Vault::open(root)?;
    let obsidian = Obsidian::of(root)?;
    let (ignore, remarks) = obsidian.as_ref().map(Obsidian::globs).unwrap_or_default();

    let written = File::create_new(&file)
        .and_then(|mut file| file.write_all(template(&ignore, &remarks).as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => is_there(&file),
        _ => Failure::file(file.display(), &error),
    })?;

    // Read again, with what was written.
    let vault = Vault::open(root)?;
    let inventory = Inventory::of(root, &vault.settings.selection).map_err(refused)?;
    let (notes, left_out) = inventory.counts();
    let mut text = format!(
        "{GOOD}written{GOOD:#}  {}\n",
        plain(&file.to_string_lossy())
    );
    let _ = write!(text, "    {}", counted(notes, "note"));
    if left_out > 0 {
        let _ = write!(text, ", {left_out} left out");
    }
    let _ = match &found.domains[..] {
        [only] => writeln!(text, ", one domain: {}", plain(&only.name)),
        several => writeln!(
            text,
            ", {} in _domains.yaml",
            counted(several.len(), "domain")
        ),
    };
    if obsidian.is_some() {
        let excluded = counted(ignore.len(), "exclusion");
        let _ = writeln!(
            text,
            "    an Obsidian vault; {excluded} taken over into `ignore`"
        );
        for remark in remarks {
            let _ = writeln!(text, "    {FAINT}{}{FAINT:#}", plain(&remark));
        }
    }
    let _ = writeln!(
        text,
        "next: look through it, then {STRONG}concord index {}{STRONG:#}",
        plain(&root.to_string_lossy())
    );
    output::print(&text)?;
    Ok(Outcome::Done)
}

fn is_there(file: &Path) -> Failure {
    Failure::Input(format!(
        "{}: is there already and stays as it is; edit it, or delete it and run `concord init` \
         again",
        file.display()
    ))
}

/// What an Obsidian vault says of itself.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Obsidian {
    user_ignore_filters: Option<Vec<String>>,
}

impl Obsidian {
    /// None if the vault is none of Obsidian's.
    fn of(root: &Path) -> Result<Option<Self>, Failure> {
        let folder = root.join(".obsidian");
        if !folder.is_dir() {
            return Ok(None);
        }
        let file = folder.join("app.json");
        match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|e| Failure::Input(format!("{}: {e}", file.display()))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(Self::default())),
            Err(error) => Err(Failure::file(file.display(), &error)),
        }
    }

    /// Its filters as globs, and a remark for each that cannot be one.
    ///
    /// A filter is the beginning of a path, or a regular expression between slashes.
    fn globs(&self) -> (Vec<String>, Vec<String>) {
        let mut globs = Vec::new();
        let mut remarks = Vec::new();
        for filter in self.user_ignore_filters.iter().flatten() {
            let is_expression =
                filter.len() > 1 && filter.starts_with('/') && filter.ends_with('/');
            if is_expression {
                remarks.push(format!(
                    "Obsidian also excludes by the regular expression {}; write globs for it.",
                    plain(filter)
                ));
            } else if !filter.trim_matches('/').is_empty() {
                globs.push(beginning_of_a_path(filter.trim_start_matches('/')));
            }
        }
        (globs, remarks)
    }
}

/// The glob of all paths that begin so.
fn beginning_of_a_path(beginning: &str) -> String {
    let mut glob = String::from("/");
    for character in beginning.chars() {
        if "*?[]{}\\!".contains(character) {
            glob.push('\\');
        }
        glob.push(character);
    }
    if !glob.ends_with('/') {
        glob.push('*');
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obsidians_filters_become_globs() {
        let check = |filter: &str, globs: &[&str], remarks: usize| {
            let obsidian = Obsidian {
                user_ignore_filters: Some(vec![filter.to_owned()]),
            };
            let found = obsidian.globs();
            assert_eq!(found.0, globs, "{filter}");
            assert_eq!(found.1.len(), remarks, "{filter}");
        };
        check("Archive/", &["/Archive/"], 0);
        check("Work/old", &["/Work/old*"], 0);
        check("[x] done?/", &["/\\[x\\] done\\?/"], 0);
        check("/\\.excalidraw/", &[], 1);
        check("/", &[], 0);
        check("", &[], 0);
    }
}
