//! Which folder a model's name means, and fetching it from the hub where none is there yet.
//!
//! A name is a folder's path or `organisation/model`. The latter is kept below the platform's
//! cache folder, `models/organisation/model/revision/`, and fetched from
//! `{base}/{organisation/model}/resolve/{revision}/{file}`. `HF_ENDPOINT` names another base.
//!
//! A file is written beside its place as `.part`, checked, and only then put there under its
//! name; `model.safetensors` comes last, so where that is, everything is. A download that breaks
//! off is taken up where it stopped, now or at the next start. The check is the SHA-256 that the
//! server states (`X-Linked-Etag`, or an `ETag` of 64 hexadecimal digits), otherwise the length.

mod fetch;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::error::{Error, Fault, Result};

/// Where models come from unless `HF_ENDPOINT` says otherwise.
const BASE: &str = "https://huggingface.co";

/// The files that may be missing; they come first.
const OPTIONAL: [&str; 4] = [
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
];

/// The files that every model has; the weights come last.
const REQUIRED: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// A model that is on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Where its files are.
    pub folder: PathBuf,
    /// Its name: the hub's, or the folder's.
    pub name: String,
}

impl Located {
    /// A folder, named after itself.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn folder(path: &Path) -> Result<Self> {
        if !path.is_dir() {
            return Err(Fault::Model.because(format!(
                "there is no folder {}; give a folder with a model, or a hub name such as \
                 BAAI/bge-small-en-v1.5",
                path.display()
            )));
        }
        let whole = std::path::absolute(path).map_err(|error| Error::io(path, &error))?;
        let name = whole.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            folder: whole,
        })
    }
}

/// How far a download has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Which file.
    pub file: &'a str,
    /// Bytes that are here.
    pub done: u64,
    /// Bytes in all, where the server says.
    pub total: Option<u64>,
}

/// A hub, and what has been fetched from it.
#[derive(Clone, Debug)]
pub struct Hub {
    base: String,
    cache: PathBuf,
    revision: String,
    offline: bool,
}

impl Hub {
    /// The hub of `HF_ENDPOINT` or the usual one, with the platform's cache folder.
    ///
    /// # Errors
    /// If this platform has no cache folder.
    pub fn from_environment() -> Result<Self> {
        let folders = directories::ProjectDirs::from("", "", "concord").ok_or_else(|| {
            Fault::Machine.because("no home folder is set, so there is no cache folder; set HOME")
        })?;
        let base = std::env::var("HF_ENDPOINT")
            .ok()
            .filter(|base| !base.is_empty());
        Ok(Self::at(
            &base.unwrap_or_else(|| BASE.to_owned()),
            folders.cache_dir(),
        ))
    }

    /// The hub at `base`, with models kept below `cache`.
    #[must_use]
    pub fn at(base: &str, cache: &Path) -> Self {
        Self {
            base: base.trim_end_matches('/').to_owned(),
            cache: cache.join("models"),
            revision: "main".to_owned(),
            offline: false,
        }
    }

    /// Another revision than `main`: a branch, a tag or a commit.
    #[must_use]
    pub fn with_revision(mut self, revision: &str) -> Self {
        revision.clone_into(&mut self.revision);
        self
    }

    /// Uses what is on this machine, and nothing else.
    #[must_use]
    pub fn offline(mut self, offline: bool) -> Self {
        self.offline = offline;
        self
    }

    /// The model that `name` means: a folder, or a hub's model, fetched if need be.
    ///
    /// # Errors
    /// If there is no such model, or it cannot be fetched; a download that broke off is kept.
    pub fn resolve(&self, name: &str, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Located> {
        if Path::new(name).is_dir() || !is_hub_name(name) {
            return Located::folder(Path::new(name));
        }
        if !is_plain(&self.revision) {
            return Err(Fault::Model.because(format!(
                "`{}` is no revision: letters, digits, `.`, `_` and `-`",
                self.revision
            )));
        }
        let folder = self.cache.join(name).join(&self.revision);
        if !REQUIRED.iter().all(|file| folder.join(file).is_file()) {
            self.fetch(name, &folder, progress)?;
        }
        Ok(Located {
            folder,
            name: name.to_owned(),
        })
    }

    fn fetch(
        &self,
        name: &str,
        folder: &Path,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<()> {
        if self.offline {
            return Err(Fault::Network.because(format!(
                "the model {name} is not on this machine, and downloads are off; go online once, \
                 or give a folder that holds it"
            )));
        }
        let fetcher = fetch::Fetcher::new();
        for file in OPTIONAL.into_iter().chain(REQUIRED) {
            let place = folder.join(file);
            if place.is_file() {
                continue;
            }
            let url = format!("{}/{name}/resolve/{}/{file}", self.base, self.revision);
            match fetcher.fetch(&url, &place, &mut |done, total| {
                progress(Progress { file, done, total });
            }) {
                Ok(()) => {}
                Err(fetch::Failure::Missing) if OPTIONAL.contains(&file) => {}
                Err(fetch::Failure::Missing) => {
                    return Err(Fault::Model.because(format!(
                        "{} has no {file} of the model {name} (revision {}), or does not give it \
                         to everyone; check the name, or fetch the model by other means and give \
                         its folder",
                        self.base, self.revision
                    )));
                }
                Err(fetch::Failure::Other(error)) => {
                    return Err(error.fault.because(format!(
                        "the model {name} could not be fetched: {}; try again (what is here \
                         already is kept), set HF_ENDPOINT to a mirror, or give a folder",
                        error.message
                    )));
                }
            }
        }
        Ok(())
    }
}

/// `organisation/model`, and nothing that could lead out of the cache folder.
fn is_hub_name(name: &str) -> bool {
    matches!(name.split_once('/'), Some((organisation, model)) if is_plain(organisation) && is_plain(model))
}

fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with('.')
        && part
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
