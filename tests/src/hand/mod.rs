//! Cases made by hand, each named for the promise it keeps.
//!
//! A golden alone would only say that nothing changed. So each case also states what must be true
//! of its answer ([`Draft::order`], [`Draft::fact`], …), which is checked natively; the golden then
//! fixes the bits of everything else in it, for every runtime.

mod cite;
mod decay;
mod excerpt;
mod fuse;
mod graph;
mod profile;
mod receipt;
mod refused;
mod shortlist;
mod traverse;

use serde_json::{Value, json};

use crate::case::Case;

/// 1 July 2026, 00:00 UTC: when all hand-made questions are asked.
const NOW: i64 = 1_782_864_000;
/// Seconds in a day.
const DAY: i64 = 86_400;

/// A case in the making, with what must be true of its answer.
pub struct Draft {
    /// The question.
    pub case: Case,
    expectations: Vec<Expectation>,
}

enum Expectation {
    /// The items are these chunks, in this order.
    Order(Vec<u32>),
    /// At this JSON pointer stands this.
    Fact(String, Value),
    /// At this JSON pointer into the item of a chunk stands this.
    Item(u32, String, Value),
    /// At this JSON pointer stands a number, to within the last one.
    About(String, f64, f64),
}

/// All hand-made cases, by the file that their golden stands in.
#[must_use]
pub fn groups() -> Vec<(&'static str, Vec<Draft>)> {
    vec![
        ("fuse", fuse::cases()),
        ("decay", decay::cases()),
        ("graph", graph::cases()),
        ("shortlist", shortlist::cases()),
        ("excerpt", excerpt::cases()),
        ("cite", cite::cases()),
        ("traverse", traverse::cases()),
        ("profile", profile::cases()),
        ("receipt", receipt::cases()),
        ("refused", refused::cases()),
    ]
}

/// A case whose bundle has no candidate yet.
fn draft(name: &str) -> Draft {
    let mut case = Case::new(name);
    case.bundle = json!({
        "schema": 1,
        "query": "what holds",
        "now": NOW,
        "domain": "default",
        "legs": [],
        "chunks": [],
        "notes": [],
        "graph": { "nodes": [], "citations": [], "wikilinks": [] },
        "corpus": { "chunks": 1000, "model": "test", "dimension": 3 },
    });
    let draft = Draft {
        case,
        expectations: Vec::new(),
    };
    draft.profile(json!({}))
}

/// What cases are worked out with unless they say otherwise: ranks count, all legs alike. The
/// numbers of `balanced` are chosen by measurement and may move; a case about something else should
/// not move with them.
fn plain() -> Value {
    json!({
        "retrieve": { "pool_min": 30 },
        "fuse": { "method": "rrf", "weights": { "vector": 1, "lexical": 1, "literal": 1 } },
    })
}

fn merge(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch,
    }
}

/// A case without a bundle: for quotations, walks and receipts.
fn bare(name: &str) -> Draft {
    Draft {
        case: Case::new(name),
        expectations: Vec::new(),
    }
}

impl Draft {
    /// Sets a key of the bundle.
    fn set(mut self, key: &str, value: Value) -> Self {
        self.case.bundle[key] = value;
        self
    }

    /// Adds a note; `facts` are laid over a plain one.
    fn note(mut self, path: &str, facts: Value) -> Self {
        let mut note = json!({
            "path": path, "title": path, "author": null, "published_at": null, "modified_at": null,
            "valid_from": null, "valid_until": null, "kind": null, "tags": [], "evergreen": false,
            "tier": null, "signals": {},
        });
        lay_over(&mut note, facts);
        push(&mut self.case.bundle["notes"], note);
        self
    }

    /// Adds a chunk, and its note if that is not there yet; `facts` are laid over a plain one.
    fn chunk(mut self, id: u32, note: &str, facts: Value) -> Self {
        let notes = self.case.bundle["notes"].as_array();
        if !notes.is_some_and(|notes| notes.iter().any(|known| known["path"] == note)) {
            self = self.note(note, json!({}));
        }
        let mut chunk = json!({
            "id": id, "note": note, "ordinal": id, "section": "", "page": null,
            "text": format!("The text of chunk {id}."), "cosine": null, "cross": null,
            "sentences": [],
        });
        lay_over(&mut chunk, facts);
        push(&mut self.case.bundle["chunks"], chunk);
        self
    }

