//! Keeping a vault in order: tags proposed, promoted into notes, renamed.
//!
//! What changes a text is in `concord_text::edit` and touches nothing else in it; what changes files
//! is in [`journal`] and changes all of them or none. Here is what lies between the two: which notes
//! are meant, what the domain's two pages say, and what is told of it.
//!
//! Files are read, not the index: an index may be old, or may not be there.

mod ask;
mod file;
pub(crate) mod journal;
pub(crate) mod promote;
pub(crate) mod rename;
pub(crate) mod review;
mod swap;
pub(crate) mod tag;

use std::path::Path;

use concord_cache::sync::Inventory;
use concord_text::{Taxonomy, taxonomy};
use serde::Serialize;
use similar::TextDiff;

use crate::failure::Failure;
use crate::refusal::{Code, Refusal};
use crate::vault::command::refused;
use crate::vault::{Domain, Vault};

use file::{broken, content, place};

/// A domain whose notes are to be kept in order.
pub(crate) struct Order<'a> {
    pub(crate) vault: &'a Vault,
    pub(crate) domain: &'a Domain,
    /// Its notes, by path.
    pub(crate) notes: Vec<String>,
}

/// Something that was not done, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Told {
    /// The line of the page, or of the note.
    pub(crate) line: Option<usize>,
    pub(crate) path: Option<String>,
    pub(crate) message: String,
}

impl<'a> Order<'a> {
    /// Walks the vault for the notes of a domain.
    pub(crate) fn of(vault: &'a Vault, domain: &'a Domain) -> Result<Self, Refusal> {
        let inventory = Inventory::of(&vault.root, &vault.settings.selection);
        let inventory = inventory.map_err(|error| Refusal::from(refused(error)))?;
        let notes = inventory.notes(&domain.territory).map(str::to_owned);
        Ok(Self {
            vault,
            domain,
            notes: notes.collect(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.vault.root
    }

    /// The text of a file of the vault; none if there is none.
    pub(crate) fn text(&self, path: &str) -> Result<Option<String>, Refusal> {
        let file = place(self.root(), path)?;
        let Some(bytes) = content(&file).map_err(|error| broken(&file, &error))? else {
            return Ok(None);
        };
        String::from_utf8(bytes).map(Some).map_err(|_| {
            let message = format!("{path} is not UTF-8; save it as UTF-8");
            Refusal::new(Code::Conflict, message)
        })
    }

    /// The tags that the domain allows.
    pub(crate) fn taxonomy(&self) -> Result<Taxonomy, Refusal> {
        let text = self.text(&self.domain.taxonomy)?;
        Ok(taxonomy(&text.unwrap_or_default()))
    }

    /// The note that somebody means by a path: as it is, or else the only one that differs from it
    /// in case alone.
    pub(crate) fn note(&self, path: &str) -> Option<&str> {
        let path = path.trim_start_matches("./").trim_start_matches('/');
        if let Some(found) = self.notes.iter().find(|note| *note == path) {
            return Some(found);
        }
        let lower = path.to_lowercase();
        let mut alike = self
            .notes
            .iter()
            .filter(|note| note.to_lowercase() == lower);
        match (alike.next(), alike.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }
}

/// What a change does to a file, as people look at changes.
pub(crate) fn diff(path: &str, old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

/// A domain of a vault by its name, or the only one.
pub(crate) fn one<'a>(vault: &'a Vault, name: Option<&str>) -> Result<&'a Domain, Failure> {
    let chosen = vault.chosen(name)?;
    match chosen[..] {
        [domain] => Ok(domain),
        _ => {
            let names: Vec<&str> = chosen.iter().map(|domain| domain.name.as_str()).collect();
            let names = names.join(", ");
            Err(Failure::Input(format!(
                "name one of the domains with --domain: {names}"
            )))
        }
    }
}
