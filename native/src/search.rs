//! `concord search`: a question, answered from the cache.

use std::fmt::Write as _;
use std::path::PathBuf;

use concord_cache::Scope;
use serde_json::json;

use crate::Outcome;
use crate::collection::{self, Answer, Collection, Question};
use crate::failure::Failure;
use crate::opened::Asking;
use crate::output::{self, FAINT, STRONG, plain};
use crate::rank::Listing;

/// Ask a vault.
///
/// Answers come from the index; run `concord index` first. A vault of several domains is asked in
/// each of them, unless --domain names one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The question; words in quotes are one phrase
    query: String,
    #[command(flatten)]
    asking: Asking,
    /// How many passages, instead of the profile's limit
    #[arg(short, long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=200))]
    k: Option<u32>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Show how each score came about, in parts that add up
    #[arg(long)]
    explain: bool,
    /// Print the answers as one JSON document: a list, with one entry a domain
    #[arg(long)]
    json: bool,
    /// Also write bundle, profile and ranking to this file, for `concord replay`
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
}

/// What is searched.
#[derive(clap::Args)]
#[command(next_help_heading = "Scope")]
struct ScopeArgs {
    /// Only below this folder
    #[arg(long)]
    folder: Option<String>,
    /// Only with this tag, or one nested below; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Only by this author
    #[arg(long)]
    author: Option<String>,
    /// Only published (or else changed) on this day or later
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    since: Option<i64>,
    /// Only published (or else changed) before this day
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    before: Option<i64>,
    /// Only this note; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
}

fn day(text: &str) -> Result<i64, String> {
    concord_text::first_moment(text).ok_or_else(|| "must be a day, YYYY-MM-DD".to_owned())
}

impl ScopeArgs {
    fn scope(&self) -> Scope {
        Scope {
            folder: self.folder.clone(),
            tags: self.tags.clone(),
            kind: self.kind.clone(),
            author: self.author.clone(),
            since: self.since,
            before: self.before,
            files: self.files.clone(),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    if args.query.trim().is_empty() {
        return Err(Failure::Input("the question is empty".to_owned()));
    }
    let collections = args.asking.collections()?;
    if args.receipt.is_some() && collections.len() > 1 {
        let message = "--receipt: a receipt is of one domain's answer; name it with --domain";
        return Err(Failure::Input(message.to_owned()));
    }
    let now = collection::now();
    let mut answers = Vec::new();
    for collection in &collections {
        let mut profile = args.asking.profile_for(collection)?;
        profile.limit = args.k.unwrap_or(profile.limit);
        let question = Question {
            query: args.query.clone(),
            profile,
            scope: args.scope.scope(),
            now,
        };
        answers.push((collection, collection.ask(&question)?));
    }
    if let (Some(file), [(_, answer)]) = (&args.receipt, &answers[..]) {
        output::write_file(file, &answer.receipt)?;
    }
    if args.json {
        let told: Vec<_> = answers
            .iter()
            .map(|(collection, answer)| told(collection, answer))
            .collect();
        output::print_json(&told)?;
    } else {
        output::print(&in_words(args, &answers))?;
    }
    Ok(Outcome::Done)
}

fn told(collection: &Collection, answer: &Answer) -> serde_json::Value {
    json!({
        "domain": collection.name,
        "query": answer.receipt.bundle.query,
        "nothing_relevant": answer.nothing_relevant.is_some(),
        "why": answer.nothing_relevant.as_ref().or(collection.words_only.as_ref()),
        "words_only": collection.words_only.is_some(),
        "profile": answer.receipt.profile,
        "notes": answer.receipt.bundle.notes,
        "ranking": answer.receipt.ranking,
    })
}

fn in_words(args: &Args, answers: &[(&Collection, Answer)]) -> String {
    let mut text = String::new();
    let several = answers.len() > 1;
    let (found, strangers): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|(_, answer)| answer.nothing_relevant.is_none());
    for (collection, answer) in &found {
        if several {
            let _ = writeln!(text, "{STRONG}── {} ──{STRONG:#}", plain(&collection.name));
        }
        if let Some(why) = &collection.words_only {
            let _ = writeln!(text, "{FAINT}by words alone: {}{FAINT:#}", plain(why));
        }
        let _ = write!(text, "{}", listing(args, answer));
        if several {
            text.push('\n');
        }
    }
    for (collection, answer) in &strangers {
        let why = answer.nothing_relevant.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "{STRONG}Nothing relevant in {}{STRONG:#}: {}",
            plain(&collection.name),
            plain(why)
        );
        // What is nearest is shown where there is nothing else to show, for what it is.
        if found.is_empty() && !several && !answer.receipt.ranking.items.is_empty() {
            let _ = write!(
                text,
                "{FAINT}Nearest all the same:{FAINT:#}\n\n{}",
                listing(args, answer)
            );
        }
    }
    text
}

fn listing<'a>(args: &Args, answer: &'a Answer) -> Listing<'a> {
    Listing {
        bundle: &answer.receipt.bundle,
        profile: &answer.receipt.profile,
        ranking: &answer.receipt.ranking,
        explain: args.explain,
    }
}
