//! Why a command could not be carried out, by whose fault it is; `main` makes the exit code of it.

use std::fmt::{self, Display};
use std::io;

/// Why a command could not be carried out.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the command line is at fault.
    Input(String),
    /// This machine is.
    Machine(String),
    /// Another process writes to the same index.
    Busy(String),
    /// Somebody else changed what was to be changed; nothing was overwritten.
    Conflict(String),
    /// Whoever read standard output has seen enough (`concord … | head -1`): nobody's fault.
    ReaderLeft,
}

impl Failure {
    /// Input that core refused. `source` is the file or the option that it came from.
    pub(crate) fn refused(source: impl Display, error: &concord_core::Error) -> Self {
        Self::Input(format!("{source}: {error}"))
    }

    /// A file that cannot be read or written. A path that leads nowhere is the command line's
    /// fault and not the machine's.
    pub(crate) fn file(source: impl Display, error: &io::Error) -> Self {
        use io::ErrorKind::{InvalidFilename, IsADirectory, NotADirectory, NotFound};
        let reason = reason(error);
        let message = format!("{source}: {reason}");
        match error.kind() {
            NotFound | IsADirectory | NotADirectory | InvalidFilename => Self::Input(message),
            _ => Self::Machine(message),
        }
    }

    /// Standard output that cannot be written.
    pub(crate) fn standard_output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ReaderLeft
        } else {
            Self::Machine(format!("standard output: {}", reason(error)))
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message)
            | Self::Machine(message)
            | Self::Busy(message)
            | Self::Conflict(message) => f.write_str(message),
            Self::ReaderLeft => f.write_str("nobody reads standard output any more"),
        }
    }
}

/// The system's words without its number, which helps nobody.
fn reason(error: &io::Error) -> String {
    let words = error.to_string();
    match words.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => words,
    }
}
