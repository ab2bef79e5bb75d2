//! Node, npm, and the programs that come as npm packages.
//!
//! Versions are pinned in `web/package.json` (the optimiser, and the page's own) and `tests/package.json` (Bun and the
//! TypeScript compiler).
//! No package's install script is run: none of them needs one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, relative, say};
use crate::workspace::Workspace;

const NEED_NODE: &str =
    "Node 20 or later, with npm, must be installed: https://nodejs.org, or your system's packages";

/// The Node program.
pub(crate) fn node() -> Result<PathBuf> {
    process::on_path(&["node", "nodejs"]).context(NEED_NODE)
}

/// wasm-opt as a Node script, installed if need be.
pub(crate) fn wasm_opt(workspace: &Workspace) -> Result<PathBuf> {
    let web = workspace.root.join("web");
    install(workspace, &web)?;
    let script = web.join("node_modules/binaryen/bin/wasm-opt");
    if !script.is_file() {
        bail!("the npm package `binaryen` has no bin/wasm-opt: web/package.json is not right");
    }
    Ok(script)
}

/// The Bun program, installed if need be.
pub(crate) fn bun(workspace: &Workspace) -> Result<PathBuf> {
    let tests = workspace.root.join("tests");
    install(workspace, &tests)?;
    // `bun` itself holds a stub, and the program is in the package of the platform, of which npm
    // may have installed more than one (libc). Where somebody ran `npm ci` with install scripts,
    // one of those has moved the program over the stub.
    let modules = tests.join("node_modules");
    let program = format!("bin/bun{}", std::env::consts::EXE_SUFFIX);
    let platforms = fs::read_dir(modules.join("@oven"));
    let mut candidates: Vec<PathBuf> = platforms
        .context("npm installed no Bun for this platform: tests/package.json is not right")?
        .flatten()
        .map(|package| package.path().join(&program))
        .collect();
    candidates.sort();
    candidates.push(modules.join("bun/bin/bun.exe"));
    candidates
        .into_iter()
        .find(|bun| process::read(Command::new(bun).arg("--version")).is_ok())
        .context("npm installed a Bun, but it does not run on this machine")
}

/// Compiles a program that uses every declaration of the package.
pub(crate) fn check_types(workspace: &Workspace) -> Result<()> {
    let tests = workspace.root.join("tests");
    install(workspace, &tests)?;
    let compiler = tests.join("node_modules/typescript/bin/tsc");
    process::run(
        Command::new(node()?)
            .arg(compiler)
            .arg("--project")
            .arg(tests),
    )
    .context("the package's TypeScript declarations are not what its users need")
}

/// Runs a script of `web/package.json`.
pub(crate) fn page_script(workspace: &Workspace, script: &str) -> Result<Command> {
    let web = workspace.root.join("web");
    install(workspace, &web)?;
    let mut command = Command::new(npm()?);
    command.current_dir(web).args(["run", "--silent", script]);
    Ok(command)
}

/// How many bytes each of these files takes when gzipped as hard as may be.
pub(crate) fn gzip_sizes(node: &Path, files: &[PathBuf]) -> Result<Vec<u64>> {
    const SCRIPT: &str = "const { gzipSync } = require('node:zlib');
        const { readFileSync } = require('node:fs');
        for (const file of process.argv.slice(1))
            console.log(gzipSync(readFileSync(file), { level: 9 }).length);";
    process::read(
        Command::new(node)
            .args(["--eval", SCRIPT, "--"])
            .args(files),
    )?
    .lines()
    .map(|line| line.parse().context("node measured no size"))
    .collect()
}

/// Installs exactly what the lock file says, unless that was done since it last changed.
fn install(workspace: &Workspace, folder: &Path) -> Result<()> {
    let changed = |file: &str| fs::metadata(folder.join(file))?.modified();
    let locked = changed("package-lock.json").with_context(|| {
        let folder = relative(folder, &workspace.root);
        format!("{folder}/package-lock.json is missing from this checkout")
    })?;
    // npm writes this file last.
    let installed = changed("node_modules/.package-lock.json");
    if installed.is_ok_and(|installed| installed >= locked) {
        return Ok(());
    }
    say(format!(
        "npm packages of {}: not installed as locked; npm ci",
        relative(folder, &workspace.root)
    ));
    process::run(Command::new(npm()?).current_dir(folder).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]))
    .context("npm could not install what the lock file says (is the registry in reach?)")
}

fn npm() -> Result<PathBuf> {
    process::on_path(if cfg!(windows) {
        &["npm.cmd"]
    } else {
        &["npm"]
    })
    .context(NEED_NODE)
}
