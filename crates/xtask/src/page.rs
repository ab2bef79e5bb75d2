//! The page: checked, built, and used in real browsers against the real server.

use anyhow::{Context, Result};

use crate::browser::Browser;
use crate::node;
use crate::process;
use crate::workspace::Workspace;

/// Types, lints, unit tests, and the files that the binary carries.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    for script in ["check", "lint", "test"] {
        run_script(workspace, script)?;
    }
    bundle(workspace)
}

/// The files that the binary carries.
pub(crate) fn bundle(workspace: &Workspace) -> Result<()> {
    run_script(workspace, "build")
}

fn run_script(workspace: &Workspace, script: &str) -> Result<()> {
    process::run(&mut node::page_script(workspace, script)?)
        .with_context(|| format!("`npm run {script}` in web"))
}

/// Starts the program on the sample vault, and uses its page as people would.
pub(crate) fn try_out(workspace: &Workspace) -> Result<()> {
    // With the whole workspace's features, as the tests were compiled: nothing is built twice.
    process::run(&mut workspace.cargo(["build", "--workspace", "--bin", "concord"]))?;
    let program = format!("debug/concord{}", std::env::consts::EXE_SUFFIX);
    process::run(
        node::page_script(workspace, "e2e")?
            .env("CONCORD_BIN", workspace.target.join(program))
            .env("CONCORD_CHROMIUM", Browser::Chromium.find()?)
            .env("CONCORD_FIREFOX", Browser::Firefox.find()?),
    )
    .context("`npm run e2e` in web; screenshots are in target/screenshots")
}
