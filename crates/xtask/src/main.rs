//! The project's own chores, run as `cargo xtask <command>`.
//!
//! It builds the browser package, fetches what a test needs, and calls the programs that do
//! the work: cargo, wasm-opt, the parity runner. It knows nothing about ranking.

mod apt;
mod bench_encode;
mod bench_quality;
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
        /// The folder with config.json, tokenizer.json and model.safetensors
        #[arg(long, value_name = "FOLDER")]
        from: std::path::PathBuf,
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
    /// Runs parity on many generated cases, for a long time
    Soak {
        /// How many cases to generate
        #[arg(long, default_value_t = 1_000_000)]
        cases: u64,
        /// Stops after so many minutes, done or not
        #[arg(long, default_value_t = 30)]
        minutes: u64,
    },
}

#[derive(Subcommand)]
enum Bench {
    /// The core: native beside Node and Chromium
    Core,
    /// The encoder in 8 bits beside ONNX Runtime
    Encode,
    /// The encoder in 8 bits beside itself in f32: nDCG@10 on collections in BEIR's form
    Quality {
        /// The model's folder
        #[arg(long, value_name = "FOLDER")]
        model: std::path::PathBuf,
        /// Folders with corpus.jsonl, queries.jsonl and qrels.tsv
        #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
        beir: Vec<std::path::PathBuf>,
        /// Asks at most so many queries of a collection; 0: all
        #[arg(long, default_value_t = 0)]
        queries: usize,
        /// Searches at most so many documents, all judged ones among them; 0: all
        #[arg(long, default_value_t = 0)]
        documents: usize,
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
        Command::Model { ref from } => model::make(&workspace, from),
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
            what:
                Bench::Quality {
                    ref model,
                    ref beir,
                    queries,
                    documents,
                },
        } => bench_quality::run(&workspace, model, beir, queries, documents),
        Command::Start { port } => parity::serve(&workspace, port),
        Command::Soak { cases, minutes } => parity::soak(&workspace, cases, minutes),
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
