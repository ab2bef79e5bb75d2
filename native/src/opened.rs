//! What `search`, `traverse` and `node` are told alike: which vault, which domains, which profile.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use concord_core::Profile;
use concord_encode::Encoder;

use crate::collection::Collection;
use crate::failure::Failure;
use crate::input;
use crate::profiles::Profiles;
use crate::vault::encoders::Encoders;
use crate::vault::{Domain, Vault};

/// Which vault is asked, and by which numbers.
#[derive(clap::Args)]
pub(crate) struct Asking {
    /// The vault's folder
    #[arg(long, value_name = "VAULT", env = "CONCORD_VAULT", default_value = ".")]
    vault: PathBuf,
    /// Only this domain of its `_domains.yaml`
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
    /// `balanced`, `vault`, a saved profile, or a file (YAML or JSON) with the keys to change;
    /// the domain's own if it is not given
    #[arg(long, value_name = "NAME|FILE")]
    profile: Option<PathBuf>,
}

impl Asking {
    /// The vault's folder.
    pub(crate) fn vault(&self) -> &Path {
        &self.vault
    }

    /// The domains that are asked, open.
    pub(crate) fn collections(&self) -> Result<Vec<Collection>, Failure> {
        let vault = Vault::open(&self.vault)?;
        let encoders = Encoders::default();
        vault
            .chosen(self.domain.as_deref())?
            .into_iter()
            .map(|domain| Collection::open(&vault, domain, encoder_of(&vault, domain, &encoders)))
            .collect()
    }

    /// The one domain that is asked.
    pub(crate) fn collection(&self) -> Result<Collection, Failure> {
        let mut collections = self.collections()?;
        if collections.len() > 1 {
            let names: Vec<&str> = collections.iter().map(|open| open.name.as_str()).collect();
            let names = names.join(", ");
            return Err(Failure::Input(format!(
                "name one of the domains with --domain: {names}"
            )));
        }
        collections
            .pop()
            .ok_or_else(|| Failure::Input("the vault has no domain".to_owned()))
    }

    /// The profile to ask a domain by.
    pub(crate) fn profile_for(&self, collection: &Collection) -> Result<Profile, Failure> {
        let Some(argument) = &self.profile else {
            return Ok(collection.profile.clone());
        };
        let saved = argument
            .to_str()
            .map(|name| Profiles::of(&self.vault).get(name, &collection.name));
        match saved {
            Some(Ok(profile)) => Ok(profile),
            _ => input::profile(argument, &collection.name),
        }
    }
}

/// The encoder of a domain, or why there is none.
pub(crate) fn encoder_of(
    vault: &Vault,
    domain: &Domain,
    encoders: &Encoders,
) -> Result<Arc<dyn Encoder>, String> {
    encoders
        .open(&vault.encoder_of(domain))
        .map_err(|failure| failure.to_string())
}
