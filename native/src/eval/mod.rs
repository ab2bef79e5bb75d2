//! `concord eval`: how good a ranking is, by questions whose answers are known.
//!
//! Questions come from a vault's owner (YAML) or from a collection in BEIR's form. They go the way
//! of every question, from the cache through the bundle to the core; what is added here is the
//! comparison of the answers with the judgments. Where a vault of documents, its index and the
//! questions' vectors are kept: the platform's cache folder, or `--cache`.

mod beir;
mod chart;
mod field;
mod html;
mod measure;
mod narrow;
mod prepare;
mod questions;
mod remember;
mod sampling;
mod stage;
mod tune;
mod verdict;
mod words;

use std::path::PathBuf;

use concord_core::Seconds;
use serde::Serialize;

use crate::Outcome;
use crate::collection;
use crate::failure::Failure;
use crate::output;

use field::{Field, Lineup};
use prepare::Caches;
use tune::Proposal;
use verdict::{Comparison, Verdict};

/// Measure how good a ranking is, by questions whose answers are known.
///
/// With --questions, a vault is asked its owner's golden questions; with --beir, a collection in
/// BEIR's form is made a vault in the cache folder, and asked its own. Figures come with 95 %
/// intervals, for each way of searching alone and for each layer of the profile, with the questions
/// that it helped and hurt. Nothing but the index is written into the vault.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("asked").required(true).args(["questions", "beir"]))]
pub(crate) struct Args {
    /// The vault's folder
    #[arg(value_name = "VAULT", env = "CONCORD_VAULT", default_value = ".")]
    vault: PathBuf,
    /// Golden questions (YAML): a list of `query`, `relevant`, and optionally `partial`, `category`
    /// and `domain`
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// A collection in BEIR's form; may be given several times
    #[arg(long, value_name = "FOLDER")]
    beir: Vec<PathBuf>,
    /// Only the questions put to this domain
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
    /// `balanced`, `vault`, a saved profile, or a file (YAML or JSON) with the keys to change; the
    /// domain's own if it is not given
    #[arg(long, value_name = "NAME|FILE")]
    profile: Option<PathBuf>,
    /// A second profile, for a comparison question by question
    #[arg(long, value_name = "NAME|FILE")]
    compare: Option<PathBuf>,
    /// Another encoder than the vault's: a folder or a hub name; its index goes to the cache folder
    #[arg(long, value_name = "FOLDER|NAME")]
    model: Option<String>,
    /// A second encoder, for a comparison question by question
    #[arg(long, value_name = "FOLDER|NAME", conflicts_with = "compare")]
    compare_model: Option<String>,
    /// Look for numbers that rank these questions better, and say what they gain on questions that
    /// they were not chosen on; exit code 1 where that gain is not certain
    #[arg(long, conflicts_with_all = ["compare", "compare_model"])]
    tune: bool,
    /// With --tune: write the proposed profile to this file (YAML)
    #[arg(long, value_name = "FILE", requires = "tune")]
    output: Option<PathBuf>,
    /// Where collections, their indexes and questions' vectors are kept, instead of the platform's
    /// cache folder
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// The day that counts as today for ages, instead of today
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    now: Option<Seconds>,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a report with charts to this file: one page that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

fn day(text: &str) -> Result<Seconds, String> {
    let moment = concord_text::first_moment(text).ok_or("must be a day, YYYY-MM-DD")?;
    let moment = u32::try_from(moment).map_err(|_| "must be after 1970")?;
    Ok(Seconds::from(moment))
}

/// All that an evaluation found.
#[derive(Default, Serialize)]
pub(crate) struct Report {
    /// A set of questions each.
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) proposal: Option<Proposal>,
}

/// A set of questions, ready to be ranked.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) field: Field,
    pub(crate) lineup: Lineup,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let caches = Caches::open(args.cache.as_deref())?;
    let now = args.now.unwrap_or_else(collection::now);
    let model = args.model.as_deref();
    let sets = prepare::sets(args, &caches, now, model)?;
    if args.tune
        && let Some(why) = tune::too_few(&sets)
    {
        output::complain(&why);
        return Ok(Outcome::No);
    }
    let mut report = Report::default();
    for set in &sets {
        report
            .verdicts
            .push(verdict::judge(&set.name, &set.field, &set.lineup)?);
    }
    if let Some(profile) = &args.compare {
        for set in &sets {
            let second = prepare::lineup(args, Some(profile), &set.field.collections)?;
            let ours = set.field.measured(&set.lineup)?;
            let theirs = set.field.measured(&second)?;
            let first = (set.lineup.name.as_str(), ours.as_slice());
            let second = (second.name.as_str(), theirs.as_slice());
            report
                .comparisons
                .push(verdict::compare(&set.name, &set.field, first, second));
        }
    }
    if let Some(other) = &args.compare_model {
        let others = prepare::sets(args, &caches, now, Some(other))?;
        for (set, other_set) in sets.iter().zip(&others) {
            let ours = set.field.measured(&set.lineup)?;
            let theirs = other_set.field.measured(&other_set.lineup)?;
            let model = |set: &Set| -> Result<String, Failure> {
                let open = set.field.collections.first();
                let made_by = open.map(|open| open.size()).transpose()?;
                Ok(made_by
                    .and_then(|(_, model)| model)
                    .unwrap_or("words alone".to_owned()))
            };
            let (first, second) = apart(model(set)?, model(other_set)?);
            report.comparisons.push(verdict::compare(
                &set.name,
                &set.field,
                (&first, &ours),
                (&second, &theirs),
            ));
        }
    }
    if args.tune {
        report.proposal = Some(tune::propose(&sets)?);
    }
    caches.save();

    if let Some(file) = &args.html {
        std::fs::write(file, html::page(&report))
            .map_err(|error| Failure::file(file.display(), &error))?;
    }
    if args.json {
        output::print_json(&report)?;
    } else {
        output::print(&words::told(&report))?;
    }
    match &report.proposal {
        Some(proposal) => proposal.conclude(args.output.as_deref()),
        None => Ok(Outcome::Done),
    }
}

/// Two models by name and precision; by all that is known of them where that does not tell them apart.
fn apart(first: String, second: String) -> (String, String) {
    let short = |fingerprint: &str| {
        let mut parts = fingerprint.split(':');
        let (name, precision) = (parts.next().unwrap_or_default(), parts.nth(1));
        precision.map_or(name.to_owned(), |precision| format!("{name} {precision}"))
    };
    let (a, b) = (short(&first), short(&second));
    if a == b { (first, second) } else { (a, b) }
}