    /// Adds chunks `1..=count`, each in a note `n01.md`, `n02.md`, … of its own.
    fn chunks(mut self, count: u32) -> Self {
        for id in 1..=count {
            self = self.chunk(id, &format!("n{id:02}.md"), json!({}));
        }
        self
    }

    /// Adds a leg with these chunks, best first, and falling scores.
    fn leg(self, name: &str, chunks: &[u32]) -> Self {
        let place = |(i, &chunk): (usize, &u32)| {
            (chunk, 1.0 - f64::from(u32::try_from(i).unwrap_or(0)) / 64.0)
        };
        let scored: Vec<(u32, f64)> = chunks.iter().enumerate().map(place).collect();
        self.scored_leg(name, &scored)
    }

    /// Adds a leg with these chunks and scores.
    fn scored_leg(mut self, name: &str, hits: &[(u32, f64)]) -> Self {
        let hit = |&(chunk, score): &(u32, f64)| json!({ "chunk": chunk, "score": score });
        let hits: Vec<Value> = hits.iter().map(hit).collect();
        push(
            &mut self.case.bundle["legs"],
            json!({ "name": name, "hits": hits }),
        );
        self
    }

    /// Adds edges of a kind (`citations` or `wikilinks`) between paths, and the nodes for them.
    fn edges(mut self, kind: &str, edges: &[(&str, &str)]) -> Self {
        for (from, to) in edges {
            let pair = [self.node(from), self.node(to)];
            push(&mut self.case.bundle["graph"][kind], json!(pair));
        }
        self
    }

    /// Adds citations between paths.
    fn cites(self, edges: &[(&str, &str)]) -> Self {
        self.edges("citations", edges)
    }

    /// Adds wikilinks between paths.
    fn links(self, edges: &[(&str, &str)]) -> Self {
        self.edges("wikilinks", edges)
    }

    /// The position of a node, which is added if it is not there yet.
    fn node(&mut self, path: &str) -> usize {
        let nodes = &mut self.case.bundle["graph"]["nodes"];
        let known = nodes
            .as_array()
            .and_then(|nodes| nodes.iter().position(|n| n == path));
        known.unwrap_or_else(|| push(nodes, json!(path)))
    }

    /// Ranks under this patch, laid over [`plain`] unless it says what it extends.
    fn profile(mut self, patch: Value) -> Self {
        self.case.profile = match patch {
            Value::Object(keys) if !keys.contains_key("extends") => {
                let mut whole = plain();
                merge(&mut whole, Value::Object(keys));
                whole
            }
            other => other,
        };
        self
    }

    /// Ranks under this patch and nothing else.
    fn profile_alone(mut self, patch: Value) -> Self {
        self.case.profile = patch;
        self
    }

    /// Lays a JSON pointer's value over the bundle; its parent must be there.
    fn put(mut self, pointer: &str, value: Value) -> Self {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer begins with /");
        let parent = self.case.bundle.pointer_mut(parent).expect("a parent");
        match parent {
            Value::Array(list) => list[key.parse::<usize>().expect("a position")] = value,
            other => other[key] = value,
        }
        self
    }

    /// Removes a key of the bundle.
    fn without(mut self, pointer: &str) -> Self {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer begins with /");
        let parent = self.case.bundle.pointer_mut(parent).expect("a parent");
        parent.as_object_mut().expect("an object").remove(key);
        self
    }

    /// Verifies a quotation; either part may be missing.
    fn quotation(mut self, quote: Option<&str>, chunk: Option<&str>) -> Self {
        if self.case.quotations.is_null() {
            self.case.quotations = json!([]);
        }
        let quotation = json!({ "quote": quote, "chunk": chunk });
        push(&mut self.case.quotations, quotation);
        self
    }

    /// Walks through a world under a policy.
    fn walk(mut self, world: Value, policy: Value) -> Self {
        let mut walk = json!({});
        walk["world"] = world;
        walk["policy"] = policy;
        self.case.walk = walk;
        self
    }

    /// Computes this receipt again.
    fn receipt(mut self, receipt: Value) -> Self {
        self.case.receipt = receipt;
        self
    }

    /// The items must be these chunks, in this order.
    fn order(mut self, chunks: &[u32]) -> Self {
        self.expectations.push(Expectation::Order(chunks.to_vec()));
        self
    }

