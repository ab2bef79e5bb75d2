//! Where the checkout is, and where cargo puts what it builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process;

/// Where a vault has its index.
const INDEXES: &str = ".concord";

/// A checkout of this repository.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// The folder of the root Cargo.toml.
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    /// Cargo's target folder, which need not lie in the checkout.
    #[serde(rename = "target_directory")]
    pub(crate) target: PathBuf,
    packages: Vec<Member>,
}

#[derive(Debug, Deserialize)]
struct Member {
    name: String,
    version: String,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn find() -> Result<Self> {
        let metadata = process::read(Command::new(cargo_program()).args([
            "metadata",
            "--no-deps",
            "--format-version=1",
        ]))
        .context("cargo cannot read this workspace")?;
        serde_json::from_str(&metadata).context("cargo describes this workspace in an unknown form")
    }

    /// The version of one of our crates.
    pub(crate) fn version_of(&self, name: &str) -> Result<&str> {
        self.packages
            .iter()
            .find(|package| package.name == name)
            .map(|package| package.version.as_str())
            .with_context(|| {
                format!("no crate of this workspace is called `{name}` (wasm-pack.toml names it)")
            })
    }

    /// A copy of the sample vault in the target folder, so that an index does not land in the
    /// checkout. What was indexed there before is kept.
    pub(crate) fn sample_vault(&self, name: &str) -> Result<PathBuf> {
        let copy = self.target.join(name);
        copy_folder(&self.root.join("native/sample-vault"), &copy)
            .with_context(|| format!("cannot copy the sample vault to {}", copy.display()))?;
        Ok(copy)
    }

    /// The `concord` program as it is released, built if need be.
    pub(crate) fn release_program(&self) -> Result<PathBuf> {
        process::run(&mut self.cargo(["build", "--release", "--quiet", "--package=concord"]))?;
        let name = format!("concord{}", std::env::consts::EXE_SUFFIX);
        Ok(self.target.join("release").join(name))
    }

    /// An example as it was built for release; whoever wants it builds it first.
    pub(crate) fn release_example(&self, name: &str) -> PathBuf {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.target.join("release/examples").join(file)
    }

    /// A copy of a vault in the target folder, brought in step with it, so that the vault itself is
    /// neither indexed nor changed. The first copy takes along what is indexed in the vault, while
    /// nobody may be writing there; from then on it has an index of its own.
    pub(crate) fn copy_of(&self, vault: &Path) -> Result<PathBuf> {
        let name = vault
            .canonicalize()
            .ok()
            .and_then(|it| Some(it.file_name()?.to_owned()));
        let name = name.with_context(|| format!("{} is not a folder", vault.display()))?;
        let copy = self.target.join("bench/vaults").join(name);
        let indexes = [vault.join(INDEXES), copy.join(INDEXES)];
        let copied = match &indexes {
            [from, to] if from.is_dir() && !to.exists() => copy_folder(from, to),
            _ => Ok(()),
        };
        copied
            .and_then(|()| copy_folder(vault, &copy))
            .with_context(|| format!("cannot copy {} to {}", vault.display(), copy.display()))?;
        Ok(copy)
    }

    /// A cargo command, to be run in the root.
    pub(crate) fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(cargo_program());
        command.current_dir(&self.root).args(arguments);
        command
    }
}

/// Copies what is not there yet or differs, so that what did not change keeps its time.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            if entry.file_name() != INDEXES {
                copy_folder(&source, &target)?;
            }
        } else if fs::read(&target).ok() != Some(fs::read(&source)?) {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// The cargo that runs us, so that a `cargo +toolchain xtask` stays with that toolchain.
pub(crate) fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vaults_index_is_taken_along_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let vault = folder.path().join("notes");
        fs::create_dir_all(vault.join(INDEXES)).expect("made");
        let put = |text: &str| {
            fs::write(vault.join("a.md"), text).expect("written");
            fs::write(vault.join(INDEXES).join("default.db"), text).expect("written");
        };
        let workspace = Workspace {
            root: folder.path().to_owned(),
            target: folder.path().join("target"),
            packages: Vec::new(),
        };
        let copied = || {
            let copy = workspace.copy_of(&vault).expect("copied");
            let read = |file: PathBuf| fs::read_to_string(file).expect("read");
            let index = read(copy.join(INDEXES).join("default.db"));
            (read(copy.join("a.md")), index)
        };
        put("then");
        assert_eq!(copied(), ("then".into(), "then".into()));
        put("now");
        assert_eq!(copied(), ("now".into(), "then".into()));
    }
}
