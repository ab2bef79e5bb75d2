//! The real service on an indexed vault, asked by real clients; and ripgrep on the same notes, for
//! what a person without an index would do.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::row::{Row, median};
use super::service::Service;
use crate::apt;
use crate::process::{self, say};
use crate::workspace::Workspace;

/// How many times as long as the encoding in it an answer may take.
const OVER_ENCODING: f64 = 1.3;
/// How much longer the slowest in a hundred may take while the index is brought in step.
const WHILE_RELOADING: f64 = 3.0;
/// How much more memory may be held after the load than before.
const GROWTH: f64 = 1.05;
/// How many questions the notes are searched through for.
const GREPS: usize = 15;

#[derive(clap::Args)]
pub(crate) struct Asked {
    /// The vault's folder, of which a copy is indexed; the sample vault if not given
    #[arg(long, value_name = "FOLDER")]
    vault: Option<PathBuf>,
    /// The domain that is asked: by default that of a vault without a registry, and of the sample vault
    /// finance
    #[arg(long)]
    domain: Option<String>,
    /// A file with a question a line; the golden questions of the sample vault, or headings of the
    /// vault, if not given
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// How many requests the sixteen clients make together
    #[arg(long, default_value_t = 2_000)]
    requests: u64,
    /// How many notes to change, for a reload while a client asks
    #[arg(long, default_value_t = 0)]
    changes: usize,
}

impl Asked {
    /// As much as is measured where everything is.
    pub(crate) fn for_all(vault: Option<&Path>, questions: Option<&Path>) -> Self {
        Self {
            vault: vault.map(Path::to_owned),
            domain: None,
            questions: questions.map(Path::to_owned),
            requests: 20_000,
            changes: if vault.is_some() { 500 } else { 20 },
        }
    }
}

pub(crate) fn run(workspace: &Workspace, asked: &Asked) -> Result<Vec<Row>> {
    let concord = workspace.release_program()?;
    process::run(&mut workspace.cargo([
        "build",
        "--release",
        "--quiet",
        "--package=concord",
        "--example=load",
    ]))?;
    let (vault, usual) = match &asked.vault {
        Some(vault) => (workspace.copy_of(vault)?, "default"),
        None => (workspace.sample_vault("bench/sample-vault")?, "finance"),
    };
    let domain = asked.domain.as_deref().unwrap_or(usual);
    process::run(Command::new(&concord).arg("index").arg(&vault))?;
    let questions = match (&asked.questions, &asked.vault) {
        (Some(file), _) => std::fs::read_to_string(file)?,
        (None, None) => sample_questions(workspace, domain)?,
        (None, Some(_)) => headings(&vault)?,
    };
    ensure!(
        !questions.trim().is_empty(),
        "there are no questions for the domain `{domain}`"
    );
    let name = asked.vault.as_deref().and_then(Path::file_name);
    let name = name.map_or("sample vault".into(), |name| name.to_string_lossy());

    let service = Service::start(&concord, &vault)?;
    say(format!(
        "{} questions to {domain} at {}",
        questions.lines().count(),
        service.address
    ));
    let token = match asked.changes {
        0 => None,
        _ => {
            say(format!(
                "{} notes were changed",
                change(&vault, asked.changes)?
            ));
            Some(std::fs::read_to_string(vault.join(".concord/token"))?)
        }
    };
    let mut load = Command::new(workspace.release_example("load"))
        .arg(&service.address)
        .args([service.id().to_string(), asked.requests.to_string()])
        .arg(domain)
        .args(token)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut asking = load.stdin.take().context("its input")?;
    asking.write_all(questions.as_bytes())?;
    drop(asking);
    let load = load.wait_with_output()?;
    ensure!(load.status.success(), "the clients failed");
    let figures = figures(&String::from_utf8(load.stdout)?)?;
    let mut rows = rows(&name, &figures)?;
    drop(service);

    match grep(&vault, &questions) {
        Ok((program, times)) => {
            let answer = of(&figures, "answer")?;
            let row = Row::alone("search", format!("{name}, warm answer"), "ms", answer);
            let time = median(&times).context("no questions")?;
            rows.push(row.beside(&format!("{program} for its words"), time));
        }
        Err(error) => say(format!("LEFT OUT: ripgrep ({error:#})")),
    }
    Ok(rows)
}

