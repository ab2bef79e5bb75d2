//! `concord status`: what became of every file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use concord_cache::Cache;
use serde::Serialize;

use crate::Outcome;
use crate::failure::Failure;
use crate::output::{self, BAD, FAINT, STRONG, counted, plain};
use crate::vault::command::{Which, reader, refused};

/// Tell what became of every file when it was last indexed.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Print every file with its fate, as JSON
    #[arg(long)]
    json: bool,
}

/// So many files that were skipped for the same reason are named one by one.
const NAMED: usize = 10;

#[derive(Serialize)]
struct Status {
    domain: String,
    model: Option<String>,
    dimension: u32,
    /// Links that lead nowhere.
    unresolved_links: usize,
    files: Vec<FileStatus>,
}

#[derive(Serialize)]
struct FileStatus {
    path: String,
    fate: &'static str,
    reason: Option<String>,
    /// What of an indexed note could not be used.
    problems: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let domains = args.which.for_each(|vault, domain| {
        let cache = reader(vault, domain)?;
        status(&domain.name, &cache).map_err(refused)
    })?;
    if args.json {
        output::print_json(&domains)?;
    } else {
        let text: String = domains.iter().map(in_words).collect();
        output::print(&text)?;
    }
    Ok(Outcome::Done)
}

fn status(domain: &str, cache: &Cache) -> Result<Status, concord_cache::Error> {
    let notes = cache.notes()?.into_iter();
    let mut problems: BTreeMap<String, Vec<String>> =
        notes.map(|note| (note.path, note.problems)).collect();
    let files = cache.files()?.into_values().map(|file| {
        let (fate, reason) = file.fate.parts();
        let reason = reason.map(str::to_owned);
        FileStatus {
            problems: problems.remove(&file.path).unwrap_or_default(),
            path: file.path,
            fate,
            reason,
        }
    });
    Ok(Status {
        domain: domain.to_owned(),
        model: cache.identity().model.clone(),
        dimension: cache.identity().dimension,
        unresolved_links: cache.unresolved_links()?,
        files: files.collect(),
    })
}

fn in_words(status: &Status) -> String {
    let indexed = status
        .files
        .iter()
        .filter(|file| file.fate == "indexed")
        .count();
    let model = status.model.as_deref().unwrap_or("words alone");
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  {}  {FAINT}{}{FAINT:#}\n",
        plain(&status.domain),
        counted(indexed, "note"),
        plain(model)
    );
    if status.unresolved_links > 0 {
        let links = counted(status.unresolved_links, "link");
        let _ = writeln!(
            text,
            "    {FAINT}{links} to no note, or to several{FAINT:#}"
        );
    }
    for file in &status.files {
        for problem in &file.problems {
            let (path, problem) = (plain(&file.path), plain(problem));
            let _ = writeln!(text, "    {BAD}problem{BAD:#} {path}: {problem}");
        }
        if file.fate == "failed" {
            let (path, reason) = (
                plain(&file.path),
                file.reason.as_deref().unwrap_or_default(),
            );
            let _ = writeln!(text, "    {BAD}failed{BAD:#} {path}: {}", plain(reason));
        }
    }
    text + &skipped_in_words(&status.files)
}

/// Skipped files by reason: each by its path, or their number where they are many.
fn skipped_in_words(files: &[FileStatus]) -> String {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.fate == "skipped") {
        let reason = file.reason.as_deref().unwrap_or_default();
        by_reason.entry(reason).or_default().push(&file.path);
    }
    let mut text = String::new();
    for (reason, paths) in by_reason {
        let reason = plain(reason);
        if paths.len() > NAMED {
            let files = counted(paths.len(), "file");
            let _ = writeln!(text, "    {FAINT}skipped{FAINT:#} {files}: {reason}");
            continue;
        }
        for path in paths.into_iter().map(plain) {
            let _ = writeln!(text, "    {FAINT}skipped{FAINT:#} {path}: {reason}");
        }
    }
    text
}
