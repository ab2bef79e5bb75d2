//! `cargo xtask wasm --check-reproducible`: the same sources, the same bytes.
//!
//! The package is built twice, with nothing kept from before: once here, once from a copy
//! of the sources in another folder and with another cargo home. (That home borrows the
//! downloads of the usual one by a link, so that nothing is fetched a second time.)

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::compile::{self, Site};
use crate::package::{Package, Tools, sha256};
use crate::process::say;
use crate::settings::Settings;
use crate::toolchain::Toolchain;
use crate::wasm;
use crate::workspace::Workspace;

/// Builds twice and compares every file.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let settings = Settings::read(&workspace.root)?;
    let tools = wasm::tools(workspace)?;
    let toolchain = Toolchain::find()?;
    let usual = Site::usual(workspace)?;

    let scratch = workspace.target.join("wasm-reproducible");
    if scratch.exists() {
        fs::remove_dir_all(&scratch)?;
    }
    let here = Site {
        target: scratch.join("here/target"),
        ..usual
    };
    let elsewhere = Site {
        root: scratch.join("elsewhere/in/a/copy"),
        cargo_home: scratch.join("elsewhere/cargo"),
        target: scratch.join("elsewhere/target"),
    };
    copy_sources(&workspace.root, &elsewhere.root, workspace)?;
    borrow_downloads(&here.cargo_home, &elsewhere.cargo_home)?;

    let mut checksums = Vec::new();
    for (name, site) in [("here", here), ("elsewhere", elsewhere)] {
        say(format!("building {name}, from nothing"));
        let package = Package::at(scratch.join(name).join("package"), &settings);
        build(workspace, &toolchain, &settings, &site, &package, &tools)?;
        let module = sha256(&fs::read(package.module())?);
        say(format!("{name}: sha256 {module}"));
        checksums.push(package.checksums()?);
    }
    if checksums[0] != checksums[1] {
        let differing: Vec<&str> = checksums[0]
            .lines()
            .filter(|line| !checksums[1].lines().any(|other| other == *line))
            .filter_map(|line| line.split_once("  "))
            .map(|(_, file)| file)
            .collect();
        bail!(
            "the two packages differ in {}: something of the machine got into the build. \
             Both are kept in {}",
            differing.join(", "),
            scratch.display()
        );
    }
    say("reproducible: both packages are the same, byte for byte");
    fs::remove_dir_all(&scratch)?;
    Ok(())
}

fn build(
    workspace: &Workspace,
    toolchain: &Toolchain,
    settings: &Settings,
    site: &Site,
    package: &Package,
    tools: &Tools,
) -> Result<()> {
    let module = compile::compile(toolchain, settings, site)?;
    let version = workspace.version_of(&settings.crate_name)?;
    package.write(&module, version, settings, tools)
}

/// Copies a checkout without what was built or downloaded into it.
fn copy_sources(from: &Path, to: &Path, workspace: &Workspace) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, copy) = (entry.path(), to.join(entry.file_name()));
        let name = entry.file_name();
        if source == workspace.target || name == ".git" || name == "node_modules" {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_sources(&source, &copy, workspace)?;
        } else if kind.is_file() {
            fs::copy(&source, &copy)
                .with_context(|| format!("{} cannot be copied", source.display()))?;
        }
    }
    Ok(())
}

fn borrow_downloads(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for name in ["registry", "git", "config.toml"] {
        let lent: PathBuf = from.join(name);
        if lent.exists() {
            link(&lent, &to.join(name))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(original, link)?)
}

#[cfg(not(unix))]
fn link(original: &Path, _link: &Path) -> Result<()> {
    bail!(
        "{} would have to be linked: this check runs on Unix",
        original.display()
    )
}