fn rows(name: &str, figures: &BTreeMap<String, f64>) -> Result<Vec<Row>> {
    let of = |key: &str| of(figures, key);
    let row = |what: &str, unit: &str, figure: f64| {
        Row::alone("search", format!("{name}, {what}"), unit, figure)
    };
    let mut warm =
        row("warm answer", "ms", of("answer")?).beside("the encoding in it", of("encode")?);
    if let Some(peer) = &mut warm.peer {
        peer.ratio = of("ratio")?;
    }
    let sixteen = |what: &str| format!("16 clients, {what}");
    let mut rows = vec![
        warm.at_most(OVER_ENCODING),
        row("first answer", "ms", of("first")?).beside("encoding, once warm", of("encode")?),
        row(&sixteen("median"), "ms", of("clients-median")?).noting(format!(
            "{} answers, {} a second",
            of("clients-answers")?,
            of("clients-rate")?
        )),
        row(&sixteen("99th of a hundred"), "ms", of("clients-p99")?),
        row(&sixteen("failed"), "", of("clients-failed")?).at_most(0.0),
    ];
    if let (Ok(before), Ok(after)) = (of("memory-before"), of("memory-after")) {
        rows.push(
            row(&sixteen("memory after"), "MB", after)
                .beside("before", before)
                .at_most(GROWTH),
        );
    }
    if let (Ok(idle), Ok(busy)) = (of("idle-p99"), of("reload-p99")) {
        rows.push(
            row("while reloading, 99th of a hundred", "ms", busy)
                .beside("idle", idle)
                .at_most(WHILE_RELOADING)
                .noting(format!(
                    "{} notes in {:.0} s, {} answers, medians {:.1} and {:.1} ms",
                    of("reload-notes")?,
                    of("reload-seconds")?,
                    of("reload-answers")?,
                    of("reload-median")?,
                    of("idle-median")?
                )),
        );
        rows.push(row("while reloading, failed", "", of("reload-failed")?).at_most(0.0));
    }
    Ok(rows)
}

/// Lines `name figure`.
pub(crate) fn figures(printed: &str) -> Result<BTreeMap<String, f64>> {
    let figure = |line: &str| {
        let (name, figure) = line.split_once(' ')?;
        Some((name.to_owned(), figure.trim().parse().ok()?))
    };
    let figure = |line| figure(line).with_context(|| format!("not a figure: {line}"));
    printed.lines().map(figure).collect()
}

fn of(figures: &BTreeMap<String, f64>, name: &str) -> Result<f64> {
    let figure = figures.get(name).copied();
    figure.with_context(|| format!("the clients did not measure `{name}`"))
}

/// Adds a line to so many notes, or takes it away where it is, so that there is something to bring in
/// step. Every so many notes one, so that they come from all folders.
fn change(vault: &Path, most: usize) -> Result<usize> {
    let notes = notes(vault)?;
    let step = (notes.len() / most.max(1)).max(1);
    let mut changed = 0;
    for note in notes.iter().step_by(step).take(most) {
        const LINE: &str = "\nOne more line, for the index to notice.\n";
        let text = std::fs::read(note)?;
        let text = match text.strip_suffix(LINE.as_bytes()) {
            Some(without) => without.to_vec(),
            None => [&text, LINE.as_bytes()].concat(),
        };
        std::fs::write(note, text)?;
        changed += 1;
    }
    Ok(changed)
}

/// The notes of a vault, by path.
fn notes(vault: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![vault.to_owned()];
    let mut notes = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                notes.push(path);
            }
        }
    }
    notes.sort();
    Ok(notes)
}

