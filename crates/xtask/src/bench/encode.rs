//! The 8-bit encoder beside ONNX Runtime, and beside the least time that this machine could take.

use std::fs;

use anyhow::{Context, Result};

use super::contestant::Contestant;
use super::python;
use super::row::{Row, median};
use crate::process::say;
use crate::workspace::Workspace;

const WHEELS: [&str; 2] = ["onnx==1.23.2", "onnxruntime==1.31.1"];
const SCRIPT: &str = "crates/encode/examples/bench_onnx.py";

const SHAPES: [&str; 2] = ["small", "large"];
const THREADS: [usize; 2] = [1, 2];
/// Sequences × tokens. A question has 16 to 40 tokens, its prefix among them.
const INPUTS: [&str; 5] = ["1x16", "1x32", "1x128", "1x512", "8x128"];
/// How often both are asked for a row; the median counts, of times and of ratios.
const TURNS: usize = 3;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Row>> {
    let mut ours = Contestant::start(workspace.cargo([
        "run",
        "--release",
        "--quiet",
        "--package=concord-encode",
        "--example=bench",
    ]))?;
    let models = workspace.target.join("bench/onnx");
    fs::create_dir_all(&models)?;
    let mut theirs = match python::start(workspace, &WHEELS, SCRIPT, &[&models]) {
        Ok(contestant) => Some(contestant),
        Err(error) => {
            say(format!("LEFT OUT: ONNX Runtime ({error:#})"));
            None
        }
    };
    let mut rows = Vec::new();
    for shape in SHAPES {
        for threads in THREADS {
            for input in INPUTS {
                let row = format!("{shape} {input} {threads}");
                let (mut own, mut int8, mut roof) = (Vec::new(), Vec::new(), 0.0);
                for _ in 0..TURNS {
                    let [time, least] = ours.ask_for(&row)?;
                    own.push(time);
                    roof = least;
                    if let Some(theirs) = &mut theirs {
                        let [time] = theirs.ask_for(&format!("{row} int8"))?;
                        int8.push(time);
                    }
                }
                let name = format!(
                    "bge-{shape} {input}, {threads} {}",
                    if threads == 1 { "thread" } else { "threads" }
                );
                let beside = Row::in_turns("encode", &name, &own, "ONNX Runtime int8", &int8);
                rows.extend(beside.map(|row| row.at_most(1.0)));
                let alone = Row::alone("encode", &name, "ms", median(&own).context("no time")?);
                if let Some(theirs) = &mut theirs {
                    // Once is enough for a figure that nobody runs for.
                    let [time] = theirs.ask_for(&format!("{row} f32"))?;
                    let row = alone.clone().beside("ONNX Runtime f32", time);
                    rows.push(row.at_most(1.0));
                }
                rows.push(alone.beside("the machine's roof", roof));
            }
        }
    }
    Ok(rows)
}
