//! `concord index`: the caches of a vault, in step with its notes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use concord_cache::sync::{Progress, Report, SentenceProgress, Sync};
use concord_cache::{Cache, Fate, Identity};
use concord_encode::hub::Hub;
use concord_encode::{Encoder, Fault, Precision, embedded};
use concord_text::ChunkRules;
use indicatif::{ProgressBar, ProgressStyle};

use crate::Outcome;
use crate::failure::Failure;
use crate::output::{self, FAINT, STRONG, counted, plain};
use crate::vault::command::{Which, refused};
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
    let mut indexer = Indexer::new(args)?;
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

    /// Brings every domain that is meant in step, and says whether that was ended early. What
    /// did not change anything is told only if `tell_all`.
    pub(crate) fn run(&mut self, tell_all: bool) -> Result<bool, Failure> {
        let Self {
            args,
            encoders,
            stop,
        } = self;
        let stopped = args.which.for_each(|vault, domain| {
            if stop.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let encoder = if args.words_only {
                None
            } else {
                Some(encoders.get(args.model.as_ref().or(domain.model.as_ref()))?)
            };
            index(
                vault,
                domain,
                encoder,
                stop,
                How {
                    rebuild: args.rebuild && tell_all,
                    sentences: !args.no_sentences,
                    tell_all,
                },
            )
        })?;
        Ok(stopped.contains(&true))
    }
}

/// Encoders by name, each opened once; the one without a name is inside this program.
#[derive(Default)]
struct Encoders(BTreeMap<Option<String>, Box<dyn Encoder>>);

impl Encoders {
    fn get(&mut self, name: Option<&String>) -> Result<&dyn Encoder, Failure> {
        let encoder = match self.0.entry(name.cloned()) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(place) => {
                place.insert(open(name).map_err(|error| match error.fault {
                    Fault::Model | Fault::Files => Failure::Input(error.message),
                    Fault::Network | Fault::Machine => Failure::Machine(error.message),
                })?)
            }
        };
        Ok(&**encoder)
    }
}

pub(crate) fn open(name: Option<&String>) -> concord_encode::Result<Box<dyn Encoder>> {
    let Some(name) = name else {
        return Ok(Box::new(embedded::open()?));
    };
    let bar = ProgressBar::no_length().with_style(
        ProgressStyle::with_template("{msg}  {bar:30} {bytes}/{total_bytes} ({eta})")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let located = Hub::from_environment()?.resolve(name, &mut |progress| {
        bar.set_message(progress.file.to_owned());
        bar.set_length(progress.total.unwrap_or(progress.done));
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    concord_encode::open(&located?, Precision::Int8)
}

/// What a run of one domain is asked to do.
#[derive(Clone, Copy)]
struct How {
    rebuild: bool,
    sentences: bool,
    tell_all: bool,
}

/// Whether the run was ended early.
fn index(
    vault: &Vault,
    domain: &Domain,
    encoder: Option<&dyn Encoder>,
    stop: &AtomicBool,
    how: How,
) -> Result<bool, Failure> {
    let file = vault.cache_file(domain);
    let identity = Identity {
        model: encoder.map(|encoder| encoder.fingerprint().to_owned()),
        dimension: encoder.map_or(0, |encoder| u32::try_from(encoder.dimension()).unwrap_or(0)),
        chunker: "sections 600/80".to_owned(),
    };
    let open = if how.rebuild {
        Cache::anew
    } else {
        Cache::writer
    };
    let mut cache = open(&file, &identity).map_err(refused)?;
    let bar = Bar::new(&domain.name);
    let encode = |texts: &[&str]| {
        let encoder = encoder.ok_or("there is no encoder")?;
        let encoded = encoder.encode_documents(texts).map_err(|e| e.to_string())?;
        Ok(encoded.vectors)
    };
    let sync = Sync {
        root: &vault.root,
        territory: &domain.territory,
        rules: ChunkRules::SECTIONS,
        encode: encoder.is_some().then_some(&encode),
        stop,
    };
    let report = cache.sync(&sync, &mut |progress| bar.show(progress));
    bar.end();
    let report = report.map_err(refused)?;
    if how.tell_all || report.indexed + report.removed > 0 {
        tell_of_failures(&cache)?;
        output::print(&in_words(&domain.name, &report))?;
    }
    match encoder {
        Some(encoder) if how.sentences && !report.stopped => {
            fill_sentences(&mut cache, encoder, stop, &domain.name)
        }
        _ => Ok(report.stopped),
    }
}

/// Encodes the sentences that have no vector yet, as queries are, so that the excerpts of a search
/// need no encoder. Whether that was ended early.
fn fill_sentences(
    cache: &mut Cache,
    encoder: &dyn Encoder,
    stop: &AtomicBool,
    domain: &str,
) -> Result<bool, Failure> {
    let bar = Bar::new(domain);
    let encode = |sentences: &[&str]| {
        let prefix = encoder.query_prefix();
        let texts: Vec<String> = sentences.iter().map(|it| format!("{prefix}{it}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let encoded = encoder
            .encode_documents(&texts)
            .map_err(|e| e.to_string())?;
        Ok(encoded.vectors)
    };
    let filled = cache.fill_sentences(&encode, stop, &mut |progress| bar.show_sentences(progress));
    bar.end();
    Ok(filled.map_err(refused)?.stopped)
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

/// Names every file that could not be read, and why.
fn tell_of_failures(cache: &Cache) -> Result<(), Failure> {
    for file in cache.files().map_err(refused)?.values() {
        if let Fate::Failed(reason) = &file.fate {
            output::complain(&format!("{}: {reason}", file.path));
        }
    }
    Ok(())
}

fn in_words(domain: &str, report: &Report) -> String {
    let mut words = String::new();
    for (count, what) in [
        (report.indexed, "indexed"),
        (report.unchanged, "unchanged"),
        (report.removed, "removed"),
        (report.skipped, "skipped"),
        (report.failed, "failed"),
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
