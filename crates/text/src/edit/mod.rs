//! Changing the tags of a note and nothing else in it: bytes in, bytes out, no I/O.
//!
//! Comments, order, quoting, line ends and a byte order mark stay as they are; the form in which a
//! note keeps its tags is kept. What would have to be guessed is refused with its line: YAML that is
//! broken, anchors, lists in lists, a frontmatter that is not YAML.
//!
//! The net below all of it: after every edit the note is read again. Its tags must be exactly those
//! that were meant, every other key must hold what it held, the body must be the same; otherwise the
//! edit is refused, whatever the reason. So a mistake in here can keep a note from being edited and
//! cannot damage it.

mod item;
mod place;
mod queue;
mod rename;

use std::collections::BTreeSet;

use serde_norway::Value;

use crate::fold::key;
use crate::frontmatter::{self, Frontmatter, Problem};
use crate::note;
use crate::taxonomy::why_no_tag;

use item::spliced;
use place::{Held, Places, places};

pub use queue::{Line, drop_entries, propose, rewrite};
pub use rename::{Renamed, Renames};

/// The note with these tags in its frontmatter as well; none if it has them all, there or in its
/// body.
///
/// # Errors
/// Says on which line stands what keeps the note from being edited.
pub fn add_tags(text: &str, tags: &[&str]) -> Result<Option<String>, Problem> {
    let mut has: Vec<String> = note::parse("", text)
        .tags
        .iter()
        .map(|tag| key(tag))
        .collect();
    let mut edited: Option<String> = None;
    for &tag in tags {
        if let Some(message) = why_no_tag(tag) {
            return Err(problem(text, 0, None, message));
        }
        if has.contains(&key(tag)) {
            continue;
        }
        has.push(key(tag));
        edited = Some(add(edited.as_deref().unwrap_or(text), tag)?);
    }
    Ok(edited)
}

/// The note without these tags in its frontmatter; none if it has none of them there. What
/// [`add_tags`] put in goes to the byte.
///
/// # Errors
/// As [`add_tags`].
pub fn remove_tags(text: &str, tags: &[&str]) -> Result<Option<String>, Problem> {
    let mut edited: Option<String> = None;
    for &tag in tags {
        let wanted = key(tag);
        loop {
            let now = edited.as_deref().unwrap_or(text);
            let (front, places) = located(now)?;
            let Some((place, index, _)) = occurrences(now, &places)
                .into_iter()
                .find(|(_, _, name)| key(name) == wanted)
            else {
                break;
            };
            let splice = item::remove(now, &front, &places.found[place], index);
            let done = spliced(now, vec![splice]);
            let stands_again = occurrences(&done, &located(&done)?.1)
                .iter()
                .any(|(_, _, name)| key(name) == wanted);
            let mut meant = note::frontmatter_tags(&front);
            meant.retain(|name| stands_again || key(name) != wanted);
            check(now, &front, &done, &meant)?;
            edited = Some(done);
        }
    }
    Ok(edited)
}

fn add(text: &str, tag: &str) -> Result<String, Problem> {
    let (front, places) = located(text)?;
    let splice = item::insert(text, &front, &places, tag)
        .map_err(|(at, message)| problem(text, at, Some("tags"), message))?;
    let done = spliced(text, vec![splice]);
    let mut meant = note::frontmatter_tags(&front);
    meant.push(tag.to_owned());
    check(text, &front, &done, &meant)?;
    Ok(done)
}

/// The frontmatter, if it is one that can be edited, and the places of its tags.
fn located(text: &str) -> Result<(Frontmatter, Places), Problem> {
    let front = frontmatter::read(text);
    if front.is_broken {
        let broken = front.problems.first().cloned();
        return Err(
            broken.unwrap_or_else(|| problem(text, 0, None, "frontmatter is no YAML".to_owned()))
        );
    }
    if front.end == front.span.start {
        let first = text[front.end..]
            .lines()
            .next()
            .unwrap_or_default()
            .trim_end();
        let why = match first {
            "---" => "`---` begins a frontmatter that does not end, or that has no keys",
            "+++" => "the frontmatter is TOML, which is not edited",
            "{" => "the frontmatter is JSON, which is not edited",
            _ => return Ok((front, Places::default())),
        };
        return Err(problem(text, 0, None, why.to_owned()));
    }
    let places = places(text, &front)?;
    Ok((front, places))
}

/// Every tag of the frontmatter: its place, which of that place it is, and its name.
fn occurrences(text: &str, places: &Places) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    for (at, place) in places.found.iter().enumerate() {
        let names: Vec<String> = match &place.held {
            Held::Text(span) => item::pieces(text, span)
                .into_iter()
                .map(|piece| text[piece].to_owned())
                .collect(),
            Held::Flow { items, .. } | Held::Block(items) => {
                let words = |item: &place::Item| {
                    item.value.split_whitespace().collect::<Vec<_>>().join(" ")
                };
                items.iter().map(words).collect()
            }
            _ => Vec::new(),
        };
        let bare = names.iter().map(|name| name.trim_start_matches('#'));
        found.extend(
            bare.enumerate()
                .map(|(index, name)| (at, index, name.to_owned())),
        );
    }
    found
}

/// The net: whether an edited note says what was meant and nothing else has changed.
fn check(before: &str, front: &Frontmatter, after: &str, meant: &[String]) -> Result<(), Problem> {
    let now = frontmatter::read(after);
    let keys =
        |names: &[String]| -> BTreeSet<String> { names.iter().map(|name| key(name)).collect() };
    let tags_are_meant = keys(&note::frontmatter_tags(&now)) == keys(meant);
    let others_are_kept = others(front) == others(&now) && !now.is_broken;
    let body_is_kept = before[front.end..] == after[now.end..];
    if tags_are_meant && others_are_kept && body_is_kept {
        return Ok(());
    }
    let message = "is not edited: it would not be read back as it is meant";
    Err(problem(
        before,
        front.span.start,
        Some("tags"),
        message.to_owned(),
    ))
}

/// What a frontmatter says besides tags.
fn others(front: &Frontmatter) -> Vec<(&str, &Value)> {
    let all = front.entries();
    all.filter(|(key, _)| !place::KEYS.contains(key)).collect()
}

fn problem(text: &str, at: usize, key: Option<&str>, message: String) -> Problem {
    Problem {
        line: place::line_of(text, at),
        key: key.map(str::to_owned),
        message,
    }
}
