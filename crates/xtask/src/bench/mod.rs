//! `cargo xtask bench`: how fast and how small Concord is, beside others that do the same, in one run
//! on one machine.
//!
//! A report: it fails on no figure. Each part gives rows ([`row`]); they are printed as one table,
//! added to the history ([`history`]) and drawn ([`plot`]). Peers are installed from where everybody
//! gets them; one that cannot be had is said and left out, and so is a part that cannot run here.

pub(crate) mod compose;
mod contestant;
mod core;
mod encode;
mod history;
mod knn;
mod latency;
mod lexical;
mod machine;
mod plot;
mod python;
mod quality;
mod row;
mod search;
mod service;
mod sync;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::process::{relative, say, spent};
use crate::workspace::Workspace;

use history::Entry;
use machine::{Machine, Others};
use row::Row;

/// How many rows are named as those to work on.
const FURTHEST: usize = 3;

#[derive(Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: Option<What>,
    /// The history to add to, instead of the checkout's own
    #[arg(long, global = true, value_name = "FILE")]
    history: Option<PathBuf>,
}

#[derive(Subcommand)]
enum What {
    /// Everything that can run here; the same as without a word
    All(All),
    /// The core: native beside Node and Chromium; the size of the package
    Core,
    /// The encoder in 8 bits beside ONNX Runtime
    Encode,
    /// The vector index beside FAISS, usearch, sqlite-vec and plain scans
    Knn {
        /// Measures recall and reads on this cache instead, e.g. VAULT/.concord/default.db
        #[arg(long, value_name = "FILE")]
        cache: Option<PathBuf>,
    },
    /// The search by words beside tantivy and bm25s
    Lexical,
    /// Every step of a question to 50,000 passages, in bge-large's shape
    Latency,
    /// The service: one client beside the encoder alone, then sixteen at once
    Search(search::Asked),
    /// Evidence packs for many questions beside the encoder alone; run again and killed half-way, for
    /// the same bytes
    Compose(compose::Asked),
    /// A sync that finds nothing changed beside a walk that only stats
    Sync {
        /// A vault to use instead of a generated one; a copy of it is indexed
        #[arg(long, value_name = "FOLDER")]
        vault: Option<PathBuf>,
    },
    /// The encoder in 8 bits beside itself in f32: nDCG@10 on collections in BEIR's form
    Quality(quality::Asked),
    /// Draws the history and measures nothing
    Plot,
}

/// What everything may be measured on, besides what is made up.
#[derive(Args, Default)]
struct All {
    /// A vault; a copy of it is indexed, asked and brought in step. Without it, the sample vault
    #[arg(long, value_name = "FOLDER")]
    vault: Option<PathBuf>,
    /// A file with a question a line, for that vault
    #[arg(long, value_name = "FILE", requires = "vault")]
    questions: Option<PathBuf>,
    /// The folder of bge-small-en-v1.5 as the hub has it, for the cost of 8 bits
    #[arg(long, value_name = "FOLDER", requires = "beir")]
    model: Option<PathBuf>,
    /// Folders with corpus.jsonl, queries.jsonl and qrels.tsv, likewise
    #[arg(long, value_name = "FOLDER", num_args = 1.., requires = "model")]
    beir: Vec<PathBuf>,
    /// Begins no further part after so many minutes
    #[arg(long, default_value_t = 45)]
    minutes: u64,
}

/// A part of the report, not yet measured.
type Part<'a> = (&'static str, Box<dyn FnOnce() -> Result<Vec<Row>> + 'a>);

/// Measures, prints, keeps, draws.
pub(crate) fn run(workspace: &Workspace, bench: &Bench) -> Result<()> {
    let kept = workspace.root.join(history::FILE);
    let file = bench.history.as_deref().unwrap_or(&kept);
    let usual = What::All(All {
        minutes: 45,
        ..All::default()
    });
    match bench.what.as_ref().unwrap_or(&usual) {
        What::All(all) => everything(workspace, all, file),
        What::Core => one(workspace, file, || core::run(workspace)),
        What::Encode => one(workspace, file, || encode::run(workspace)),
        What::Knn { cache: None } => one(workspace, file, || knn::run(workspace)),
        What::Knn { cache: Some(cache) } => {
            one(workspace, file, || knn::on_cache(workspace, cache))
        }
        What::Lexical => one(workspace, file, || lexical::run(workspace)),
        What::Latency => one(workspace, file, || latency::run(workspace)),
        What::Search(asked) => one(workspace, file, || search::run(workspace, asked)),
        What::Compose(asked) => one(workspace, file, || compose::run(workspace, asked)),
        What::Sync { vault } => one(workspace, file, || sync::run(workspace, vault.as_deref())),
        What::Quality(asked) => one(workspace, file, || quality::run(workspace, asked)),
        What::Plot => draw(workspace, file),
    }
}

/// One part; if it cannot run here, that is an error.
fn one(
    workspace: &Workspace,
    file: &Path,
    measure: impl FnOnce() -> Result<Vec<Row>>,
) -> Result<()> {
    let mut run = Run::begin(workspace);
    run.measure(measure)?;
    run.report(workspace, file)
}

