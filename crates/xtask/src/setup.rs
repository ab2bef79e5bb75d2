//! What must be on the machine before tests can run, found or installed.
//!
//! A runtime that cannot be had is an error: parity that was checked in fewer places than
//! it is promised for has not been checked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::browser::Browser;
use crate::node;
use crate::process::{self, say};
use crate::workspace::Workspace;

/// The programs that run the package.
#[derive(Default)]
pub(crate) struct Runtimes {
    found: Vec<(&'static str, PathBuf)>,
}

impl Runtimes {
    /// Every runtime that parity is promised for.
    pub(crate) fn all(workspace: &Workspace) -> Result<Self> {
        Self::default()
            .with("--node", node::node()?)?
            .with("--bun", node::bun(workspace)?)?
            .with("--chromium", Browser::Chromium.find()?)?
            .with("--firefox", Browser::Firefox.find()?)
    }

    /// Those whose speed is measured.
    pub(crate) fn measured() -> Result<Self> {
        Self::default()
            .with("--node", node::node()?)?
            .with("--chromium", Browser::Chromium.find()?)
    }

    /// As the parity runner wants to be told.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = OsString> {
        self.found
            .iter()
            .flat_map(|(option, program)| [OsString::from(option), program.into()])
    }

    /// Adds a program, once it has shown that it runs.
    fn with(mut self, option: &'static str, program: PathBuf) -> Result<Self> {
        let version = version(&program)?;
        let name = option.trim_start_matches('-');
        say(format!("{name}: {} ({version})", program.display()));
        self.found.push((option, program));
        Ok(self)
    }
}

/// Fails unless rustfmt and clippy are there.
pub(crate) fn rust_components(workspace: &Workspace) -> Result<()> {
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let version =
            process::read(&mut workspace.cargo([command, "--version"])).with_context(|| {
                format!("{component} is not installed: run `rustup component add {component}`")
            })?;
        say(format!("{component}: {version}"));
    }
    Ok(())
}

fn version(program: &Path) -> Result<String> {
    process::read(Command::new(program).arg("--version"))
        .with_context(|| format!("{} is there, but does not run", program.display()))
}
