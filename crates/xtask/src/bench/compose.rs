//! Evidence packs for many questions beside the encoder alone.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::row::Row;
use crate::process;
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Asked {
    /// The vault's folder, a copy of which is indexed first; the sample vault if not given
    #[arg(long, value_name = "FOLDER")]
    vault: Option<PathBuf>,
    /// The domain that is asked, if the vault has several
    #[arg(long)]
    domain: Option<String>,
    /// How many questions, made of the vault's own headings
    #[arg(long, default_value_t = 1_000)]
    questions: usize,
}

impl Asked {
    /// As it is measured with everything else.
    pub(crate) fn for_all(vault: Option<&Path>) -> Self {
        Self {
            vault: vault.map(Path::to_owned),
            domain: None,
            questions: 1_000,
        }
    }
}

/// Composes twice, and a third time killed half-way: the same bytes each time.
pub(crate) fn run(workspace: &Workspace, asked: &Asked) -> Result<Vec<Row>> {
    let program = workspace.release_program()?;
    process::run(&mut workspace.cargo([
        "build",
        "--release",
        "--quiet",
        "--package=concord",
        "--example=encode",
    ]))?;
    let (vault, domain) = match &asked.vault {
        Some(vault) => (workspace.copy_of(vault)?, asked.domain.clone()),
        None => (
            workspace.sample_vault("bench-compose")?,
            Some(asked.domain.as_deref().unwrap_or("finance").to_owned()),
        ),
    };
    process::run(Command::new(&program).arg("index").arg(&vault))?;
    let questions = questions(&vault, asked.questions)?;
    let folder = tempfile::tempdir()?;
    let composing = Composing {
        program,
        vault,
        domain,
        input: write_questions(folder.path(), &questions)?,
    };

    let alone = encoder_alone(workspace, &questions)?;
    let first = folder.path().join("first.jsonl");
    let started = Instant::now();
    composing.run(&first)?;
    let whole = started.elapsed().as_secs_f64();
    let bytes = fs::read(&first)?;

    let second = folder.path().join("second.jsonl");
    composing.run(&second)?;
    ensure!(
        fs::read(&second)? == bytes,
        "a second run gives other bytes"
    );
    let third = folder.path().join("third.jsonl");
    let killed = composing.kill_after(&third, Duration::from_secs_f64(whole / 2.0))?;
    composing.run(&third)?;
    ensure!(
        fs::read(&third)? == bytes,
        "a run gone on with gives other bytes"
    );
    let when = if killed {
        "killed half-way and gone on with"
    } else {
        "over before it was killed"
    };
    let count = questions.len();
    let rate = |seconds: f64| count as f64 / seconds;
    let row = Row::alone("compose", format!("{count} packs"), "a second", rate(whole));
    Ok(vec![
        row.beside("the encoder alone", rate(alone))
            .noting(format!("run again and {when}: the same bytes")),
    ])
}

/// A run of the program, as often as wanted.
pub(crate) struct Composing {
    pub(crate) program: PathBuf,
    pub(crate) vault: PathBuf,
    pub(crate) domain: Option<String>,
    pub(crate) input: PathBuf,
}

impl Composing {
    fn command(&self, output: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("compose")
            .arg("--vault")
            .arg(&self.vault)
            .arg("--in")
            .arg(&self.input)
            .arg("--out")
            .arg(output)
            .env_remove("DOMAIN")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if let Some(domain) = &self.domain {
            command.args(["--domain", domain]);
        }
        command
    }

    /// To the end.
    pub(crate) fn run(&self, output: &Path) -> Result<()> {
        process::run(&mut self.command(output))
    }

    /// Ends it after a while; whether it was still going.
    pub(crate) fn kill_after(&self, output: &Path, while_: Duration) -> Result<bool> {
        let mut child = self.command(output).spawn()?;
        std::thread::sleep(while_);
        let was_running = child.try_wait()?.is_none();
        child.kill()?;
        child.wait()?;
        Ok(was_running)
    }
}

/// Questions that a vault's own headings ask.
pub(crate) fn questions(vault: &Path, count: usize) -> Result<Vec<String>> {
    const ASKED: [&str; 4] = [
        "What is",
        "How does one go about",
        "Why does it matter:",
        "When is it of use:",
    ];
    let mut headings = Vec::new();
    let mut folders = vec![vault.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                let found = text.lines().filter_map(|line| line.strip_prefix("## "));
                let plain =
                    |heading: &str| heading.split(['{', '<', '[']).next().map(str::to_owned);
                headings.extend(found.filter_map(plain));
            }
        }
    }
    ensure!(
        !headings.is_empty(),
        "the vault has no headings to ask about"
    );
    let question = |i: usize| {
        let heading = headings[i * headings.len() / count % headings.len()].trim();
        format!("{} {heading}?", ASKED[i % ASKED.len()])
    };
    Ok((0..count).map(question).collect())
}

/// The questions as the program reads them.
pub(crate) fn write_questions(folder: &Path, questions: &[String]) -> Result<PathBuf> {
    let file = folder.join("questions.jsonl");
    let lines: String = questions
        .iter()
        .map(|question| json!({ "question": question }).to_string() + "\n")
        .collect();
    fs::write(&file, lines)?;
    Ok(file)
}

/// Seconds that the encoder takes for all questions.
fn encoder_alone(workspace: &Workspace, questions: &[String]) -> Result<f64> {
    let mut child = Command::new(workspace.release_example("encode"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("its input")?;
    for question in questions {
        writeln!(input, "{}", question.replace('\n', " "))?;
    }
    drop(input);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the encoder failed");
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
