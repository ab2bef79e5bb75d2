//! `concord node`: one note, with its facts and links.

use std::fmt::Write as _;

use crate::Outcome;
use crate::collection::{LinkView, NoteView};
use crate::failure::Failure;
use crate::opened::Asking;
use crate::output::{self, BAD, FAINT, STRONG, plain};

/// Show a note: its facts, its links both ways, its text.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Its path in the vault
    note: String,
    #[command(flatten)]
    asking: Asking,
    /// Print it as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let mut refusal = None;
    for collection in args.asking.collections()? {
        match collection.note(&args.note) {
            Ok(note) => {
                if args.json {
                    output::print_json(&note)?;
                } else {
                    output::print(&in_words(&note))?;
                }
                return Ok(Outcome::Done);
            }
            Err(error) => refusal = Some(error),
        }
    }
    let refusal = refusal.map(Failure::from);
    Err(refusal.unwrap_or_else(|| Failure::Input("the vault has no domain".to_owned())))
}

fn in_words(note: &NoteView) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}\n", plain(&note.title));
    let mut facts = vec![note.path.clone()];
    facts.extend(note.author.clone());
    facts.extend(note.kind.clone());
    facts.extend(note.tags.iter().map(|tag| format!("#{tag}")));
    if note.evergreen {
        facts.push("evergreen".to_owned());
    }
    let _ = writeln!(text, "{FAINT}{}{FAINT:#}", plain(&facts.join(" · ")));
    for problem in &note.problems {
        let _ = writeln!(text, "{BAD}problem{BAD:#} {}", plain(problem));
    }
    for (name, links) in [("links to", &note.links), ("linked from", &note.backlinks)] {
        for LinkView { path, title, kind } in links {
            let title = title.as_deref().unwrap_or("in another domain");
            let _ = writeln!(
                text,
                "{FAINT}{name}{FAINT:#} {}  {FAINT}{} ({kind}){FAINT:#}",
                plain(title),
                plain(path)
            );
        }
    }
    text.push('\n');
    for line in note.text.lines() {
        let _ = writeln!(text, "{}", plain(line));
    }
    text
}
