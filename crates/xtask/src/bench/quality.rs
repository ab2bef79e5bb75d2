//! What 8 bits cost the rankings of a collection, against f32.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::row::Row;
use crate::process;
use crate::workspace::Workspace;

/// The most nDCG@10 that 8 bits may cost.
const LOSS: f64 = 0.003;

#[derive(clap::Args)]
pub(crate) struct Asked {
    /// The model's folder
    #[arg(long, value_name = "FOLDER")]
    model: PathBuf,
    /// Folders with corpus.jsonl, queries.jsonl and qrels.tsv
    #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
    beir: Vec<PathBuf>,
    /// Asks at most so many queries of a collection; 0: all
    #[arg(long, default_value_t = 0)]
    queries: usize,
    /// Searches at most so many documents, all judged ones among them; 0: all
    #[arg(long, default_value_t = 0)]
    documents: usize,
}

impl Asked {
    /// As much as is measured where everything is.
    pub(crate) fn for_all(model: &Path, collections: &[PathBuf]) -> Self {
        Self {
            model: model.to_owned(),
            beir: collections.to_vec(),
            queries: 300,
            documents: 1_500,
        }
    }
}

/// Encodes every collection twice and compares nDCG@10 of both.
pub(crate) fn run(workspace: &Workspace, asked: &Asked) -> Result<Vec<Row>> {
    let mut command = workspace.cargo([
        "run",
        "--release",
        "--quiet",
        "--package=concord-encode",
        "--example=quality",
        "--",
    ]);
    // The example has a text a thread; candle's own threads would only get in their way.
    command.env("RAYON_NUM_THREADS", "1");
    command.arg(&asked.model);
    command.args([asked.queries.to_string(), asked.documents.to_string()]);
    let printed = process::read(command.args(&asked.beir))?;
    printed.lines().skip(1).map(row).collect()
}

/// From `cranfield 1400/1400 225/225 0.3893 0.3890 -0.0003 ± 0.0009`.
fn row(line: &str) -> Result<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [
        collection,
        documents,
        queries,
        f32,
        int8,
        difference,
        _,
        error,
    ] = words[..]
    else {
        anyhow::bail!("not a measurement: {line}");
    };
    let difference: f64 = difference.parse().context("a difference")?;
    let name = format!("{collection}, lost by 8 bits");
    let row = Row::alone("quality", name, "nDCG@10", 0.0 - difference);
    Ok(row.at_most(LOSS).noting(format!(
        "f32 {f32}, int8 {int8}, ± {error}; {documents} documents, {queries} queries"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_what_int8_has_less() {
        let lost = row("medline 1033/1033 30/30 0.8178 0.8128 -0.0050 ± 0.0020").expect("a row");
        assert_eq!((lost.ours, lost.is_met()), (0.005, Some(false)));
        let gained = row("cacm 3204/3204 52/52 0.4398 0.4400 +0.0002 ± 0.0020").expect("a row");
        assert_eq!(gained.is_met(), Some(true));
        assert!(row("medline 0.8").is_err());
    }
}
