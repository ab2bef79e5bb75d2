//! The bundle: one query's candidates and the facts needed to rank them.
//!
//! The seam of the system. Everything before it may be approximate and stateful; everything after
//! it is a pure function of (bundle, profile). Numbers are f64 or u32, the rest are strings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Fault};
use crate::places::Places;
use crate::score::{SCORE_LIMIT, Score, Seconds};
use crate::text::Text;

/// The version of the bundle's shape that this crate reads and writes.
pub const SCHEMA: u32 = 1;

/// One query's candidates, and the facts needed to rank them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Bundle {
    /// The version of this shape: 1.
    pub schema: u32,
    /// What was asked.
    pub query: String,
    /// The moment of asking. Core has no clock: ages are counted from here.
    pub now: Seconds,
    /// The domain that was asked.
    pub domain: String,
    /// Ranked lists of candidates, e.g. `vector` and `lexical`. Their order among each other
    /// means nothing.
    pub legs: Vec<Leg>,
    /// The candidates, in any order; each stands here once.
    pub chunks: Vec<Chunk>,
    /// The notes that the candidates come from, in any order.
    pub notes: Vec<Note>,
    /// The citation graph around the candidates' notes.
    pub graph: Subgraph,
    /// What the candidates were drawn from.
    pub corpus: Corpus,
}

/// What one retriever found, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Leg {
    /// Unique in the bundle. A name with a colon (`vector:2`) takes the weight of the part before
    /// it unless the profile names it in full.
    pub name: String,
    /// Best first. A chunk that stands here again counts where it stood first, and its
    /// repetition takes no rank.
    pub hits: Vec<Hit>,
}

/// One find of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Hit {
    /// The chunk's id.
    pub chunk: u32,
    /// The retriever's own score, greater is better: for display, and for convex fusion.
    pub score: Score,
}

/// A candidate passage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Chunk {
    /// Unique in the bundle; means nothing outside it.
    pub id: u32,
    /// The path of its note.
    pub note: String,
    /// Its place in the note, from 0. Ties are broken by note and ordinal, which a rebuilt index
    /// keeps, and not by id, which it may not.
    pub ordinal: u32,
    /// The heading it stands under.
    pub section: String,
    /// The page or slide, where the source has any.
    pub page: Option<u32>,
    /// Verbatim.
    #[cfg_attr(feature = "typescript", tsify(type = "string"))]
    pub text: Text,
    /// Cosine to the query, where an encoder was at hand.
    pub cosine: Option<Score>,
    /// A cross-encoder's logit for (query, text), where one was run.
    pub cross: Option<Score>,
    /// Its sentences in document order.
    pub sentences: Vec<Sentence>,
}

/// A sentence of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Sentence {
    /// First byte in the chunk's text (UTF-8).
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Cosine to the query.
    pub cosine: Score,
}

/// What is known of a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Note {
    /// Unique: from the vault's root, with `/`.
    pub path: String,
    /// For display.
    pub title: String,
    /// Whose ladder it stands on.
    pub author: Option<String>,
    /// When it was published.
    pub published_at: Option<Seconds>,
    /// When it was last changed.
    pub modified_at: Option<Seconds>,
    /// When it begins to hold.
    pub valid_from: Option<Seconds>,
    /// When it ceases to hold.
    pub valid_until: Option<Seconds>,
    /// What it is, e.g. `Filings`.
    pub kind: Option<String>,
    /// For display and scopes.
    pub tags: Vec<String>,
    /// Exempt from every decay.
    pub evergreen: bool,
    /// The tier of a federated vault that it comes from.
    pub tier: Option<String>,
    /// Further numbers by name; they count as the profile's `signals` weighs them.
    pub signals: BTreeMap<String, Score>,
}

/// The candidates' notes and their neighbours, with all links among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Subgraph {
    /// Paths of notes, each once.
    pub nodes: Vec<String>,
    /// `[from, to]` as positions in `nodes`: from cites to. Repetitions and self-links count
    /// for nothing.
    pub citations: Vec<(u32, u32)>,
    /// Likewise, for links that only associate.
    pub wikilinks: Vec<(u32, u32)>,
}

/// What the candidates were drawn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Corpus {
    /// How many chunks the domain has.
    pub chunks: u32,
    /// The encoder; none where search is by words alone.
    pub model: Option<String>,
    /// The encoder's dimension; 0 without one.
    pub dimension: u32,
}

/// Any version's bundle.
#[derive(Deserialize)]
struct Versioned {
    schema: u32,
}

fn other_schema(found: u32) -> Error {
    let message = format!("this version reads schema {SCHEMA}, found {found}");
    Fault::Bundle.at("schema", message)
}

