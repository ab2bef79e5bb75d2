//! `cargo xtask start`: everything built, the sample vault indexed, the page served.

use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, say};
use crate::workspace::Workspace;
use crate::{page, wasm};

/// Builds, indexes and serves, until Ctrl-C.
pub(crate) fn run(workspace: &Workspace, port: u16) -> Result<()> {
    wasm::build(workspace)?;
    page::bundle(workspace)?;
    say("the program: cargo build --release");
    let concord = workspace.release_program()?;
    let vault = workspace.sample_vault("sample-vault")?;
    process::run(Command::new(&concord).arg("index").arg(&vault))
        .context("the sample vault could not be indexed")?;
    let port = port.to_string();
    process::run(
        Command::new(&concord)
            .args(["serve", "--port", &port])
            .arg(&vault)
            .env_remove("DOMAIN"),
    )
}
