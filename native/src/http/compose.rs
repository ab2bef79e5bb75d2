//! Evidence for whoever writes, and what tells later whether it still stands.

use std::collections::BTreeMap;

use axum::http::Method;
use concord_core::Seconds;
use serde::{Deserialize, Serialize};

use super::domain::{Shelf, schema};
use super::operation::{self, MOST_ITEMS, Operation, Reply};
use crate::compose::{self, Asked, Composed, Terms, Wish, draft};
use crate::refusal::{Code, Refusal};

/// A request has no more questions than this: an answer must come in seconds.
const MOST_QUESTIONS: usize = 100;

/// And no more of them are drafted.
const MOST_DRAFTS: usize = 4;

/// A request asks for the hashes of no more notes than this.
const MOST_NOTES: usize = 100_000;

/// What can be asked of a domain by those who write.
pub(super) static OPERATIONS: [Operation<Shelf>; 2] = [
    Operation {
        method: Method::POST,
        path: "/compose",
        about: "Evidence packs: passages, a numbered context block, what each number cites; drafts \
                if a model is at hand and the token is sent",
        parameters: &[],
        body: Some(schema::<Request>),
        answer: schema::<Packs>,
        writes: false,
        run: compose,
    },
    Operation {
        method: Method::POST,
        path: "/hashes",
        about: "The hashes of notes as they were indexed, to see which changed since one last looked",
        parameters: &[],
        body: Some(schema::<Notes>),
        answer: schema::<Hashes>,
        writes: false,
        run: |shelf, asked| {
            let Notes { notes } = asked.json()?;
            if notes.len() > MOST_NOTES {
                let message = format!("must not be more than {MOST_NOTES}");
                return Err(Refusal::at("notes", message));
            }
            let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
            let hashes = shelf.collection.hashes(&notes)?.into_iter().collect();
            Ok(Reply::json(&Hashes { hashes }))
        },
    },
];

/// Questions to compose evidence for.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    questions: Vec<Asked>,
    /// How many passages at most, instead of the profile's limit.
    #[serde(default)]
    k: Option<u32>,
    /// vault, balanced, or a saved profile; the domain's own if it is not given.
    #[serde(default)]
    profile: Option<String>,
    /// How many tokens of passages at most, instead of the profile's budget.
    #[serde(default)]
    max_tokens: Option<u32>,
    /// The moment that ages are counted from, in unix seconds; when the newest note was changed, if
    /// not given.
    #[serde(default)]
    now: Option<Seconds>,
    /// Have a model write a draft from each pack.
    #[serde(default)]
    draft: bool,
}

/// What there is to answer questions from.
#[derive(Serialize, schemars::JsonSchema)]
struct Packs {
    /// In the order of the questions.
    packs: Vec<Composed>,
}

fn compose(shelf: &Shelf, asked: &operation::Asked) -> Result<Reply, Refusal> {
    let request: Request = asked.json()?;
    let most = if request.draft {
        MOST_DRAFTS
    } else {
        MOST_QUESTIONS
    };
    if request.questions.len() > most {
        let message = format!("must not be more than {most}");
        return Err(Refusal::at("questions", message));
    }
    let out_of_range =
        |count: Option<u32>, most: u32| count.is_some_and(|it| !(1..=most).contains(&it));
    if out_of_range(request.k, MOST_ITEMS) {
        let message = format!("must be a whole number from 1 to {MOST_ITEMS}");
        return Err(Refusal::at("k", message));
    }
    if out_of_range(request.max_tokens, u32::MAX) {
        return Err(Refusal::at("max_tokens", "must not be 0"));
    }
    let writer = match (&shelf.writer, request.draft) {
        (_, false) => None,
        (Some(writer), true) if asked.has_token => Some(writer),
        (Some(_), true) => {
            let message = "a draft sends passages to a model, which takes the service's token";
            return Err(Refusal::new(Code::Unauthorised, message));
        }
        (None, true) => {
            let message = "this service has no model to write with";
            return Err(Refusal::at("draft", message).hint("start it with `concord serve --draft`"));
        }
    };
    let mut wishes: Vec<Wish> = Vec::with_capacity(request.questions.len());
    for (question, i) in request.questions.into_iter().zip(0..) {
        let wish = question.checked(i + 1);
        wishes.push(wish.map_err(|error| {
            Refusal::at(&format!("questions[{i}].{}", error.key), error.message)
        })?);
    }
    let collection = &shelf.collection;
    let profile = match &request.profile {
        None => collection.profile.clone(),
        Some(wanted) => shelf.profiles.get(wanted, &collection.name)?,
    };
    let terms = Terms::new(
        collection,
        profile,
        request.k,
        request.max_tokens,
        request.now,
    )?;
    let wishes: Vec<&Wish> = wishes.iter().collect();
    let made = compose::packs(collection, &wishes, &terms)?;
    let drafts = compose::in_parallel(made.len(), MOST_DRAFTS, |i| {
        let writer = writer?;
        Some(draft::write(collection, writer, &made[i]))
    });
    let mut packs = Vec::with_capacity(made.len());
    for (pack, draft) in made.into_iter().zip(drafts) {
        let draft = draft.transpose().map_err(|stopped| match stopped {
            draft::Stopped::Model(trouble) => Refusal::new(Code::ModelDown, trouble.to_string()),
            draft::Stopped::Vault(refusal) => refusal,
        })?;
        packs.push(Composed { pack, draft });
    }
    Ok(Reply::json(&Packs { packs }))
}

/// Notes by their paths.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Notes {
    notes: Vec<String>,
}

/// Their hashes.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
pub(super) struct Hashes {
    /// By path; a note that is not in the index is left out.
    pub(super) hashes: BTreeMap<String, String>,
}
