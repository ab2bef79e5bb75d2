//! `concord rx` and `concord citations`: recommendations on the command line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use concord_core::Fault;
use concord_core::cite::{CitationReason, CitationsStatus};
use serde::Serialize;
use serde_json::{Value, json};

use super::desk::Filter;
use super::{
    Cited, Desk, NewRecommendation, Opened, PackReference, Recommendation, STATUSES, SavedCitation,
    Store, status_name, status_named,
};
use crate::Outcome;
use crate::failure::Failure;
use crate::input::Source;
use crate::output::{self, BAD, FAINT, GOOD, STRONG, counted, plain};
use crate::vault::Vault;
use crate::vault::encoders::Encoders;

/// Recommendations: texts with quotations that were checked.
///
/// They lie in the vault's hidden folder `.concord-keep`, and stay when the index is deleted.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List them, newest first
    List(List),
    /// Show one, with each of its quotations
    Show(One),
    /// Save a text; its quotations are checked, and a mismatch is told but does not stop it
    Add(Add),
    /// Delete one
    Delete(One),
}

#[derive(clap::Args)]
struct In {
    /// The vault's folder
    #[arg(long, value_name = "VAULT", env = "CONCORD_VAULT", default_value = ".")]
    vault: PathBuf,
    /// Print the answer as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct List {
    /// Only of this domain
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
    /// Only with this status
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(STATUSES))]
    status: Option<String>,
    /// Only with a quotation that its note no longer has
    #[arg(long)]
    stale: bool,
    #[command(flatten)]
    place: In,
}

#[derive(clap::Args)]
struct One {
    /// Its name, as `concord rx list` shows it
    #[arg(value_name = "REC-ID")]
    id: String,
    #[command(flatten)]
    place: In,
}

#[derive(clap::Args)]
struct Add {
    /// The text; `-` is standard input. Quotations stand in quotation marks or blockquotes, each
    /// with its source beside it: `"…" [3]` for a passage of the pack, or `"…", see [[note]]`
    #[arg(value_name = "FILE")]
    text: PathBuf,
    /// The domain whose notes it quotes, if the vault has several
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
    /// Its title; the beginning of the question or of the text if not given
    #[arg(long)]
    title: Option<String>,
    /// What it answers; the pack's if not given
    #[arg(long)]
    question: Option<String>,
    /// The evidence it was written from, as `concord compose` wrote it: what the numbers mean
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
    /// Which pack, where the file holds several
    #[arg(long, value_name = "ID", requires = "pack")]
    pack_id: Option<String>,
    /// The quotations, as a JSON list of {quote, note, ordinal, number}, instead of those in the text
    #[arg(long, value_name = "FILE")]
    citations: Option<PathBuf>,
    #[command(flatten)]
    place: In,
}

/// Quotations of saved recommendations, and whether they still hold.
///
/// A quotation is stale if it was verified when it was saved, and its note, changed or gone since,
/// no longer has it. Only notes whose content has changed are looked into; run `concord index` first.
///
/// Exit code 1 if --stale finds any.
#[derive(clap::Args)]
pub(crate) struct CitationArgs {
    /// Only those that are stale
    #[arg(long)]
    stale: bool,
    /// Only of this domain
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
    #[command(flatten)]
    place: In,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    match &args.command {
        Command::List(list) => show_all(list),
        Command::Show(one) => with_desk(&one.place, false, |desk| {
            tell(&one.place, &desk.read(&one.id)?)
        }),
        Command::Add(add) => take_in(add),
        Command::Delete(one) => with_desk(&one.place, false, |desk| {
            desk.delete(&one.id)?;
            if one.place.json {
                output::print_json(&json!({}))?;
            } else {
                output::notice(&format!("{} is deleted", one.id));
            }
            Ok(Outcome::Done)
        }),
    }
}

