//! What can be asked of one domain.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use axum::http::Method;
use concord_cache::Scope;
use concord_cache::sync::Report;
use concord_core::ranking::{Dropped, ExcerptSentence, GraphFacts, Range};
use concord_core::{Bundle, Profile, Ranking, Receipt, Score};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::operation::{Asked, MOST_ITEMS, Operation, Parameter, Reply, Shape};
use crate::collection::{
    self, Citation, Collection, Health, Mode, NoteView, Question, Start, Verdicts, Walks,
};
use crate::llm::Writer;
use crate::profiles::Profiles;
use crate::refusal::Refusal;

/// An open domain, and how it is brought in step with its notes.
pub(crate) struct Shelf {
    /// The vault's folder.
    pub(crate) root: PathBuf,
    pub(crate) collection: Collection,
    pub(crate) profiles: Profiles,
    pub(crate) reload: Box<dyn Fn() -> Result<Report, Refusal> + Send + Sync>,
    /// What drafts are written with, if the service was told to.
    pub(crate) writer: Option<Arc<Writer>>,
}

const TEXT: Shape = Shape::Text { required: false };

const Q: Parameter = Parameter {
    name: "q",
    about: "The question; words in quotes are one phrase",
    shape: Shape::Text { required: true },
};
const K: Parameter = Parameter {
    name: "k",
    about: "How many items, instead of the profile's limit",
    shape: Shape::Count {
        least: 1,
        most: MOST_ITEMS,
    },
};
const PROFILE: Parameter = Parameter {
    name: "profile",
    about: "vault, balanced, or a saved profile; the domain's own if it is not given",
    shape: TEXT,
};
const PATCH: Parameter = Parameter {
    name: "patch",
    about: "A JSON merge patch over the profile",
    shape: TEXT,
};
const FOLDER: Parameter = Parameter {
    name: "folder",
    about: "Only below this folder",
    shape: TEXT,
};
const TAG: Parameter = Parameter {
    name: "tag",
    about: "Only with one of these tags, or one nested below",
    shape: Shape::Texts,
};
const KIND: Parameter = Parameter {
    name: "kind",
    about: "Only of this kind",
    shape: TEXT,
};
const AUTHOR: Parameter = Parameter {
    name: "author",
    about: "Only by this author",
    shape: TEXT,
};
const SINCE: Parameter = Parameter {
    name: "since",
    about: "Only published (or else changed) on this day or later",
    shape: Shape::Day,
};
const BEFORE: Parameter = Parameter {
    name: "before",
    about: "Only published (or else changed) before this day",
    shape: Shape::Day,
};
const FILE: Parameter = Parameter {
    name: "file",
    about: "Only these notes",
    shape: Shape::Texts,
};

/// Everything that can be asked of a domain.
pub(super) static OPERATIONS: [Operation<Shelf>; 8] = [
    Operation {
        method: Method::GET,
        path: "/health",
        about: "How the domain stands: vault, cache, model, counts, age, whether by words alone",
        parameters: &[],
        body: None,
        answer: schema::<Health>,
        writes: false,
        run: |shelf, _| Ok(Reply::json(&shelf.collection.health()?)),
    },
    Operation {
        method: Method::GET,
        path: "/about",
        about: "What a page needs to know: counts, the domain's profile, what can be scoped by",
        parameters: &[],
        body: None,
        answer: schema::<About>,
        writes: false,
        run: |shelf, _| Ok(Reply::json(&about(shelf)?)),
    },
    Operation {
        method: Method::GET,
        path: "/search",
        about: "The passages that answer a question, ranked, with the sentences that matter",
        parameters: &[
            Q,
            K,
            PROFILE,
            PATCH,
            Parameter {
                name: "explain",
                about: "With the parts of each score",
                shape: Shape::Flag,
            },
            Parameter {
                name: "receipt",
                about: "With bundle and profile, from which anyone can compute the ranking again",
                shape: Shape::Flag,
            },
            FOLDER,
            TAG,
            KIND,
            AUTHOR,
            SINCE,
            BEFORE,
            FILE,
        ],
        body: None,
        answer: schema::<SearchAnswer<'_>>,
        writes: false,
        run: search,
    },
    Operation {
        method: Method::GET,
        path: "/candidates",
        about: "The bundle of a question: its candidates and the facts needed to rank them",
        parameters: &[
            Q, K, PROFILE, PATCH, FOLDER, TAG, KIND, AUTHOR, SINCE, BEFORE, FILE,
        ],
        body: None,
        answer: schema::<Bundle>,
        writes: false,
        run: candidates,
    },
    Operation {
        method: Method::GET,
        path: "/traverse/{*path}",
        about: "Walks along links from a note (by its path, a name that links use, or its title), or from the best hits of a question",
        parameters: &[
            Parameter {
                name: "q",
                about: "What nearness is to; the note that the walk starts from, if not given",
                shape: TEXT,
            },
            Parameter {
                name: "depth",
                about: "How many hops at most",
                shape: Shape::Count { least: 1, most: 8 },
            },
            Parameter {
                name: "mode",
                about: "fast, deep, or both side by side",
                shape: Shape::Choice(Mode::NAMES),
            },
            PROFILE,
            PATCH,
        ],
        body: None,
        answer: schema::<Walks>,
        writes: false,
        run: traverse,
    },
    Operation {
        method: Method::GET,
        path: "/node/{*path}",
        about: "A note: its text, its facts, its links both ways",
        parameters: &[],
        body: None,
        answer: schema::<NoteView>,
        writes: false,
        run: |shelf, asked| {
            let path = asked.path.as_deref();
            let path = path.ok_or_else(|| Refusal::at("path", "must name a note"))?;
            Ok(Reply::json(&shelf.collection.note(path)?))
        },
    },
    Operation {
        method: Method::POST,
        path: "/verify",
        about: "Whether quotations stand where they are said to",
        parameters: &[],
        body: Some(schema::<Draft>),
        answer: schema::<Verdicts>,
        writes: false,
        run: |shelf, asked| {
            let draft: Draft = asked.json()?;
            Ok(Reply::json(&shelf.collection.verify(&draft.citations)?))
        },
    },
    Operation {
        method: Method::POST,
        path: "/reload",
        about: "Brings the index in step with the notes; searches go on meanwhile",
        parameters: &[],
        body: None,
        answer: schema::<Reloaded>,
        writes: true,
        run: reload,
    },
];

