//! The commands that leave the work to the parity runner, `concord-parity` in `tests/`.

use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, say};
use crate::settings::Settings;
use crate::setup::Runtimes;
use crate::wasm;
use crate::workspace::Workspace;

/// Checks that native and every runtime agree, bit for bit, on goldens and generated cases.
pub(crate) fn check(workspace: &Workspace, runtimes: &Runtimes, generated: u64) -> Result<()> {
    process::run(
        with_package(workspace, "check")?
            .args(["--generated", &generated.to_string()])
            .args(runtimes.arguments()),
    )
    .context("native and the runtimes do not agree, or one of them could not be asked")
}

/// `cargo xtask soak`: the same on very many cases.
pub(crate) fn soak(workspace: &Workspace, cases: u64, minutes: u64) -> Result<()> {
    let runtimes = Runtimes::all(workspace)?;
    wasm::build(workspace)?;
    process::run(
        with_package(workspace, "check")?
            .args(["--generated", &cases.to_string()])
            .args(["--minutes", &minutes.to_string()])
            .args(runtimes.arguments()),
    )
}

/// Milliseconds by runtime and row, native among the runtimes; the package is there already.
pub(crate) fn bench(workspace: &Workspace) -> Result<serde_json::Value> {
    let runtimes = Runtimes::measured()?;
    let mut command = with_package(workspace, "bench")?;
    let printed = process::read(command.args(runtimes.arguments()).arg("--json"))?;
    serde_json::from_str(&printed).context("the parity runner printed something else than times")
}

/// `cargo xtask agreement`: the cases, served until Ctrl-C.
pub(crate) fn serve(workspace: &Workspace, port: u16) -> Result<()> {
    wasm::build(workspace)?;
    process::run(with_package(workspace, "serve")?.args(["--port", &port.to_string()]))
}

/// `cargo xtask golden`: writes the goldens anew.
pub(crate) fn mint(workspace: &Workspace) -> Result<()> {
    process::run(&mut runner(workspace, "mint"))?;
    say("A golden changes only with a reason: say it in the commit message.");
    Ok(())
}

fn with_package(workspace: &Workspace, task: &str) -> Result<Command> {
    let mut command = runner(workspace, task);
    command
        .arg("--package")
        .arg(Settings::read(&workspace.root)?.out_dir);
    Ok(command)
}

fn runner(workspace: &Workspace, task: &str) -> Command {
    workspace.cargo([
        "run",
        "--quiet",
        "--release",
        "--package",
        "concord-parity",
        "--",
        task,
    ])
}
