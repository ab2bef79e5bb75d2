//! `concord rename`: tags under other names, everywhere in a domain.

use std::fmt::Write as _;
use std::path::PathBuf;

use concord_text::edit::Renames;

use crate::Outcome;
use crate::failure::Failure;
use crate::order::journal::{Journal, Kind, Wanted};
use crate::order::rename::Renaming;
use crate::order::{self, Order};
use crate::output::{self, BAD, FAINT, STRONG, coloured, counted, plain};
use crate::promote::{tell_problems, tell_undone};
use crate::vault::{Vault, step};

/// Rename tags in all notes of a domain, in its taxonomy and in its review queue.
///
/// `sector` to `industry` takes `sector/energy` with it. Frontmatter and #tags in running text are
/// renamed, code and links are not. Without --apply it is only shown what would change. All files
/// change or none does, even if the machine stops half-way; a file that somebody else changes
/// meanwhile is never overwritten. Tags that become one are named: that cannot be told apart later,
/// but taken back.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Old and new names, in turn
    #[arg(
        value_name = "FROM TO",
        required_unless_present = "undo",
        conflicts_with = "undo"
    )]
    names: Vec<String>,
    /// The vault's folder
    #[arg(long, value_name = "VAULT", env = "CONCORD_VAULT", default_value = ".")]
    vault: PathBuf,
    /// The domain of its `_domains.yaml`
    #[arg(long, value_name = "NAME", env = "DOMAIN")]
    domain: Option<String>,
    /// Only show what would change; so it is without --apply
    #[arg(long, conflicts_with = "apply")]
    dry_run: bool,
    /// Do it
    #[arg(long)]
    apply: bool,
    /// Take back the last renaming, or the one of this name, if its files are as it left them
    #[arg(long, value_name = "ID", num_args = 0..=1, conflicts_with_all = ["apply", "dry_run"])]
    undo: Option<Option<String>>,
    /// When taking back, leave the files that were changed since and restore the others
    #[arg(long, requires = "undo")]
    leave_changed: bool,
    /// Print what was done as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let vault = Vault::open(&args.vault)?;
    let domain = order::one(&vault, args.domain.as_deref())?;
    if let Some(id) = &args.undo {
        let undone = Journal::open(&vault.root)?.undo(&Wanted {
            id: id.as_deref(),
            kind: Kind::Rename,
            domain: &domain.name,
            leave_changed: args.leave_changed,
        })?;
        step::after_a_change(&vault, domain);
        return tell_undone(&undone, args.json);
    }
    let pairs = args.names.chunks(2).map(|pair| match pair {
        [from, to] => Ok((from.as_str(), to.as_str())),
        _ => Err(Failure::Input(
            "give old and new names in turn: one is without its other".to_owned(),
        )),
    });
    let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
    let renames = Renames::new(pairs).map_err(Failure::Input)?;
    let renaming = Order::of(&vault, domain)?.rename(&renames, args.apply)?;
    if renaming.applied {
        step::after_a_change(&vault, domain);
    }
    tell_problems(&renaming.problems);
    for conflict in &renaming.conflicts {
        output::complain(&format!("{}: {}", conflict.path, conflict.message));
    }
    if args.json {
        output::print_json(&renaming)?;
    } else {
        output::print(&in_words(&domain.name, &renaming, args.apply))?;
    }
    Ok(if !renaming.problems.is_empty() {
        Outcome::PartlyRefused
    } else if !renaming.conflicts.is_empty() {
        Outcome::No
    } else {
        Outcome::Done
    })
}

fn in_words(domain: &str, renaming: &Renaming, apply: bool) -> String {
    let mut text = String::new();
    if !apply {
        for file in &renaming.files {
            text.push_str(&coloured(&file.diff));
        }
    }
    for merge in &renaming.merges {
        let from = merge.from.join("`, `");
        let _ = writeln!(
            text,
            "{BAD}merge{BAD:#}  `{}` becomes one with `{}`",
            plain(&from),
            plain(&merge.into)
        );
    }
    let uses: usize = renaming.files.iter().map(|file| file.uses).sum();
    let (uses, files) = (counted(uses, "use"), counted(renaming.files.len(), "file"));
    let done = match (renaming.applied, renaming.problems.is_empty()) {
        (true, _) => "renamed",
        (false, true) => "would be renamed; --apply does it",
        (false, false) => "not renamed",
    };
    let _ = write!(
        text,
        "{STRONG}{}{STRONG:#}  {uses} in {files} {done}",
        plain(domain)
    );
    if let Some(id) = &renaming.journal {
        let _ = write!(
            text,
            "{FAINT}  (take back with `concord rename --undo {id}`){FAINT:#}"
        );
    }
    text.push('\n');
    text
}
