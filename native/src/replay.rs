//! `concord replay`: a receipt, computed again.

use std::fmt::Write as _;
use std::path::PathBuf;

use concord_core::{Difference, Fault, Receipt, Replay};

use crate::Outcome;
use crate::failure::Failure;
use crate::input::Source;
use crate::output::{self, BAD, FAINT, GOOD, STRONG, plain};

/// Compute a receipt's ranking again and compare every bit.
///
/// Exit code 0 if all bits are the same; 1 if not, with the first difference.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `rank --receipt` wrote; `-` is standard input
    receipt: PathBuf,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let source = Source::new(&args.receipt);
    let text = source.text(Fault::Receipt)?;
    let replay = Receipt::from_json(&text)
        .and_then(Receipt::replay)
        .map_err(|e| Failure::refused(&source, &e))?;
    if args.json {
        output::print_json(&replay)?;
    } else {
        output::print(&in_words(&replay))?;
    }
    Ok(if replay.same {
        Outcome::Done
    } else {
        Outcome::No
    })
}

fn in_words(replay: &Replay) -> String {
    let mut text = String::new();
    let _ = match &replay.difference {
        None => writeln!(
            text,
            "{GOOD}same bits{GOOD:#}  {}",
            plain(&replay.recomputed)
        ),
        Some(difference) => write_difference(&mut text, replay, difference),
    };
    text
}

fn write_difference(
    text: &mut String,
    replay: &Replay,
    difference: &Difference,
) -> std::fmt::Result {
    let Difference {
        key,
        recorded,
        recomputed,
    } = difference;
    writeln!(
        text,
        "{BAD}different{BAD:#} at {STRONG}{}{STRONG:#}",
        plain(key)
    )?;
    writeln!(text, "  recorded    {}", plain(recorded))?;
    writeln!(text, "  recomputed  {}", plain(recomputed))?;
    if key == "digest" {
        let why = "The rankings are equal, so the digest itself was changed, or a part of the\n  \
                   bundle or the profile that the ranking does not show.";
        writeln!(text, "  {FAINT}{why}{FAINT:#}")?;
    } else {
        writeln!(
            text,
            "  {FAINT}digest recorded    {}",
            plain(&replay.recorded)
        )?;
        writeln!(
            text,
            "  digest recomputed  {}{FAINT:#}",
            plain(&replay.recomputed)
        )?;
    }
    if key == "version" {
        let why =
            "Another version of the core may answer differently: replay with the one recorded.";
        writeln!(text, "  {FAINT}{why}{FAINT:#}")?;
    }
    Ok(())
}