/// JSON Schema of a shape.
pub(super) fn schema<T: schemars::JsonSchema>() -> Value {
    schemars::schema_for!(T).to_value()
}

/// Quotations to check.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Draft {
    citations: Vec<Citation>,
}

/// An answer to a question.
#[derive(Serialize, schemars::JsonSchema)]
struct SearchAnswer<'a> {
    query: &'a str,
    domain: &'a str,
    /// Nothing that was found answers the question.
    nothing_relevant: bool,
    /// Why not; or why search is by words alone.
    why: Option<&'a str>,
    words_only: bool,
    /// Without `explain`, its items have no `trace`.
    #[schemars(with = "Ranking")]
    ranking: Shown<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<&'a Receipt>,
    /// Milliseconds of each step.
    timings: BTreeMap<&'static str, f64>,
}

/// A ranking, with or without the parts of its scores.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown<'a> {
    Whole(&'a Ranking),
    Brief {
        version: &'a str,
        candidates: u32,
        scale: Range,
        graph: GraphFacts,
        small_corpus: bool,
        items: Vec<BriefItem<'a>>,
        dropped: &'a [Dropped],
        digest: &'a str,
    },
}

/// A row of the answer without its trace.
#[derive(Serialize)]
struct BriefItem<'a> {
    rank: u32,
    chunk: u32,
    note: &'a str,
    score: Score,
    tokens: u32,
    excerpt: &'a [ExcerptSentence],
}

impl<'a> Shown<'a> {
    fn brief(ranking: &'a Ranking) -> Self {
        let items = ranking.items.iter().map(|item| BriefItem {
            rank: item.rank,
            chunk: item.chunk,
            note: &item.note,
            score: item.score,
            tokens: item.tokens,
            excerpt: &item.excerpt,
        });
        Self::Brief {
            version: &ranking.version,
            candidates: ranking.candidates,
            scale: ranking.scale,
            graph: ranking.graph,
            small_corpus: ranking.small_corpus,
            items: items.collect(),
            dropped: &ranking.dropped,
            digest: &ranking.digest,
        }
    }
}

/// What became of the files.
#[derive(Serialize, schemars::JsonSchema)]
struct Reloaded {
    indexed: usize,
    unchanged: usize,
    removed: usize,
    skipped: usize,
    failed: usize,
    /// Passages that were encoded.
    encoded: usize,
    /// Passages whose vectors were known.
    reused: usize,
    seconds: f64,
}

/// What a page needs to know of a domain.
#[derive(Serialize, schemars::JsonSchema)]
struct About {
    #[serde(flatten)]
    health: Health,
    /// The domain's own.
    profile: Profile,
    authors: BTreeSet<String>,
    kinds: BTreeSet<String>,
    tags: Vec<TagCount>,
    folders: BTreeSet<String>,
}

/// A tag, and how many notes have it.
#[derive(Serialize, schemars::JsonSchema)]
struct TagCount {
    name: String,
    notes: usize,
}

