//! Adds a tag to every note of a vault and takes it back, in memory: `round_trip FOLDER...`
//!
//! Every note must come back to the byte. Notes that are not edited are counted by their reason. No
//! file is written.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use concord_text::edit::{Renames, add_tags, remove_tags};
use concord_text::parse;

/// A tag that no note has.
const TAG: &str = "concord/round-trip";

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let renames = Renames::new([("concord", "harmony/deep")])?;
    let back = Renames::new([("harmony/deep", "concord")])?;
    for folder in std::env::args_os().skip(1) {
        let (mut same, mut renamed) = (0_usize, 0_usize);
        let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut different = Vec::new();
        for path in notes(Path::new(&folder))? {
            let Ok(text) = fs::read_to_string(&path) else {
                let why = "is not UTF-8".to_owned();
                refused
                    .entry(why)
                    .or_default()
                    .push(path.display().to_string());
                continue;
            };
            let shown = path.display().to_string();
            match add_tags(&text, &[TAG]) {
                Ok(Some(added)) => {
                    let known = parse("", &added).tags.iter().any(|tag| tag == TAG);
                    let taken = remove_tags(&added, &[TAG]);
                    if known && taken.is_ok_and(|taken| taken.as_deref() == Some(&text[..])) {
                        same += 1;
                    } else {
                        different.push(shown.clone());
                    }
                    let there = renames.note(&added)?.ok_or("not renamed")?;
                    let here = back.note(&there.text)?.ok_or("not renamed back")?;
                    if here.text == added {
                        renamed += 1;
                    } else {
                        different.push(format!("{shown}, renamed"));
                    }
                }
                Ok(None) => different.push(shown),
                Err(problem) => refused.entry(problem.message).or_default().push(shown),
            }
        }
        let shown = folder.to_string_lossy();
        writeln!(
            out,
            "{shown}: {same} notes came back to the byte, {renamed} also through two renames"
        )?;
        for (why, paths) in &refused {
            writeln!(
                out,
                "  {} not edited: {why} (first {})",
                paths.len(),
                paths[0]
            )?;
        }
        for path in &different {
            writeln!(out, "  DIFFERENT {path}")?;
        }
        if !different.is_empty() {
            return Err(format!("{} notes did not come back", different.len()).into());
        }
    }
    Ok(())
}

fn notes(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            found.extend(notes(&path)?);
        } else if path.extension() == Some(OsStr::new("md")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