/// What somebody might ask of a vault that nobody wrote questions for: headings of four to ten words.
fn headings(vault: &Path) -> Result<String> {
    const QUESTIONS: usize = 60;
    let mut found = Vec::new();
    for note in notes(vault)? {
        let text = String::from_utf8_lossy(&std::fs::read(note)?).into_owned();
        let heading = text.lines().find_map(|line| {
            let heading = line.strip_prefix("## ")?.split('{').next()?.trim();
            let words = heading.split_whitespace().count();
            let plain = heading
                .chars()
                .all(|sign| sign.is_alphanumeric() || " -'?".contains(sign));
            ((4..=10).contains(&words) && plain).then(|| heading.to_owned())
        });
        found.extend(heading);
    }
    let step = (found.len() / QUESTIONS).max(1);
    let chosen: Vec<&str> = found
        .iter()
        .step_by(step)
        .take(QUESTIONS)
        .map(String::as_str)
        .collect();
    Ok(chosen.join("\n"))
}

/// The golden questions of a domain of the sample vault, a line each.
fn sample_questions(workspace: &Workspace, domain: &str) -> Result<String> {
    let file = workspace.root.join("native/sample-questions.yaml");
    let text = std::fs::read_to_string(file)?;
    let mut questions = String::new();
    let mut query = "";
    for line in text.lines() {
        if let Some(found) = line.strip_prefix("- query: ") {
            query = found.trim_matches(['"', '\'']);
        } else if line.trim() == format!("domain: {domain}") {
            questions += query;
            questions.push('\n');
        }
    }
    Ok(questions)
}

/// How long it takes to look for a question's words in all notes, in milliseconds, with ripgrep.
fn grep(vault: &Path, questions: &str) -> Result<(String, Vec<f64>)> {
    if process::on_path(&["rg"]).is_none() {
        apt::install(&["ripgrep"])?;
    }
    let program = process::on_path(&["rg"]).context("it is not on the PATH")?;
    let version = process::read(Command::new(&program).arg("--version"))?;
    let version = version.lines().next().unwrap_or_default();
    let version: Vec<&str> = version.split(' ').take(2).collect();
    let mut times = Vec::new();
    for question in questions.lines().take(GREPS) {
        let mut command = Command::new(&program);
        command.args([
            "--ignore-case",
            "--count-matches",
            "--glob=*.md",
            "--fixed-strings",
        ]);
        for word in question.split_whitespace().filter(|word| word.len() > 2) {
            command
                .arg("-e")
                .arg(word.trim_matches(|sign: char| !sign.is_alphanumeric()));
        }
        let started = Instant::now();
        // That nothing was found is an exit code of its own, and no failure.
        command.arg(vault).stdin(Stdio::null()).output()?;
        times.push(1e3 * started.elapsed().as_secs_f64());
    }
    Ok((version.join(" "), times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_note_is_changed_back_the_next_time() {
        let vault = tempfile::tempdir().expect("a folder");
        let note = vault.path().join("a.md");
        std::fs::write(&note, "# A\n").expect("written");
        assert_eq!(change(vault.path(), 5).expect("changed"), 1);
        let changed = std::fs::read_to_string(&note).expect("read");
        assert!(changed.starts_with("# A\n") && changed.len() > 4);
        change(vault.path(), 5).expect("changed");
        assert_eq!(std::fs::read_to_string(&note).expect("read"), "# A\n");
    }

    #[test]
    fn headings_that_read_like_a_question_are_asked() {
        let vault = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            std::fs::write(vault.path().join(name), text).expect("written");
        };
        put(
            "a.md",
            "## Short\n## How to drain a node {#drain}\n## Another one that comes later\n",
        );
        put("b.md", "## `code` is not a question here\n");
        assert_eq!(headings(vault.path()).expect("one"), "How to drain a node");
    }

    #[test]
    fn what_the_clients_measured_becomes_rows() {
        let printed = "answer 6\nencode 5\nratio 1.2\nfirst 9\nclients-answers 2000\nclients-rate 300\n\
                       clients-median 40\nclients-p99 90\nclients-failed 1\n";
        let rows = rows("a vault", &figures(printed).expect("figures")).expect("rows");
        assert_eq!(rows.len(), 5);
        assert_eq!((rows[0].judged(), rows[0].is_met()), (1.2, Some(true)));
        assert_eq!(rows[4].is_met(), Some(false));
        assert!(figures("nothing").is_err());
    }
}
