//! `concord doctor`: does everything in a cache still belong together?

use std::fmt::Write as _;

use concord_cache::{Cache, Finding, Repair};

use crate::Outcome;
use crate::failure::Failure;
use crate::order::journal;
use crate::output::{self, BAD, GOOD, plain};
use crate::vault::command::{Which, reader, refused};

/// Check that vectors, words, links and notes of the index belong together, and that no change of
/// notes stopped half-way.
///
/// Exit code 1 if something does not.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Make the word and vector indexes anew from the stored passages, and finish what stopped half-way
    #[arg(long)]
    repair: bool,
    /// Print everything that an answer can depend on instead, to compare two indexes
    #[arg(long, hide = true, conflicts_with = "repair")]
    dump: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let mut finished = true;
    if !args.dump {
        let root = args.which.folder();
        if args.repair {
            journal::recover(root)?;
        }
        for interrupted in journal::unfinished(root)? {
            finished = false;
            let what = interrupted.told();
            let way_out = "run `concord doctor --repair`";
            output::print(&format!(
                "{BAD}unsound{BAD:#}  {}; {way_out}\n",
                plain(&what)
            ))?;
        }
    }
    let sound = args.which.for_each(|vault, domain| {
        if args.dump {
            let dump = reader(vault, domain)?.dump().map_err(refused)?;
            output::print_verbatim(&dump)?;
            return Ok(true);
        }
        // Checking the word index takes a write, if only in form.
        let identity = reader(vault, domain)?.identity().clone();
        let mut cache = Cache::writer(&vault.cache_file(domain), &identity).map_err(refused)?;
        let mut findings = cache.check().map_err(refused)?;
        if args.repair
            && findings
                .iter()
                .any(|finding| finding.repair == Repair::FromChunks)
        {
            cache.repair().map_err(refused)?;
            findings = cache.check().map_err(refused)?;
        }
        output::print(&in_words(&domain.name, &findings))?;
        Ok(findings.is_empty())
    })?;
    Ok(if sound.contains(&false) || !finished {
        Outcome::No
    } else {
        Outcome::Done
    })
}

fn in_words(domain: &str, findings: &[Finding]) -> String {
    let domain = plain(domain);
    if findings.is_empty() {
        return format!("{GOOD}sound{GOOD:#}  {domain}\n");
    }
    let mut text = String::new();
    for finding in findings {
        let way_out = match finding.repair {
            Repair::FromChunks => "run `concord doctor --repair`",
            Repair::Sync => "run `concord index`",
            Repair::Rebuild => "run `concord index --rebuild`",
        };
        let _ = writeln!(
            text,
            "{BAD}unsound{BAD:#}  {domain}: {}; {way_out}",
            plain(&finding.what)
        );
    }
    text
}
