//! `cargo xtask bench encode`: the 8-bit encoder beside ONNX Runtime, in one run on one machine.
//!
//! The opponent is installed from PyPI into the target folder; where that cannot be done, our own
//! times are printed alone.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process::{self, say};
use crate::workspace::Workspace;

const WHEELS: [&str; 2] = ["onnx==1.23.2", "onnxruntime==1.31.1"];
const INSTALL_LIMIT: Duration = Duration::from_secs(300);
const ENGINES: [&str; 2] = ["f32", "int8"];

/// Milliseconds by shape, input and threads, in the order in which they were printed.
type Times = Vec<(String, f64)>;

/// Measures and prints.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let ours = process::read(&mut workspace.cargo([
        "run",
        "--release",
        "--quiet",
        "--package=concord-encode",
        "--example=bench",
    ]))?;
    let ours = times(&ours)?;
    let theirs = match onnx_runtime(workspace) {
        Ok(printed) => times(&printed)?.into_iter().collect(),
        Err(error) => {
            say(format!("LEFT OUT: ONNX Runtime ({error:#})"));
            BTreeMap::new()
        }
    };
    say("milliseconds; ×: how many times as long ONNX Runtime takes");
    say("shape input threads      ours   ONNX f32      ×   ONNX int8      ×");
    for (row, own) in ours {
        let mut line = format!("{row:<20}{own:>10.2}");
        for engine in ENGINES {
            if let Some(time) = theirs.get(&format!("{row} {engine}")) {
                line += &format!("{time:>11.2}{:>7.2}", time / own);
            }
        }
        say(line);
    }
    Ok(())
}

/// Lines of words that end in a number.
fn times(printed: &str) -> Result<Times> {
    printed
        .lines()
        .map(|line| {
            let (row, time) = line.rsplit_once(' ').context("a line without a time")?;
            Ok((row.to_owned(), time.parse().context("a time")?))
        })
        .collect()
}

fn onnx_runtime(workspace: &Workspace) -> Result<String> {
    let folder = workspace.target.join("bench-onnx");
    let environment = folder.join("python");
    let python = process::on_path(&["python3", "python"]).context("no Python on the PATH")?;
    let bin = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let own = bin.join(format!("python{}", std::env::consts::EXE_SUFFIX));
    if !own.is_file() {
        process::run(Command::new(python).args(["-m", "venv"]).arg(&environment))?;
    }
    process::run_within(
        INSTALL_LIMIT,
        Command::new(&own)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(WHEELS),
    )?;
    let script = workspace.root.join("crates/encode/examples/bench_onnx.py");
    process::read(Command::new(&own).arg(script).arg(folder.join("models")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_row_is_everything_before_the_time() {
        let times = super::times("small 1x16 1 int8 2.50\nlarge 8x128 2 9").expect("two rows");
        assert_eq!(times[0], ("small 1x16 1 int8".to_owned(), 2.5));
        assert_eq!(times[1].1, 9.0);
        assert!(super::times("nothing").is_err());
    }
}
