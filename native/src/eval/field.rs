//! Questions put to open domains, and how profiles rank what is found.
//!
//! The candidates of a question are gathered once and wide, by the way that every question goes;
//! each profile then ranks the bundle that its own pool would have given. Nothing here ranks: that
//! is the core's.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use concord_cache::Scope;
use concord_core::{Bundle, Prepared, Profile, Seconds, Text};

use super::measure::Measured;
use super::narrow::narrowed;
use super::questions::Judged;
use crate::collection::{Collection, Question};
use crate::failure::Failure;
use crate::threads::joined;

/// Candidates are gathered for a pool of at least this size.
const WIDE: u32 = 100;

/// Questions, and the domains that they are put to.
pub(crate) struct Field {
    pub(crate) collections: Vec<Collection>,
    pub(crate) questions: Vec<Judged>,
    /// By question, the place of its domain.
    domain_of: Vec<usize>,
    now: Seconds,
    gathered: Mutex<Gathered>,
    ready: Mutex<BTreeMap<(usize, String, u32), Arc<Prepared>>>,
}

/// Bundles by question and by what was asked for, each with the pool it was gathered for.
type Gathered = BTreeMap<(usize, String), (u32, Arc<Bundle>)>;

/// One profile a domain, in the order of the domains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lineup {
    pub(crate) name: String,
    pub(crate) profiles: Vec<Profile>,
}

impl Lineup {
    /// The same, changed in each domain alike.
    pub(crate) fn with(&self, name: &str, change: impl Fn(&mut Profile)) -> Self {
        let mut changed = self.clone();
        name.clone_into(&mut changed.name);
        changed.profiles.iter_mut().for_each(change);
        changed
    }
}

impl Field {
    /// Fails where a question names a domain that is not open, or none where there are several.
    pub(crate) fn new(
        collections: Vec<Collection>,
        questions: Vec<Judged>,
        now: Seconds,
    ) -> Result<Self, Failure> {
        let place = |question: &Judged| {
            let at = format!("question {}, {:?}", question.id, question.query);
            let names: Vec<&str> = collections.iter().map(|open| open.name.as_str()).collect();
            match &question.domain {
                Some(name) => names.iter().position(|known| known == name).ok_or_else(|| {
                    let names = names.join("`, `");
                    Failure::Input(format!(
                        "{at}: there is no domain `{name}`; there are `{names}`"
                    ))
                }),
                None if names.len() == 1 => Ok(0),
                None => {
                    let names = names.join("`, `");
                    let message = format!("{at}: `domain` must name one of `{names}`");
                    Err(Failure::Input(message))
                }
            }
        };
        let domain_of = questions.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Self {
            collections,
            questions,
            domain_of,
            now,
            gathered: Mutex::default(),
            ready: Mutex::default(),
        })
    }

    /// How a lineup ranks: the figures of every question.
    pub(crate) fn measured(&self, lineup: &Lineup) -> Result<Vec<Measured>, Failure> {
        let figures = in_parallel(self.questions.len(), |question| {
            let profile = &lineup.profiles[self.domain_of[question]];
            let prepared = self.prepared(question, profile)?;
            let ranking = prepared
                .rank(profile)
                .map_err(|error| Failure::refused(&lineup.name, &error))?;
            let note_of: BTreeMap<u32, &str> = prepared
                .bundle()
                .chunks
                .iter()
                .map(|chunk| (chunk.id, chunk.note.as_str()))
                .collect();
            let shown = ranking.items.iter().map(|item| item.chunk);
            let rest = ranking.dropped.iter().map(|dropped| dropped.chunk);
            let list = shown.chain(rest).map(|chunk| note_of[&chunk]);
            Ok(Measured::of(list, &self.questions[question].grades))
        });
        figures.into_iter().collect()
    }

    /// The names of the legs that found anything, over all questions.
    pub(crate) fn legs(&self, lineup: &Lineup) -> Result<Vec<String>, Failure> {
        let mut names = std::collections::BTreeSet::new();
        for question in 0..self.questions.len() {
            let profile = &lineup.profiles[self.domain_of[question]];
            let prepared = self.prepared(question, profile)?;
            let found = prepared
                .bundle()
                .legs
                .iter()
                .filter(|leg| !leg.hits.is_empty());
            names.extend(found.map(|leg| leg.name.clone()));
        }
        Ok(names.into_iter().collect())
    }

    /// A question's bundle as a profile would have it.
    fn prepared(&self, question: usize, profile: &Profile) -> Result<Arc<Prepared>, Failure> {
        let key = gathered_by(profile);
        let pool = profile.pool();
        let place = (question, key, pool);
        if let Some(ready) = lock(&self.ready).get(&place) {
            return Ok(Arc::clone(ready));
        }
        // With feedback, a leg holds what another one found, so the pool shows in its order.
        let narrowed = if profile.retrieve.feedback == 0 {
            let wide = self.wide(question, &place.1, profile)?;
            narrowed(&wide, pool)
        } else {
            None
        };
        let bundle = match narrowed {
            Some(bundle) => bundle,
            None => self.gather(question, profile)?,
        };
        let prepared = Prepared::new(bundle).map_err(|e| Failure::refused("the bundle", &e))?;
        let prepared = Arc::new(prepared);
        lock(&self.ready).insert(place, Arc::clone(&prepared));
        Ok(prepared)
    }

    fn wide(&self, question: usize, key: &str, profile: &Profile) -> Result<Arc<Bundle>, Failure> {
        let pool = profile.pool().max(WIDE);
        let place = (question, key.to_owned());
        match lock(&self.gathered).get(&place) {
            Some((at_hand, bundle)) if *at_hand >= pool => return Ok(Arc::clone(bundle)),
            _ => {}
        }
        let mut wider = profile.clone();
        wider.retrieve.pool_min = pool;
        let bundle = Arc::new(self.gather(question, &wider)?);
        lock(&self.gathered).insert(place, (pool, Arc::clone(&bundle)));
        Ok(bundle)
    }

    fn gather(&self, question: usize, profile: &Profile) -> Result<Bundle, Failure> {
        let collection = &self.collections[self.domain_of[question]];
        let asked = Question {
            query: self.questions[question].query.clone(),
            profile: profile.clone(),
            scope: Scope::default(),
            now: self.now,
        };
        let (mut bundle, _) = collection.bundle(&asked)?;
        // Excerpts are not measured, and without them a thousand bundles fit into memory.
        for chunk in &mut bundle.chunks {
            chunk.sentences.clear();
            if profile.budget.max_tokens.is_none() {
                chunk.text = Text::default();
            }
        }
        Ok(bundle)
    }
}

/// What a profile says of gathering, but for the pool.
fn gathered_by(profile: &Profile) -> String {
    let mut retrieve = profile.retrieve.clone();
    retrieve.pool_min = 0;
    retrieve.pool_per_item = 0;
    let counts_text = profile.budget.max_tokens.is_some();
    serde_json::json!([retrieve, counts_text]).to_string()
}

/// Does something for each of a number of things, on every processor.
fn in_parallel<T: Send>(count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return done;
            }
            done.push((at, task(at)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(count)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(joined).collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, value)| value).collect()
}

/// Whoever panicked with a lock in hand left what it guards whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
