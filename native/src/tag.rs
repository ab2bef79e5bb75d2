//! `concord tag`: tags proposed for notes that have none, for a person to decide on.

use std::fmt::Write as _;

use crate::Outcome;
use crate::collection::Collection;
use crate::failure::Failure;
use crate::llm::LlmArgs;
use crate::opened::encoder_of;
use crate::order::Order;
use crate::order::tag::{Measured, Proposer, Tagged};
use crate::output::{self, STRONG, counted, plain};
use crate::promote::tell_problems;
use crate::vault::command::Which;
use crate::vault::encoders::Encoders;
use crate::vault::{Domain, Vault, step};

/// Propose tags of `_taxonomy.md` for notes that have none, as lines of `_review-queue.md`.
///
/// Nothing is written into notes: tick the lines you agree with and run `concord promote`. Works
/// offline, by the vectors of the index, which is brought in step first. With --llm a model proposes
/// instead: it is sent the taxonomy and each such note.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Propose nothing; tell how often proposals are tags that notes have already
    #[arg(long)]
    measure: bool,
    /// Ask a model, which is sent those notes
    #[arg(long, conflicts_with = "measure")]
    llm: bool,
    /// Print what was proposed as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: LlmArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let encoders = Encoders::default();
    let writer = args.llm.then(|| args.model.writer(None)).transpose()?;
    let vault = args.which.open()?;
    // A vault may have a taxonomy for some of its domains alone.
    let named = args.which.domain().is_some() || vault.domains.len() == 1;
    let has_taxonomy = |domain: &Domain| named || vault.root.join(&domain.taxonomy).is_file();
    let mut told = Vec::new();
    let mut outcome = Outcome::Done;
    for domain in vault.chosen(args.which.domain())? {
        if !has_taxonomy(domain) {
            output::notice(&format!("{}: has no {}", domain.name, domain.taxonomy));
            continue;
        }
        let collection = open(&vault, domain, &encoders)?;
        let order = Order::of(&vault, domain)?;
        let mut proposer = Proposer::of(&collection);
        if let Some(writer) = &writer {
            proposer = proposer.asking(writer);
        }
        if args.measure {
            let measured = order.measure(&proposer)?;
            told.push((measured_in_words(domain, &measured), serde_json::json!({
                "domain": domain.name, "measured": measured, "words_only": !collection.has_encoder(),
            })));
            continue;
        }
        let tagged = order.tag(&proposer)?;
        tell_problems(&tagged.unproposed);
        if let Some(usage) = tagged.usage {
            output::notice(&format!("{}: {usage}", domain.name));
        }
        if !tagged.unproposed.is_empty() {
            outcome = Outcome::PartlyRefused;
        }
        told.push((
            in_words(domain, &tagged),
            serde_json::json!({
                "domain": domain.name, "tagged": tagged,
            }),
        ));
    }
    if args.json {
        let documents: Vec<_> = told.into_iter().map(|(_, json)| json).collect();
        output::print_json(&documents)?;
    } else {
        let text: String = told.into_iter().map(|(words, _)| words).collect();
        output::print(&text)?;
    }
    Ok(outcome)
}

/// A domain whose index is in step with its notes.
fn open(vault: &Vault, domain: &Domain, encoders: &Encoders) -> Result<Collection, Failure> {
    if vault.cache_file(domain).is_file() {
        step::after_a_change(vault, domain);
    }
    Collection::open(vault, domain, encoder_of(vault, domain, encoders))
}

fn in_words(domain: &Domain, tagged: &Tagged) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}  ", plain(&domain.name));
    let lines = counted(tagged.proposed, "proposal");
    let waiting = counted(tagged.review.entries.len(), "line");
    let _ = writeln!(
        text,
        "{lines} more in {}, {waiting} in all",
        plain(&domain.review_queue)
    );
    text
}

fn measured_in_words(domain: &Domain, measured: &Measured) -> String {
    let Measured {
        notes,
        best_is_right,
        one_is_right,
        proposed,
        had,
        right,
    } = measured;
    let notes_counted = counted(*notes, "note");
    format!(
        "{STRONG}{}{STRONG:#}  {notes_counted} with tags: the best proposal is right for {best_is_right}, one of \
         them for {one_is_right}; {right} of {proposed} proposed tags are right, of {had} that there are\n",
        plain(&domain.name),
    )
}
