//! `concord rank`: a bundle under a profile, as a list for people or as a document.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::PathBuf;

use concord_core::ranking::{DropReason, Item};
use concord_core::{Bundle, Chunk, Fault, Note, Prepared, Profile, Ranking, Receipt};

use crate::Outcome;
use crate::explain;
use crate::failure::Failure;
use crate::input::{self, Source};
use crate::output::{self, FAINT, STRONG, counted, plain};

/// Rank a bundle's candidates under a profile.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The query's candidates and the facts to rank them by, as JSON; `-` is standard input
    #[arg(long, value_name = "FILE")]
    bundle: PathBuf,
    /// `balanced`, `vault`, or a file (YAML or JSON) with the keys to change; see `concord profile`
    #[arg(long, value_name = "NAME|FILE", default_value = "balanced")]
    profile: PathBuf,
    /// Return at most this many, whatever the profile says
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    limit: Option<u32>,
    /// Show how each score came about, in parts that add up
    #[arg(long)]
    explain: bool,
    /// Print the ranking as one JSON document, which explains itself
    #[arg(long)]
    json: bool,
    /// Also write bundle, profile and ranking to this file, for `concord replay`
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if is_stdin(&args.bundle) && is_stdin(&args.profile) {
        let message = "--bundle and --profile cannot both be standard input";
        return Err(Failure::Input(message.into()));
    }
    if args.receipt.as_ref().is_some_and(is_stdin) {
        let message = "--receipt: must be a file: standard output holds the ranking";
        return Err(Failure::Input(message.into()));
    }

    let source = Source::new(&args.bundle);
    let refused = |e| Failure::refused(&source, &e);
    let bundle = Bundle::from_json(&source.text(Fault::Bundle)?).map_err(refused)?;
    let mut profile = input::profile(&args.profile, &bundle.domain)?;
    if let Some(limit) = args.limit {
        profile.limit = limit;
        profile
            .settle()
            .map_err(|e| Failure::refused("--limit", &e))?;
    }
    let prepared = Prepared::new(bundle).map_err(refused)?;
    let ranking = prepared
        .rank(&profile)
        .map_err(|e| Failure::refused(args.profile.display(), &e))?;

    if let Some(path) = &args.receipt {
        let receipt = Receipt {
            bundle: prepared.bundle().clone(),
            profile: profile.clone(),
            ranking: ranking.clone(),
        };
        output::write_file(path, &receipt)?;
    }
    if args.json {
        output::print_json(&ranking)?;
    } else {
        let listing = Listing {
            bundle: prepared.bundle(),
            profile: &profile,
            ranking: &ranking,
            explain: args.explain,
        };
        output::print(&listing.to_string())?;
    }
    Ok(Outcome::Done)
}

/// Below a title stands what belongs to it.
const INDENT: &str = "             ";

/// A ranking for people.
pub(crate) struct Listing<'a> {
    pub(crate) bundle: &'a Bundle,
    pub(crate) profile: &'a Profile,
    pub(crate) ranking: &'a Ranking,
    pub(crate) explain: bool,
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chunks = self.bundle.chunks.iter();
        let chunks: BTreeMap<u32, &Chunk> = chunks.map(|chunk| (chunk.id, chunk)).collect();
        let notes = self.bundle.notes.iter();
        let notes: BTreeMap<&str, &Note> = notes.map(|note| (note.path.as_str(), note)).collect();

        let (query, name) = (plain(&self.bundle.query), plain(&self.profile.name));
        writeln!(
            f,
            "{STRONG}{query}{STRONG:#}  {FAINT}profile {name}{FAINT:#}\n"
        )?;
        for item in &self.ranking.items {
            let title = notes.get(item.note.as_str()).map_or("", |note| &note.title);
            let section = chunks.get(&item.chunk).map_or("", |chunk| &chunk.section);
            self.write_item(f, item, title, section)?;
        }
        self.write_closing_line(f)
    }
}

impl Listing<'_> {
    fn write_item(
        &self,
        f: &mut fmt::Formatter<'_>,
        item: &Item,
        title: &str,
        section: &str,
    ) -> fmt::Result {
        let Item { rank, note, .. } = item;
        let score = item.score.get();
        let title = if title.is_empty() { note } else { title };
        write!(
            f,
            "{rank:>3}  {score:.4}  {STRONG}{}{STRONG:#}",
            plain(title)
        )?;
        if !section.is_empty() && section != title {
            write!(f, " › {}", plain(section))?;
        }
        writeln!(f, "\n{INDENT}{FAINT}{}{FAINT:#}", plain(note))?;
        for sentence in &item.excerpt {
            let text = plain(sentence.text.trim()).to_string();
            for line in output::wrapped(&text, INDENT.len()) {
                writeln!(f, "{INDENT}{line}")?;
            }
        }
        if self.explain {
            f.write_char('\n')?;
            explain::write(f, item, self.ranking, self.profile)?;
        }
        f.write_char('\n')
    }

    fn write_closing_line(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ranking {
            candidates,
            graph,
            items,
            dropped,
            digest,
            ..
        } = self.ranking;
        let candidates = counted(*candidates as usize, "candidate");
        write!(f, "{FAINT}{candidates}, {} shown", items.len())?;
        for (reason, words) in [
            (DropReason::Limit, "past the limit"),
            (DropReason::NoteFull, "of notes shown often enough"),
            (DropReason::PageFull, "of pages shown often enough"),
            (DropReason::Repeats, "said above already"),
            (DropReason::Budget, "too long for the budget"),
        ] {
            let count = dropped.iter().filter(|d| d.reason == reason).count();
            if count > 0 {
                write!(f, ", {count} {words}")?;
            }
        }
        if self.ranking.small_corpus {
            f.write_str(", all of a small corpus")?;
        }
        let acted = if graph.active {
            "links acted"
        } else {
            "links did not act"
        };
        let citations = counted(graph.citations as usize, "citation");
        let short = digest.get(..12).unwrap_or(digest);
        writeln!(f, " · {acted} ({citations}) · digest {short}{FAINT:#}")
    }
}
