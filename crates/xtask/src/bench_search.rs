//! `cargo xtask bench search`: the real service on an indexed vault, asked by real clients.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, say};
use crate::workspace::Workspace;

/// Measures and prints.
pub(crate) fn run(
    workspace: &Workspace,
    vault: Option<&Path>,
    domain: &str,
    questions: Option<&Path>,
    requests: u64,
    changes: usize,
) -> Result<()> {
    let concord = workspace.release_program()?;
    process::run(&mut workspace.cargo([
        "build",
        "--release",
        "--quiet",
        "--package=concord",
        "--example=load",
    ]))?;
    let release = workspace.target.join("release");
    let vault: PathBuf = match vault {
        Some(vault) => vault.to_owned(),
        None => workspace.sample_vault("bench-search")?,
    };
    process::run(Command::new(&concord).arg("index").arg(&vault))?;
    let questions = match questions {
        Some(file) => std::fs::read_to_string(file)?,
        None => sample_questions(workspace, domain)?,
    };
    ensure!(
        !questions.trim().is_empty(),
        "there are no questions for the domain `{domain}`"
    );

    let mut server = Command::new(&concord)
        .args(["serve", "--port", "0"])
        .arg(&vault)
        .env_remove("DOMAIN")
        .stderr(Stdio::piped())
        .spawn()?;
    let address = address(&mut server);
    let asked = address.and_then(|address| {
        say(format!(
            "{} questions to {domain} at {address}",
            questions.lines().count()
        ));
        let token = match changes {
            0 => None,
            _ => {
                let changed = change(&vault, changes)?;
                say(format!("{changed} notes were given a line more"));
                Some(std::fs::read_to_string(vault.join(".concord/token"))?)
            }
        };
        let mut load = Command::new(
            release
                .join("examples")
                .join(format!("load{}", std::env::consts::EXE_SUFFIX)),
        )
        .args([
            &address,
            &server.id().to_string(),
            &requests.to_string(),
            domain,
        ])
        .args(token)
        .stdin(Stdio::piped())
        .spawn()?;
        load.stdin
            .take()
            .context("its input")?
            .write_all(questions.as_bytes())?;
        ensure!(load.wait()?.success(), "the clients failed");
        Ok(())
    });
    server.kill()?;
    server.wait()?;
    asked
}

/// Gives so many notes a line more, so that there is something to bring in step.
fn change(vault: &Path, most: usize) -> Result<usize> {
    let mut folders = vec![vault.to_owned()];
    let mut changed = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden || changed == most {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                let mut note = std::fs::OpenOptions::new().append(true).open(&path)?;
                writeln!(
                    note,
                    "\nOne more line, number {changed}, for the index to notice."
                )?;
                changed += 1;
            }
        }
    }
    Ok(changed)
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

/// Where a service that was just started says that it serves.
fn address(server: &mut Child) -> Result<String> {
    let told = BufReader::new(server.stderr.take().context("its notices")?);
    let mut lines = told.lines();
    for line in lines.by_ref() {
        let line = line?;
        if let Some((_, rest)) = line.split_once(" at http://") {
            let address = rest.split('/').next().unwrap_or(rest);
            let address = format!("http://{address}");
            // What it says later must not fill the pipe.
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(address);
        }
    }
    anyhow::bail!("the service ended before it served")
}
