//! `cargo xtask bench quality`: what 8 bits cost the rankings of a collection, against f32.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// Encodes every collection twice and prints nDCG@10 of both.
pub(crate) fn run(
    workspace: &Workspace,
    model: &Path,
    collections: &[PathBuf],
    queries: usize,
    documents: usize,
) -> Result<()> {
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
    command.arg(model);
    command.args([queries.to_string(), documents.to_string()]);
    process::run(command.args(collections))
}
