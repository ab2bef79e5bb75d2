//! A collection in BEIR's form, as a vault: `corpus.jsonl`, `queries.jsonl`, and `qrels.tsv` or
//! `qrels/test.tsv`.
//!
//! Each document becomes a note as people write them, so that it goes the way of every note: scrub,
//! chunker, FTS5, encoder, links. The vault lies in the cache folder, under a name made of the
//! documents' hash, and can be opened like any other. Two further files are used where they are:
//!
//! * `meta.jsonl` (`_id`, `authors`, and `date` or `bib`): author and date of a document;
//! * `links.tsv`: `from, to`, or `document, a, type, b`, where type 5 is a citation between the
//!   document and whichever of a and b it is not. Each becomes an entry under `cites`.
//!
//! A document is its title and its text; a title with which the text begins is not said twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::measure::Grades;
use super::questions::Judged;
use crate::failure::Failure;

/// Part of the vault's name: another way of making notes makes another vault.
const FORM: &str = "1";

/// The type of a line of `links.tsv` that is a citation.
const CITATION: &str = "5";

/// A note's name has no more characters of the document's id than this.
const LONGEST_ID: usize = 60;

/// A collection, read and checked.
pub(crate) struct Collection {
    pub(crate) name: String,
    pub(crate) questions: Vec<Judged>,
    /// Queries that nobody judged a document for.
    pub(crate) unjudged: usize,
    /// Path and text of every note.
    notes: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    authors: Vec<String>,
    #[serde(default)]
    date: Option<String>,
    #[serde(default)]
    bib: Option<String>,
}

impl Collection {
    /// Reads the collection in a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let documents: Vec<Document> = lines(&folder.join("corpus.jsonl"))?;
        if documents.is_empty() {
            return Err(refused(
                &folder.join("corpus.jsonl"),
                "there is no document in it",
            ));
        }
        let mut path_of: BTreeMap<&str, String> = BTreeMap::new();
        for (number, document) in (1_usize..).zip(&documents) {
            if path_of
                .insert(&document.id, path(number, &document.id))
                .is_some()
            {
                let message = format!("document {:?} stands there twice", document.id);
                return Err(refused(&folder.join("corpus.jsonl"), &message));
            }
        }
        let facts = meta(folder)?;
        let cited = links(folder, &path_of)?;
        let (questions, unjudged) = questions(folder, &path_of)?;
        let notes = documents.iter().map(|document| {
            let cites = cited.get(document.id.as_str());
            let text = note(document, facts.get(&document.id), cites);
            (path_of[document.id.as_str()].clone(), text)
        });
        let name = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let name = name.file_name().unwrap_or(name.as_os_str());
        Ok(Self {
            notes: notes.collect(),
            questions,
            unjudged,
            name: name.to_string_lossy().into_owned(),
        })
    }

    /// The folder of its vault below a cache folder; written there if it is not yet.
    pub(crate) fn vault(&self, caches: &Path) -> Result<PathBuf, Failure> {
        let mut hash = blake3::Hasher::new();
        hash.update(FORM.as_bytes());
        for (path, text) in &self.notes {
            hash.update(path.as_bytes())
                .update(&[0])
                .update(text.as_bytes())
                .update(&[0]);
        }
        let hash = &hash.finalize().to_hex()[..16];
        let folder = caches.join("beir").join(hash);
        let vault = folder.join("vault");
        if vault.is_dir() {
            return Ok(vault);
        }
        // Whole or not at all: a run that was ended halfway leaves no vault with half its notes.
        let beside = folder.join(format!("vault.{}", std::process::id()));
        let write = || {
            fs::create_dir_all(&beside)?;
            for (path, text) in &self.notes {
                fs::write(beside.join(path), text)?;
            }
            fs::rename(&beside, &vault)
        };
        write().map_err(|error| Failure::file(beside.display(), &error))?;
        Ok(vault)
    }
}

/// The note's path: in the order of the collection, and recognisable.
fn path(number: usize, id: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let id: String = id.chars().take(LONGEST_ID).map(plain).collect();
    format!("{number:06}-{}.md", id.trim_end_matches('.'))
}

