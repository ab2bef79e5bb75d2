//! `concord traverse`: a walk along links.

use std::fmt::Write as _;

use concord_cache::Scope;
use concord_core::traverse::{PruneReason, RetainReason, WalkEnd};

use crate::Outcome;
use crate::collection::{self, Mode, Question, Start, Walked, Walks};
use crate::failure::Failure;
use crate::opened::Asking;
use crate::output::{self, FAINT, STRONG, counted, plain};

/// A longer title moves what follows it, and not the whole column.
const WIDEST: usize = 48;

/// Walk along links, from a note or from the best hits of a question.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The note to start from, by its path, a name that links use, or its title; without one, --query says where
    #[arg(value_name = "NOTE", required_unless_present = "query")]
    note: Option<String>,
    /// What nearness is to; the note itself if it is not given
    #[arg(long, short, value_name = "QUESTION")]
    query: Option<String>,
    /// How many hops at most
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: Option<u32>,
    /// Which way of walking
    #[arg(long, value_enum, default_value_t = Mode::Fast)]
    mode: Mode,
    #[command(flatten)]
    asking: Asking,
    /// Print the walk as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let collection = args.asking.collection()?;
    let question = Question {
        query: args.query.clone().unwrap_or_default(),
        profile: args.asking.profile_for(&collection)?,
        scope: Scope::default(),
        now: collection::now(),
    };
    let start = args.note.as_deref().map_or(Start::Hits, Start::Note);
    let walks = collection.traverse(&start, &question, args.mode, args.depth)?;
    if args.json {
        output::print_json(&walks)?;
    } else {
        output::print(&in_words(&walks))?;
    }
    Ok(Outcome::Done)
}

fn in_words(walks: &Walks) -> String {
    let mut text = String::new();
    for (name, walked) in [("fast", &walks.fast), ("deep", &walks.deep)] {
        if let Some(walked) = walked {
            write_walk(&mut text, name, walked, walks);
        }
    }
    text
}

fn write_walk(text: &mut String, name: &str, walked: &Walked, walks: &Walks) {
    let walk = &walked.walk;
    let ended = match walk.ended {
        WalkEnd::GoodEnough => "good enough",
        WalkEnd::MaxHops => "as far as allowed",
        WalkEnd::Exhausted => "nothing left to follow",
    };
    let _ = writeln!(
        text,
        "{STRONG}{name}{STRONG:#}  {} retained, {} dropped, {}, {} read  {FAINT}({ended}){FAINT:#}",
        counted(walk.retained.len(), "note"),
        walk.pruned_count,
        counted(walk.hops as usize, "hop"),
        counted(walked.embeddings_read as usize, "embedding"),
    );
    let title = |path: &str| {
        walks
            .titles
            .get(path)
            .map_or(path, String::as_str)
            .to_owned()
    };
    let titles: Vec<String> = walk
        .retained
        .iter()
        .map(|kept| plain(&title(&kept.path)).to_string())
        .collect();
    let widths = titles.iter().map(|title| title.chars().count());
    let width = widths.filter(|&width| width <= WIDEST).max().unwrap_or(0);
    for (kept, title) in walk.retained.iter().zip(&titles) {
        let why = match kept.retain_reason {
            RetainReason::Seed => "  where the walk starts",
            RetainReason::AbovePruneFloor => "",
            RetainReason::KeptDespiteDecayZero => "  kept though it no longer holds",
        };
        let _ = writeln!(
            text,
            "  {:.3}  hop {}  {title:<width$}  {FAINT}{}{why}{FAINT:#}",
            kept.similarity.get(),
            kept.hop,
            plain(&kept.path),
        );
    }
    for pruned in &walk.pruned {
        let why = match pruned.drop_reason {
            PruneReason::DecayZero => "no longer holds",
            PruneReason::BelowPruneThreshold => "not near enough",
            PruneReason::BeamOverflow => "others of this hop were nearer",
        };
        let _ = writeln!(
            text,
            "  {FAINT}{:.3}  hop {}  {}  dropped: {why}{FAINT:#}",
            pruned.similarity.get(),
            pruned.hop,
            plain(&pruned.path),
        );
    }
    text.push('\n');
}
