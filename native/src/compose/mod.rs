//! Composing: for each of many questions, what there is to answer it from, and a draft if one is
//! asked for.
//!
//! A pack is the core's; here questions are read, many are worked on at once, and drafts are checked.
//! The command line and HTTP share all of it, so both give the same packs.
//!
//! The moment that ages are counted from is not the clock's but the index's own: when its newest
//! note was changed. So an unchanged vault gives the same bytes on every day.

pub(crate) mod command;
pub(crate) mod draft;
mod partial;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use concord_cache::Scope;
use concord_core::pack::{self, Pack};
use concord_core::{Error, Fault, Profile, Seconds};
use serde::{Deserialize, Serialize};

use crate::collection::{Collection, Question};
use crate::http::LONGEST_QUERY;
use crate::refusal::Refusal;

/// A question to compose evidence for.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// Its name in the answer; its place, from 1, if not given.
    #[serde(default)]
    pub(crate) id: Option<String>,
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) scope: Option<ScopeWish>,
}

/// What is searched; all that is given must hold.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScopeWish {
    /// Below this folder.
    pub(crate) folder: Option<String>,
    /// With one of these tags, or one nested below.
    pub(crate) tags: Vec<String>,
    /// Of this kind.
    pub(crate) kind: Option<String>,
    /// By this author.
    pub(crate) author: Option<String>,
    /// Published (or else changed) on this day, YYYY-MM-DD, or later.
    pub(crate) since: Option<String>,
    /// Published (or else changed) before this day.
    pub(crate) before: Option<String>,
    /// One of these notes.
    pub(crate) files: Vec<String>,
}

/// What holds for all questions of a run.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// With limit and budget as they are wanted.
    pub(crate) profile: Profile,
    pub(crate) now: Seconds,
}

impl Terms {
    /// By a profile, with as many passages and tokens as are asked for, at a moment: by default that
    /// at which the newest note of the index was changed.
    pub(crate) fn new(
        collection: &Collection,
        profile: Profile,
        limit: Option<u32>,
        max_tokens: Option<u32>,
        now: Option<Seconds>,
    ) -> Result<Self, Refusal> {
        let now = match now {
            Some(now) => now,
            None => {
                let newest = collection.state()?.newest.unwrap_or(0);
                Seconds::from(u32::try_from(newest.max(0)).unwrap_or(u32::MAX))
            }
        };
        Ok(Self {
            profile: pack::profile(profile, limit, max_tokens),
            now,
        })
    }
}

/// A question that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) id: String,
    pub(crate) query: String,
    scope: Scope,
}

impl Asked {
    /// Checks it. `place` is its place among the others, from 1.
    pub(crate) fn checked(self, place: usize) -> Result<Wish, Error> {
        let refuse = |key: &str, message: &str| Fault::Question.at(key, message);
        if self.question.trim().is_empty() {
            return Err(refuse("question", "must not be empty"));
        }
        if self.question.len() > LONGEST_QUERY {
            let message = format!("must not be longer than {LONGEST_QUERY} bytes");
            return Err(refuse("question", &message));
        }
        let wish = self.scope.unwrap_or_default();
        let day = |key: &str, day: Option<&str>| match day.map(concord_text::first_moment) {
            None => Ok(None),
            Some(Some(moment)) => Ok(Some(moment)),
            Some(None) => Err(refuse(key, "must be a day, YYYY-MM-DD")),
        };
        Ok(Wish {
            id: self.id.unwrap_or_else(|| place.to_string()),
            query: self.question,
            scope: Scope {
                since: day("scope.since", wish.since.as_deref())?,
                before: day("scope.before", wish.before.as_deref())?,
                folder: wish.folder,
                tags: wish.tags,
                kind: wish.kind,
                author: wish.author,
                files: wish.files,
            },
        })
    }
}

/// A pack as it goes out, with a draft if one was asked for.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Composed {
    #[serde(flatten)]
    pub(crate) pack: Pack,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) draft: Option<draft::Draft>,
}

/// The packs of some questions, in their order. All are encoded together, then each is answered by
/// one of as many threads as there are processors.
pub(crate) fn packs(
    collection: &Collection,
    wishes: &[&Wish],
    terms: &Terms,
) -> Result<Vec<Pack>, Refusal> {
    let queries: Vec<&str> = wishes.iter().map(|wish| wish.query.as_str()).collect();
    let vectors = collection.encode(&queries)?;
    let pack = |i: usize| {
        let wish = wishes[i];
        let question = Question {
            query: wish.query.clone(),
            profile: terms.profile.clone(),
            scope: wish.scope.clone(),
            now: terms.now,
        };
        let vector = vectors.as_ref().map(|vectors| vectors[i].as_slice());
        let answer = collection.ask_encoded(&question, vector)?;
        let mut pack = Pack::new(wish.id.clone(), &answer.receipt);
        pack.why = pack.why.or_else(|| collection.words_only.clone());
        Ok(pack)
    };
    in_parallel(wishes.len(), processors(), pack)
        .into_iter()
        .collect()
}

pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does something for the numbers `0..count` on some threads; the results come in order.
pub(crate) fn in_parallel<T: Send>(
    count: usize,
    threads: usize,
    task: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                return;
            }
            let made = task(i);
            done.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(made);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(work);
        }
        work();
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_iter().flatten().collect()
}
