//! `concord index`: the caches of a vault, in step with its notes.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use concord_cache::sync::{Inventory, Progress, Report, SentenceProgress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::Outcome;
use crate::failure::Failure;
use crate::output::{self, FAINT, STRONG, counted, plain};
use crate::vault::command::{Which, refused};
use crate::vault::encoders::{Choice, Encoders};
use crate::vault::step::{Phase, Step};
use crate::vault::{Domain, Vault};

/// Index a vault, or bring its index in step with what changed.
///
/// The index lies in the folder `.concord` of the vault, a file a domain, and can be deleted at any
/// time. Credentials are struck out before anything is stored. Ctrl-C ends the run after the notes
/// at hand; the next run goes on.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) which: Which,
    /// The encoder to use instead of the one inside this program: a folder with config.json,
    /// tokenizer.json and model.safetensors, or a hub name such as BAAI/bge-large-en-v1.5
    #[arg(long, value_name = "FOLDER|NAME")]
    model: Option<String>,
    /// Use no encoder: search by words alone
    #[arg(long, conflicts_with = "model")]
    words_only: bool,
    /// Leave out the vectors of sentences: indexing ends sooner, and the first searches take longer
    #[arg(long)]
    no_sentences: bool,
    /// Delete the index first
    #[arg(long)]
    rebuild: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let indexer = Indexer::new(args)?;
    if indexer.run(true)? {
        output::notice("ended early; run it again to go on");
    }
    Ok(Outcome::Done)
}

/// Indexes a vault as often as it is asked to.
pub(crate) struct Indexer<'a> {
    args: &'a Args,
    encoders: Encoders,
    stop: Arc<AtomicBool>,
}

impl<'a> Indexer<'a> {
    pub(crate) fn new(args: &'a Args) -> Result<Self, Failure> {
        Ok(Self {
            args,
            encoders: Encoders::default(),
            stop: stop_on_ctrl_c()?,
        })
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Brings every domain that is meant in step, and says whether that was ended early. On the
    /// first run everything is told, later only what changed.
    pub(crate) fn run(&self, is_first: bool) -> Result<bool, Failure> {
        let which = &self.args.which;
        let vault = Vault::open(which.folder())?;
        // One walk for all domains.
        let inventory = Inventory::of(&vault.root, &vault.settings.selection).map_err(refused)?;
        let stopped = which.for_each_in(&vault, |vault, domain| {
            Ok(self.is_stopped() || self.index(vault, &inventory, domain, is_first)?)
        })?;
        Ok(stopped.contains(&true))
    }

    /// Whether it was ended early.
    fn index(
        &self,
        vault: &Vault,
        inventory: &Inventory,
        domain: &Domain,
        is_first: bool,
    ) -> Result<bool, Failure> {
        let args = self.args;
        let bar = Bar::new(&domain.name);
        let mut told = Ok(());
        let step = Step {
            vault,
            inventory,
            domain,
            choice: match &args.model {
                _ if args.words_only => Choice::Words,
                Some(name) => Choice::Named(name.clone()),
                None => vault.encoder_of(domain),
            },
            anew: args.rebuild && is_first,
            sentences: !args.no_sentences,
            encoders: &self.encoders,
            stop: &self.stop,
        };
        let report = step.take(&mut |phase| match phase {
            Phase::Notes(progress) => bar.show(progress),
            Phase::Indexed(report) => {
                bar.end();
                if is_first || report.indexed + report.removed > 0 {
                    for (path, reason) in &report.failed {
                        output::complain(&format!("{path}: {reason}"));
                    }
                    told = output::print(&in_words(&domain.name, report));
                }
            }
            Phase::Sentences(progress) => bar.show_sentences(progress),
        });
        bar.end();
        told?;
        Ok(report?.stopped)
    }
}

fn stop_on_ctrl_c() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let handler = ctrlc::set_handler(move || {
        if told.swap(true, Ordering::Relaxed) {
            // Asked twice: at once. Every note is whole or not there, so nothing is lost.
            std::process::exit(130);
        }
    });
    handler.map_err(|error| Failure::Machine(format!("cannot wait for Ctrl-C: {error}")))?;
    Ok(stop)
}

fn in_words(domain: &str, report: &Report) -> String {
    let mut words = String::new();
    for (count, what) in [
        (report.indexed, "indexed"),
        (report.unchanged, "unchanged"),
        (report.removed, "removed"),
        (report.skipped, "skipped"),
        (report.failed.len(), "failed"),
    ] {
        if count > 0 {
            let separator = if words.is_empty() { "" } else { ", " };
            let _ = write!(words, "{separator}{count} {what}");
        }
    }
    if words.is_empty() {
        words.push_str("no notes");
    }
    let mut text = format!("{STRONG}{}{STRONG:#}  {words}", plain(domain));
    if report.encoded + report.reused > 0 {
        let passages = counted(report.encoded, "passage");
        let _ = write!(
            text,
            "{FAINT}  ({passages} encoded, {} known){FAINT:#}",
            report.reused
        );
    }
    for (name, count) in &report.redacted {
        let _ = write!(text, "\n    struck out: {} × {}", count, plain(name));
    }
    text.push('\n');
    text
}

/// A progress bar on a terminal, a line every thousand files elsewhere.
struct Bar(ProgressBar, String);

impl Bar {
    fn new(domain: &str) -> Self {
        let style = ProgressStyle::with_template("{prefix}  {bar:30} {pos}/{len} {msg} ({eta})");
        let bar = ProgressBar::new(0).with_prefix(domain.to_owned());
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar, domain.to_owned())
    }

    fn show(&self, progress: Progress) {
        if self.0.is_hidden() {
            if progress.done > 0 && progress.done.is_multiple_of(1_000) {
                let Progress { done, files, .. } = progress;
                output::notice(&format!("{}: {done} of {files} files", self.1));
            }
            return;
        }
        self.0.set_length(progress.files as u64);
        self.0.set_position(progress.done as u64);
        self.0.set_message(format!(
            "files, {} encoded",
            counted(progress.encoded, "passage")
        ));
    }

    fn show_sentences(&self, progress: SentenceProgress) {
        let SentenceProgress { done, chunks, .. } = progress;
        if self.0.is_hidden() {
            if done / 1_000 > self.0.position() as usize / 1_000 {
                let domain = &self.1;
                output::notice(&format!(
                    "{domain}: sentences of {done} of {chunks} passages"
                ));
            }
        } else {
            self.0.set_length(chunks as u64);
            self.0.set_message(format!(
                "passages, {} encoded",
                counted(progress.encoded, "sentence")
            ));
        }
        self.0.set_position(done as u64);
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
