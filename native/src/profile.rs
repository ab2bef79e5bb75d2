//! `concord profile`: a complete profile, to start editing from.

use std::path::PathBuf;

use crate::Outcome;
use crate::failure::Failure;
use crate::input;
use crate::output;

/// Print a complete profile, to start editing from.
///
/// What is printed is what `rank --profile` reads: saved and handed back, it ranks the same.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// `balanced`, `vault`, or a file (YAML or JSON); `-` is standard input
    #[arg(value_name = "NAME|FILE", default_value = "balanced")]
    profile: PathBuf,
    /// The domain that the profile is for; `vault` has other numbers for `finance`
    #[arg(long, value_name = "DOMAIN", default_value = "default")]
    domain: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

const HEADER: &str = "\
# Every number that a ranking depends on. Hand this file to `concord rank --profile`.
# A file may also hold only some keys: the others are taken from `balanced`, or from what
# `extends: vault` names.
";

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let profile = input::profile(&args.profile, &args.domain)?;
    if args.json {
        output::print_json(&profile)?;
    } else {
        let yaml = serde_norway::to_string(&profile).expect("a profile is plain data");
        output::print_verbatim(&format!("{HEADER}{yaml}"))?;
    }
    Ok(Outcome::Done)
}
