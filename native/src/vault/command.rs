//! What `index`, `status` and `doctor` are told alike.

use std::path::{Path, PathBuf};

use concord_cache::Cache;

use super::{Domain, Vault};
use crate::failure::Failure;
use crate::output;

/// Which vault, and which part of it.
#[derive(clap::Args)]
pub(crate) struct Which {
    /// The vault's folder
    #[arg(value_name = "VAULT", default_value = ".")]
    vault: PathBuf,
    /// Only this domain of its `_domains.yaml`
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
}

impl Which {
    /// The vault's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.vault
    }

    /// The domain that was named.
    pub(crate) fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// The vault.
    pub(crate) fn open(&self) -> Result<Vault, Failure> {
        Vault::open(&self.vault)
    }

    /// Opens the vault and does something for each domain that is meant.
    pub(crate) fn for_each<T>(
        &self,
        task: impl FnMut(&Vault, &Domain) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        self.for_each_in(&Vault::open(&self.vault)?, task)
    }

    /// Does something for each domain of an open vault that is meant.
    pub(crate) fn for_each_in<T>(
        &self,
        vault: &Vault,
        mut task: impl FnMut(&Vault, &Domain) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let chosen = vault.chosen(self.domain.as_deref())?;
        chosen
            .into_iter()
            .map(|domain| task(vault, domain))
            .collect()
    }
}

/// A domain's cache, to be read.
pub(crate) fn reader(vault: &Vault, domain: &Domain) -> Result<Cache, Failure> {
    let cache = Cache::reader(&vault.cache_file(domain)).map_err(refused)?;
    if cache.is_frozen() {
        let file = cache.file().display();
        output::notice(&format!(
            "{file} cannot be written here, and is read as it stands"
        ));
    }
    Ok(cache)
}

/// What a cache says is wrong, as the command's failure.
pub(crate) fn refused(error: concord_cache::Error) -> Failure {
    use concord_cache::Error::{Busy, Encoder, Full, Io, NotWritable, Sqlite, Unfinished};
    let message = error.to_string();
    match error {
        Io { source, .. } if source.kind() != std::io::ErrorKind::NotFound => {
            Failure::Machine(message)
        }
        Busy { .. } => Failure::Busy(message),
        Encoder(_) | Full { .. } | NotWritable { .. } | Sqlite { .. } | Unfinished { .. } => {
            Failure::Machine(message)
        }
        _ => Failure::Input(message),
    }
}