fn note(document: &Document, facts: Option<&Meta>, cites: Option<&BTreeSet<String>>) -> String {
    // On one line, so that nothing in it is taken for a heading and cut off.
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (title, text) = (line(&document.title), line(&document.text));
    let is_said = !title.is_empty() && text.starts_with(&title);
    let quoted = |text: &str| serde_json::json!(text).to_string();

    let mut front = String::new();
    if is_said {
        let _ = writeln!(front, "title: {}", quoted(&title));
    }
    let authors = facts
        .map(|facts| facts.authors.as_slice())
        .unwrap_or_default();
    if !authors.is_empty() {
        let _ = writeln!(front, "authors: {}", serde_json::json!(authors));
    }
    if let Some(date) = facts.and_then(date) {
        let _ = writeln!(front, "date: {date}");
    }
    if let Some(cites) = cites {
        front.push_str("cites:\n");
        for cited in cites {
            let _ = writeln!(front, "  - {}", quoted(&format!("[[{cited}]]")));
        }
    }
    let mut note = String::new();
    if !front.is_empty() {
        let _ = write!(note, "---\n{front}---\n");
    }
    if !title.is_empty() && !is_said {
        let _ = write!(note, "# {title}\n\n");
    }
    note.push_str(&text);
    note.push('\n');
    note
}

/// The day of a document: as it is stated, or the month and year that its source names.
fn date(facts: &Meta) -> Option<String> {
    if let Some(date) = &facts.date {
        return concord_text::first_moment(date).map(|_| date.clone());
    }
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let bib = facts.bib.as_deref()?.to_ascii_lowercase();
    let words: Vec<&str> = bib
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let year = words.iter().find(|word| {
        let number: u32 = word.parse().unwrap_or(0);
        word.len() == 4 && (1800..2100).contains(&number)
    })?;
    let month = words.iter().find_map(|word| {
        let place = MONTHS.iter().position(|month| word.starts_with(month))?;
        Some(place + 1)
    });
    Some(format!("{year}-{:02}-01", month.unwrap_or(1)))
}

fn meta(folder: &Path) -> Result<BTreeMap<String, Meta>, Failure> {
    let file = folder.join("meta.jsonl");
    if !file.exists() {
        return Ok(BTreeMap::new());
    }
    let lines: Vec<Meta> = lines(&file)?;
    Ok(lines
        .into_iter()
        .map(|meta| (meta.id.clone(), meta))
        .collect())
}

/// By document, the notes that it cites, without their ending.
fn links<'a>(
    folder: &Path,
    path_of: &'a BTreeMap<&str, String>,
) -> Result<BTreeMap<&'a str, BTreeSet<String>>, Failure> {
    let file = folder.join("links.tsv");
    let mut cited: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    if !file.exists() {
        return Ok(cited);
    }
    let text = fs::read_to_string(&file).map_err(|e| Failure::file(file.display(), &e))?;
    for (number, line) in (1..).zip(text.lines()) {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let (from, to) = match fields[..] {
            [document, a, kind, b] if kind == CITATION => {
                (document, if a == document { b } else { a })
            }
            [_, _, _, _] => continue,
            [from, to] => (from, to),
            _ => {
                let message = format!("line {number}: two or four fields are due, found {line:?}");
                return Err(refused(&file, &message));
            }
        };
        let (Some((from, _)), Some(to)) = (path_of.get_key_value(from), path_of.get(to)) else {
            let message = format!("line {number}: no document has that id: {line:?}");
            return Err(refused(&file, &message));
        };
        if path_of[from] != *to {
            let to = to.trim_end_matches(".md").to_owned();
            cited.entry(from).or_default().insert(to);
        }
    }
    Ok(cited)
}

/// The judged queries, and how many are not.
fn questions(
    folder: &Path,
    path_of: &BTreeMap<&str, String>,
) -> Result<(Vec<Judged>, usize), Failure> {
    let file = [folder.join("qrels.tsv"), folder.join("qrels/test.tsv")];
    let file = file.iter().find(|file| file.exists()).unwrap_or(&file[0]);
    let text = fs::read_to_string(file).map_err(|e| Failure::file(file.display(), &e))?;
    let mut grades: BTreeMap<&str, Grades> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        let refused = |message: &str| {
            Err(refused(
                file,
                &format!("line {number}: {message}: {line:?}"),
            ))
        };
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [query, document, grade] = fields[..] else {
            return refused("query, document and grade are due");
        };
        let Ok(grade) = grade.parse::<f64>() else {
            return refused("the grade must be a number");
        };
        if grade <= 0.0 {
            continue;
        }
        let Some(path) = path_of.get(document) else {
            return refused("no document has that id");
        };
        grades.entry(query).or_default().insert(path.clone(), grade);
    }
    let queries: Vec<Document> = lines(&folder.join("queries.jsonl"))?;
    let all = queries.len();
    let mut judged = Vec::new();
    for query in queries {
        if let Some(grades) = grades.remove(query.id.as_str()) {
            judged.push(Judged {
                id: query.id,
                query: query.text,
                domain: None,
                category: None,
                grades,
            });
        }
    }
    if let Some(query) = grades.keys().next() {
        return Err(refused(
            file,
            &format!("queries.jsonl has no query {query:?}"),
        ));
    }
    if judged.is_empty() {
        return Err(refused(
            file,
            "no document is judged relevant for any query",
        ));
    }
    let unjudged = all - judged.len();
    Ok((judged, unjudged))
}

fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Failure> {
    let text = fs::read_to_string(file).map_err(|e| Failure::file(file.display(), &e))?;
    let full = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    full.map(|(number, line)| {
        serde_json::from_str(line)
            .map_err(|error| refused(file, &format!("line {number}: {error}")))
    })
    .collect()
}

fn refused(file: &Path, message: &str) -> Failure {
    Failure::Input(format!("{}: {message}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let all = [
            (
                "corpus.jsonl",
                "{\"_id\": \"a/1\", \"title\": \"Ships\", \"text\": \"They\\nfloat.\"}\n{\"_id\": \"b\", \"title\": \"Wings\", \"text\": \"Wings lift .\"}\n",
            ),
            (
                "queries.jsonl",
                "{\"_id\": \"1\", \"text\": \"what floats\"}\n{\"_id\": \"2\", \"text\": \"unjudged\"}\n",
            ),
            (
                "qrels.tsv",
                "query-id\tcorpus-id\tscore\n1\ta/1\t2\n1\tb\t0\n",
            ),
        ];
        for (name, text) in all.iter().chain(files) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_document_becomes_a_note_with_its_facts_and_its_citations() {
        let folder = folder(&[
            (
                "meta.jsonl",
                "{\"_id\": \"b\", \"authors\": [\"Perlis, A. J.\"], \"bib\": \"CACM December, 1958\"}\n",
            ),
            ("links.tsv", "b\ta/1\t5\tb\nb\tb\t5\tb\na/1\tb\t4\tb\n"),
        ]);
        let read = Collection::read(folder.path()).unwrap();
        assert_eq!(
            read.notes,
            [
                ("000001-a-1.md".to_owned(), "# Ships\n\nThey float.\n".to_owned()),
                (
                    "000002-b.md".to_owned(),
                    "---\ntitle: \"Wings\"\nauthors: [\"Perlis, A. J.\"]\ndate: 1958-12-01\ncites:\n  - \"[[000001-a-1]]\"\n---\nWings lift .\n".to_owned()
                ),
            ]
        );
        assert_eq!(read.unjudged, 1);
        assert_eq!(read.questions.len(), 1);
        assert_eq!(
            read.questions[0].grades,
            Grades::from([("000001-a-1.md".into(), 2.0)])
        );
    }

    #[test]
    fn the_vault_is_written_once_for_the_same_documents() {
        let folder = folder(&[]);
        let caches = tempfile::tempdir().unwrap();
        let read = Collection::read(folder.path()).unwrap();
        let vault = read.vault(caches.path()).unwrap();
        assert_eq!(
            fs::read_to_string(vault.join("000002-b.md")).unwrap(),
            "---\ntitle: \"Wings\"\n---\nWings lift .\n"
        );
        assert_eq!(read.vault(caches.path()).unwrap(), vault);
        fs::write(
            folder.path().join("corpus.jsonl"),
            "{\"_id\": \"a/1\", \"text\": \"other\"}\n",
        )
        .unwrap();
        let other = Collection::read(folder.path()).unwrap();
        assert_ne!(other.vault(caches.path()).unwrap(), vault);
    }

    #[test]
    fn what_does_not_belong_together_is_refused_with_its_place() {
        let check = |name: &str, text: &str, part: &str| {
            let folder = folder(&[(name, text)]);
            let refused = Collection::read(folder.path()).err().map(|e| e.to_string());
            let refused = refused.unwrap_or_default();
            assert!(refused.contains(part), "{name} {text:?}: {refused}");
        };
        check("corpus.jsonl", "", "no document");
        check(
            "corpus.jsonl",
            "{\"_id\": \"a/1\"}\n{\"_id\": \"a/1\"}\n",
            "twice",
        );
        check("corpus.jsonl", "{\"id\": 1}\n", "corpus.jsonl: line 1");
        check("qrels.tsv", "h\n1\tzzz\t1\n", "line 2: no document");
        check("qrels.tsv", "h\n9\tb\t1\n", "no query \"9\"");
        check("qrels.tsv", "h\n1\tb\n", "line 2");
        check("qrels.tsv", "h\n1\tb\tmuch\n", "must be a number");
        check(
            "qrels.tsv",
            "h\n1\tb\t0\n",
            "no document is judged relevant",
        );
        check("links.tsv", "b\tzzz\n", "line 1");
        check("links.tsv", "b\n", "two or four");
    }
}
