//! The search by words beside tantivy and bm25s, on 50,000 passages.

use anyhow::{Context, Result};

use super::contestant::Contestant;
use super::row::{Row, median};
use super::{latency, python};
use crate::process::say;
use crate::workspace::Workspace;

const WHEELS: [&str; 4] = [
    "numpy==2.4.6",
    "bm25s==0.3.16",
    "PyStemmer==3.1.0",
    "tantivy==0.27.0",
];
const SCRIPT: &str = "crates/cache/examples/bench_words.py";
const THEIRS: [&str; 2] = ["tantivy", "bm25s"];
/// All questions so often; the first time warms and does not count.
const ROUNDS: usize = 3;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Row>> {
    let made = latency::made(workspace)?;
    let questions = std::fs::read_to_string(made.join("questions.txt"))?;
    let mut command = workspace.cargo([
        "run",
        "--release",
        "--quiet",
        "--package=concord-cache",
        "--example=lexical",
        "--",
    ]);
    command.arg(made.join("vault/.concord/default.db"));
    let mut ours = Contestant::start(command)?;
    let passages = made.join("passages.txt");
    let theirs = python::start(workspace, &WHEELS, SCRIPT, &[&passages]).and_then(|mut theirs| {
        // They have to read everything first.
        let [_] = theirs.ask_for("ready")?;
        Ok(theirs)
    });
    let mut theirs = match theirs {
        Ok(contestant) => Some(contestant),
        Err(error) => {
            say(format!("LEFT OUT: tantivy and bm25s ({error:#})"));
            None
        }
    };
    let mut own = Vec::new();
    let mut others = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for question in questions.lines() {
            let answer = ours.ask(question)?;
            let time = *answer.first().context("no time")?;
            let beside: Option<[f64; 2]> = match &mut theirs {
                Some(theirs) => Some(theirs.ask_for(question)?),
                None => None,
            };
            if round == 0 {
                continue;
            }
            own.push(time);
            for (times, time) in others.iter_mut().zip(beside.into_iter().flatten()) {
                times.push(time);
            }
        }
    }
    let name = "50000 passages, top 30, 1 thread";
    let mut rows: Vec<Row> = THEIRS
        .iter()
        .zip(&others)
        .filter_map(|(peer, times)| Row::in_turns("lexical", name, &own, peer, times))
        .collect();
    if rows.is_empty() {
        let time = median(&own).context("no times")?;
        rows.push(Row::alone("lexical", name, "ms", time));
    }
    Ok(rows)
}