impl Bundle {
    /// Reads and checks a bundle.
    ///
    /// # Errors
    /// If the text is no bundle; the error names the key.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let bundle: Self = Fault::Bundle.read(json).map_err(|error| {
            // Of another version's shape, the version is what is wrong with it.
            let version = serde_json::from_str(json).map(|Versioned { schema }| schema);
            let other = version.ok().filter(|&schema| schema != SCHEMA);
            other.map_or(error, other_schema)
        })?;
        bundle.check()?;
        Ok(bundle)
    }

    /// Checks what the types cannot: that ids are unique and point somewhere, and that sentences
    /// lie in their text.
    ///
    /// # Errors
    /// At the first key that does not hold.
    pub fn check(&self) -> Result<(), Error> {
        self.addresses().map(drop)
    }

    /// Checks, and gives what was looked up on the way.
    pub(crate) fn addresses(&self) -> Result<Addresses<'_>, Error> {
        let bad = |key: String, message: String| Fault::Bundle.at(key, message);

        if self.schema != SCHEMA {
            return Err(other_schema(self.schema));
        }

        let twice = |key: String, what: &dyn std::fmt::Display| {
            Fault::Bundle.at(key, format!("{what} stands here twice"))
        };
        let notes = Places::of(self.notes.iter().map(|note| note.path.as_str())).map_err(|i| {
            let path = &self.notes[i].path;
            twice(format!("notes[{i}].path"), &format_args!("`{path}`"))
        })?;
        for (i, note) in self.notes.iter().enumerate() {
            if note.path.is_empty() {
                return Err(bad(format!("notes[{i}].path"), "must not be empty".into()));
            }
            for (name, &value) in &note.signals {
                within_limit(value)
                    .map_err(|message| bad(format!("notes[{i}].signals.{name}"), message))?;
            }
        }

        let chunks = Places::of(self.chunks.iter().map(|chunk| chunk.id))
            .map_err(|i| twice(format!("chunks[{i}].id"), &self.chunks[i].id))?;
        let mut note_of_chunk = Vec::with_capacity(self.chunks.len());
        for (i, chunk) in self.chunks.iter().enumerate() {
            note_of_chunk.push(notes.get(chunk.note.as_str()).ok_or_else(|| {
                let note = &chunk.note;
                let message = format!("`{note}` is not among the notes");
                bad(format!("chunks[{i}].note"), message)
            })?);
            chunk
                .check_sentences()
                .map_err(|(key, message)| bad(format!("chunks[{i}].{key}"), message))?;
            for (key, value) in [("cosine", chunk.cosine), ("cross", chunk.cross)] {
                within_limit(value.unwrap_or(Score::ZERO))
                    .map_err(|message| bad(format!("chunks[{i}].{key}"), message))?;
            }
        }

        Places::of(self.legs.iter().map(|leg| leg.name.as_str())).map_err(|i| {
            let name = &self.legs[i].name;
            twice(format!("legs[{i}].name"), &format_args!("`{name}`"))
        })?;
        for (i, leg) in self.legs.iter().enumerate() {
            if leg.name.is_empty() {
                return Err(bad(format!("legs[{i}].name"), "must not be empty".into()));
            }
            for (j, hit) in leg.hits.iter().enumerate() {
                within_limit(hit.score)
                    .map_err(|message| bad(format!("legs[{i}].hits[{j}].score"), message))?;
                if chunks.rank(hit.chunk).is_none() {
                    let id = hit.chunk;
                    return Err(bad(
                        format!("legs[{i}].hits[{j}].chunk"),
                        format!("{id} is not among the chunks"),
                    ));
                }
            }
        }

        let nodes = self.graph.places();
        let nodes = nodes.map_err(|(key, message)| bad(format!("graph.{key}"), message))?;
        Ok(Addresses {
            notes,
            chunks,
            nodes,
            note_of_chunk,
        })
    }
}

/// What can be looked up in a bundle that holds together.
pub(crate) struct Addresses<'a> {
    pub(crate) notes: Places<&'a str>,
    pub(crate) chunks: Places<u32>,
    /// Of the subgraph.
    pub(crate) nodes: Places<&'a str>,
    /// By position of a chunk: the position of its note.
    pub(crate) note_of_chunk: Vec<usize>,
}

fn within_limit(score: Score) -> Result<(), String> {
    let value = score.get();
    if value.abs() <= SCORE_LIMIT {
        Ok(())
    } else {
        Err(format!(
            "must be between -{SCORE_LIMIT:e} and {SCORE_LIMIT:e}, found {value:e}"
        ))
    }
}

impl Chunk {
    fn check_sentences(&self) -> Result<(), (String, String)> {
        let mut free_from = 0;
        for (i, sentence) in self.sentences.iter().enumerate() {
            let (start, end) = (sentence.start as usize, sentence.end as usize);
            if start < free_from || end < start {
                let message = "sentences must follow each other without overlap".into();
                return Err((format!("sentences[{i}]"), message));
            }
            if self.text.get(start..end).is_none() {
                let length = self.text.len();
                let message = format!(
                    "bytes {start} to {end} are no part of the text ({length} bytes) at character boundaries"
                );
                return Err((format!("sentences[{i}]"), message));
            }
            within_limit(sentence.cosine)
                .map_err(|message| (format!("sentences[{i}].cosine"), message))?;
            free_from = end;
        }
        Ok(())
    }
}

impl Subgraph {
    /// The places of its nodes, if it holds together.
    fn places(&self) -> Result<Places<&str>, (String, String)> {
        let places = Places::of(self.nodes.iter().map(String::as_str)).map_err(|i| {
            let node = &self.nodes[i];
            (format!("nodes[{i}]"), format!("`{node}` stands here twice"))
        })?;
        for (name, edges) in [
            ("citations", &self.citations),
            ("wikilinks", &self.wikilinks),
        ] {
            for (i, &(from, to)) in edges.iter().enumerate() {
                if from as usize >= self.nodes.len() || to as usize >= self.nodes.len() {
                    let count = self.nodes.len();
                    return Err((
                        format!("{name}[{i}]"),
                        format!("[{from}, {to}] is out of range: there are {count} nodes"),
                    ));
                }
            }
        }
        Ok(places)
    }
}
