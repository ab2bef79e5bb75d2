//! `concord`: vaults and the core on the command line.
//!
//! Files in, answers out. Every command decodes, asks the crate that knows, and prints; no score,
//! order or verdict is made here. Standard output holds the answer and nothing else, so that it can be
//! piped; whatever else there is to say goes to standard error. What became of a command is its
//! exit code: see [`EXIT_CODES`].

mod collection;
mod compose;
mod doctor;
mod eval;
mod explain;
mod failure;
mod http;
mod index;
mod init;
mod input;
mod llm;
mod node;
mod opened;
mod order;
mod output;
mod profile;
mod profiles;
mod promote;
mod rank;
mod refusal;
mod rename;
mod replay;
mod rx;
mod schema;
mod search;
mod serve;
mod status;
mod tag;
mod threads;
mod traverse;
mod vault;
mod verify;
mod watch;

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Shown below `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the answer is no: a replay came out differently, an index is unsound, a citation is
     stale, no profile is proposed, a note that was to be changed has been changed by
     somebody else
  2  the input or the command line is at fault
  3  this machine is: a file is there but cannot be read, or cannot be written

The answer goes to standard output, everything else to standard error.
Colours are off where output is no terminal, and wherever NO_COLOR is set.";

/// Ask a vault of notes, see why, and check every quotation.
#[derive(Parser)]
#[command(
    name = "concord",
    version = version(),
    after_help = EXIT_CODES,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Search(search::Args),
    Traverse(traverse::Args),
    Node(node::Args),
    Compose(Box<compose::command::Args>),
    Rx(rx::command::Args),
    Citations(rx::command::CitationArgs),
    DeepRetrieve(rx::retrieve::Args),
    Serve(serve::Args),
    Init(init::Args),
    Index(index::Args),
    Watch(watch::Args),
    Status(status::Args),
    Doctor(doctor::Args),
    Tag(tag::Args),
    Promote(promote::Args),
    Rename(rename::Args),
    Eval(eval::Args),
    Rank(rank::Args),
    Replay(replay::Args),
    Verify(verify::Args),
    Profile(profile::Args),
    Schema(schema::Args),
}

/// What became of a command that could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It was.
    Done,
    /// It was, and the answer is no.
    No,
    /// It was, but for a part of the input that could not be read and was reported.
    PartlyRefused,
}

fn main() -> ExitCode {
    // A mistake on the command line ends here with 2, `--help` and `--version` with 0.
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Search(args) => search::run(args),
        Command::Traverse(args) => traverse::run(args),
        Command::Node(args) => node::run(args),
        Command::Compose(args) => compose::command::run(args),
        Command::Rx(args) => rx::command::run(args),
        Command::Citations(args) => rx::command::run_citations(args),
        Command::DeepRetrieve(args) => rx::retrieve::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Init(args) => init::run(args),
        Command::Index(args) => index::run(args),
        Command::Watch(args) => watch::run(args),
        Command::Status(args) => status::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Tag(args) => tag::run(args),
        Command::Promote(args) => promote::run(args),
        Command::Rename(args) => rename::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Rank(args) => rank::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Profile(args) => profile::run(args),
        Command::Schema(args) => schema::run(args),
    };
    match result {
        Ok(Outcome::Done) | Err(Failure::ReaderLeft) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::PartlyRefused) => ExitCode::from(2),
        Err(Failure::Conflict(message)) => {
            output::complain(&message);
            ExitCode::from(1)
        }
        Err(Failure::Input(message)) => {
            output::complain(&message);
            ExitCode::from(2)
        }
        Err(Failure::Machine(message) | Failure::Busy(message)) => {
            output::complain(&message);
            ExitCode::from(3)
        }
    }
}

/// The product's version and the core's: the second is part of every digest.
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let (product, core) = (env!("CARGO_PKG_VERSION"), concord_core::VERSION);
        format!("{product} (core {core})")
    });
    &VERSION
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
