//! `cargo xtask bench encode`: the 8-bit encoder beside ONNX Runtime, in one run on one machine.
//!
//! Both run at once and are asked for one row in turn, so that what else the machine does meets
//! both. The opponent is installed from PyPI into the target folder; where that cannot be done,
//! our own times are printed alone.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process::{self, say};
use crate::workspace::Workspace;

const WHEELS: [&str; 2] = ["onnx==1.23.2", "onnxruntime==1.31.1"];
const INSTALL_LIMIT: Duration = Duration::from_secs(300);

const SHAPES: [&str; 2] = ["small", "large"];
const THREADS: [usize; 2] = [1, 2];
/// Sequences × tokens. A question has 16 to 40 tokens, its prefix among them.
const INPUTS: [&str; 5] = ["1x16", "1x32", "1x128", "1x512", "8x128"];
/// How often both are asked for a row; the middle answer counts.
const TURNS: usize = 3;

/// Measures and prints.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut ours = Contestant::start(workspace.cargo([
        "run",
        "--release",
        "--quiet",
        "--package=concord-encode",
        "--example=bench",
    ]))?;
    let mut theirs = match onnx_runtime(workspace) {
        Ok(contestant) => Some(contestant),
        Err(error) => {
            say(format!("LEFT OUT: ONNX Runtime ({error:#})"));
            None
        }
    };
    say("milliseconds; roof: the least this machine could take, as a part of ours;");
    say("×: how many times as long ONNX Runtime takes");
    say("shape input threads      ours   roof   ONNX f32      ×   ONNX int8      ×");
    for shape in SHAPES {
        for threads in THREADS {
            for input in INPUTS {
                let row = format!("{shape} {input} {threads}");
                let (mut own, mut roof, mut int8) = (Vec::new(), 0.0, Vec::new());
                let mut f32 = None;
                for _ in 0..TURNS {
                    let [time, least] = ours.ask(&row)?;
                    own.push(time);
                    roof = least;
                    if let Some(theirs) = &mut theirs {
                        let [time] = theirs.ask(&format!("{row} int8"))?;
                        int8.push(time);
                    }
                }
                if let Some(theirs) = &mut theirs {
                    // Once is enough for a figure that nobody runs for.
                    let [time] = theirs.ask(&format!("{row} f32"))?;
                    f32 = Some(time);
                }
                let own = middle(own).context("no time")?;
                let part = 100.0 * roof / own;
                let mut line = format!("{row:<20}{own:>10.2}{part:>5.0} %");
                for time in [f32, middle(int8)].into_iter().flatten() {
                    line += &format!("{time:>11.2}{:>7.2}", time / own);
                }
                say(line);
            }
        }
    }
    Ok(())
}

/// A program that answers a row with numbers, a line each.
struct Contestant {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Contestant {
    fn start(mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} did not start", command.get_program().display()))?;
        let questions = child.stdin.take();
        let answers = child.stdout.take().context("no standard output")?;
        Ok(Self {
            child,
            questions,
            answers: BufReader::new(answers),
        })
    }

    fn ask<const N: usize>(&mut self, row: &str) -> Result<[f64; N]> {
        let questions = self.questions.as_mut().context("no standard input")?;
        writeln!(questions, "{row}").with_context(|| format!("asking for {row}"))?;
        questions.flush()?;
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer)?;
        ensure!(read > 0, "no answer for {row}");
        numbers(&answer).with_context(|| format!("the answer for {row}: {answer:?}"))
    }
}

impl Drop for Contestant {
    fn drop(&mut self) {
        // It ends with its input.
        self.questions = None;
        if let Err(error) = self.child.wait() {
            say(format!("a contestant did not end: {error}"));
        }
    }
}

fn numbers<const N: usize>(line: &str) -> Result<[f64; N]> {
    let numbers: Vec<f64> = line
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    numbers
        .try_into()
        .ok()
        .with_context(|| format!("not {N} numbers"))
}

fn middle(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

fn onnx_runtime(workspace: &Workspace) -> Result<Contestant> {
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
    let mut command = Command::new(&own);
    command.arg(script).arg(folder.join("models"));
    Contestant::start(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_as_many_numbers_as_asked_for() {
        assert_eq!(numbers("2.50 9\n").expect("two"), [2.5, 9.0]);
        assert!(numbers::<1>("2.50 9").is_err());
        assert!(numbers::<1>("").is_err());
        assert!(numbers::<1>("nothing").is_err());
    }

    #[test]
    fn the_middle_answer_counts() {
        assert_eq!(middle(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(middle(Vec::new()), None);
    }
}