fn with_desk<T>(
    place: &In,
    by_meaning: bool,
    task: impl FnOnce(&Desk<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let vault = Vault::open(&place.vault)?;
    let encoders = Encoders::default();
    let opened = Opened {
        vault: &vault,
        encoders: by_meaning.then_some(&encoders),
    };
    task(&Desk {
        store: Store::of(&vault.root),
        witnesses: &opened,
    })
}

fn tell(place: &In, recommendation: &Recommendation) -> Result<Outcome, Failure> {
    if place.json {
        output::print_json(recommendation)?;
    } else {
        output::print(&in_words(recommendation))?;
    }
    Ok(Outcome::Done)
}

fn show_all(list: &List) -> Result<Outcome, Failure> {
    let filter = Filter {
        domain: list.domain.as_deref(),
        status: list.status.as_deref().and_then(status_named),
        stale: list.stale,
    };
    let all = with_desk(&list.place, false, |desk| Ok(desk.list(&filter)?))?;
    let rows: Vec<_> = all.iter().map(Recommendation::row).collect();
    if list.place.json {
        output::print_json(&json!({ "recommendations": rows }))?;
        return Ok(Outcome::Done);
    }
    let mut text = String::new();
    for row in &rows {
        let stale = match row.stale {
            Some(0) => String::new(),
            Some(stale) => format!(", {BAD}{stale} stale{BAD:#}"),
            None => ", its notes cannot be asked".to_owned(),
        };
        let deep = if row.deep { ", looked at deeply" } else { "" };
        let _ = writeln!(
            text,
            "{STRONG}{}{STRONG:#}  {}  {}\n          {FAINT}{}, {} verified{FAINT:#}{stale}{FAINT}{deep}, in {}{FAINT:#}",
            row.id,
            in_colour(row.citations_status),
            plain(&row.title),
            counted(row.citations, "quotation"),
            row.verified,
            plain(&row.domain),
        );
    }
    if rows.is_empty() {
        output::notice("there are no such recommendations");
    }
    output::print(&text)?;
    Ok(Outcome::Done)
}

fn take_in(add: &Add) -> Result<Outcome, Failure> {
    let new = NewRecommendation {
        title: add.title.clone(),
        question: add.question.clone(),
        text: Source::new(&add.text).text(Fault::Quotation)?,
        citations: add.citations.as_deref().map(citations).transpose()?,
        pack: match &add.pack {
            None => None,
            Some(file) => Some(pack(file, add.pack_id.as_deref())?),
        },
    };
    with_desk(&add.place, true, |desk| {
        let vault = Vault::open(&add.place.vault)?;
        let chosen = vault.chosen(add.domain.as_deref())?;
        let [domain] = chosen[..] else {
            let names: Vec<&str> = chosen.iter().map(|domain| domain.name.as_str()).collect();
            let names = names.join(", ");
            return Err(Failure::Input(format!(
                "name one of the domains with --domain: {names}"
            )));
        };
        tell(&add.place, &desk.take_in(&domain.name, new)?)
    })
}

fn citations(file: &Path) -> Result<Vec<Cited>, Failure> {
    let source = Source::new(file);
    let text = source.text(Fault::Quotation)?;
    serde_json::from_str(&text).map_err(|error| Failure::Input(format!("{source}: {error}")))
}

/// The pack of a name in a file of packs, or the only one.
fn pack(file: &Path, id: Option<&str>) -> Result<PackReference, Failure> {
    let source = Source::new(file);
    let text = source.text(Fault::Receipt)?;
    let refused = |message: String| Failure::Input(format!("{source}: {message}"));
    let packs = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let packs: Result<Vec<Value>, _> = packs.collect();
    let mut packs = packs.map_err(|error| refused(error.to_string()))?;
    if let Some(id) = id {
        packs.retain(|pack| pack["id"] == id);
    }
    match (packs.pop(), packs.is_empty()) {
        (Some(pack), true) => {
            serde_json::from_value(pack).map_err(|error| refused(error.to_string()))
        }
        (Some(_), false) => Err(refused(
            "holds several packs; name one with --pack-id".to_owned(),
        )),
        (None, _) => Err(refused("holds no such pack".to_owned())),
    }
}

/// A citation of a list, with the recommendation that it belongs to.
#[derive(Serialize)]
struct Listed<'a> {
    recommendation: &'a str,
    domain: &'a str,
    title: &'a str,
    citation: &'a SavedCitation,
}

