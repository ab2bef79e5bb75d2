//! What 8 bits cost a ranking: nDCG@10 of one BERT in f32 and in 8 bits, by one procedure; run by
//! `cargo xtask bench quality`.
//!
//! ```text
//! quality MODEL QUERIES DOCUMENTS FOLDER…
//! ```
//!
//! A folder is a collection in BEIR's form: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`. Every
//! document is compared with every query (exact cosine). A document is its title and its text; a
//! title with which the text begins is not said twice. At most QUERIES of the judged queries are
//! asked, and at most DOCUMENTS documents are searched, among them all that are judged for a query
//! asked (0: no bound); the choice hangs on the ids alone.
//!
//! ```text
//! nDCG@10 = Σ_r grade_r / log2(r + 1)  ÷  the same sum of the best order,   r = 1 … 10
//! ```
//!
//! The gain is the grade itself, as BEIR and trec_eval have it. The error after `±` is that of the
//! mean difference over the queries.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use concord_encode::bert::Bert;
use concord_encode::{Encoder, Precision};
use serde::Deserialize;
use sha2::{Digest, Sha256};

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

const CUT: usize = 10;

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

/// A collection, cut down to what is asked and searched.
struct Collection {
    documents: Vec<Line>,
    queries: Vec<Line>,
    grades: BTreeMap<String, BTreeMap<String, f64>>,
    whole: (usize, usize),
}

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, queries, documents, folders @ ..] = arguments.as_slice() else {
        return Err("arguments: MODEL QUERIES DOCUMENTS FOLDER…".into());
    };
    let (queries, documents) = (bound(queries)?, bound(documents)?);
    let model = Path::new(model);
    let encoders = [Precision::F32, Precision::Int8]
        .map(|precision| Bert::open(model, "model", precision).map(|bert| bert.with_threads(1)));
    let [f32, int8] = encoders;
    let (f32, int8) = (f32?, int8?);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "collection     documents      queries      f32     int8  difference (nDCG@10)"
    )?;
    for folder in folders {
        let folder = Path::new(folder);
        let set = Collection::read(folder, queries, documents)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let (exact, near) = (set.scores(&f32)?, set.scores(&int8)?);
        let differences: Vec<f64> = near.iter().zip(&exact).map(|(a, b)| a - b).collect();
        let change = mean(&differences);
        let squares: Vec<f64> = differences.iter().map(|d| (d - change).powi(2)).collect();
        let count = squares.len() as f64;
        let error = (mean(&squares) / (count - 1.0).max(1.0)).sqrt();
        writeln!(
            out,
            "{:<12}{:>12}{:>13}{:>9.4}{:>9.4}{change:>+9.4} ± {error:.4}",
            folder.file_name().unwrap_or_default().display(),
            format!("{}/{}", set.documents.len(), set.whole.0),
            format!("{}/{}", set.queries.len(), set.whole.1),
            mean(&exact),
            mean(&near),
        )?;
        out.flush()?;
    }
    Ok(())
}

fn bound(text: &str) -> Fallible<usize> {
    let bound: usize = text.parse()?;
    Ok(if bound == 0 { usize::MAX } else { bound })
}

impl Collection {
    fn read(folder: &Path, most_queries: usize, most_documents: usize) -> Fallible<Self> {
        let mut grades: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        for line in fs::read_to_string(folder.join("qrels.tsv"))?
            .lines()
            .skip(1)
        {
            let mut fields = line.split('\t');
            let (Some(query), Some(document), Some(grade)) =
                (fields.next(), fields.next(), fields.next())
            else {
                return Err(format!("qrels.tsv: three fields are due: {line:?}").into());
            };
            let grade: f64 = grade.trim().parse()?;
            if grade > 0.0 {
                let of_query = grades.entry(query.to_owned()).or_default();
                of_query.insert(document.to_owned(), grade);
            }
        }
        let mut queries = lines(&folder.join("queries.jsonl"))?;
        queries.retain(|query| grades.contains_key(&query.id));
        let mut documents = lines(&folder.join("corpus.jsonl"))?;
        let whole = (documents.len(), queries.len());
        shuffle(&mut queries);
        queries.truncate(most_queries);
        let judged: BTreeSet<&str> = queries
            .iter()
            .flat_map(|query| grades[&query.id].keys())
            .map(String::as_str)
            .collect();
        shuffle(&mut documents);
        documents.sort_by_key(|document| !judged.contains(document.id.as_str()));
        documents.truncate(most_documents.max(judged.len()));
        Ok(Self {
            documents,
            queries,
            grades,
            whole,
        })
    }

    /// nDCG@10 of every query.
    fn scores(&self, encoder: &Bert) -> Fallible<Vec<f64>> {
        let documents = in_parallel(&self.documents, |document| {
            Ok(encoder.encode_documents(&[&said(document)])?.vectors)
        })?;
        let queries = in_parallel(&self.queries, |query| {
            Ok(vec![encoder.encode_query(&query.text)?])
        })?;
        let scored = self.queries.iter().zip(&queries);
        Ok(scored
            .map(|(query, vector)| {
                let mut found: Vec<(f64, &str)> = self
                    .documents
                    .iter()
                    .zip(&documents)
                    .map(|(document, other)| (dot(vector, other), document.id.as_str()))
                    .collect();
                found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
                ndcg(found.iter().map(|(_, id)| *id), &self.grades[&query.id])
            })
            .collect())
    }
}

/// What a document says, its title once.
fn said(document: &Line) -> String {
    let (title, text) = (document.title.trim(), document.text.trim());
    if text.starts_with(title) {
        text.to_owned()
    } else {
        format!("{title} {text}")
    }
}

fn ndcg<'a>(found: impl Iterator<Item = &'a str>, grades: &BTreeMap<String, f64>) -> f64 {
    let gained = |grades: &mut dyn Iterator<Item = f64>| -> f64 {
        let ranks = (2_u32..).map(|rank| f64::from(rank).log2());
        grades.zip(ranks).take(CUT).map(|(g, log)| g / log).sum()
    };
    let mut best: Vec<f64> = grades.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let of_found = &mut found.map(|id| grades.get(id).copied().unwrap_or(0.0));
    gained(of_found) / gained(&mut best.into_iter())
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn lines(path: &Path) -> Fallible<Vec<Line>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}

/// An order that looks like chance and is the same on every machine.
fn shuffle(lines: &mut [Line]) {
    lines.sort_by_cached_key(|line| Sha256::digest(&line.id));
}

/// One text a thread: the f32 engine has no threads of its own to speak of.
fn in_parallel(
    lines: &[Line],
    encode: impl Fn(&Line) -> Fallible<Vec<Vec<f32>>> + Sync,
) -> Fallible<Vec<Vec<f32>>> {
    let made = Mutex::new(vec![Vec::new(); lines.len()]);
    let next = AtomicUsize::new(0);
    let work = || -> Fallible<()> {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(line) = lines.get(i) else {
                return Ok(());
            };
            let vector = encode(line)?.swap_remove(0);
            made.lock().map_err(|_| "a thread failed")?[i] = vector;
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a thread failed")?)
    })?;
    Ok(made.into_inner().map_err(|_| "a thread failed")?)
}
