//! A domain that is open: its cache, its encoder, its numbers; and what can be asked of it.
//!
//! Everything here gathers facts and hands them to the core. What comes first, what an excerpt is
//! and whether a quotation holds is decided there. A question sees one snapshot of the cache from
//! beginning to end.

mod candidates;
mod crowd;
mod likeness;
mod note;
mod quotation;
mod store;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use concord_cache::{Cache, CandidateStore, Counts, NoteFacts, Scope, State};
use concord_core::{Bundle, Prepared, Profile, Receipt, Seconds, relevance};
use concord_encode::Encoder;
use serde::Serialize;

use crate::failure::Failure;
use crate::refusal::{Code, Refusal};
use crate::vault::command::refused;
use crate::vault::{Domain, Vault};

use crowd::Answering;
use store::Store;

pub(crate) use note::{LinkView, NoteView};
pub(crate) use quotation::{Citation, FoundIn, MOST_CITATIONS, Verdict, Verdicts};
pub(crate) use walk::{Mode, Start, Walked, Walks};

/// A domain that is open.
pub(crate) struct Collection {
    pub(crate) name: String,
    /// How it is ranked, unless a question says otherwise.
    pub(crate) profile: Profile,
    /// The vault's folder.
    root: PathBuf,
    store: Store,
    encoder: Option<Arc<dyn Encoder>>,
    /// Why search is by words alone, if it is.
    pub(crate) words_only: Option<String>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) query: String,
    /// Complete; its `limit` says how many items are wanted.
    pub(crate) profile: Profile,
    pub(crate) scope: Scope,
    pub(crate) now: Seconds,
}

/// What was found, and how it ranks.
pub(crate) struct Answer {
    pub(crate) receipt: Receipt,
    /// Why nothing in it answers the question, if that is so.
    pub(crate) nothing_relevant: Option<String>,
    pub(crate) timings: Timings,
}

/// How long each step took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timings {
    pub(crate) encode: Duration,
    pub(crate) vector: Duration,
    pub(crate) lexical: Duration,
    pub(crate) facts: Duration,
    pub(crate) rank: Duration,
    pub(crate) total: Duration,
}

impl Timings {
    /// Milliseconds by name. Encoding and the search by words run side by side, so the parts may
    /// add up to more than the whole.
    pub(crate) fn milliseconds(&self) -> [(&'static str, f64); 6] {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        [
            ("encode_ms", ms(self.encode)),
            ("vector_ms", ms(self.vector)),
            ("lexical_ms", ms(self.lexical)),
            ("facts_ms", ms(self.facts)),
            ("rank_ms", ms(self.rank)),
            ("total_ms", ms(self.total)),
        ]
    }
}

/// How a domain stands.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Health {
    domain: String,
    /// The vault's folder, by its last name.
    vault: String,
    /// The cache's file, from the vault's folder.
    cache: String,
    /// The encoder's name and fingerprint.
    model: Option<String>,
    dimension: u32,
    notes: u32,
    chunks: u32,
    links: u32,
    /// Unix seconds.
    indexed_at: Option<u64>,
    /// Seconds since then.
    age: Option<u64>,
    words_only: bool,
    /// Why, if it is.
    why: Option<String>,
}

impl Collection {
    /// Opens a domain's cache. An encoder whose vectors are not those of the cache is refused;
    /// without any, search is by words alone.
    pub(crate) fn open(
        vault: &Vault,
        domain: &Domain,
        encoder: Result<Arc<dyn Encoder>, String>,
    ) -> Result<Self, Failure> {
        let file = vault.cache_file(domain);
        let store = Store::open(&file).map_err(refused)?;
        let recorded = store.get().map_err(refused)?.identity().model.clone();
        let (encoder, words_only) = match (recorded, encoder) {
            (None, _) => (
                None,
                Some("the index was made without an encoder".to_owned()),
            ),
            (Some(_), Err(why)) => (None, Some(why)),
            (Some(recorded), Ok(encoder)) => {
                let found = encoder.fingerprint();
                if found != recorded {
                    let file = file.display();
                    return Err(Failure::Input(format!(
                        "{file}: made with {recorded}, and the encoder at hand is {found}; delete the \
                         file and index again, or run `concord index --rebuild`"
                    )));
                }
                (Some(encoder), None)
            }
        };
        Ok(Self {
            name: domain.name.clone(),
            profile: domain.profile.clone(),
            root: vault.root.clone(),
            store,
            encoder,
            words_only,
        })
    }

    /// Makes ready what many questions share. What goes wrong here goes wrong again, and is told,
    /// when a question is asked.
    pub(crate) fn warm(&self) {
        let _ = self.store.get().and_then(|store| store.warm());
    }

