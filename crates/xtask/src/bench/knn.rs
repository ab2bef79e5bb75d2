//! The vector index beside FAISS and usearch, sqlite-vec's own scan, a plain scan, and the time that
//! it takes to read the vectors once; and what part of the nearest is found.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::contestant::Contestant;
use super::python;
use super::row::{Row, median};
use crate::process::{self, say};
use crate::workspace::Workspace;

const WHEELS: [&str; 3] = ["numpy==2.4.6", "faiss-cpu==1.15.1", "usearch==2.26.6"];
const SCRIPT: &str = "crates/cache/examples/bench_flat.py";

const SHAPES: [&str; 2] = ["50000x1024", "100000x384"];
const QUERIES: usize = 41;

/// What the example times for a query, in this order; the nearest chunks follow.
const OURS: [&str; 5] = [
    "ours",
    "ours, all threads",
    "sqlite-vec's scan",
    "flat f32 scan",
    "reading the matrix once",
];
/// What the script times, likewise.
const THEIRS: [&str; 2] = ["FAISS flat", "usearch exact"];

/// The index has to beat these by so much.
const WANTED: [(&str, f64); 5] = [
    ("sqlite-vec's scan", 0.25),
    ("reading the matrix once", 1.0),
    ("flat f32 scan", 1.0),
    ("FAISS flat", 1.0),
    ("usearch exact", 1.0),
];

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Row>> {
    let folder = workspace.target.join("bench/knn");
    fs::create_dir_all(&folder)?;
    let mut command = example(workspace);
    command.arg("times").arg(&folder);
    let mut ours = Contestant::start(command)?;
    let mut theirs = match python::start(workspace, &WHEELS, SCRIPT, &[&folder]) {
        Ok(contestant) => Some(contestant),
        Err(error) => {
            say(format!("LEFT OUT: FAISS and usearch ({error:#})"));
            None
        }
    };
    let mut rows = Vec::new();
    for shape in SHAPES {
        let [building] = ours.ask_for(&format!("open {shape}"))?;
        if let Some(theirs) = &mut theirs {
            let [_] = theirs.ask_for(&format!("open {shape}"))?;
        }
        let mut times: Vec<(&str, Vec<f64>)> = Vec::new();
        let (mut found, mut wanted) = (0, 0);
        for query in 0..QUERIES {
            let own = ours.ask(&format!("query {query}"))?;
            let near = taken(&OURS, &own, &mut times)?;
            if let Some(theirs) = &mut theirs {
                let answer = theirs.ask(&format!("query {query}"))?;
                let exact = taken(&THEIRS, &answer, &mut times)?;
                wanted += exact.len();
                found += exact.intersection(&near).count();
            }
        }
        rows.extend(compared(shape, &times)?);
        rows.push(Row::alone(
            "knn",
            format!("{shape}, building the index"),
            "ms",
            building,
        ));
        if wanted > 0 {
            let part = found as f64 / wanted as f64;
            let name = format!("{shape}, of FAISS's nearest 30 found");
            rows.push(Row::alone("knn", name, "", part).at_least(1.0));
        }
    }
    // The matrices are of no use to anyone else.
    drop((ours, theirs));
    fs::remove_dir_all(&folder)?;
    Ok(rows)
}

/// Recall and times on the vectors of a real cache.
pub(crate) fn on_cache(workspace: &Workspace, cache: &Path) -> Result<Vec<Row>> {
    let printed = process::read(example(workspace).arg("recall").arg(cache))?;
    let mut rows = Vec::new();
    for line in printed.lines() {
        let measured = line.rsplit_once(' ').context("not a measurement")?;
        let (name, figure) = (measured.0.replace('-', " "), measured.1.parse()?);
        let row = Row::alone("knn", format!("real vectors: {name}"), "ms", figure);
        rows.push(match measured.0 {
            "recall" => Row {
                unit: String::new(),
                ..row.at_least(1.0)
            },
            "vectors" | "alone-searches" | "while-writing-searches" => Row {
                unit: String::new(),
                ..row
            },
            _ => row,
        });
    }
    Ok(rows)
}

fn example(workspace: &Workspace) -> std::process::Command {
    workspace.cargo([
        "run",
        "--release",
        "--quiet",
        "--package=concord-cache",
        "--example=knn",
        "--",
    ])
}

/// Adds an answer's times to those of their names; the numbers after them are chunks.
fn taken<'a>(
    names: &[&'a str],
    answer: &[f64],
    times: &mut Vec<(&'a str, Vec<f64>)>,
) -> Result<BTreeSet<u64>> {
    let (own, chunks) = answer
        .split_at_checked(names.len())
        .context("too few numbers")?;
    for (&name, &time) in names.iter().zip(own) {
        match times.iter_mut().find(|(known, _)| *known == name) {
            Some((_, times)) => times.push(time),
            None => times.push((name, vec![time])),
        }
    }
    Ok(chunks.iter().map(|&chunk| chunk as u64).collect())
}

/// Our index on one thread beside everyone else.
fn compared(shape: &str, times: &[(&str, Vec<f64>)]) -> Result<Vec<Row>> {
    let of = |name: &str| times.iter().find(|(known, _)| *known == name);
    let (_, ours) = of("ours").context("no times of ours")?;
    let name = format!("{shape}, top 30, 1 thread");
    let mut rows = Vec::new();
    for (peer, most) in WANTED {
        if let Some((_, theirs)) = of(peer) {
            let row = Row::in_turns("knn", &name, ours, peer, theirs);
            rows.extend(row.map(|row| row.at_most(most)));
        }
    }
    if let Some((name, all)) = of("ours, all threads") {
        let time = median(all).context("no times of ours")?;
        rows.push(Row::alone(
            "knn",
            format!("{shape}, top 30, {name}"),
            "ms",
            time,
        ));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_is_compared_with_ours_on_one_thread() {
        let mut times = Vec::new();
        for round in [1.0, 2.0, 3.0] {
            let answer = [round, 0.5, 8.0 * round, 3.0, 4.0, 7.0, 9.0];
            let near = taken(&OURS, &answer, &mut times).expect("an answer");
            assert_eq!(near, BTreeSet::from([7, 9]));
        }
        let rows = compared("2x4", &times).expect("rows");
        let row = rows.iter().find(|row| row.key().2 == "sqlite-vec's scan");
        let peer = row.and_then(|row| row.peer.as_ref()).expect("a peer");
        assert_eq!((peer.figure, peer.ratio), (16.0, 0.125));
        assert!(rows.iter().all(|row| row.key().2 != "FAISS flat"));
        assert!(compared("2x4", &[]).is_err());
        assert!(taken(&OURS, &[1.0], &mut times).is_err());
    }
}