    /// At this JSON pointer into the answer must stand this; numbers to 12 digits, 0 exactly.
    fn fact(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        self.expectations
            .push(Expectation::Fact(pointer.to_owned(), value.into()));
        self
    }

    /// At this JSON pointer into the answer must be nothing.
    fn nothing(self, pointer: &str) -> Self {
        self.fact(pointer, NOTHING)
    }

    /// At this JSON pointer into the answer must stand this number, to within `within`.
    fn about(mut self, pointer: &str, value: f64, within: f64) -> Self {
        let expectation = Expectation::About(pointer.to_owned(), value, within);
        self.expectations.push(expectation);
        self
    }

    /// At this JSON pointer into the item of a chunk must stand this, wherever the item stands.
    fn item(mut self, chunk: u32, pointer: &str, value: impl Into<Value>) -> Self {
        let expectation = Expectation::Item(chunk, pointer.to_owned(), value.into());
        self.expectations.push(expectation);
        self
    }

    /// The fused score of a chunk.
    fn fused(self, chunk: u32, score: f64) -> Self {
        self.item(chunk, "/trace/fused", score)
    }

    /// The score of the item at a place, from 0.
    fn score(self, place: usize, score: f64) -> Self {
        self.fact(&format!("/ranking/items/{place}/score"), score)
    }

    /// The bundle or profile must be refused at this key.
    fn refused(self, code: &str, key: &str) -> Self {
        let refusal = json!({ "code": code, "key": key });
        self.fact("/ranking/refused", refusal)
    }

    /// What must be true of the answer but is not; empty if all is.
    #[must_use]
    pub fn broken_promises(&self, answer: &Value) -> Vec<String> {
        let items = || answer["ranking"]["items"].as_array().into_iter().flatten();
        let mut broken = Vec::new();
        for expectation in &self.expectations {
            let (what, expected, found, kept) = match expectation {
                Expectation::Order(chunks) => {
                    let found: Vec<&Value> = items().map(|item| &item["chunk"]).collect();
                    let kept = near(&json!(chunks), &json!(found));
                    ("order".to_owned(), json!(chunks), json!(found), kept)
                }
                Expectation::Fact(pointer, value) => {
                    let found = at(answer, pointer);
                    let kept = near(value, &found);
                    (pointer.clone(), value.clone(), found, kept)
                }
                Expectation::Item(chunk, pointer, value) => {
                    let item = items().find(|item| item["chunk"] == *chunk);
                    let found = at(item.unwrap_or(&Value::Null), pointer);
                    let kept = near(value, &found);
                    (
                        format!("item of {chunk}: {pointer}"),
                        value.clone(),
                        found,
                        kept,
                    )
                }
                Expectation::About(pointer, value, within) => {
                    let found = at(answer, pointer);
                    let number = found.as_f64();
                    let kept = number.is_some_and(|number| (number - value).abs() <= *within);
                    (pointer.clone(), json!(value), found, kept)
                }
            };
            if !kept {
                let name = &self.case.name;
                broken.push(format!(
                    "{name}: {what}: expected {expected}, found {found}"
                ));
            }
        }
        if self.expectations.is_empty() {
            broken.push(format!("{}: states no promise", self.case.name));
        }
        broken
    }
}

/// What [`at`] finds where nothing is.
const NOTHING: &str = "(nothing)";

fn at(answer: &Value, pointer: &str) -> Value {
    let found = answer.pointer(pointer).cloned();
    found.unwrap_or_else(|| NOTHING.into())
}

/// Equal, numbers to 12 digits; 0 is only equal to 0.
fn near(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (
                a.as_f64().unwrap_or(f64::NAN),
                b.as_f64().unwrap_or(f64::NAN),
            );
            (a - b).abs() <= 1e-12 * a.abs()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| near(a, b)))
        }
        (a, b) => a == b,
    }
}

fn lay_over(base: &mut Value, facts: Value) {
    if let Value::Object(facts) = facts {
        for (key, value) in facts {
            base[key] = value;
        }
    }
}

/// Appends to a list and says where.
fn push(list: &mut Value, item: Value) -> usize {
    let list = list.as_array_mut().expect("a draft's lists are lists");
    list.push(item);
    list.len() - 1
}
