//! `cargo xtask test`: what CI runs, and what a stranger runs first.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::process::{self, say, spent};
use crate::setup::{self, Runtimes};
use crate::workspace::Workspace;
use crate::{node, page, parity, wasm};

/// How many generated cases go through every runtime, besides the goldens.
const GENERATED: u64 = 20_000;

/// Runs every step, up to the first that fails. What is missing on the machine comes to
/// light in the first step, not after minutes of compiling.
pub(crate) fn run(workspace: &Workspace, fast: bool) -> Result<()> {
    let started = Instant::now();
    let mut steps = Steps::of(if fast { 4 } else { 9 });
    let cargo = |arguments: &[&str]| process::run(workspace.cargo([]).args(arguments));

    let runtimes = steps.take("tools", "found or installed", || {
        setup::rust_components(workspace)?;
        if fast {
            Ok(Runtimes::default())
        } else {
            Runtimes::all(workspace)
        }
    })?;
    steps.take("format", "cargo fmt --all --check", || {
        cargo(&["fmt", "--all", "--check"]).context("run `cargo fmt --all`")
    })?;
    // Before anything is compiled that carries the page.
    if !fast {
        steps.take("package", "the wasm package", || wasm::build(workspace))?;
        steps.take("page", "types, lints, unit tests, build", || {
            page::build(workspace)
        })?;
    }
    steps.take("lints", "cargo clippy, warnings denied", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ])
    })?;
    steps.take("tests", "cargo test --workspace", || {
        cargo(&["test", "--workspace"])
    })?;
    if !fast {
        steps.take("types", "the package's TypeScript declarations", || {
            node::check_types(workspace)
        })?;
        steps.take("parity", "native against every runtime", || {
            parity::check(workspace, &runtimes, GENERATED)
        })?;
        steps.take("browsers", "the page, used as people would", || {
            page::try_out(workspace)
        })?;
    }
    let left_out = if fast {
        " (without the wasm package, parity and the page)"
    } else {
        ""
    };
    say(format!(
        "xtask test: all passed in {}{left_out}",
        spent(started.elapsed())
    ));
    Ok(())
}

/// Announces and times each step.
struct Steps {
    taken: usize,
    all: usize,
}

impl Steps {
    fn of(all: usize) -> Self {
        Self { taken: 0, all }
    }

    fn take<T>(&mut self, name: &str, what: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        self.taken += 1;
        let number = format!("[{}/{}]", self.taken, self.all);
        say(format!("{number} {name}: {what}"));
        let started = Instant::now();
        let result = step();
        let time = spent(started.elapsed());
        match &result {
            Ok(_) => say(format!("{number} {name}: passed in {time}")),
            Err(_) => say(format!("{number} {name}: FAILED after {time}")),
        }
        result.with_context(|| format!("step `{name}`"))
    }
}
