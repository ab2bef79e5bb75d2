//! A vault on disk: its domains, and where each one's cache lies.
//!
//! Without a `_domains.yaml` a vault is one domain, `default`, ranked by the profile `balanced`.
//! [`settings`] says what of it is indexed and how. Caches lie in the hidden folder `.concord` of the vault, one file a domain, which no walk
//! enters; they can be deleted at any time.

pub(crate) mod command;
pub(crate) mod encoders;
mod registry;
pub(crate) mod settings;
pub(crate) mod step;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use concord_cache::sync::Territory;
use concord_core::Profile;

use crate::failure::Failure;
use crate::vault::encoders::Choice;
use crate::vault::settings::Settings;

/// The registry's name, at the vault's root.
const REGISTRY: &str = "_domains.yaml";

/// The folder of the caches, in the vault.
pub(crate) const CACHES: &str = ".concord";

/// The folder of what cannot be made again, in the vault: recommendations, and the journals of changes
/// to notes. It must survive when caches are deleted.
pub(crate) const KEPT: &str = ".concord-keep";

/// A vault on disk.
#[derive(Debug)]
pub(crate) struct Vault {
    /// Its folder.
    pub(crate) root: PathBuf,
    /// In the order of their names.
    pub(crate) domains: Vec<Domain>,
    /// What its owner says of all of it.
    pub(crate) settings: Settings,
    /// Where its caches lie, if not in its own folder of them.
    caches: Option<PathBuf>,
}

/// A part of a vault with a cache, and a ranking, of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Domain {
    /// Its name.
    pub(crate) name: String,
    /// The part of the vault.
    pub(crate) territory: Territory,
    /// How it is ranked, unless a request says otherwise.
    pub(crate) profile: Profile,
    /// Which encoder; none for the one that is at hand.
    pub(crate) model: Option<String>,
    /// Where the process that serves it is asked, if it has one of its own.
    pub(crate) url: Option<String>,
    /// The page with its tags, from the vault's folder.
    pub(crate) taxonomy: String,
    /// The page with proposals, likewise.
    pub(crate) review_queue: String,
}

/// What the page with a domain's tags is called, unless its owner says otherwise.
const TAXONOMY: &str = "_taxonomy.md";

/// And that with proposals.
const REVIEW_QUEUE: &str = "_review-queue.md";

impl Vault {
    /// Opens the vault in a folder.
    pub(crate) fn open(root: &Path) -> Result<Self, Failure> {
        if !root.is_dir() {
            let message = format!("{}: there is no such folder", root.display());
            return Err(Failure::Input(message));
        }
        let file = root.join(REGISTRY);
        let domains = match fs::read_to_string(&file) {
            Ok(text) => registry::read(&text)
                .map_err(|message| Failure::Input(format!("{}: {message}", file.display())))?,
            Err(error) if error.kind() == ErrorKind::NotFound => vec![Domain {
                name: "default".to_owned(),
                territory: Territory::default(),
                profile: Profile::balanced(),
                model: None,
                url: None,
                taxonomy: TAXONOMY.to_owned(),
                review_queue: REVIEW_QUEUE.to_owned(),
            }],
            Err(error) => return Err(Failure::file(file.display(), &error)),
        };
        let mut settings = settings::of(root)?;
        for domain in &domains {
            settings.selection.steered_by(&domain.taxonomy);
            settings.selection.steered_by(&domain.review_queue);
        }
        Ok(Self {
            root: root.to_owned(),
            domains,
            settings,
            caches: None,
        })
    }

    /// The same vault with its caches in a folder elsewhere.
    pub(crate) fn with_caches(self, folder: PathBuf) -> Self {
        Self {
            caches: Some(folder),
            ..self
        }
    }

    /// The domains that are meant: one by its name, or all.
    pub(crate) fn chosen(&self, name: Option<&str>) -> Result<Vec<&Domain>, Failure> {
        let Some(name) = name else {
            return Ok(self.domains.iter().collect());
        };
        let found = self.domains.iter().find(|domain| domain.name == name);
        found.map(|domain| vec![domain]).ok_or_else(|| {
            let known: Vec<&str> = self
                .domains
                .iter()
                .map(|domain| domain.name.as_str())
                .collect();
            let known = known.join("`, `");
            Failure::Input(format!("there is no domain `{name}`; there are `{known}`"))
        })
    }

    /// What turns a domain's texts into vectors, unless a command says otherwise.
    pub(crate) fn encoder_of(&self, domain: &Domain) -> Choice {
        let name = domain.model.as_ref().or(self.settings.model.as_ref());
        name.map_or(Choice::Embedded, |name| Choice::named(name, &self.root))
    }

    /// Where a domain's cache lies.
    pub(crate) fn cache_file(&self, domain: &Domain) -> PathBuf {
        let file = format!("{}.db", domain.name);
        match &self.caches {
            Some(folder) => folder.join(file),
            None => self.root.join(CACHES).join(file),
        }
    }
}
