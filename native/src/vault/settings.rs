//! `concord.yaml` at a vault's root: what of it is indexed, and how.
//!
//! Every key is optional and so is the file; `concord init` writes one that says what each key
//! does. What the file must not say is refused with the file and the key.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use concord_cache::sync::{LARGEST_NOTE, Selection};
use concord_text::ChunkRules;
use serde::Deserialize;

use crate::failure::Failure;

/// The file's name.
pub(crate) const FILE: &str = "concord.yaml";

/// What is said of a vault.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Which notes are indexed.
    pub(crate) selection: Selection,
    /// How they are cut.
    pub(crate) chunker: Chunker,
    /// The encoder of every domain that names none: a hub name, a folder, or `none`.
    pub(crate) model: Option<String>,
    /// Bytes of the largest note.
    pub(crate) largest_note: u64,
}

/// How notes are cut, by the names that people use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Chunker {
    #[default]
    Sections,
    Obsidian,
}

impl Chunker {
    pub(crate) fn rules(self) -> ChunkRules {
        match self {
            Self::Sections => ChunkRules::SECTIONS,
            Self::Obsidian => ChunkRules::OBSIDIAN,
        }
    }

    /// What a cache records: two that say the same hold the same chunks. Rules that cut otherwise than
    /// before have another number.
    pub(crate) fn identity(self) -> String {
        match self.rules() {
            ChunkRules::Sections {
                target_words,
                overlap_words,
            } => format!("sections-2 {target_words}/{overlap_words}"),
            ChunkRules::Obsidian {
                max_characters,
                min_characters,
            } => format!("obsidian {max_characters}/{min_characters}"),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    ignore: Option<Vec<String>>,
    allow: Option<Vec<String>>,
    chunker: Option<Chunker>,
    model: Option<String>,
    largest_note_mb: Option<u64>,
}

/// The settings of the vault in a folder.
pub(super) fn of(root: &Path) -> Result<Settings, Failure> {
    let file = root.join(FILE);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::file(file.display(), &error)),
    };
    read(&text).map_err(|message| Failure::Input(format!("{}: {message}", file.display())))
}

fn read(text: &str) -> Result<Settings, String> {
    // A file of nothing but comments says nothing, which YAML calls null.
    let written: Option<Written> = serde_norway::from_str(text).map_err(|e| e.to_string())?;
    let written = written.unwrap_or_default();
    let list = Option::unwrap_or_default;
    if written
        .model
        .as_deref()
        .is_some_and(|it| it.trim().is_empty())
    {
        return Err("model: names nothing; `none` is for no model".to_owned());
    }
    let largest_note = match written.largest_note_mb {
        None => LARGEST_NOTE,
        Some(megabytes @ 1..=1024) => megabytes << 20,
        Some(other) => {
            return Err(format!(
                "largest_note_mb: must be between 1 and 1024, found {other}"
            ));
        }
    };
    Ok(Settings {
        selection: Selection::new(&list(written.ignore), &list(written.allow))?,
        chunker: written.chunker.unwrap_or_default(),
        model: written.model,
        largest_note,
    })
}

/// A file that says nothing yet: every key as a comment, with its default. `ignore` is filled in
/// if there is something to put there.
pub(crate) fn template(ignore: &[String], remarks: &[String]) -> String {
    let mut text = String::from(
        "# What Concord indexes of this vault, and how. Every key is optional; what stands here as
# a comment is the default. `.gitignore`, hidden folders (.obsidian, .trash) and files that
# are no markdown are always left out.

# Notes to leave out, as in a .gitignore: `Archive/` is a folder anywhere, `/Archive/` one at
# the root, `*.draft.md` a name anywhere. They stay in `concord status`, as skipped.
",
    );
    for remark in remarks {
        text.push_str(&format!("# {remark}\n"));
    }
    if ignore.is_empty() {
        text.push_str("# ignore: []\n");
    } else {
        text.push_str("ignore:\n");
        for glob in ignore {
            // A JSON string is a YAML string, whatever is in it.
            text.push_str(&format!("  - {}\n", serde_json::json!(glob)));
        }
    }
    text.push_str(
        "
# If this names anything, only that is indexed.
# allow: []

# How notes are cut into passages. `sections`: by second-level heading, 600 words at most.
# `obsidian`: 2,000 characters at most, without Related, See also, Links and References.
# Another chunker or model needs another index: `concord index --rebuild`.
# chunker: sections

# What turns passages into vectors. Nothing: the model inside the program, bge-small-en-v1.5.
# Else a hub name (BAAI/bge-large-en-v1.5), a folder, or `none` to search by words alone. A
# domain's `embedding` in _domains.yaml goes first.
# model:

# A larger note than this is taken for data, and skipped.
# largest_note_mb: 16
",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comparable, unlike globs.
    fn told(settings: &Settings) -> (String, Option<&str>, u64) {
        let Settings {
            chunker,
            model,
            largest_note,
            ..
        } = settings;
        (chunker.identity(), model.as_deref(), *largest_note)
    }

    #[test]
    fn the_template_says_the_defaults_as_it_is_and_with_every_key_uncommented() {
        let defaults = read("").unwrap();
        assert_eq!(
            told(&defaults),
            ("sections-2 600/80".to_owned(), None, 16 << 20)
        );
        let template = template(&[], &[]);
        assert_eq!(told(&read(&template).unwrap()), told(&defaults));
        let keys = ["ignore", "allow", "chunker", "model", "largest_note_mb"];
        let uncommented: String = template
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if keys.iter().any(|key| rest.starts_with(&format!("{key}:"))) => rest,
                _ => line,
            })
            .map(|line| format!("{line}\n"))
            .collect();
        for key in keys {
            assert!(uncommented.contains(&format!("\n{key}:")), "{key}");
        }
        assert_eq!(told(&read(&uncommented).unwrap()), told(&defaults));
    }

    #[test]
    fn a_filled_template_is_read_back() {
        let text = template(&["/Archive \"old\"/".to_owned()], &["A remark.".to_owned()]);
        assert!(text.contains("# A remark.\n"));
        let written: Written = serde_norway::from_str(&text).unwrap();
        assert_eq!(written.ignore.unwrap(), ["/Archive \"old\"/"]);
    }

    #[test]
    fn what_the_file_must_not_say_is_refused_by_its_key() {
        let check = |text: &str, part: &str| {
            let message = read(text).unwrap_err();
            assert!(message.contains(part), "{text:?}: {message}");
        };
        check("ignroe: []", "ignroe");
        check("ignore: Archive", "ignore");
        check("ignore: ['a[b']", "ignore[0]");
        check("allow: [1, {}]", "allow[1]");
        check("chunker: words", "chunker");
        check("model: ''", "model: ");
        check("largest_note_mb: 0", "largest_note_mb");
        check("largest_note_mb: many", "largest_note_mb");
        check("- a", "invalid type");
    }
}
