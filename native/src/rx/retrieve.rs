//! `concord deep-retrieve`: a wide look at a recommendation's question, to be curated by whoever can
//! judge, and the curated result written back.
//!
//! Retrieval and filtering are kept apart: every note that was looked at is shown, retained or
//! dropped, with the reason. So are those that a search found but at which no walk began.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use concord_cache::Scope;
use concord_core::Fault;
use concord_core::traverse::{RetainReason, WalkEnd};
use serde::Serialize;
use serde_json::Value;

use super::deep::{DeepCandidate, DropReason, WriteBack};
use super::{Desk, Opened, Store, command};
use crate::Outcome;
use crate::collection::{self, Collection, Mode, Question, Start, Walked};
use crate::failure::Failure;
use crate::input::Source;
use crate::output::{self, FAINT, STRONG, counted, plain};
use crate::vault::Vault;
use crate::vault::encoders::Encoders;

/// A search for starting points is at least this wide.
const WIDE: u32 = 50;

/// Look wide for what answers a recommendation's question.
///
/// Walks along links from the best hits of the question, with nothing dropped silently: every note
/// that was looked at is listed, retained or dropped, with the reason. Nothing leaves this machine.
///
/// With --json, what is printed can be curated (drop candidates, add `comment`, `text` and
/// `citations`) and written back with --post.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The recommendation, by its name
    #[arg(value_name = "REC-ID")]
    id: String,
    /// `deep`, or `compare` to see what a fast walk finds beside it
    #[arg(long, value_enum, default_value_t = Wide::Deep)]
    mode: Wide,
    /// How many hops at most
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: Option<u32>,
    /// Write this curated result back instead of looking; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mode", "depth"])]
    post: Option<PathBuf>,
    /// The vault's folder
    #[arg(long, value_name = "VAULT", env = "CONCORD_VAULT", default_value = ".")]
    vault: PathBuf,
    /// Print the candidates, or what was saved, as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Wide {
    /// Wide
    Deep,
    /// Wide, and marked where a fast walk comes by too
    Compare,
}

/// What a wide look came upon.
#[derive(Serialize)]
struct Candidates {
    id: String,
    mode: &'static str,
    candidates: Vec<DeepCandidate>,
    found: Found,
}

/// What it cost.
#[derive(Serialize)]
struct Found {
    domain: String,
    question: String,
    embeddings_read: u32,
    hops: u32,
    /// Why the walk ended.
    ended: WalkEnd,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let vault = Vault::open(&args.vault)?;
    let encoders = Encoders::default();
    let opened = Opened {
        vault: &vault,
        encoders: Some(&encoders),
    };
    let desk = Desk {
        store: Store::of(&vault.root),
        witnesses: &opened,
    };
    if let Some(file) = &args.post {
        let saved = desk.write_back(curated(file, &args.id)?)?;
        if args.json {
            output::print_json(&saved)?;
        } else {
            output::print(&command::in_words(&saved))?;
        }
        return Ok(Outcome::Done);
    }
    let recommendation = desk.read(&args.id)?;
    if recommendation.question.trim().is_empty() {
        return Err(Failure::Input(format!(
            "{}: has no question to look for; save it with one",
            args.id
        )));
    }
    let collection = opened.open(&recommendation.domain)?;
    let candidates = look(
        &collection,
        &recommendation.id,
        &recommendation.question,
        args,
    )?;
    if args.json {
        output::print_json(&candidates)?;
    } else {
        output::print(&in_words(&candidates))?;
    }
    Ok(Outcome::Done)
}

/// A curated result from a file. It may leave out which recommendation it is for, but not say another.
fn curated(file: &std::path::Path, id: &str) -> Result<WriteBack, Failure> {
    let source = Source::new(file);
    let text = source.text(Fault::Walk)?;
    let refused = |message: String| Failure::Input(format!("{source}: {message}"));
    let mut value: Value = serde_json::from_str(&text).map_err(|e| refused(e.to_string()))?;
    let Some(object) = value.as_object_mut() else {
        return Err(refused("must be an object with `candidates`".to_owned()));
    };
    match object.get("id").and_then(Value::as_str) {
        Some(other) if other != id => {
            return Err(refused(format!("id: is for {other:?}, and not for {id:?}")));
        }
        _ => object.insert("id".to_owned(), id.into()),
    };
    serde_json::from_value(value).map_err(|e| refused(e.to_string()))
}