/// All parts; one that cannot run here is named, and left out.
fn everything(workspace: &Workspace, all: &All, file: &Path) -> Result<()> {
    let searched = search::Asked::for_all(all.vault.as_deref(), all.questions.as_deref());
    let composed = compose::Asked::for_all(all.vault.as_deref());
    let parts: [Part<'_>; 9] = [
        ("core", Box::new(|| core::run(workspace))),
        ("knn", Box::new(|| knn::run(workspace))),
        ("encode", Box::new(|| encode::run(workspace))),
        ("lexical", Box::new(|| lexical::run(workspace))),
        ("latency", Box::new(|| latency::run(workspace))),
        (
            "sync",
            Box::new(|| sync::run(workspace, all.vault.as_deref())),
        ),
        ("search", Box::new(|| search::run(workspace, &searched))),
        ("compose", Box::new(|| compose::run(workspace, &composed))),
        (
            "quality",
            Box::new(|| match &all.model {
                Some(model) => quality::run(workspace, &quality::Asked::for_all(model, &all.beir)),
                None => anyhow::bail!("no --model and no --beir were given"),
            }),
        ),
    ];
    let limit = Duration::from_secs(60 * all.minutes);
    let mut run = Run::begin(workspace);
    for (name, measure) in parts {
        if run.began.elapsed() > limit {
            say(format!(
                "LEFT OUT: {name} (the {} minutes are over)",
                all.minutes
            ));
            continue;
        }
        say(format!("── {name} ──"));
        let began = Instant::now();
        match run.measure(measure) {
            Ok(()) => say(format!("{name}: {}", spent(began.elapsed()))),
            Err(error) => say(format!("LEFT OUT: {name} ({error:#})")),
        }
    }
    run.report(workspace, file)
}

/// What was measured so far.
struct Run {
    at: String,
    commit: String,
    machine: Machine,
    began: Instant,
    entries: Vec<Entry>,
}

impl Run {
    fn begin(workspace: &Workspace) -> Self {
        Self {
            at: machine::now(),
            commit: machine::commit(workspace, history::FILE),
            machine: Machine::here(),
            began: Instant::now(),
            entries: Vec::new(),
        }
    }

    fn measure(&mut self, measure: impl FnOnce() -> Result<Vec<Row>>) -> Result<()> {
        let others = Others::begin();
        let rows = measure()?;
        let part = others.part();
        self.entries.extend(rows.into_iter().map(|row| Entry {
            at: self.at.clone(),
            commit: self.commit.clone(),
            machine: self.machine.clone(),
            load: others.load(),
            others: part,
            row,
        }));
        Ok(())
    }

    fn report(&self, workspace: &Workspace, file: &Path) -> Result<()> {
        let rows: Vec<Row> = self.entries.iter().map(|entry| entry.row.clone()).collect();
        say(format!(
            "\n{}, commit {}, {}",
            self.at, self.commit, self.machine
        ));
        for line in row::table(&rows) {
            say(line);
        }
        for line in self.busy() {
            say(line);
        }
        for line in in_short(&rows) {
            say(line);
        }
        history::append(file, &self.entries)?;
        draw(workspace, file)
    }

    /// How much of the machine others had, part by part.
    fn busy(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .entries
            .iter()
            .filter_map(|entry| {
                let others = 100.0 * entry.others?;
                let load = entry.load?;
                let bench = &entry.row.bench;
                Some(format!(
                    "{bench}: load {load:.2} before; others had {others:.0} % of the processors"
                ))
            })
            .collect();
        lines.dedup();
        lines
    }
}

/// How many rows are as wanted, and which are furthest from it.
fn in_short(rows: &[Row]) -> Vec<String> {
    let wanted = rows.iter().filter(|row| row.is_met().is_some()).count();
    let met = rows.iter().filter(|row| row.is_met() == Some(true)).count();
    let mut lines = vec![format!("{met} of {wanted} targets are met")];
    let mut far: Vec<(f64, &Row)> = rows
        .iter()
        .filter_map(|row| Some((row.distance()?, row)))
        .collect();
    far.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (distance, row) in far.into_iter().take(FURTHEST) {
        let peer = row.peer.as_ref().map_or("", |peer| peer.name.as_str());
        let line = format!(
            "{distance:.2} of the target: {} {} {peer}",
            row.bench, row.row
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

fn draw(workspace: &Workspace, file: &Path) -> Result<()> {
    let folder = workspace.target.join("bench");
    fs::create_dir_all(&folder)?;
    let page = folder.join("history.html");
    fs::write(&page, plot::page(&history::read(file)?))?;
    say(format!(
        "history: {}; drawn in {}",
        relative(file, &workspace.root),
        relative(&page, &workspace.root)
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_furthest_from_its_target_is_named_first() {
        let rows = [
            Row::alone("size", "package", "KB", 291.0).at_most(300.0),
            Row::alone("sync", "nothing changed", "ms", 30.0)
                .beside("stat walk", 10.0)
                .at_most(2.0),
            Row::alone("knn", "building", "ms", 30.0),
        ];
        let lines = in_short(&rows);
        assert_eq!(lines[0], "1 of 2 targets are met");
        assert_eq!(
            lines[1],
            "1.50 of the target: sync nothing changed stat walk"
        );
        assert_eq!(lines.len(), 3);
    }
}