fn about(shelf: &Shelf) -> Result<About, Refusal> {
    let mut about = About {
        health: shelf.collection.health()?,
        profile: shelf.collection.profile.clone(),
        authors: BTreeSet::new(),
        kinds: BTreeSet::new(),
        tags: Vec::new(),
        folders: BTreeSet::new(),
    };
    let mut tags: BTreeMap<String, usize> = BTreeMap::new();
    for note in shelf.collection.notes()? {
        about.authors.extend(note.author);
        about.kinds.extend(note.kind);
        for tag in note.tags {
            *tags.entry(tag).or_default() += 1;
        }
        let mut folder = note.path.as_str();
        while let Some((above, _)) = folder.rsplit_once('/') {
            about.folders.insert(above.to_owned());
            folder = above;
        }
    }
    about.tags = tags
        .into_iter()
        .map(|(name, notes)| TagCount { name, notes })
        .collect();
    about
        .tags
        .sort_by(|a, b| (b.notes, &a.name).cmp(&(a.notes, &b.name)));
    Ok(about)
}

/// The question that a request asks.
fn question(shelf: &Shelf, asked: &Asked) -> Result<Question, Refusal> {
    let Collection { name, profile, .. } = &shelf.collection;
    let mut profile = match asked.text("profile") {
        None => profile.clone(),
        Some(wanted) => shelf.profiles.get(wanted, name)?,
    };
    if let Some(patch) = asked.text("patch") {
        let patch: Value =
            serde_json::from_str(patch).map_err(|error| Refusal::at("patch", error.to_string()))?;
        profile = profile
            .patched(patch)
            .map_err(|error| Refusal::at(&format!("patch.{}", error.key), error.message))?;
    }
    if let Some(k) = asked.count("k") {
        profile.limit = k;
    }
    if profile.limit > MOST_ITEMS {
        return Err(Refusal::at(
            "patch.limit",
            format!("must not be more than {MOST_ITEMS} here"),
        ));
    }
    let text = |name: &str| asked.text(name).map(str::to_owned);
    Ok(Question {
        query: asked.text("q").unwrap_or_default().to_owned(),
        profile,
        scope: Scope {
            folder: text("folder"),
            tags: asked.texts("tag").to_vec(),
            kind: text("kind"),
            author: text("author"),
            since: asked.day("since"),
            before: asked.day("before"),
            files: asked.texts("file").to_vec(),
        },
        now: collection::now(),
    })
}

fn search(shelf: &Shelf, asked: &Asked) -> Result<Reply, Refusal> {
    let question = question(shelf, asked)?;
    let answer = shelf.collection.ask(&question)?;
    let timings = answer.timings.milliseconds();
    let words_only = shelf.collection.words_only.as_deref();
    let ranking = &answer.receipt.ranking;
    let told = SearchAnswer {
        query: &question.query,
        domain: &shelf.collection.name,
        nothing_relevant: answer.nothing_relevant.is_some(),
        why: answer.nothing_relevant.as_deref().or(words_only),
        words_only: words_only.is_some(),
        ranking: if asked.flag("explain") {
            Shown::Whole(ranking)
        } else {
            Shown::brief(ranking)
        },
        receipt: asked.flag("receipt").then_some(&answer.receipt),
        timings: timings.into_iter().collect(),
    };
    Ok(Reply {
        timings: timings.to_vec(),
        ..Reply::json(&told)
    })
}

fn candidates(shelf: &Shelf, asked: &Asked) -> Result<Reply, Refusal> {
    let (bundle, timings) = shelf.collection.bundle(&question(shelf, asked)?)?;
    Ok(Reply {
        timings: timings.milliseconds().to_vec(),
        ..Reply::json(&bundle)
    })
}

fn traverse(shelf: &Shelf, asked: &Asked) -> Result<Reply, Refusal> {
    let start = asked.path.as_deref().map_or(Start::Hits, Start::Note);
    let mode = Mode::named(asked.text("mode").unwrap_or("fast"));
    let question = question(shelf, asked)?;
    let walks = shelf
        .collection
        .traverse(&start, &question, mode, asked.count("depth"))?;
    Ok(Reply::json(&walks))
}

fn reload(shelf: &Shelf, _: &Asked) -> Result<Reply, Refusal> {
    let started = std::time::Instant::now();
    let report = (shelf.reload)()?;
    Ok(Reply::json(&Reloaded {
        indexed: report.indexed,
        unchanged: report.unchanged,
        removed: report.removed,
        skipped: report.skipped,
        failed: report.failed.len(),
        encoded: report.encoded,
        reused: report.reused,
        seconds: started.elapsed().as_secs_f64(),
    }))
}

/// What [`about`] says, as a value.
pub(super) fn described(shelf: &Shelf) -> Result<Value, Refusal> {
    Ok(json!(about(shelf)?))
}