fn look(
    collection: &Collection,
    id: &str,
    query: &str,
    args: &Args,
) -> Result<Candidates, Failure> {
    let mut profile = collection.profile.clone();
    profile.limit = profile.limit.max(WIDE);
    let question = Question {
        query: query.to_owned(),
        profile,
        scope: Scope::default(),
        now: collection::now(),
    };
    let (mode, name) = match args.mode {
        Wide::Deep => (Mode::Deep, "deep"),
        Wide::Compare => (Mode::Compare, "compare"),
    };
    let walks = collection.traverse(&Start::Hits, &question, mode, args.depth)?;
    let Some(deep) = walks.deep else {
        return Err(Failure::Machine(
            "a walk that was asked for is not there".to_owned(),
        ));
    };
    let fast: Option<BTreeSet<&str>> = walks.fast.as_ref().map(|fast| {
        let retained = fast.walk.retained.iter();
        retained.map(|kept| kept.path.as_str()).collect()
    });
    let mut candidates = of_walk(&deep);
    // Policies may differ so far that the fast walk comes by where the wide one does not.
    let known: BTreeSet<String> = candidates.iter().map(|it| it.path.clone()).collect();
    if let Some(walk) = &walks.fast {
        let others = of_walk(walk).into_iter();
        candidates.extend(others.filter(|it| !known.contains(&it.path)));
    }
    candidates.extend(unreached(collection, &question, &candidates)?);
    for candidate in &mut candidates {
        candidate.title = walks
            .titles
            .get(&candidate.path)
            .cloned()
            .or(candidate.title.take());
        candidate.fast = fast
            .as_ref()
            .map(|fast| fast.contains(candidate.path.as_str()));
    }
    Ok(Candidates {
        id: id.to_owned(),
        mode: name,
        candidates,
        found: Found {
            domain: collection.name.clone(),
            question: query.to_owned(),
            embeddings_read: deep.embeddings_read,
            hops: deep.walk.hops,
            ended: deep.walk.ended,
        },
    })
}

/// What a walk retained, then what it dropped.
fn of_walk(walked: &Walked) -> Vec<DeepCandidate> {
    let retained = walked.walk.retained.iter().map(|kept| DeepCandidate {
        path: kept.path.clone(),
        similarity: Some(kept.similarity),
        hop: Some(kept.hop),
        decay_weight: Some(kept.decay_weight),
        decay_zero: Some(kept.decay_zero),
        retain_reason: Some(kept.retain_reason),
        ..DeepCandidate::default()
    });
    let pruned = walked.walk.pruned.iter().map(|pruned| DeepCandidate {
        path: pruned.path.clone(),
        similarity: Some(pruned.similarity),
        hop: Some(pruned.hop),
        drop_reason: Some(pruned.drop_reason.into()),
        ..DeepCandidate::default()
    });
    retained.chain(pruned).collect()
}

/// The notes that a search finds and that no walk came by, nearest first.
fn unreached(
    collection: &Collection,
    question: &Question,
    reached: &[DeepCandidate],
) -> Result<Vec<DeepCandidate>, Failure> {
    let reached: BTreeSet<&str> = reached.iter().map(|it| it.path.as_str()).collect();
    let (bundle, _) = collection.bundle(question)?;
    let titles: BTreeMap<String, String> = bundle
        .notes
        .into_iter()
        .map(|note| (note.path, note.title))
        .collect();
    let mut found: BTreeMap<String, DeepCandidate> = BTreeMap::new();
    for chunk in bundle.chunks {
        if reached.contains(chunk.note.as_str()) {
            continue;
        }
        let candidate = found
            .entry(chunk.note.clone())
            .or_insert_with(|| DeepCandidate {
                title: titles.get(&chunk.note).cloned(),
                path: chunk.note,
                drop_reason: Some(DropReason::BeyondSeedCount),
                ..DeepCandidate::default()
            });
        candidate.similarity = candidate.similarity.max(chunk.cosine);
    }
    let mut found: Vec<DeepCandidate> = found.into_values().collect();
    found.sort_by(|a, b| (b.similarity, &a.path).cmp(&(a.similarity, &b.path)));
    Ok(found)
}

fn in_words(candidates: &Candidates) -> String {
    let Candidates {
        candidates, found, ..
    } = candidates;
    let dropped = candidates
        .iter()
        .filter(|candidate| candidate.drop_reason.is_some())
        .count();
    let mut text = format!(
        "{STRONG}{}{STRONG:#}\n{} retained, {dropped} dropped, {}, {} read\n\n",
        plain(&found.question),
        counted(candidates.len() - dropped, "note"),
        counted(found.hops as usize, "hop"),
        counted(found.embeddings_read as usize, "embedding"),
    );
    for candidate in candidates {
        let similarity = candidate.similarity.map_or(0.0, |it| it.get());
        let hop = candidate
            .hop
            .map_or_else(|| "     ".to_owned(), |hop| format!("hop {hop}"));
        let both = match candidate.fast {
            Some(true) => "  fast too",
            Some(false) => "  deep only",
            None => "",
        };
        let title = candidate.title.as_deref().unwrap_or(&candidate.path);
        let why = match (candidate.retain_reason, candidate.drop_reason) {
            (Some(RetainReason::Seed), _) => "start",
            (Some(RetainReason::KeptDespiteDecayZero), _) => "kept though it no longer holds",
            (_, Some(DropReason::DecayZero)) => "dropped: no longer holds",
            (_, Some(DropReason::BelowPruneThreshold)) => "dropped: not near enough",
            (_, Some(DropReason::BeamOverflow)) => "dropped: others of this hop were nearer",
            (_, Some(DropReason::BeyondSeedCount)) => {
                "dropped: found by search, no walk began there"
            }
            _ => "",
        };
        let _ = writeln!(
            text,
            "  {similarity:.3}  {hop}  {}{both}  {FAINT}{}  {why}{FAINT:#}",
            plain(title),
            plain(&candidate.path),
        );
    }
    text
}
