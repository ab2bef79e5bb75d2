//! Profiles that people saved: YAML files in the vault's folder `_profiles`.
//!
//! They are the owner's, not the index's, so they lie beside the notes and not in what can be
//! deleted at any time.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use concord_core::Profile;
use concord_core::profile::NAMES;
use serde::Serialize;
use serde_json::Value;

use crate::input;
use crate::refusal::{Code, Refusal};

/// The folder, in the vault.
const FOLDER: &str = "_profiles";

/// A name is no longer than this.
const LONGEST_NAME: usize = 64;

/// The saved profiles of a vault.
pub(crate) struct Profiles {
    folder: PathBuf,
}

/// A profile by its name.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Saved {
    name: String,
    /// Comes with the program.
    built_in: bool,
    profile: Profile,
}

impl Profiles {
    /// Those of the vault in a folder.
    pub(crate) fn of(root: &Path) -> Self {
        Self {
            folder: root.join(FOLDER),
        }
    }

    /// The profile of a name, for a domain.
    pub(crate) fn get(&self, name: &str, domain: &str) -> Result<Profile, Refusal> {
        if let Some(profile) = Profile::named(name, domain) {
            return Ok(profile);
        }
        let file = self.file(name)?;
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let mut known: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
                known.extend(self.names());
                let message = format!("there is no profile {name:?}");
                return Err(
                    Refusal::at("profile", message).hint(format!("there are {}", known.join(", ")))
                );
            }
            Err(error) => return Err(unreadable(&file, &error)),
        };
        let patch = input::patch(&text, false)?;
        let mut profile = Profile::from_patch(patch, domain)?;
        profile.name = name.to_owned();
        Ok(profile)
    }

    /// All profiles, for a domain. A file that holds none is left out: asking for it by name tells
    /// why.
    pub(crate) fn all(&self, domain: &str) -> Result<Vec<Saved>, Refusal> {
        let built_in = NAMES.iter().map(|&name| (name.to_owned(), true));
        let saved = self.names().into_iter().map(|name| (name, false));
        let all = built_in.chain(saved).filter_map(|(name, built_in)| {
            let profile = self.get(&name, domain).ok()?;
            Some(Saved {
                name,
                built_in,
                profile,
            })
        });
        Ok(all.collect())
    }

    /// Saves a profile, complete or as a patch, whole or not at all.
    pub(crate) fn save(&self, name: &str, patch: Value, domain: &str) -> Result<Saved, Refusal> {
        let file = self.file(name)?;
        let mut profile = Profile::from_patch(patch, domain)?;
        profile.name = name.to_owned();
        let yaml = serde_norway::to_string(&profile).expect("the wire shapes are plain data");
        let beside = file.with_extension("yaml.new");
        fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&beside, yaml))
            .and_then(|()| fs::rename(&beside, &file))
            .map_err(|error| unreadable(&file, &error))?;
        Ok(Saved {
            name: name.to_owned(),
            built_in: false,
            profile,
        })
    }

    /// Deletes a saved profile.
    pub(crate) fn delete(&self, name: &str) -> Result<(), Refusal> {
        let file = self.file(name)?;
        fs::remove_file(&file).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Refusal::new(
                Code::NotFound,
                format!("there is no saved profile {name:?}"),
            ),
            _ => unreadable(&file, &error),
        })
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let yaml = path.extension().is_some_and(|end| end == "yaml");
                let name = path.file_stem()?.to_str()?.to_owned();
                (yaml && is_name(&name)).then_some(name)
            })
            .collect();
        names.sort();
        names
    }

    /// Where a profile lies. A name is no path, and none of those that come with the program.
    fn file(&self, name: &str) -> Result<PathBuf, Refusal> {
        if !is_name(name) {
            let message = "must be made of letters, digits, `-` and `_`, 64 at most";
            return Err(Refusal::at("profile", message));
        }
        if NAMES.contains(&name) {
            let message = format!("`{name}` comes with the program and cannot be replaced");
            return Err(Refusal::at("profile", message));
        }
        Ok(self.folder.join(format!("{name}.yaml")))
    }
}

fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(allowed)
}

fn unreadable(file: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(Code::Internal, format!("{}: {error}", file.display()))
}
