//! YAML frontmatter: where it ends, what it says, and what of it cannot be used.
//!
//! It stands between a first line `---` and the next line `---` or `...`; a byte order mark before
//! it and CRLF are tolerated. Without a closing line, or if what lies between is no mapping (two
//! rules around a sentence, say), there is none and all of the note is its body.
//!
//! Nothing is lost to a mistake elsewhere: a value that cannot be used is a [`Problem`] of its key,
//! and if the whole is no YAML, each top-level key is read alone and only those that fail are lost.
//! Of a key that stands twice the first counts.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_norway::Value;

/// Something in a note that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line of the note, from 1.
    pub line: usize,
    /// The key in the frontmatter, if one can be named.
    pub key: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// The frontmatter of a note.
#[derive(Debug, Default)]
pub(crate) struct Frontmatter {
    /// Its YAML in the note, without the lines around it.
    pub(crate) span: Range<usize>,
    /// Where the body begins.
    pub(crate) end: usize,
    entries: Vec<Entry>,
    seen: BTreeSet<String>,
    pub(crate) problems: Vec<Problem>,
    /// It is no YAML as a whole.
    pub(crate) is_broken: bool,
}

#[derive(Debug)]
struct Entry {
    key: String,
    line: usize,
    value: Value,
}

/// Reads the frontmatter of a note.
pub(crate) fn read(text: &str) -> Frontmatter {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let none = Frontmatter {
        span: start..start,
        end: start,
        ..Frontmatter::default()
    };
    let Some((span, end)) = fences(text, start) else {
        return none;
    };
    let yaml = &text[span.clone()];
    let mut front = Frontmatter { span, end, ..none };
    match serde_norway::from_str::<Pairs>(yaml) {
        Ok(pairs) => front.add(yaml, pairs, 2),
        Err(_) if is_other_yaml(yaml) => {
            front.span = start..start;
            front.end = start;
        }
        Err(error) => front.salvage(yaml, &error),
    }
    front
}

/// The bytes between the two fences, and where the body begins.
fn fences(text: &str, start: usize) -> Option<(Range<usize>, usize)> {
    let mut lines = text[start..].split_inclusive('\n');
    let first = lines.next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let from = start + first.len();
    let mut at = from;
    for line in lines {
        let fence = line.trim_end();
        if fence == "---" || fence == "..." {
            return Some((from..at, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// YAML, and no mapping: prose between two rules.
fn is_other_yaml(yaml: &str) -> bool {
    let value = serde_norway::from_str::<Value>(yaml);
    value.is_ok_and(|value| !value.is_mapping() && !value.is_null())
}

impl Frontmatter {
    fn add(&mut self, yaml: &str, pairs: Pairs, first_line: usize) {
        let mut lines = KeyLines::of(yaml);
        for (key, value) in pairs.0 {
            let Some(key) = scalar(&key) else { continue };
            let line = lines.next(&key) + first_line;
            if self.seen.insert(key.clone()) {
                self.entries.push(Entry { key, line, value });
            } else {
                self.problems.push(Problem {
                    line,
                    key: Some(key),
                    message: "stands twice; the first counts".to_owned(),
                });
            }
        }
    }

    /// Reads what is no YAML as a whole key by key.
    fn salvage(&mut self, yaml: &str, error: &serde_norway::Error) {
        self.is_broken = true;
        let problems = self.problems.len();
        let mut line = 2;
        for segment in segments(yaml) {
            match serde_norway::from_str::<Pairs>(segment) {
                Ok(pairs) => self.add(segment, pairs, line),
                Err(error) => {
                    let at = error.location().map_or(1, |at| at.line().max(1));
                    let key = segment
                        .split_once(':')
                        .map(|(key, _)| key.trim().to_owned());
                    self.problems.push(Problem {
                        line: line + at - 1,
                        key,
                        message: format!("is no YAML: {}", reason(&error)),
                    });
                }
            }
            line += segment.matches('\n').count();
        }
        if self.problems.len() == problems {
            self.problems.push(Problem {
                line: error.location().map_or(1, |at| at.line().max(1)) + 1,
                key: None,
                message: format!("frontmatter is no YAML: {}", reason(error)),
            });
        }
    }

    /// Every key with its value, each once, in the order of the note.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let entries = self.entries.iter();
        entries.map(|entry| (entry.key.as_str(), &entry.value))
    }

    fn value(&self, key: &str) -> Option<&Value> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        (!entry.value.is_null()).then_some(&entry.value)
    }

    /// The first of these keys that has a usable value. A value that `read` refuses is reported.
    pub(crate) fn first<T>(
        &mut self,
        keys: &[&str],
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        for &key in keys {
            let Some(entry) = self.entries.iter().find(|entry| entry.key == key) else {
                continue;
            };
            if entry.value.is_null() || scalar(&entry.value).is_some_and(|text| text.is_empty()) {
                continue;
            }
            if let Some(value) = read(&entry.value) {
                return Some(value);
            }
            self.problems.push(Problem {
                line: entry.line,
                key: Some(key.to_owned()),
                message: format!("is not {expected}"),
            });
        }
        None
    }

    /// All texts under this key: one, a list, or, as `[[Note]]` without quotes, a list in a list.
    pub(crate) fn texts(&self, key: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(value) = self.value(key) {
            collect(value, &mut found);
        }
        found
    }

    /// Whether the key holds one text rather than a list.
    pub(crate) fn is_scalar(&self, key: &str) -> bool {
        self.value(key).is_some_and(|value| scalar(value).is_some())
    }
}

/// The lines in which top-level keys stand, asked for in the order in which they are written.
struct KeyLines<'y> {
    lines: std::iter::Enumerate<std::str::Lines<'y>>,
    last: usize,
}

impl<'y> KeyLines<'y> {
    fn of(yaml: &'y str) -> Self {
        let lines = yaml.lines().enumerate();
        Self { lines, last: 0 }
    }

    /// The line of the next key, from 0. A key that is not at the start of a line (`{a: 1}`) ends
    /// the search: it and all that follow are where the last one was.
    fn next(&mut self, key: &str) -> usize {
        let is_quote = ['"', '\''];
        let found = self.lines.find(|(_, line)| {
            let rest = line.trim_start_matches(is_quote).strip_prefix(key);
            rest.is_some_and(|rest| {
                let rest = rest.trim_start_matches(is_quote);
                rest.trim_start().starts_with(':')
            })
        });
        if let Some((line, _)) = found {
            self.last = line;
        }
        self.last
    }
}

/// Cuts YAML before each line that begins a top-level key.
pub(crate) fn segments(yaml: &str) -> impl Iterator<Item = &str> {
    let mut rest = yaml;
    std::iter::from_fn(move || {
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            let begins = !line.starts_with([' ', '\t', '-', '#', '\r', '\n', '}', ']']);
            if begins && end > 0 {
                break;
            }
            end += line.len();
        }
        let (segment, after) = rest.split_at(end);
        rest = after;
        (!segment.is_empty()).then_some(segment)
    })
}

/// A scalar as text, without white space around it.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        // The depth of YAML is bounded by its parser.
        Value::Sequence(items) => items.iter().for_each(|item| collect(item, found)),
        other => found.extend(scalar(other).filter(|text| !text.is_empty())),
    }
}

