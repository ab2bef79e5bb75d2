//! `concord-parity`: puts the same cases to every runtime and compares the bits.
//!
//! Called by `cargo xtask`, which builds the wasm package and finds the runtimes first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser, Subcommand};
use concord_parity::report::{self, Report};
use concord_parity::runtime::{Kind, Runtime};
use concord_parity::serve::{Desk, serve};
use concord_parity::suite::Suite;
use concord_parity::{bench, case, golden};

/// A runtime that has said nothing for this long is given up.
const SILENCE: Duration = Duration::from_secs(240);

/// Puts the same cases to every runtime and compares the bits.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Mint the goldens from the native core.
    Mint,
    /// Check every runtime that is named.
    Check {
        #[command(flatten)]
        runtimes: Runtimes,
        /// How many generated cases.
        #[arg(long, default_value_t = 20_000)]
        generated: usize,
        /// Which ones.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Put no more questions after this many minutes.
        #[arg(long)]
        minutes: Option<u64>,
    },
    /// Measure the core in every runtime that is named.
    Bench {
        #[command(flatten)]
        runtimes: Runtimes,
        /// Print nothing but the times, as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Serve the page that checks the browser that opens it.
    Serve {
        #[command(flatten)]
        runtimes: Runtimes,
        /// How many generated cases.
        #[arg(long, default_value_t = 5_000)]
        generated: usize,
        /// The port.
        #[arg(long)]
        port: u16,
    },
}

#[derive(Args)]
struct Runtimes {
    /// The folder of the wasm package.
    #[arg(long)]
    package: PathBuf,
    #[arg(long)]
    node: Option<PathBuf>,
    #[arg(long)]
    bun: Option<PathBuf>,
    #[arg(long)]
    chromium: Option<PathBuf>,
    #[arg(long)]
    firefox: Option<PathBuf>,
}

impl Runtimes {
    fn named(&self) -> Vec<Runtime> {
        let all = [
            ("node", Kind::Script, &self.node),
            ("bun", Kind::Script, &self.bun),
            ("chromium", Kind::Chromium, &self.chromium),
            ("firefox", Kind::Firefox, &self.firefox),
        ];
        let runtime = |(name, kind, program): (&'static str, Kind, &Option<PathBuf>)| {
            program.clone().map(|program| Runtime {
                name,
                kind,
                program,
            })
        };
        all.into_iter().filter_map(runtime).collect()
    }

    fn package(&self) -> Result<PathBuf> {
        let folder = self.package.canonicalize();
        folder.with_context(|| {
            format!(
                "no wasm package at {}; run `cargo xtask wasm`",
                self.package.display()
            )
        })
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Mint => {
            say(&format!("minted {} goldens", golden::mint()?));
            Ok(())
        }
        Command::Check {
            runtimes,
            generated,
            seed,
            minutes,
        } => {
            let package = runtimes.package()?;
            let named = runtimes.named();
            if let Some(witness) = named.first() {
                can_fail(witness, &package).await?;
            }
            check(&named, &package, Suite::new(seed, generated)?, minutes).await
        }
        Command::Bench { runtimes, json } => {
            measure(&runtimes.named(), &runtimes.package()?, json).await
        }
        Command::Serve {
            runtimes,
            generated,
            port,
        } => {
            let desk = Arc::new(Desk::new(
                Suite::new(1, generated)?,
                &runtimes.package()?,
                None,
            ));
            let address = serve(desk, port).await?;
            say(&format!(
                "open http://{address}/ in a browser: it checks itself against the native core (Ctrl-C ends)"
            ));
            tokio::signal::ctrl_c()
                .await
                .context("cannot wait for Ctrl-C")
        }
    }
}

/// Before a suite is believed it has to fail once: one bit of one answer is turned over.
async fn can_fail(witness: &Runtime, package: &Path) -> Result<()> {
    const NUMBER: usize = 0;
    let suite = Suite::new(1, 0)?;
    let name = suite.question(NUMBER).name;
    let desk = Arc::new(Desk::new(suite, package, None));
    let address = serve(Arc::clone(&desk), 0).await?;
    let report = run(
        witness,
        &desk,
        &format!("http://{address}"),
        package,
        Some(NUMBER),
    )
    .await?;
    let told = report.examples.get(&name);
    match told {
        Some(mismatch) if report.differences == 1 => {
            let case::Mismatch {
                key,
                expected,
                found,
            } = mismatch;
            say(&format!(
                "the suite can fail: one bit turned over in {} was told as `{name}` at {key} ({expected} / {found})",
                witness.name
            ));
            Ok(())
        }
        _ => bail!(
            "one bit turned over in `{name}` in {} ought to be told as one difference, but was told as {}: {told:?}",
            witness.name,
            report.differences
        ),
    }
}

