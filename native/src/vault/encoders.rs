//! Which encoder a domain uses, what its vectors are, and the encoder itself once it is needed.
//!
//! A model takes long to open, so that is put off until there is something to encode. What its
//! vectors are must be known before, since a cache of another model must not be written to. For the
//! model inside the program its header says so. For a folder it takes a hash of all weights;
//! a cache therefore remembers name, sizes and times of the files that it was made with, and
//! while they are the same, so is the model.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use concord_cache::{Cache, Identity};
use concord_encode::hub::{Hub, Located};
use concord_encode::{Encoder, Fault, Precision, embedded};
use indicatif::{ProgressBar, ProgressStyle};

use super::command::refused;
use crate::failure::Failure;

/// Where a cache remembers the files of its model.
const MODEL_FILES: &str = "model_files";

/// What turns a domain's texts into vectors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Choice {
    /// Nothing: search is by words alone.
    Words,
    /// The model inside this program.
    Embedded,
    /// A folder, or a hub's model.
    Named(String),
}

impl Choice {
    /// What a name means: `none`, a folder seen from the vault, or what a hub calls it.
    pub(crate) fn named(name: &str, root: &Path) -> Self {
        if name == "none" {
            return Self::Words;
        }
        let inside = root.join(name);
        if inside.is_dir() {
            return Self::Named(inside.to_string_lossy().into_owned());
        }
        Self::Named(name.to_owned())
    }
}

/// What the vectors of a choice are, as far as it had to be looked into.
pub(crate) struct Vectors {
    fingerprint: Option<String>,
    dimension: u32,
    /// Sizes and times of the model's files, for a cache to remember.
    files: Option<String>,
}

impl Vectors {
    /// The identity of a cache with these vectors.
    pub(crate) fn identity(&self, chunker: String) -> Identity {
        Identity {
            model: self.fingerprint.clone(),
            dimension: self.dimension,
            chunker,
        }
    }

    /// Has a cache remember the files of its model.
    pub(crate) fn remember(&self, cache: &mut Cache) -> Result<(), concord_cache::Error> {
        match &self.files {
            Some(files) if cache.noted(MODEL_FILES)?.as_ref() != Some(files) => {
                cache.note_down(MODEL_FILES, files)
            }
            _ => Ok(()),
        }
    }
}

/// Encoders, each opened once and when it is first needed.
#[derive(Default)]
pub(crate) struct Encoders(Mutex<BTreeMap<Choice, Arc<dyn Encoder>>>);

impl Encoders {
    /// What the vectors of a choice are. A cache that was made with them saves opening the model.
    pub(crate) fn vectors(
        &self,
        choice: &Choice,
        cache: Option<&Path>,
    ) -> Result<Vectors, Failure> {
        let (fingerprint, dimension, files) = match choice {
            Choice::Words => (None, 0, None),
            Choice::Embedded => {
                let (fingerprint, dimension) = embedded::identity().map_err(failure)?;
                (Some(fingerprint), dimension, None)
            }
            Choice::Named(name) => {
                let files = files(&located(name)?);
                if let Some(file) = cache.filter(|file| file.is_file()) {
                    let cache = Cache::reader(file).map_err(refused)?;
                    if files.is_some() && cache.noted(MODEL_FILES).map_err(refused)? == files {
                        let Identity {
                            model, dimension, ..
                        } = cache.identity().clone();
                        return Ok(Vectors {
                            fingerprint: model,
                            dimension,
                            files,
                        });
                    }
                }
                let encoder = self.open(choice)?;
                (
                    Some(encoder.fingerprint().to_owned()),
                    encoder.dimension(),
                    files,
                )
            }
        };
        Ok(Vectors {
            fingerprint,
            dimension: u32::try_from(dimension).unwrap_or(0),
            files,
        })
    }

    /// The encoder.
    pub(crate) fn open(&self, choice: &Choice) -> Result<Arc<dyn Encoder>, Failure> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoder) = open.get(choice) {
            return Ok(Arc::clone(encoder));
        }
        let encoder: Arc<dyn Encoder> = match choice {
            Choice::Words => {
                let message = "there is no model here, and search is by words alone";
                return Err(Failure::Input(message.to_owned()));
            }
            Choice::Embedded => Arc::new(embedded::open().map_err(failure)?),
            Choice::Named(name) => {
                let located = located(name)?;
                concord_encode::open(&located, Precision::Int8)
                    .map_err(failure)?
                    .into()
            }
        };
        open.insert(choice.clone(), Arc::clone(&encoder));
        Ok(encoder)
    }
}

/// The model's folder; fetched, with a progress bar, if it is a hub's and not here yet.
fn located(name: &str) -> Result<Located, Failure> {
    let bar = ProgressBar::no_length().with_style(
        ProgressStyle::with_template("{msg}  {bar:30} {bytes}/{total_bytes} ({eta})")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let hub = Hub::from_environment().map_err(failure)?;
    let located = hub.resolve(name, &mut |progress| {
        bar.set_message(progress.file.to_owned());
        bar.set_length(progress.total.unwrap_or(progress.done));
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    located.map_err(failure)
}

/// The model's name, and the name, size and time of each of its files; none if one of them
/// cannot be asked, which whoever opens it will report.
fn files(model: &Located) -> Option<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(&model.folder).ok()? {
        let entry = entry.ok()?;
        let metadata = fs::metadata(entry.path()).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let (name, size) = (entry.file_name(), metadata.len());
        files.push(format!(
            "{} {size} {}",
            name.to_string_lossy(),
            modified.as_nanos()
        ));
    }
    files.sort_unstable();
    Some(format!("{}\n{}", model.name, files.join("\n")))
}

fn failure(error: concord_encode::Error) -> Failure {
    match error.fault {
        Fault::Model | Fault::Files => Failure::Input(error.message),
        Fault::Network | Fault::Machine => Failure::Machine(error.message),
    }
}
