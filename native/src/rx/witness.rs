//! Whoever can say what the notes of a domain hold: the domain itself, open in this process, or the
//! process that serves it.

use std::ops::Deref;

use crate::collection::{Citation, Collection, Verdicts};
use crate::failure::Failure;
use crate::opened::encoder_of;
use crate::refusal::{Code, Refusal};
use crate::vault::Vault;
use crate::vault::encoders::Encoders;

/// Says what the notes of one domain hold.
pub(crate) trait Witness {
    /// Whether quotations stand where they are said to; no more than a request may have.
    fn verify(&self, citations: &[Citation]) -> Result<Verdicts, Refusal>;

    /// The hash of each of these notes as it was indexed; one that is not in the index is left out.
    fn hashes(&self, notes: &[&str]) -> Result<Vec<(String, String)>, Refusal>;
}

/// Knows a witness for every domain.
pub(crate) trait Witnesses {
    fn of(&self, domain: &str) -> Result<Box<dyn Witness + '_>, Refusal>;
}

impl<C: Deref<Target = Collection>> Witness for C {
    fn verify(&self, citations: &[Citation]) -> Result<Verdicts, Refusal> {
        self.deref().verify(citations)
    }

    fn hashes(&self, notes: &[&str]) -> Result<Vec<(String, String)>, Refusal> {
        self.deref().hashes(notes)
    }
}

/// An open domain knows of itself alone.
impl Witnesses for Collection {
    fn of(&self, domain: &str) -> Result<Box<dyn Witness + '_>, Refusal> {
        if domain == self.name {
            return Ok(Box::new(self));
        }
        let message = format!("there is no domain {domain:?} here");
        Err(Refusal::new(Code::NoSuchDomain, message))
    }
}

/// The domains of a vault, each opened when it is first asked.
pub(crate) struct Opened<'a> {
    pub(crate) vault: &'a Vault,
    /// Opened too where quotations are looked for by meaning; a model takes long to open.
    pub(crate) encoders: Option<&'a Encoders>,
}

impl Opened<'_> {
    pub(crate) fn open(&self, domain: &str) -> Result<Collection, Failure> {
        let chosen = self.vault.chosen(Some(domain))?;
        let encoder = match self.encoders {
            Some(encoders) => encoder_of(self.vault, chosen[0], encoders),
            None => Err("no encoder was opened".to_owned()),
        };
        Collection::open(self.vault, chosen[0], encoder)
    }
}

impl Witnesses for Opened<'_> {
    fn of(&self, domain: &str) -> Result<Box<dyn Witness + '_>, Refusal> {
        Ok(Box::new(Box::new(self.open(domain)?)))
    }
}
