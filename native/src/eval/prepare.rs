//! From the command line to sets of questions whose domains are open.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use concord_cache::sync::Inventory;
use concord_core::{Profile, Seconds};
use concord_encode::Encoder;

use super::beir;
use super::field::{Field, Lineup};
use super::questions::{self, Judged};
use super::remember::Remembering;
use super::{Args, Set};
use crate::collection::Collection;
use crate::failure::Failure;
use crate::input;
use crate::output;
use crate::profiles::Profiles;
use crate::vault::command::refused;
use crate::vault::encoders::{Choice, Encoders};
use crate::vault::step::{Phase, Step};
use crate::vault::{Domain, Vault};

/// After so many files indexing says how far it is.
const TOLD_EVERY: usize = 1_000;

/// Where evaluations keep what they need again.
pub(super) struct Caches {
    folder: PathBuf,
    encoders: Encoders,
    /// To be asked at the end what they learnt.
    remembering: RefCell<Vec<Arc<Remembering>>>,
}

impl Caches {
    pub(super) fn open(folder: Option<&Path>) -> Result<Self, Failure> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => directories::ProjectDirs::from("", "", "concord")
                .map(|folders| folders.cache_dir().join("eval"))
                .ok_or_else(|| {
                    let message = "this system names no folder for caches; give one with --cache";
                    Failure::Input(message.to_owned())
                })?,
        };
        Ok(Self {
            folder,
            encoders: Encoders::default(),
            remembering: RefCell::default(),
        })
    }

    /// Keeps the vectors of the questions that were asked.
    pub(super) fn save(&self) {
        for encoder in self.remembering.borrow().iter() {
            encoder.save();
        }
    }

    fn encoder(&self, choice: &Choice) -> Result<Arc<dyn Encoder>, String> {
        let encoder = self.encoders.open(choice).map_err(|e| e.to_string())?;
        let remembering = Arc::new(Remembering::new(encoder, &self.folder));
        self.remembering.borrow_mut().push(Arc::clone(&remembering));
        Ok(remembering)
    }

    /// Indexes a domain; the first time that takes as long as `concord index` does.
    fn index(&self, vault: &Vault, domain: &Domain, choice: &Choice) -> Result<(), Failure> {
        let inventory = Inventory::of(&vault.root, &vault.settings.selection).map_err(refused)?;
        let step = Step {
            vault,
            inventory: &inventory,
            domain,
            choice: choice.clone(),
            anew: false,
            sentences: false,
            encoders: &self.encoders,
            stop: &AtomicBool::new(false),
        };
        let mut told = 0;
        let report = step.take(&mut |phase| {
            if let Phase::Notes(progress) = phase
                && progress.encoded >= told + TOLD_EVERY
            {
                told = progress.encoded;
                let (done, files) = (progress.done, progress.files);
                output::notice(&format!("indexing: {done} of {files} notes"));
            }
        })?;
        for (path, reason) in &report.failed {
            output::complain(&format!("{path}: {reason}"));
        }
        Ok(())
    }
}

/// The sets of questions that a command line means, asked by the encoder of this name or by their
/// own.
pub(super) fn sets(
    args: &Args,
    caches: &Caches,
    now: Seconds,
    model: Option<&str>,
) -> Result<Vec<Set>, Failure> {
    let Some(file) = &args.questions else {
        return args
            .beir
            .iter()
            .map(|folder| of_beir(args, caches, now, model, folder))
            .collect();
    };
    let vault = Vault::open(&args.vault)?;
    let mut asked = questions::read(file)?;
    if let Some(domain) = &args.domain {
        asked.retain(|question| question.domain.as_ref() == Some(domain));
        if asked.is_empty() {
            let file = file.display();
            let message = format!("{file}: no question is put to the domain `{domain}`");
            return Err(Failure::Input(message));
        }
    }
    let used = |domain: &&Domain| {
        let named = |question: &Judged| question.domain.as_ref() == Some(&domain.name);
        asked
            .iter()
            .any(|question| question.domain.is_none() || named(question))
    };
    let domains: Vec<Domain> = vault.domains.iter().filter(used).cloned().collect();
    let collections = open(caches, vault, &domains, model)?;
    let name = args
        .vault
        .canonicalize()
        .unwrap_or_else(|_| args.vault.clone());
    let name = name.file_name().unwrap_or(name.as_os_str());
    let name = name.to_string_lossy().into_owned();
    let set = set(args, name, collections, asked, now);
    let set = set.map_err(|failure| match failure {
        Failure::Input(message) => Failure::Input(format!("{}: {message}", file.display())),
        other => other,
    })?;
    Ok(vec![set])
}