/// The parser's message without its position, which counts from the wrong line.
fn reason(error: &serde_norway::Error) -> String {
    let message = error.to_string();
    let end = message.find(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

/// A mapping with its keys in order and as often as they stand.
struct Pairs(Vec<(Value, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("keys with values")
            }

            fn visit_unit<E>(self) -> Result<Pairs, E> {
                Ok(Pairs(Vec::new()))
            }

            /// Nothing but comments.
            fn visit_none<E>(self) -> Result<Pairs, E> {
                Ok(Pairs(Vec::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_any(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        read(text)
            .problems
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn the_body_begins_after_the_closing_line() {
        let check = |text: &str, body: &str| {
            assert_eq!(&text[read(text).end..], body, "{text:?}");
        };
        check("---\na: 1\n---\nbody", "body");
        check("\u{feff}---\r\na: 1\r\n---\r\nbody", "body");
        check("---\na: 1\n...\nbody", "body");
        check("---  \n---", "");
        check("--- \na: |\n  ---x\n---\nbody", "body");
        check("\u{feff}body", "body");
        // None:
        check("---\na: 1\nbody", "---\na: 1\nbody");
        check("\n---\na: 1\n---\n", "\n---\na: 1\n---\n");
        check("---\nOnly prose.\n---\nbody", "---\nOnly prose.\n---\nbody");
        check("----\na: 1\n---\n", "----\na: 1\n---\n");
    }

    #[test]
    fn one_bad_key_costs_no_other() {
        let front = read("---\nauthor: Ann\ntitle: Part one: the start\ntags: [a, b]\n---\n");
        assert_eq!(front.texts("author"), ["Ann"]);
        assert_eq!(front.texts("tags"), ["a", "b"]);
        assert_eq!(front.problems.len(), 1);
        assert_eq!(front.problems[0].line, 3);
        assert_eq!(front.problems[0].key.as_deref(), Some("title"));
    }

    #[test]
    fn a_frontmatter_of_comments_says_nothing_and_is_no_problem() {
        assert_eq!(problems("---\n# later\n---\nbody"), [""; 0]);
    }

    #[test]
    fn a_key_that_stands_twice_is_reported_and_the_first_counts() {
        let text = "---\na: 1\nb: x\na: 2\n---\n";
        assert_eq!(read(text).texts("a"), ["1"]);
        assert_eq!(
            problems(text),
            ["line 4: a: stands twice; the first counts"]
        );
    }

    #[test]
    fn wikilinks_without_quotes_are_lists_in_lists() {
        let front = read("---\nup: [[Parent]]\nrelated:\n  - [[A]]\n  - \"[[B|b]]\"\n---\n");
        assert_eq!(front.texts("up"), ["Parent"]);
        assert_eq!(front.texts("related"), ["A", "[[B|b]]"]);
    }

    #[test]
    fn hostile_yaml_is_a_problem_and_no_more() {
        let deep = format!("---\na: {}\n---\nbody", "[".repeat(10_000));
        assert!(!problems(&deep).is_empty());
        let mut bomb = String::from("---\na0: &a0 [x, x]\n");
        for n in 1..40 {
            let previous = n - 1;
            bomb += &format!("a{n}: &a{n} [*a{previous}, *a{previous}]\n");
        }
        bomb += "---\nbody";
        assert_eq!(&bomb[read(&bomb).end..], "body");
    }
}
