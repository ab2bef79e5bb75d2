//! A run of `concord index` that finds nothing changed, beside a walk that only asks for every file's
//! size and time. Both are processes of their own, run in turns.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::row::Row;
use crate::process;
use crate::workspace::Workspace;

const NOTES: usize = 5_000;
const RUNS: usize = 31;
/// The time of a file that was written more recently is not believed, and the file is read again.
const SETTLED: Duration = Duration::from_millis(2_500);

/// With a vault, on a copy of it; without, on one that is made.
pub(crate) fn run(workspace: &Workspace, vault: Option<&Path>) -> Result<Vec<Row>> {
    let concord = workspace.release_program()?;
    process::run(&mut workspace.cargo([
        "build",
        "--release",
        "--quiet",
        "--package=concord-cache",
        "--example=stat_walk",
    ]))?;
    let stat = workspace.release_example("stat_walk");
    let mut rows = vec![compare(
        &concord,
        &stat,
        &generated(workspace)?,
        "generated",
    )?];
    if let Some(vault) = vault {
        let copy = workspace.copy_of(vault)?;
        let name = vault.file_name().unwrap_or_default().to_string_lossy();
        rows.push(compare(&concord, &stat, &copy, &name)?);
    }
    Ok(rows)
}

fn compare(concord: &Path, stat: &Path, vault: &Path, name: &str) -> Result<Row> {
    let mut index = Command::new(concord);
    index.arg("index").arg(vault).stderr(Stdio::null());
    process::read(&mut index).context("the vault cannot be indexed")?;
    // What was just copied is looked into once more before nothing has changed.
    thread::sleep(SETTLED);
    process::read(&mut index)?;
    let notes = process::read(Command::new(stat).arg(vault))?;

    // The fastest: whatever else the machine does can only add.
    let (mut walk, mut sync) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        walk = walk.min(timed(Command::new(stat).arg(vault))?.0);
        let (time, said) = timed(&mut index)?;
        ensure!(!said.contains("indexed"), "something did change: {said}");
        sync = sync.min(time);
    }
    let [walk, sync] = [walk, sync].map(|time| 1e3 * time.as_secs_f64());
    let row = Row::alone("sync", format!("nothing changed, {name}"), "ms", sync);
    Ok(row
        .beside("stat walk", walk)
        .at_most(2.0)
        .noting(format!("{notes} notes, fastest of {RUNS} runs")))
}

fn timed(command: &mut Command) -> Result<(Duration, String)> {
    let started = Instant::now();
    let said = process::read(command)?;
    Ok((started.elapsed(), said))
}

/// A vault of short notes in a hundred folders, each with a link to the next. It is made once.
fn generated(workspace: &Workspace) -> Result<PathBuf> {
    let vault = workspace.target.join(format!("bench/sync-{NOTES}"));
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
