//! One domain's cache, brought in step with its notes: first the notes, then their sentences.
//!
//! When the notes are there, everything can be found; what the second part adds is that an excerpt
//! needs no encoder. Ended between the two, the next run goes on with it.

use std::sync::atomic::AtomicBool;

use concord_cache::Cache;
use concord_cache::sync::{Inventory, Progress, Report, SentenceProgress, Sync};

use super::command::refused;
use super::encoders::{Choice, Encoders};
use super::{Domain, Vault};
use crate::failure::Failure;
use crate::output;

/// What is to be done for a domain.
pub(crate) struct Step<'a> {
    pub(crate) vault: &'a Vault,
    /// What lies in the vault.
    pub(crate) inventory: &'a Inventory,
    pub(crate) domain: &'a Domain,
    pub(crate) choice: Choice,
    /// Delete the cache first.
    pub(crate) anew: bool,
    /// Encode sentences too.
    pub(crate) sentences: bool,
    pub(crate) encoders: &'a Encoders,
    pub(crate) stop: &'a AtomicBool,
}

/// How far it is.
pub(crate) enum Phase<'a> {
    Notes(Progress),
    /// All notes are in.
    Indexed(&'a Report),
    Sentences(SentenceProgress),
}

impl Step<'_> {
    /// Does it, and tells what became of the files.
    pub(crate) fn take(&self, tell: &mut dyn FnMut(Phase<'_>)) -> Result<Report, Failure> {
        let Self { vault, choice, .. } = self;
        let file = vault.cache_file(self.domain);
        let known = (!self.anew).then_some(file.as_path());
        let vectors = self.encoders.vectors(choice, known)?;
        let identity = vectors.identity(vault.settings.chunker.identity());
        let open = if self.anew {
            Cache::anew
        } else {
            Cache::writer
        };
        let mut cache = open(&file, &identity).map_err(refused)?;
        vectors.remember(&mut cache).map_err(refused)?;

        let by_encoder = *choice != Choice::Words;
        let encode = |texts: &[&str]| {
            let encoder = self.encoders.open(choice).map_err(|e| e.to_string())?;
            let encoded = encoder.encode_documents(texts).map_err(|e| e.to_string())?;
            Ok(encoded.vectors)
        };
        let sync = Sync {
            vault: self.inventory,
            territory: &self.domain.territory,
            rules: vault.settings.chunker.rules(),
            largest_note: vault.settings.largest_note,
            encode: by_encoder.then_some(&encode),
            stop: self.stop,
        };
        let report = cache.sync(&sync, &mut |progress| tell(Phase::Notes(progress)));
        let mut report = report.map_err(refused)?;
        tell(Phase::Indexed(&report));
        if by_encoder && self.sentences && !report.stopped {
            // As queries are encoded, so that a sentence and a question can be compared.
            let encode = |sentences: &[&str]| {
                let encoder = self.encoders.open(choice).map_err(|e| e.to_string())?;
                let prefix = encoder.query_prefix();
                let texts: Vec<String> = sentences
                    .iter()
                    .map(|sentence| format!("{prefix}{sentence}"))
                    .collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let encoded = encoder
                    .encode_documents(&texts)
                    .map_err(|e| e.to_string())?;
                Ok(encoded.vectors)
            };
            let filled = cache.fill_sentences(&encode, self.stop, &mut |progress| {
                tell(Phase::Sentences(progress));
            });
            report.stopped = filled.map_err(refused)?.stopped;
        }
        Ok(report)
    }
}

/// Brings a domain's index in step after its notes were changed, if it has one. What stands in the way
/// is told and no failure: the notes are changed, and the index can follow at any time.
pub(crate) fn after_a_change(vault: &Vault, domain: &Domain) {
    if !vault.cache_file(domain).is_file() {
        return;
    }
    let taken = Inventory::of(&vault.root, &vault.settings.selection)
        .map_err(refused)
        .and_then(|inventory| {
            let step = Step {
                vault,
                inventory: &inventory,
                domain,
                choice: vault.encoder_of(domain),
                anew: false,
                sentences: true,
                encoders: &Encoders::default(),
                stop: &AtomicBool::new(false),
            };
            step.take(&mut |_| ())
        });
    if let Err(failure) = taken {
        let name = &domain.name;
        output::notice(&format!(
            "{name}: the index is behind ({failure}); run `concord index`"
        ));
    }
}