pub(crate) fn run_citations(args: &CitationArgs) -> Result<Outcome, Failure> {
    let filter = Filter {
        domain: args.domain.as_deref(),
        ..Filter::default()
    };
    let all = with_desk(&args.place, false, |desk| Ok(desk.list(&filter)?))?;
    let citations: Vec<Listed<'_>> = all
        .iter()
        .flat_map(|it| {
            let citations = it.all_citations();
            citations.map(|citation| Listed {
                recommendation: &it.id,
                domain: &it.domain,
                title: &it.title,
                citation,
            })
        })
        .filter(|listed| !args.stale || listed.citation.stale == Some(true))
        .collect();
    let mut unknown: BTreeMap<&str, usize> = BTreeMap::new();
    for it in &all {
        let count = it.all_citations().filter(|it| it.stale.is_none()).count();
        if count > 0 {
            *unknown.entry(&it.domain).or_default() += count;
        }
    }
    for (domain, count) in unknown {
        let count = counted(count, "quotation");
        output::notice(&format!(
            "{domain}: cannot be asked, so nothing is known of {count}; run `concord index`"
        ));
    }
    if args.place.json {
        output::print_json(&json!({ "citations": citations }))?;
    } else {
        let mut text = String::new();
        for listed in &citations {
            let _ = writeln!(
                text,
                "{STRONG}{}{STRONG:#}  {}",
                listed.recommendation,
                plain(listed.title)
            );
            write_citation(&mut text, listed.citation);
        }
        if citations.is_empty() {
            let which = if args.stale {
                "stale quotation"
            } else {
                "quotation"
            };
            output::notice(&format!("there is no {which}"));
        }
        output::print(&text)?;
    }
    Ok(if args.stale && !citations.is_empty() {
        Outcome::No
    } else {
        Outcome::Done
    })
}

fn in_colour(status: CitationsStatus) -> String {
    let name = status_name(status);
    match status {
        CitationsStatus::AllVerified => format!("{GOOD}{name}{GOOD:#}"),
        CitationsStatus::HasMismatch => format!("{BAD}{name}{BAD:#}"),
        _ => name.to_owned(),
    }
}

/// A recommendation, for people.
pub(super) fn in_words(recommendation: &Recommendation) -> String {
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  {}  {}\n",
        recommendation.id,
        in_colour(recommendation.citations_status),
        plain(&recommendation.title),
    );
    if !recommendation.question.is_empty() && recommendation.question != recommendation.title {
        let _ = writeln!(text, "{FAINT}{}{FAINT:#}", plain(&recommendation.question));
    }
    write_text(&mut text, &recommendation.text);
    for citation in &recommendation.citations {
        write_citation(&mut text, citation);
    }
    if let Some(deep) = &recommendation.deep {
        let candidates = counted(deep.candidates.len(), "note");
        let _ = writeln!(
            text,
            "\n{STRONG}A deeper look{STRONG:#} ({}): {candidates}, {}",
            plain(&deep.mode),
            in_colour(deep.citations_status)
        );
        write_text(&mut text, deep.text.as_deref().unwrap_or_default());
        for candidate in &deep.candidates {
            let comment = candidate.comment.as_deref().unwrap_or_default();
            let title = candidate.title.as_deref().unwrap_or(&candidate.path);
            let _ = writeln!(
                text,
                "  {}  {FAINT}{}{FAINT:#}  {}",
                plain(title),
                plain(&candidate.path),
                plain(comment)
            );
        }
        for citation in &deep.citations {
            write_citation(&mut text, citation);
        }
    }
    text
}

fn write_text(text: &mut String, written: &str) {
    if written.trim().is_empty() {
        return;
    }
    text.push('\n');
    for line in written.trim().lines() {
        let line = plain(line).to_string();
        for line in output::wrapped(&line, 2) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text.push('\n');
}

fn write_citation(text: &mut String, citation: &SavedCitation) {
    let reason = citation.citation_reason.name();
    let (style, mark) = match citation.citation_reason {
        CitationReason::Match => (GOOD, "verified"),
        _ => (BAD, "not verified"),
    };
    let quote = citation.quote.as_deref().unwrap_or_default();
    let _ = writeln!(
        text,
        "  {style}{mark}{style:#}  {reason}  “{}”",
        plain(quote)
    );
    let note = citation.note.as_deref().unwrap_or("names no note");
    let _ = writeln!(text, "    {FAINT}{}{FAINT:#}", plain(note));
    if let Some(found) = &citation.found_in {
        let how = match found.distance {
            0 => "stands as it is".to_owned(),
            1 => "stands with one character changed".to_owned(),
            distance => format!("stands with {distance} characters changed"),
        };
        let _ = writeln!(
            text,
            "    {how} in {} › {}",
            plain(&found.note),
            plain(&found.section)
        );
    }
    match (citation.stale, citation.now) {
        (Some(true), Some(now)) => {
            let _ = writeln!(
                text,
                "    {BAD}stale{BAD:#}: the note has changed, and now it is {}",
                now.name()
            );
        }
        (None, _) => {
            let _ = writeln!(
                text,
                "    its domain cannot be asked whether it still holds"
            );
        }
        _ => {}
    }
}
