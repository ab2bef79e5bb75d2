//! What is refused at the door, and how it is said: whose input it is, the key, and what to do.

use std::fmt;

use crate::position;

/// Which input is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The bundle.
    Bundle,
    /// The profile.
    Profile,
    /// The receipt.
    Receipt,
    /// A quotation to verify.
    Quotation,
    /// A closed world to walk.
    Walk,
    /// A question to be answered.
    Question,
}

impl Fault {
    /// The stable code that callers may match on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Bundle => "bad_bundle",
            Self::Profile => "bad_profile",
            Self::Receipt => "bad_receipt",
            Self::Quotation => "bad_quotation",
            Self::Walk => "bad_walk",
            Self::Question => "bad_question",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Bundle => "bundle",
            Self::Profile => "profile",
            Self::Receipt => "receipt",
            Self::Quotation => "quotation",
            Self::Walk => "walk",
            Self::Question => "question",
        }
    }

    /// Reads a value of this kind from JSON. The error names the key at which it stands.
    ///
    /// # Errors
    /// If the text is no JSON, or not of the shape `T`.
    pub fn read<T: serde::de::DeserializeOwned>(self, json: &str) -> Result<T, Error> {
        serde_json::from_str(json).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let mut message = error.to_string();
            if error.is_data() {
                // The key says where. Line and column are kept for text that is no JSON; and often
                // the text was written by a program and is no one's to look at.
                let place = format!(" at line {line} column {column}");
                message.truncate(message.strip_suffix(&place).map_or(message.len(), str::len));
            }
            self.at(position::key_at(json, line, column), message)
        })
    }

    /// An error of this kind at `key`.
    #[must_use]
    pub fn at(self, key: impl Into<String>, message: impl Into<String>) -> Error {
        Error {
            fault: self,
            key: key.into(),
            message: message.into(),
        }
    }
}

/// Input that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which input.
    pub fault: Fault,
    /// Where in it, e.g. `legs[0].hits[2].score`; empty for the whole.
    pub key: String,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fault.noun())?;
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Error {}
