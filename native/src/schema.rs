//! `concord schema`: the shapes of the documents, as JSON Schema.

use clap::ValueEnum;
use concord_core::cite::Quotation;
use concord_core::{Bundle, Profile, Ranking, Receipt};
use schemars::schema_for;

use crate::Outcome;
use crate::failure::Failure;
use crate::output;

/// Print the JSON Schema of a document.
///
/// The profile's is that of a complete one, as a receipt holds it; a file for --profile may leave
/// out any key of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which document
    #[arg(value_enum)]
    document: Document,
}

#[derive(Clone, Copy, ValueEnum)]
enum Document {
    Bundle,
    Profile,
    Ranking,
    Receipt,
    Quotation,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    output::print_json(&match args.document {
        Document::Bundle => schema_for!(Bundle),
        Document::Profile => schema_for!(Profile),
        Document::Ranking => schema_for!(Ranking),
        Document::Receipt => schema_for!(Receipt),
        Document::Quotation => schema_for!(Quotation),
    })?;
    Ok(Outcome::Done)
}
