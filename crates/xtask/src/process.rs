//! Running other programs, and saying what is being done.
//!
//! No program gets a standard input: a chore that waits for an answer would hang in CI.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

/// Says one line of progress. Standard output stays free for the programs that are run.
#[expect(clippy::print_stderr, reason = "the one place where xtask speaks")]
pub(crate) fn say(line: impl Display) {
    eprintln!("{line}");
}

/// Runs a program whose output the user sees.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| not_started(command, &error))?;
    succeeded(command, status)
}

/// Runs a program and gives back what it writes to standard output, trimmed.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(command, &error))?;
    succeeded(command, output.status)
        .with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())?;
    let text = String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` wrote something other than text", shown(command)))?;
    Ok(text.trim().to_owned())
}

/// Runs a program that may have to reach the network, and ends it when `limit` has passed.
pub(crate) fn run_within(limit: Duration, command: &mut Command) -> Result<()> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .map_err(|error| not_started(command, &error))?;
    loop {
        if let Some(status) = child.try_wait()? {
            return succeeded(command, status);
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!(
                "`{}` was still at it after {}",
                shown(command),
                spent(limit)
            );
        }
        sleep(Duration::from_millis(50));
    }
}

/// The first of these programs that is on the PATH.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| {
            let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
            folders.iter().map(move |folder| folder.join(&file))
        })
        .find(|candidate| candidate.is_file())
}

/// A duration as a person says it.
pub(crate) fn spent(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

/// A folder's name for a person: relative to `root` where it lies in it.
pub(crate) fn relative<'a>(path: &'a Path, root: &Path) -> std::path::Display<'a> {
    path.strip_prefix(root).unwrap_or(path).display()
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        Ok(())
    } else {
        Err(anyhow!("`{}` failed ({status})", shown(command)))
    }
}

fn not_started(command: &Command, error: &io::Error) -> anyhow::Error {
    let program = command.get_program().display();
    match error.kind() {
        io::ErrorKind::NotFound => anyhow!("`{program}` is not installed, or not on the PATH"),
        _ => anyhow!("`{program}` could not be started: {error}"),
    }
}

/// The command as one would type it, the program without its folder.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    std::iter::once(program.file_name().unwrap_or(program.as_os_str()))
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_a_person_says_them() {
        assert_eq!(spent(Duration::from_millis(1_300)), "1.3 s");
        assert_eq!(spent(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = read(&mut Command::new("no-such-program-anywhere")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`no-such-program-anywhere` is not installed")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_hangs_is_ended() {
        let limit = Duration::from_millis(100);
        let started = Instant::now();
        let error = run_within(limit, Command::new("sleep").arg("60")).unwrap_err();
        assert!(error.to_string().contains("`sleep 60` was still at it"));
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