fn of_beir(
    args: &Args,
    caches: &Caches,
    now: Seconds,
    model: Option<&str>,
    folder: &Path,
) -> Result<Set, Failure> {
    let collection = beir::Collection::read(folder)?;
    if collection.unjudged > 0 {
        let (name, unjudged) = (&collection.name, collection.unjudged);
        let message =
            format!("{name}: {unjudged} of the queries were never judged, and are left out");
        output::notice(&message);
    }
    let vault = Vault::open(&collection.vault(&caches.folder)?)?;
    let domains = vault.domains.clone();
    // Beside the vault, since it may be asked by several encoders.
    let collections = open(caches, vault, &domains, Some(model.unwrap_or_default()))?;
    set(
        args,
        collection.name,
        collections,
        collection.questions,
        now,
    )
}

fn set(
    args: &Args,
    name: String,
    collections: Vec<Collection>,
    asked: Vec<Judged>,
    now: Seconds,
) -> Result<Set, Failure> {
    let mut known = std::collections::BTreeSet::new();
    for collection in &collections {
        for note in collection.notes()? {
            known.insert((collection.name.clone(), note.path));
        }
    }
    let only = collections
        .first()
        .map(|open| open.name.clone())
        .unwrap_or_default();
    let exists = |domain: Option<&str>, path: &str| {
        known.contains(&(domain.unwrap_or(&only).to_owned(), path.to_owned()))
    };
    let lineup = lineup(args, args.profile.as_ref(), &collections)?;
    let field = Field::new(collections, asked, now)?;
    questions::check_notes(&field.questions, exists).map_err(Failure::Input)?;
    Ok(Set {
        name,
        field,
        lineup,
    })
}

/// Opens domains. By their own encoder and index; or, where a model is named, by that one (an empty
/// name: the one inside this program) and an index in the cache folder. An index that is not there
/// yet is made.
fn open(
    caches: &Caches,
    vault: Vault,
    domains: &[Domain],
    model: Option<&str>,
) -> Result<Vec<Collection>, Failure> {
    let choice = match model {
        None => None,
        Some("") => Some(Choice::Embedded),
        Some(name) => Some(Choice::named(name, Path::new("."))),
    };
    let vault = match &choice {
        None => vault,
        Some(choice) => {
            let vectors = caches.encoders.vectors(choice, None)?;
            let identity = vectors.identity(vault.settings.chunker.identity());
            let root = vault
                .root
                .canonicalize()
                .unwrap_or_else(|_| vault.root.clone());
            let mut hash = blake3::Hasher::new();
            hash.update(root.to_string_lossy().as_bytes());
            hash.update(format!("{identity:?}").as_bytes());
            let name = &hash.finalize().to_hex()[..16];
            vault.with_caches(caches.folder.join("indexes").join(name))
        }
    };
    let mut open = Vec::new();
    for domain in domains {
        let choice = choice.clone().unwrap_or_else(|| vault.encoder_of(domain));
        if model.is_some() || !vault.cache_file(domain).exists() {
            caches.index(&vault, domain, &choice)?;
        }
        let collection = Collection::open(&vault, domain, caches.encoder(&choice))?;
        collection.warm();
        open.push(collection);
    }
    Ok(open)
}

/// The profile of each domain, by what an argument names.
pub(super) fn lineup(
    args: &Args,
    argument: Option<&PathBuf>,
    collections: &[Collection],
) -> Result<Lineup, Failure> {
    let profile = |collection: &Collection| -> Result<Profile, Failure> {
        let Some(argument) = argument else {
            return Ok(collection.profile.clone());
        };
        let saved = argument
            .to_str()
            .map(|name| Profiles::of(&args.vault).get(name, &collection.name));
        match saved {
            Some(Ok(profile)) => Ok(profile),
            _ => input::profile(argument, &collection.name),
        }
    };
    let profiles: Vec<Profile> = collections.iter().map(profile).collect::<Result<_, _>>()?;
    let name = match argument {
        Some(argument) => argument
            .file_stem()
            .unwrap_or(argument.as_os_str())
            .to_string_lossy()
            .into_owned(),
        None => profiles
            .first()
            .map(|profile| profile.name.clone())
            .unwrap_or_default(),
    };
    Ok(Lineup { name, profiles })
}
