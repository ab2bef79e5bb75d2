//! What keeps the notes of a domain in order: proposals, promotion, renames.

use axum::http::Method;
use concord_text::edit::Renames;
use serde::{Deserialize, Serialize};

use super::domain::{Shelf, schema};
use super::operation::{Asked, Operation, Reply};
use crate::order::Order;
use crate::order::journal::{self, Journal, Kind, LastRename, Undone, Wanted};
use crate::order::promote::Promoted;
use crate::order::rename::Renaming;
use crate::order::review::{self, Review};
use crate::order::tag::{Proposer, Tagged};
use crate::refusal::Refusal;
use crate::vault::Vault;

/// Everything that keeps a domain in order.
pub(super) static OPERATIONS: [Operation<Shelf>; 7] = [
    Operation {
        method: Method::GET,
        path: "/review",
        about: "The tags that are proposed and wait for a person, and those that the domain allows",
        parameters: &[],
        body: None,
        answer: schema::<Review>,
        writes: false,
        run: |shelf, _| in_order(shelf, |order| Ok(Reply::json(&order.review()?))),
    },
    Operation {
        method: Method::PUT,
        path: "/review",
        about: "Ticks, changes or drops proposals; refused if the page was changed since it was looked at",
        parameters: &[],
        body: Some(schema::<review::Wanted>),
        answer: schema::<Review>,
        writes: true,
        run: |shelf, asked| {
            let wanted: review::Wanted = asked.json()?;
            in_order(shelf, |order| Ok(Reply::json(&order.set_review(&wanted)?)))
        },
    },
    Operation {
        method: Method::POST,
        path: "/tag",
        about: "Proposes tags for notes that have none of the taxonomy's and are not on the page yet",
        parameters: &[],
        body: None,
        answer: schema::<Tagged>,
        writes: true,
        run: |shelf, _| {
            (shelf.reload)()?;
            in_order(shelf, |order| {
                let proposer = Proposer::of(&shelf.collection);
                Ok(Reply::json(&order.tag(&proposer)?))
            })
        },
    },
    Operation {
        method: Method::POST,
        path: "/promote",
        about: "Writes the ticked tags into the notes, all of them or none, and takes their lines from the page",
        parameters: &[],
        body: Some(schema::<Promoting>),
        answer: schema::<Promoted>,
        writes: true,
        run: |shelf, asked| {
            let wanted: Promoting = given(asked)?;
            in_order(shelf, |order| {
                let promoted = order.promote(wanted.dry_run)?;
                if promoted.journal.is_some() {
                    in_step(shelf);
                }
                Ok(Reply::json(&promoted))
            })
        },
    },
    Operation {
        method: Method::POST,
        path: "/apply-renames",
        about: "Renames tags in all notes of the domain and on its pages, or in none",
        parameters: &[],
        body: Some(schema::<RenamesWanted>),
        answer: schema::<Renaming>,
        writes: true,
        run: |shelf, asked| {
            let wanted: RenamesWanted = asked.json()?;
            let pairs = wanted.renames.iter();
            let renames = Renames::new(pairs.map(|pair| (pair.from.as_str(), pair.to.as_str())));
            let renames = renames.map_err(|message| Refusal::at("renames", message))?;
            in_order(shelf, |order| {
                let renaming = order.rename(&renames, !wanted.dry_run)?;
                if renaming.applied {
                    in_step(shelf);
                }
                Ok(Reply::json(&renaming))
            })
        },
    },
    Operation {
        method: Method::GET,
        path: "/undo-renames",
        about: "The renaming that would be taken back next, if there is one",
        parameters: &[],
        body: None,
        answer: schema::<Undoable>,
        writes: false,
        run: |shelf, _| {
            let last = journal::last_rename(&shelf.root, &shelf.collection.name)?;
            Ok(Reply::json(&Undoable { last }))
        },
    },
    Operation {
        method: Method::POST,
        path: "/undo-renames",
        about: "Takes a renaming (or a promotion, by its name) back, if its files are as it left them",
        parameters: &[],
        body: Some(schema::<Undoing>),
        answer: schema::<Undone>,
        writes: true,
        run: |shelf, asked| {
            let wanted: Undoing = given(asked)?;
            let undone = Journal::open(&shelf.root)?.undo(&Wanted {
                id: wanted.journal.as_deref(),
                kind: Kind::Rename,
                domain: &shelf.collection.name,
                leave_changed: wanted.leave_changed,
            })?;
            in_step(shelf);
            Ok(Reply::json(&undone))
        },
    },
];

/// How to promote.
#[derive(Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Promoting {
    /// Only tell what would change.
    dry_run: bool,
}

/// What to rename.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct RenamesWanted {
    renames: Vec<Pair>,
    /// Only tell what would change.
    dry_run: bool,
}

/// An old and a new name.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pair {
    from: String,
    to: String,
}

/// What could be taken back.
#[derive(Serialize, schemars::JsonSchema)]
struct Undoable {
    last: Option<LastRename>,
}

/// What to take back.
#[derive(Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Undoing {
    /// The change's name; the last renaming if it is not given.
    journal: Option<String>,
    /// Restore the others where some files were changed since.
    leave_changed: bool,
}

/// A body that may be left out.
fn given<T: Default + serde::de::DeserializeOwned>(asked: &Asked) -> Result<T, Refusal> {
    if asked.body.is_empty() {
        return Ok(T::default());
    }
    asked.json()
}

/// Does something with the notes of a domain, by what its vault's settings say now.
fn in_order(
    shelf: &Shelf,
    task: impl FnOnce(&Order<'_>) -> Result<Reply, Refusal>,
) -> Result<Reply, Refusal> {
    let vault = Vault::open(&shelf.root)?;
    let chosen = vault.chosen(Some(&shelf.collection.name))?;
    task(&Order::of(&vault, chosen[0])?)
}

/// The notes are changed whether or not the index can follow at once; the next reload brings it.
fn in_step(shelf: &Shelf) {
    if let Err(refusal) = (shelf.reload)() {
        tracing::warn!(why = refusal.message, "the index is behind the notes");
    }
}