async fn check(
    named: &[Runtime],
    package: &Path,
    suite: Suite,
    minutes: Option<u64>,
) -> Result<()> {
    let deadline = minutes.map(|minutes| Instant::now() + Duration::from_secs(minutes * 60));
    let desk = Arc::new(Desk::new(suite, package, deadline));
    let base = format!("http://{}", serve(Arc::clone(&desk), 0).await?);

    let native = {
        let desk = Arc::clone(&desk);
        tokio::task::spawn_blocking(move || native(&desk))
    };
    let mut finished = BTreeMap::new();
    // Two at a time: as many as the smallest machine that this is meant for has cores.
    for pair in named.chunks(2) {
        let runs = pair.iter().map(|runtime| {
            let (runtime, desk, base, package) = (
                runtime.clone(),
                Arc::clone(&desk),
                base.clone(),
                package.to_owned(),
            );
            tokio::spawn(async move {
                (
                    runtime.name,
                    run(&runtime, &desk, &base, &package, None).await,
                )
            })
        });
        for handle in runs.collect::<Vec<_>>() {
            let (name, report) = handle.await?;
            finished.insert(name.to_owned(), report?);
        }
    }
    finished.insert("native".to_owned(), native.await?);

    say(&report::table(&finished));
    let (clean, broken): (Vec<_>, Vec<_>) = finished.values().partition(|report| report.is_clean());
    say(&format!("{} passed, {} failed", clean.len(), broken.len()));
    if broken.is_empty() {
        Ok(())
    } else {
        bail!("not every runtime gives the same bits");
    }
}

/// Native is what the others are compared with; its own row answers from JSON text like theirs,
/// last question first, so that an answer that depends on what was asked before would show.
fn native(desk: &Desk) -> Report {
    let mut report = Report::new();
    let profile = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    report.agent = format!(
        "{} {}, {profile}",
        std::env::consts::ARCH,
        std::env::consts::OS
    );
    for batch in (0..desk.suite.batches()).rev() {
        if desk
            .deadline
            .is_some_and(|deadline| Instant::now() > deadline)
        {
            break;
        }
        let answer = |number| case::digest(&case::flatten(&desk.suite.question(number).answer()));
        let mut digests: Vec<String> = desk.suite.batch(batch).rev().map(answer).collect();
        digests.reverse();
        for number in report.take(&desk.suite, batch, &digests) {
            let whole = case::flatten(&desk.suite.question(number).answer());
            report.explain(&desk.suite, number, &whole);
        }
    }
    report.done = true;
    report
}

/// Starts a runtime and waits until it has answered, died or gone silent.
async fn run(
    runtime: &Runtime,
    desk: &Desk,
    base: &str,
    package: &Path,
    tamper: Option<usize>,
) -> Result<Report> {
    desk.reports()
        .insert(runtime.name.to_owned(), Report::new());
    let mut running = runtime.start(base, "/", package, tamper)?;
    let failure = loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let (done, silent) = {
            let reports = desk.reports();
            let report = &reports[runtime.name];
            (report.done, report.heard.elapsed() > SILENCE)
        };
        if done {
            break None;
        }
        if silent {
            break Some(format!("said nothing for {} s", SILENCE.as_secs()));
        }
        if let Some(status) = running.child.try_wait()? {
            // A last answer may still be on its way.
            tokio::time::sleep(Duration::from_millis(300)).await;
            if !desk.reports()[runtime.name].done {
                break Some(format!("ended early ({status})"));
            }
        }
    };
    running.end().await;
    let mut report = desk.reports().remove(runtime.name).unwrap_or_default();
    report.failure = report.failure.or(failure);
    Ok(report)
}

async fn measure(named: &[Runtime], package: &Path, json: bool) -> Result<()> {
    let desk = Arc::new(Desk::new(Suite::new(1, 0)?, package, None));
    let base = format!("http://{}", serve(Arc::clone(&desk), 0).await?);
    let progress = |text: &str| {
        if !json {
            say(text);
        }
    };
    progress("native …");
    let native = tokio::task::spawn_blocking(bench::native).await?;
    let known = || {
        desk.timings
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    };
    for runtime in named {
        progress(&format!("{} …", runtime.name));
        let running = runtime.start(&base, "/bench", package, None)?;
        let begun = Instant::now();
        while !known().contains_key(runtime.name) {
            if begun.elapsed() > SILENCE {
                bail!(
                    "{} measured nothing for {} s",
                    runtime.name,
                    SILENCE.as_secs()
                );
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        running.end().await;
    }
    if json {
        let mut all = known();
        all.insert("native".to_owned(), native);
        say(&serde_json::to_string(&all)?);
    } else {
        say(&bench::table(&native, &known()));
    }
    Ok(())
}

#[expect(
    clippy::print_stdout,
    reason = "a test runner reports on standard output"
)]
fn say(text: &str) {
    println!("{text}");
}
