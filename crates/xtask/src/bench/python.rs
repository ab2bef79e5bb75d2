//! Peers that are installed from PyPI, into a folder of their own below the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::contestant::Contestant;
use crate::process;
use crate::workspace::Workspace;

const INSTALL_LIMIT: Duration = Duration::from_secs(300);

/// A script beside the code that it is compared with, started with these arguments in an
/// environment that has the packages; they are pinned, so that a figure says what it was taken with.
pub(crate) fn start(
    workspace: &Workspace,
    packages: &[&str],
    script: &str,
    arguments: &[&Path],
) -> Result<Contestant> {
    let python = with(workspace, packages)?;
    let mut command = Command::new(python);
    // A script of ours leaves no compiled copy in the checkout.
    command.arg("-B").arg(workspace.root.join(script));
    Contestant::start({
        command.args(arguments);
        command
    })
}

/// The interpreter of the environment, once it has the packages.
fn with(workspace: &Workspace, packages: &[&str]) -> Result<PathBuf> {
    let environment = workspace.target.join("bench/python");
    let python = process::on_path(&["python3", "python"]).context("no Python on the PATH")?;
    let bin = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let own = bin.join(format!("python{}", std::env::consts::EXE_SUFFIX));
    if !own.is_file() {
        process::run(Command::new(python).args(["-m", "venv"]).arg(&environment))?;
    }
    process::run_within(
        INSTALL_LIMIT,
        Command::new(&own)
            .args(["-m", "pip", "install", "--quiet"])
            .args(["--disable-pip-version-check"])
            .args(packages),
    )?;
    Ok(own)
}
