//! The project's own chores, run as `cargo xtask <command>`.
//!
//! It builds the browser package, fetches what a test needs, and calls the programs that do
//! the work: cargo, wasm-opt, the parity runner. It knows nothing about ranking.

mod apt;
mod bench_encode;
mod bench_sync;
mod browser;
mod compile;
mod model;
mod node;
mod package;
mod parity;
mod process;
mod reproducible;
mod settings;
mod setup;
mod soak_kills;
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
    /// Runs every test: format, lints, unit tests, the package, parity in every runtime
    Test {
        /// Leaves out the browser package and parity
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
    /// Measures
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
    /// Builds the browser package and serves it until Ctrl-C
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
        /// How many runs to kill, for kills
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
}

#[derive(Subcommand)]
enum Bench {
    /// The core: native beside Node and Chromium
    Core,
    /// The encoder in 8 bits beside ONNX Runtime
    Encode,
    /// A sync that finds nothing changed beside a walk that only stats
    Sync {
        /// A vault to use instead of a generated one; its index is brought in step
        #[arg(long, value_name = "FOLDER")]
        vault: Option<std::path::PathBuf>,
    },
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
        Command::Bench { what: Bench::Core } => parity::bench(&workspace),
        Command::Bench {
            what: Bench::Encode,
        } => bench_encode::run(&workspace),
        Command::Bench {
            what: Bench::Sync { ref vault },
        } => bench_sync::run(&workspace, vault.as_deref()),
        Command::Start { port } => parity::serve(&workspace, port),
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
