//! `cargo xtask bench sync`: a run of `concord index` that finds nothing changed, beside a walk that
//! only asks for every file's size and time. Both are processes of their own, run in turns.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::process::{self, say};
use crate::workspace::Workspace;

const NOTES: usize = 5_000;
const RUNS: usize = 31;

/// Measures and prints. `vault` is a vault that is indexed already; without it, one is made.
pub(crate) fn run(workspace: &Workspace, vault: Option<&Path>) -> Result<()> {
    process::run(&mut workspace.cargo(["build", "--release", "--quiet", "--package=concord"]))?;
    process::run(&mut workspace.cargo([
        "build",
        "--release",
        "--quiet",
        "--package=concord-cache",
        "--example=stat_walk",
    ]))?;
    let release = workspace.target.join("release");
    let concord = release.join(format!("concord{}", std::env::consts::EXE_SUFFIX));
    let stat = release.join(format!(
        "examples/stat_walk{}",
        std::env::consts::EXE_SUFFIX
    ));
    let vault = match vault {
        Some(vault) => vault.to_owned(),
        None => generated(workspace)?,
    };
    let mut index = Command::new(&concord);
    index.arg("index").arg(&vault).stderr(Stdio::null());
    process::read(&mut index).context("the vault cannot be indexed")?;
    let notes = process::read(Command::new(&stat).arg(&vault))?;

    // The fastest: whatever else the machine does can only add.
    let (mut walk, mut sync) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        walk = walk.min(timed(Command::new(&stat).arg(&vault))?.0);
        let (time, said) = timed(&mut index)?;
        ensure!(!said.contains("indexed"), "something did change: {said}");
        sync = sync.min(time);
    }
    say(format!(
        "{notes} notes, fastest of {RUNS} runs: stat walk {:.1} ms, sync with nothing changed {:.1} ms, \
         ratio {:.2} (wanted: at most 2)",
        1e3 * walk.as_secs_f64(),
        1e3 * sync.as_secs_f64(),
        sync.as_secs_f64() / walk.as_secs_f64()
    ));
    Ok(())
}

fn timed(command: &mut Command) -> Result<(Duration, String)> {
    let started = Instant::now();
    let said = process::read(command)?;
    Ok((started.elapsed(), said))
}

/// A vault of short notes in a hundred folders, each with a link to the next. It is made once.
fn generated(workspace: &Workspace) -> Result<PathBuf> {
    let vault = workspace.target.join(format!("bench-sync/vault-{NOTES}"));
    for note in 0..NOTES {
        let folder = vault.join(format!("folder {:02}", note % 100));
        let file = folder.join(format!("note {note:04}.md"));
        if file.is_file() {
            continue;
        }
        fs::create_dir_all(&folder)?;
        let next = (note + 1) % NOTES;
        let text =
            format!("# Note {note}\n\nIt is about the number {note}, see [[note {next:04}]].\n");
        fs::write(&file, text)?;
    }
    Ok(vault)
}
