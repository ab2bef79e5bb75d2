//! What is asked, and what should be found: golden questions of a vault's owner, as YAML.
//!
//! A list; each entry has a `query` and the notes that answer it (`relevant`, grade 2), and may have
//! notes that help without answering it (`partial`, grade 1), a `category` and, in a vault of
//! several domains, a `domain`. A file that asks nothing, a question without a note, and a note that
//! is not in the index are errors: each would make the figures a statement about nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::measure::Grades;
use crate::failure::Failure;

/// The grade of a note that answers a question.
const RELEVANT: f64 = 2.0;

/// The grade of a note that helps without answering it.
const PARTIAL: f64 = 1.0;

/// A question with the notes that it should find.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    /// For reports: a number, or what a collection calls it.
    pub(crate) id: String,
    pub(crate) query: String,
    /// None where the vault has one domain only.
    pub(crate) domain: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) grades: Grades,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    query: String,
    domain: Option<String>,
    category: Option<String>,
    #[serde(default)]
    relevant: Vec<String>,
    #[serde(default)]
    partial: Vec<String>,
}

/// The golden questions of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<Judged>, Failure> {
    let source = file.display();
    let text = fs::read_to_string(file).map_err(|error| Failure::file(&source, &error))?;
    parse(&text).map_err(|message| Failure::Input(format!("{source}: {message}")))
}

fn parse(text: &str) -> Result<Vec<Judged>, String> {
    if text.trim().is_empty() {
        return Err("there is no question in it".to_owned());
    }
    let entries: Option<Vec<Entry>> = serde_norway::from_str(text).map_err(|e| e.to_string())?;
    let entries = entries.unwrap_or_default();
    if entries.is_empty() {
        return Err("there is no question in it".to_owned());
    }
    let mut asked = BTreeSet::new();
    (1..)
        .zip(entries)
        .map(|(number, entry)| judged(number, entry, &mut asked))
        .collect()
}

fn judged(
    number: usize,
    entry: Entry,
    asked: &mut BTreeSet<(Option<String>, String)>,
) -> Result<Judged, String> {
    let query = entry.query.trim().to_owned();
    if query.is_empty() {
        return Err(format!("question {number}: `query` is empty"));
    }
    let at = format!("question {number}, {query:?}");
    if entry.relevant.is_empty() {
        return Err(format!("{at}: `relevant` must name at least one note"));
    }
    let mut grades = Grades::new();
    let graded = entry.relevant.iter().map(|path| (path, RELEVANT));
    for (path, grade) in graded.chain(entry.partial.iter().map(|path| (path, PARTIAL))) {
        if grades.insert(path.clone(), grade).is_some() {
            return Err(format!("{at}: {path:?} stands there twice"));
        }
    }
    if !asked.insert((entry.domain.clone(), query.clone())) {
        return Err(format!("{at}: is asked twice, and would count twice"));
    }
    Ok(Judged {
        id: number.to_string(),
        query,
        domain: entry.domain,
        category: entry.category,
        grades,
    })
}

/// Refuses questions whose notes are not there. `exists` says whether a note is, in the domain of
/// that name.
pub(crate) fn check_notes(
    questions: &[Judged],
    exists: impl Fn(Option<&str>, &str) -> bool,
) -> Result<(), String> {
    let mut missing = Vec::new();
    for question in questions {
        for path in question.grades.keys() {
            if !exists(question.domain.as_deref(), path) {
                missing.push(format!(
                    "{path:?} (question {}, {:?})",
                    question.id, question.query
                ));
            }
        }
    }
    let Some(first) = missing.first() else {
        return Ok(());
    };
    let more = match missing.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Err(format!(
        "there is no note {first}{more} in the index; mend the path, or run `concord index`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_its_notes_with_their_grades() {
        let text = "- query: ' Why? '\n  domain: d\n  category: c\n  relevant: [a.md]\n  partial: [b.md]\n";
        let found = parse(text).unwrap();
        assert_eq!(
            found,
            [Judged {
                id: "1".into(),
                query: "Why?".into(),
                domain: Some("d".into()),
                category: Some("c".into()),
                grades: Grades::from([("a.md".into(), 2.0), ("b.md".into(), 1.0)]),
            }]
        );
    }

    #[test]
    fn what_says_nothing_is_refused_with_the_question() {
        let check = |text: &str, part: &str| {
            let refused = parse(text).unwrap_err();
            assert!(refused.contains(part), "{text:?}: {refused}");
        };
        check("", "no question");
        check("# only a comment\n", "no question");
        check("[]", "no question");
        check("- query: ''\n  relevant: [a.md]", "question 1: `query`");
        check("- query: q", "question 1, \"q\": `relevant`");
        check(
            "- query: q\n  relevant: []\n  partial: [a.md]",
            "`relevant`",
        );
        check("- query: q\n  relevent: [a.md]", "relevent");
        check("- relevant: [a.md]", "query");
        check("- query: q\n  relevant: [a.md]\n  partial: [a.md]", "twice");
        check(
            "- query: q\n  relevant: [a.md]\n- query: q\n  relevant: [b.md]",
            "question 2",
        );
    }

    #[test]
    fn a_note_that_is_not_there_is_named_with_its_question() {
        let questions = parse("- query: q\n  relevant: [a.md, b.md, c.md]").unwrap();
        assert_eq!(check_notes(&questions, |_, _| true), Ok(()));
        let refused = check_notes(&questions, |_, path| path == "a.md").unwrap_err();
        assert!(
            refused.contains("\"b.md\" (question 1") && refused.contains("1 more"),
            "{refused}"
        );
    }
}
