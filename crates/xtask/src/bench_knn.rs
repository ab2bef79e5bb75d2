//! `cargo xtask bench knn`: the vector index beside sqlite-vec, a plain scan, and the time that it
//! takes to read the vectors once; all in one run on one machine.

use std::path::Path;

use anyhow::{Context, Result};

use crate::process::{self, say};
use crate::workspace::Workspace;

/// What the others are compared with.
const OURS: &str = "ours-1-thread";

/// Measures and prints: times on made-up vectors, or recall on those of a cache.
pub(crate) fn run(workspace: &Workspace, cache: Option<&Path>) -> Result<()> {
    let mut command = workspace.cargo([
        "run",
        "--release",
        "--quiet",
        "--package=concord-cache",
        "--example=knn",
    ]);
    if let Some(cache) = cache {
        say(process::read(command.arg("--").arg(cache))?.trim_end());
        return Ok(());
    }
    let printed = process::read(&mut command)?;
    say("top 30, milliseconds; ×: how many times as long as our index on one thread");
    for line in table(&printed)? {
        say(line);
    }
    Ok(())
}

/// A line a measurement, from lines `shape what milliseconds`.
fn table(printed: &str) -> Result<Vec<String>> {
    let rows: Vec<(&str, &str, f64)> = printed.lines().map(row).collect::<Result<_>>()?;
    let line = |&(shape, what, time): &(&str, &str, f64)| {
        let ours = rows.iter().find(|row| row.0 == shape && row.1 == OURS);
        let (.., ours) = ours.with_context(|| format!("no time of ours for {shape}"))?;
        let ratio = time / ours;
        let what = what.replace('-', " ");
        Ok(format!("{shape:<12} {what:<24} {time:>10.2} {ratio:>7.2}"))
    };
    rows.iter().map(line).collect()
}

fn row(line: &str) -> Result<(&str, &str, f64)> {
    let mut words = line.split(' ');
    let (Some(shape), Some(what), Some(time)) = (words.next(), words.next(), words.next()) else {
        anyhow::bail!("not a measurement: {line}");
    };
    Ok((shape, what, time.parse().context("a time")?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_time_is_compared_with_ours_of_the_same_shape() {
        let printed = "2x4 ours-1-thread 2.0\n2x4 sqlite-vec 9.0\n3x4 ours-1-thread 1.0";
        let table = super::table(printed).expect("three rows");
        assert_eq!(table.len(), 3);
        assert!(table[1].contains("sqlite vec") && table[1].ends_with("4.50"));
        assert!(super::table("2x4 sqlite-vec 9.0").is_err());
        assert!(super::table("nothing").is_err());
    }
}
