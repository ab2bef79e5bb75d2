//! Every step of a question to 50,000 passages in bge-large's shape, beside what the system's first
//! description allows for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::row::Row;
use super::search::figures;
use super::service::Service;
use crate::process::{self, say};
use crate::workspace::Workspace;

/// Steps as the example names them, as a reader does, and the milliseconds that were allowed at most.
const STEPS: [(&str, &str, Option<f64>); 10] = [
    ("encode_ms", "encoding the question", Some(120.0)),
    ("vector_ms", "nearest vectors", Some(20.0)),
    ("lexical_ms", "BM25", Some(8.0)),
    ("facts_ms", "reading passages, notes, links", None),
    ("prepare", "checking and indexing the bundle", None),
    ("fuse", "fusing, sorting, digest", Some(1.0)),
    ("decay", "decay", Some(1.0)),
    ("graph", "graph", Some(80.0)),
    ("excerpt", "excerpt", Some(60.0)),
    ("whole", "whole, over HTTP", Some(290.0)),
];
/// How much longer an answer may take than the encoder alone.
const OVER_ENCODING: f64 = 1.3;
/// Weights a byte each, the table of tokens, and two bytes a number of every vector, half of what the
/// vectors are: what has to be in memory once, in MB.
const ONCE: f64 =
    (12 * 24 * 1_024 * 1_024 + 20_000 * 1_024 + 50_000 * 2 * 1_024) as f64 / (1 << 20) as f64;
/// What may come on top of it: SQLite's own caches, threads, the program. Whoever held the model or
/// the vectors twice would hold more.
const ON_TOP: f64 = 1.25;

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Row>> {
    let made = made(workspace)?;
    let concord = workspace.release_program()?;
    let service = Service::start(&concord, &made.join("vault"))?;
    let printed = process::read(
        Command::new(workspace.release_example("latency"))
            .arg("ask")
            .arg(&made)
            .arg(&service.address),
    )?;
    let mut rows = rows(&figures(&printed)?)?;
    if let Some(resident) = service.resident() {
        let row = Row::alone("latency", "memory of the service", "MB", resident);
        let row = row.beside("model and vectors, once each", ONCE);
        rows.push(row.at_most(ON_TOP));
    }
    Ok(rows)
}

/// The folder with model, index, passages and questions. It takes minutes and gigabytes, so it is made
/// once; what makes it is compared by its text.
pub(crate) fn made(workspace: &Workspace) -> Result<PathBuf> {
    process::run(&mut workspace.cargo([
        "build",
        "--release",
        "--quiet",
        "--package=concord",
        "--example=latency",
    ]))?;
    let folder = workspace.target.join("bench/latency");
    let sources = ["made.rs", "text.rs"].map(|file| {
        let file = workspace.root.join("native/examples/latency").join(file);
        fs::read_to_string(&file).with_context(|| file.display().to_string())
    });
    let [made, text] = sources;
    let made_by = made? + &text?;
    let mark = folder.join("made-by.txt");
    if fs::read_to_string(&mark).ok().as_ref() != Some(&made_by) {
        say("making a model of bge-large's shape and an index of 50,000 passages, once");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let mut make = Command::new(workspace.release_example("latency"));
        process::run(make.arg("make").arg(&folder))?;
        fs::write(&mark, made_by)?;
    }
    Ok(folder)
}

fn rows(figures: &BTreeMap<String, f64>) -> Result<Vec<Row>> {
    let of = |name: &str| {
        let figure = figures.get(name).copied();
        figure.with_context(|| format!("`{name}` was not measured"))
    };
    let mut rows = Vec::new();
    for (key, name, allowed) in STEPS {
        let row = Row::alone("latency", name, "ms", of(key)?);
        let row = match allowed {
            Some(most) => row.beside("allowed at most", most).at_most(1.0),
            None => row,
        };
        rows.push(match key {
            "graph" => row.noting(format!("{} notes, {} links", of("nodes")?, of("links")?)),
            _ => row,
        });
    }
    let mut whole = Row::alone("latency", "whole, over HTTP", "ms", of("whole")?)
        .beside("encoding it alone", of("encoder")?)
        .at_most(OVER_ENCODING);
    if let Some(peer) = &mut whole.peer {
        peer.ratio = of("ratio")?;
    }
    rows.push(whole);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_stands_beside_what_was_allowed_for_it() {
        let mut printed = String::from("nodes 300\nlinks 900\nencoder 40\nratio 1.1\n");
        for (key, ..) in STEPS {
            printed += &format!("{key} 30\n");
        }
        let rows = rows(&figures(&printed).expect("figures")).expect("rows");
        assert_eq!(rows.len(), STEPS.len() + 1);
        let met = |name: &str| {
            rows.iter()
                .find(|row| row.row == name)
                .and_then(Row::is_met)
        };
        assert_eq!(met("encoding the question"), Some(true));
        assert_eq!(met("BM25"), Some(false));
        assert_eq!(met("reading passages, notes, links"), None);
        assert!(super::rows(&BTreeMap::new()).is_err());
    }
}
