//! The project's own chores, run as `cargo xtask <command>`.
//!
//! It builds the browser package, fetches what a test needs, and calls the programs that do
//! the work: cargo, wasm-opt, the parity runner. It knows nothing about ranking.

mod apt;
mod bench;
mod browser;
mod compile;
mod model;
mod node;
mod package;
mod page;
mod parity;
mod process;
mod reproducible;
mod settings;
mod setup;
mod soak_compose;
mod soak_kills;
mod soak_order;
mod start;
mod test;
mod toolchain;
mod wasm;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Builds, tests and measures Concord"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Builds the browser package as wasm-pack.toml says
    Wasm {
        /// Builds twice, in two places with nothing kept, and compares every byte
        #[arg(long)]
        check_reproducible: bool,
    },
    /// Runs every test: format, lints, unit tests, the package, parity in every runtime, the page
    Test {
        /// Leaves out the browser package, parity and the page
        #[arg(long)]
        fast: bool,
    },
    /// Mints the goldens anew
    Golden,
    /// Makes the model that the binary carries from the hub's files of bge-small-en-v1.5
    Model {
        /// A folder that has them: config.json, tokenizer.json and model.safetensors
        #[arg(long, value_name = "FOLDER", conflicts_with = "hub")]
        from: Option<std::path::PathBuf>,
        /// What the hub calls it; HF_ENDPOINT names another hub
        #[arg(long, value_name = "NAME", default_value = model::HUB_NAME)]
        hub: String,
    },
    /// Measures: how fast and how small, beside others; a report that fails on no figure
    Bench(bench::Bench),
    /// Serves the parity cases, for a browser that is to be checked by hand
    Agreement {
        /// The port on the loopback interface
        #[arg(long, default_value_t = 8618)]
        port: u16,
    },
    /// Builds everything, indexes the sample vault and serves the page until Ctrl-C
    Start {
        /// The port on the loopback interface
        #[arg(long, default_value_t = 8617)]
        port: u16,
    },
    /// Tries something very many times, for a long time
    Soak {
        /// What
        #[arg(long, value_enum, default_value_t = Soak::Parity)]
        what: Soak,
        /// How many cases to generate, for parity
        #[arg(long, default_value_t = 1_000_000)]
        cases: u64,
        /// How many runs to kill, for kills, compose and order
        #[arg(long, default_value_t = 200)]
        kills: u64,
        /// Stops after so many minutes, done or not
        #[arg(long, default_value_t = 30)]
        minutes: u64,
    },
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Soak {
    /// Generated cases through every runtime
    Parity,
    /// Indexing, killed at random moments and taken up again
    Kills,
    /// Composing, killed at random moments and gone on with
    Compose,
    /// Promoting and renaming in 500 notes, killed at random moments while somebody else writes
    Order,
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            process::say(format!("xtask: error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<()> {
    let workspace = Workspace::find()?;
    match *command {
        Command::Model { ref from, ref hub } => model::make(&workspace, from.as_deref(), hub),
        Command::Wasm {
            check_reproducible: true,
        } => reproducible::check(&workspace),
        Command::Wasm {
            check_reproducible: false,
        } => wasm::build(&workspace),
        Command::Test { fast } => test::run(&workspace, fast),
        Command::Golden => parity::mint(&workspace),
        Command::Bench(ref bench) => bench::run(&workspace, bench),
        Command::Start { port } => start::run(&workspace, port),
        Command::Agreement { port } => parity::serve(&workspace, port),
        Command::Soak {
            what: Soak::Parity,
            cases,
            minutes,
            ..
        } => parity::soak(&workspace, cases, minutes),
        Command::Soak {
            what: Soak::Kills,
            kills,
            minutes,
            ..
        } => soak_kills::run(&workspace, kills, minutes),
        Command::Soak {
            what: Soak::Compose,
            kills,
            minutes,
            ..
        } => soak_compose::run(&workspace, kills, minutes),
        Command::Soak {
            what: Soak::Order,
            kills,
            minutes,
            ..
        } => soak_order::run(&workspace, kills, minutes),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
