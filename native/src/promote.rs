//! `concord promote`: what people agreed with, written into their notes.

use std::fmt::Write as _;

use crate::Outcome;
use crate::failure::Failure;
use crate::order::journal::{Journal, Kind, Undone, Wanted};
use crate::order::promote::Promoted;
use crate::order::{self, Order, Told};
use crate::output::{self, FAINT, STRONG, coloured, counted, plain};
use crate::vault::command::Which;
use crate::vault::step;

/// Write the ticked tags of `_review-queue.md` into the notes' frontmatter.
///
/// Nothing else in a note changes. Lines that were applied go from the page; lines that cannot be
/// applied stay, and the reason is told. All files change or none does, and nobody else's change is
/// overwritten. Exit code 2 if a line could not be applied.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Take back the last promotion, or the one of this name, if its notes are as it left them
    #[arg(long, value_name = "ID", num_args = 0..=1, conflicts_with = "dry_run")]
    undo: Option<Option<String>>,
    /// When taking back, leave the notes that were changed since and restore the others
    #[arg(long, requires = "undo")]
    leave_changed: bool,
    /// Print what was done as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    if let Some(id) = &args.undo {
        let vault = args.which.open()?;
        let domain = order::one(&vault, args.which.domain())?;
        let undone = Journal::open(&vault.root)?.undo(&Wanted {
            id: id.as_deref(),
            kind: Kind::Promote,
            domain: &domain.name,
            leave_changed: args.leave_changed,
        })?;
        step::after_a_change(&vault, domain);
        return tell_undone(&undone, args.json);
    }
    let promoted = args.which.for_each(|vault, domain| {
        let promoted = Order::of(vault, domain)?.promote(args.dry_run)?;
        if promoted.journal.is_some() {
            step::after_a_change(vault, domain);
        }
        Ok((domain.name.clone(), promoted))
    })?;
    let mut outcome = Outcome::Done;
    for (_, promoted) in &promoted {
        tell_problems(&promoted.problems);
        if !promoted.problems.is_empty() {
            outcome = Outcome::PartlyRefused;
        }
    }
    for (_, promoted) in &promoted {
        for conflict in &promoted.conflicts {
            output::complain(&format!("{}: {}", conflict.path, conflict.message));
            outcome = Outcome::No;
        }
    }
    if args.json {
        let by_domain: Vec<_> = promoted
            .iter()
            .map(|(domain, promoted)| serde_json::json!({ "domain": domain, "promoted": promoted }))
            .collect();
        output::print_json(&by_domain)?;
    } else {
        let text: String = promoted
            .iter()
            .map(|(domain, promoted)| in_words(domain, promoted))
            .collect();
        output::print(&text)?;
    }
    Ok(outcome)
}

/// Says on standard error what was not done.
pub(crate) fn tell_problems(problems: &[Told]) {
    for problem in problems {
        let mut place = problem.path.clone().unwrap_or_default();
        if let Some(line) = problem.line {
            let comma = if place.is_empty() { "" } else { ", " };
            let _ = write!(place, "{comma}line {line}");
        }
        output::complain(&format!("{place}: {}", problem.message));
    }
}

/// Tells what was taken back.
pub(crate) fn tell_undone(undone: &Undone, json: bool) -> Result<Outcome, Failure> {
    for conflict in &undone.conflicts {
        output::complain(&format!("{}: {}", conflict.path, conflict.message));
    }
    if json {
        output::print_json(undone)?;
    } else {
        let files = counted(undone.restored.len(), "file");
        let mut text = format!("{files} restored\n");
        if undone.undone.is_none() {
            text = "nothing was restored; --leave-changed restores the other files\n".to_owned();
        }
        output::print(&text)?;
    }
    Ok(if undone.conflicts.is_empty() {
        Outcome::Done
    } else {
        Outcome::No
    })
}

fn in_words(domain: &str, promoted: &Promoted) -> String {
    let mut text = String::new();
    if promoted.dry_run {
        for applied in &promoted.applied {
            text.push_str(&coloured(&applied.diff));
        }
    }
    let tags: usize = promoted.applied.iter().map(|note| note.added.len()).sum();
    let notes = promoted
        .applied
        .iter()
        .filter(|note| !note.added.is_empty());
    let would = if promoted.dry_run { "would be " } else { "" };
    let _ = write!(
        text,
        "{STRONG}{}{STRONG:#}  {} {would}written into {}, {} left",
        plain(domain),
        counted(tags, "tag"),
        counted(notes.count(), "note"),
        counted(promoted.left, "proposal"),
    );
    if let Some(id) = &promoted.journal {
        let _ = write!(
            text,
            "{FAINT}  (take back with `concord promote --undo {id}`){FAINT:#}"
        );
    }
    text.push('\n');
    text
}
