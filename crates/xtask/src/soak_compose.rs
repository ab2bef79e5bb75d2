//! `cargo xtask soak --what compose`: `concord compose`, killed at random moments and gone on with.
//!
//! A run is started and killed with SIGKILL some times in a row, then let go to its end. What it wrote
//! must be, to the byte, what a run without a kill writes.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use fastrand::Rng;

use crate::bench::compose::{Composing, questions, write_questions};
use crate::process::{self, say, spent};
use crate::workspace::Workspace;

/// How many questions a run answers.
const QUESTIONS: usize = 1_000;

/// A run is killed at most so many times before it may end.
const KILLS_A_RUN: u64 = 5;

/// Runs until so many kills or minutes are over.
pub(crate) fn run(workspace: &Workspace, kills: u64, minutes: u64) -> Result<()> {
    let concord = workspace.release_program()?;
    let vault = workspace.sample_vault("soak-compose")?;
    process::run(
        std::process::Command::new(&concord)
            .arg("index")
            .arg(&vault),
    )?;
    let started = Instant::now();
    let limit = Duration::from_secs(60 * minutes);
    let seed = fastrand::u64(..);
    say(format!("seed {seed}"));
    let mut rng = Rng::with_seed(seed);
    let folder = tempfile::tempdir()?;
    let composing = Composing {
        program: concord,
        input: write_questions(folder.path(), &questions(&vault, QUESTIONS)?)?,
        vault,
        domain: Some("finance".to_owned()),
    };
    let expected = folder.path().join("expected.jsonl");
    let begun = Instant::now();
    composing.run(&expected)?;
    let whole_run = begun.elapsed();
    let expected = fs::read(expected)?;

    let (mut killed, mut too_late, mut runs) = (0, 0, 0);
    let output = folder.path().join("packs.jsonl");
    while killed < kills && started.elapsed() < limit {
        for _ in 0..rng.u64(1..=KILLS_A_RUN) {
            if composing.kill_after(&output, whole_run.mul_f64(rng.f64()))? {
                killed += 1;
            } else {
                too_late += 1;
                break;
            }
        }
        composing.run(&output)?;
        ensure!(
            fs::read(&output)? == expected,
            "run {runs} gives other bytes"
        );
        fs::remove_file(&output)?;
        runs += 1;
    }
    say(format!(
        "{runs} runs killed {killed} times ({too_late} were over before) and gone on with, each with \
         the bytes of a run without a kill; {}",
        spent(started.elapsed())
    ));
    ensure!(killed > 0, "no run was killed");
    Ok(())
}