    /// The candidates of a question, and what is known of them.
    pub(crate) fn bundle(&self, question: &Question) -> Result<(Bundle, Timings), Refusal> {
        let started = Instant::now();
        let answering = Answering::begin();
        let (bundle, mut timings) = candidates::gather(self, question, answering.others)?;
        timings.total = started.elapsed();
        Ok((bundle, timings))
    }

    /// The answer to a question.
    pub(crate) fn ask(&self, question: &Question) -> Result<Answer, Refusal> {
        let started = Instant::now();
        let answering = Answering::begin();
        let gathered = candidates::gather(self, question, answering.others)?;
        ranked(question, gathered, started)
    }

    /// The answer to a question whose vector is known, where there is an encoder.
    pub(crate) fn ask_encoded(
        &self,
        question: &Question,
        vector: Option<&[f32]>,
    ) -> Result<Answer, Refusal> {
        let started = Instant::now();
        let gathered = candidates::gather_encoded(self, question, vector)?;
        ranked(question, gathered, started)
    }

    /// The vectors of many questions; none where there is no encoder. A question has the same
    /// vector whichever others it is encoded with.
    pub(crate) fn encode(&self, questions: &[&str]) -> Result<Option<Vec<Vec<f32>>>, Refusal> {
        let Some(encoder) = &self.encoder else {
            return Ok(None);
        };
        let prefix = encoder.query_prefix();
        let texts: Vec<String> = questions
            .iter()
            .map(|question| format!("{prefix}{question}"))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(Some(encoder.encode_documents(&texts)?.vectors))
    }

    /// What tells the index from itself at another time.
    pub(crate) fn state(&self) -> Result<State, Refusal> {
        Ok(self.store.get()?.snapshot()?.state()?)
    }

    /// How many notes it has, and what made their vectors.
    pub(crate) fn size(&self) -> Result<(u32, Option<String>), Refusal> {
        let store = self.store.get()?;
        let notes = store.snapshot()?.counts()?.notes;
        Ok((notes, store.identity().model.clone()))
    }

    /// How it stands.
    pub(crate) fn health(&self) -> Result<Health, Refusal> {
        let store = self.store.get()?;
        let Counts {
            notes,
            chunks,
            edges,
            ..
        } = store.snapshot()?.counts()?;
        let identity = store.identity();
        let indexed_at = self.indexed_at();
        let last = |path: &Path| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        };
        let absolute = self
            .root
            .canonicalize()
            .unwrap_or_else(|_| self.root.clone());
        Ok(Health {
            domain: self.name.clone(),
            vault: last(&absolute),
            cache: format!("{}/{}", crate::vault::CACHES, last(self.store.file())),
            model: identity.model.clone(),
            dimension: identity.dimension,
            notes,
            chunks,
            links: edges,
            indexed_at,
            age: indexed_at.map(|then| unix_now().saturating_sub(then)),
            words_only: self.words_only.is_some(),
            why: self.words_only.clone(),
        })
    }

    /// When the cache was last written to.
    fn indexed_at(&self) -> Option<u64> {
        let mut log = self.store.file().as_os_str().to_owned();
        log.push("-wal");
        let written = [self.store.file().to_owned(), PathBuf::from(log)].into_iter();
        let written = written
            .filter_map(|file| file.metadata().ok()?.modified().ok())
            .max()?;
        written
            .duration_since(UNIX_EPOCH)
            .ok()
            .map(|since| since.as_secs())
    }

    /// What is known of every note, by path.
    pub(crate) fn notes(&self) -> Result<Vec<NoteFacts>, Refusal> {
        Ok(Cache::reader(self.store.file())?.notes()?)
    }

    fn no_such_note(path: &str) -> Refusal {
        let message = format!("there is no note `{path}` in this domain's index");
        Refusal::new(Code::NotFound, message)
    }
}

/// Ranks what was gathered for a question.
fn ranked(
    question: &Question,
    (bundle, mut timings): (Bundle, Timings),
    started: Instant,
) -> Result<Answer, Refusal> {
    let ranking_from = Instant::now();
    let nothing_relevant = relevance::nothing_relevant(&bundle);
    let prepared = Prepared::new(bundle)?;
    let ranking = prepared.rank(&question.profile)?;
    timings.rank = ranking_from.elapsed();
    timings.total = started.elapsed();
    Ok(Answer {
        receipt: Receipt {
            bundle: prepared.into_bundle(),
            profile: question.profile.clone(),
            ranking,
        },
        nothing_relevant,
        timings,
    })
}

/// The moment of asking: the only clock of a ranking.
pub(crate) fn now() -> Seconds {
    Seconds::from(u32::try_from(unix_now()).unwrap_or(u32::MAX))
}

fn unix_now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
