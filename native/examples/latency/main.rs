//! What each step of a question costs on 50,000 passages; run by `cargo xtask bench latency`.
//!
//! `latency make FOLDER` writes a model and a vault's index there, both made up from a seed (see
//! [`made`]), and what others search beside it: `passages.txt` and `questions.txt`, a line each.
//!
//! `latency ask FOLDER ADDRESS` asks the service that serves that vault and prints lines
//! `name milliseconds`, each the median over the questions: the steps as the service tells them, the
//! stages of the ranking, the whole as its client sees it, and the encoder's own time for the same
//! questions, asked in turns.
//!
//! A stage's time is what switching it on adds to a ranking of the same bundle.

mod made;
mod text;

use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use concord_core::{Prepared, Profile, Receipt};
use concord_encode::Precision;
use concord_encode::hub::Located;
use serde_json::{Value, json};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Rounds over all questions; the first warms and does not count.
const ROUNDS: usize = 4;
/// How often a bundle is ranked with and without a stage.
const RANKINGS: usize = 9;
const STEPS: [&str; 5] = [
    "encode_ms",
    "vector_ms",
    "lexical_ms",
    "facts_ms",
    "rank_ms",
];

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [word, folder] if word == "make" => made::make(Path::new(folder)),
        [word, folder, address] if word == "ask" => ask(Path::new(folder), address),
        _ => Err("latency make FOLDER, or latency ask FOLDER ADDRESS".into()),
    }
}

fn ask(folder: &Path, address: &str) -> Fallible<()> {
    let questions = std::fs::read_to_string(folder.join("questions.txt"))?;
    let encoder = concord_encode::open(
        &Located::folder(&folder.join(made::MODEL))?,
        Precision::Int8,
    )?;
    let agent = ureq::Agent::new_with_defaults();
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let patch = encoded(&patch().to_string());
    let mut figures = Figures::default();
    for round in 0..ROUNDS {
        for question in questions.lines() {
            let path = format!(
                "{address}/v1/vault/search?k=10&profile=vault&patch={patch}&q={}",
                encoded(question)
            );
            let began = Instant::now();
            let answer = agent.get(&path).call()?.body_mut().read_to_string()?;
            let whole = milliseconds(began);
            let began = Instant::now();
            black_box(encoder.encode_query(question)?);
            let alone = milliseconds(began);
            if round == 0 {
                continue;
            }
            figures.add("whole", whole);
            figures.add("encoder", alone);
            figures.add("ratio", whole / alone);
            let answer: Value = serde_json::from_str(&answer)?;
            for step in STEPS {
                let time = answer["timings"][step].as_f64();
                figures.add(
                    step,
                    time.ok_or_else(|| format!("no {step} in the answer"))?,
                );
            }
            if round == 1 {
                let answer = agent
                    .get(format!("{path}&receipt=1"))
                    .call()?
                    .body_mut()
                    .read_to_string()?;
                let answer: Value = serde_json::from_str(&answer)?;
                stages(
                    &Receipt::from_json(&answer["receipt"].to_string())?,
                    &mut figures,
                )?;
            }
        }
    }
    figures.print()
}

/// Everything on, so that every stage has something to do.
fn patch() -> Value {
    json!({"decay": {"mode": "ranked_grouped"}})
}

/// What each stage adds to the ranking of a bundle.
fn stages(receipt: &Receipt, figures: &mut Figures) -> Fallible<()> {
    let began = Instant::now();
    let prepared = Prepared::new(receipt.bundle.clone())?;
    figures.add("prepare", milliseconds(began));
    let all = &receipt.profile;
    let without = |patch: Value| all.patched(patch);
    let off =
        json!({"decay": {"mode": "off"}, "graph": {"mode": "off"}, "excerpt": {"sentences": 0}});
    let base = without(off)?;
    let stages = [
        ("decay", without(json!({"decay": {"mode": "off"}}))?),
        ("graph", without(json!({"graph": {"mode": "off"}}))?),
        ("excerpt", without(json!({"excerpt": {"sentences": 0}}))?),
    ];
    let time = |profile: &Profile| -> Fallible<f64> {
        let began = Instant::now();
        black_box(prepared.rank(profile)?);
        Ok(milliseconds(began))
    };
    for _ in 0..RANKINGS {
        figures.add("fuse", time(&base)?);
        for (name, without) in &stages {
            figures.add(name, time(all)? - time(without)?);
        }
    }
    let graph = prepared.graph(all)?.facts;
    figures.add("nodes", f64::from(graph.nodes));
    figures.add("links", f64::from(graph.links));
    Ok(())
}

/// Figures by name, in the order in which they first came.
#[derive(Default)]
struct Figures(Vec<(String, Vec<f64>)>);

impl Figures {
    fn add(&mut self, name: &str, figure: f64) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, figures)) => figures.push(figure),
            None => self.0.push((name.to_owned(), vec![figure])),
        }
    }

    fn print(&mut self) -> Fallible<()> {
        let mut out = std::io::stdout().lock();
        for (name, figures) in &mut self.0 {
            figures.sort_by(f64::total_cmp);
            writeln!(out, "{name} {:.4}", figures[figures.len() / 2])?;
        }
        Ok(())
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
