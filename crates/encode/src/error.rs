//! What can go wrong, whose fault it is, and what to do.

use std::fmt;
use std::path::Path;

/// Where the fault lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The model asked for does not exist, or is of a kind that this program cannot run.
    Model,
    /// A file of the model is missing, damaged or contradicts another.
    Files,
    /// The network, or the server at its other end.
    Network,
    /// This machine: a disk, a permission, memory.
    Machine,
}

/// A model that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where the fault lies.
    pub fault: Fault,
    /// What is wrong, and what to do.
    pub message: String,
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Fault {
    /// The stable code that callers may match on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Model => "bad_model",
            Self::Files => "bad_model_files",
            Self::Network => "network",
            Self::Machine => "machine",
        }
    }

    pub(crate) fn because(self, message: impl Into<String>) -> Error {
        Error {
            fault: self,
            message: message.into(),
        }
    }
}

impl Error {
    /// A file that could not be read or written.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        let fault = match error.kind() {
            std::io::ErrorKind::NotFound => Fault::Files,
            _ => Fault::Machine,
        };
        fault.because(format!("{}: {error}", path.display()))
    }

    /// A file whose content is not what it should be.
    pub(crate) fn content(path: &Path, what: impl fmt::Display) -> Self {
        Fault::Files.because(format!("{}: {what}; fetch the model again", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
