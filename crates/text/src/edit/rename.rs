//! Tags under other names: in a note, in a taxonomy, in a review queue.
//!
//! `sector` to `industry` takes `sector/energy` with it, to `industry/energy`, whatever its case. All
//! renames of a list happen at once: each tag is renamed at most once, by the most specific of them,
//! so two can change places. A tag that a note would have twice afterwards is dropped where it stands
//! in the frontmatter; in running text it stays, since it is part of a sentence.

use std::collections::BTreeSet;

use super::item::{self, Splice, as_item, spliced};
use super::place::{Held, Item, Places, line_end, line_of, line_start};
use super::{check, located, occurrences, problem};
use crate::fold::key;
use crate::frontmatter::{self, Problem};
use crate::markdown;
use crate::note;
use crate::outline::{InlineTag, Outline};
use crate::review::review_queue;
use crate::taxonomy::{taxonomy, why_no_tag};

/// Which tags get which names.
#[derive(Clone, Debug)]
pub struct Renames {
    pairs: Vec<Pair>,
}

#[derive(Clone, Debug)]
struct Pair {
    from: String,
    to: String,
    /// The parts of `from`, as they are compared.
    parts: Vec<String>,
}

/// A text in which tags were renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// All of it.
    pub text: String,
    /// How many times a tag stood there that has another name now.
    pub uses: usize,
}

impl Renames {
    /// From old and new names.
    ///
    /// # Errors
    /// Says which name cannot be one, or stands twice.
    pub fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let mut seen = BTreeSet::new();
        let mut known = Vec::new();
        for (from, to) in pairs {
            let (from, to) = (from.trim_start_matches('#'), to.trim_start_matches('#'));
            for name in [from, to] {
                if let Some(message) = why_no_tag(name) {
                    return Err(message);
                }
            }
            if from == to {
                return Err(format!("`{from}` has this name already"));
            }
            if !seen.insert(key(from)) {
                return Err(format!("`{from}` is to get two names"));
            }
            known.push(Pair {
                from: from.to_owned(),
                to: to.to_owned(),
                parts: from.split('/').map(key).collect(),
            });
        }
        if known.is_empty() {
            return Err("there is nothing to rename".to_owned());
        }
        Ok(Self { pairs: known })
    }

    /// Old and new names, as they were given.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter();
        pairs.map(|pair| (pair.from.as_str(), pair.to.as_str()))
    }

    /// The name that a tag gets, if it gets another.
    #[must_use]
    pub fn of(&self, tag: &str) -> Option<String> {
        let parts: Vec<&str> = tag.split('/').collect();
        let fits = |pair: &&Pair| {
            pair.parts.len() <= parts.len()
                && pair
                    .parts
                    .iter()
                    .zip(&parts)
                    .all(|(from, part)| *from == key(part))
        };
        let pair = self
            .pairs
            .iter()
            .filter(fits)
            .max_by_key(|pair| pair.parts.len())?;
        let mut name = pair.to.clone();
        for part in &parts[pair.parts.len()..] {
            name.push('/');
            name.push_str(part);
        }
        (name != tag).then_some(name)
    }

    /// Renames tags in a note's frontmatter and in its body; none if it uses none of them.
    ///
    /// # Errors
    /// Says on which line stands what keeps the note from being edited.
    pub fn note(&self, text: &str) -> Result<Option<Renamed>, Problem> {
        let front = frontmatter::read(text);
        let inline = outline(text, front.end);
        let in_body = self.in_body(text, &inline.tags)?;
        let concerned = note::frontmatter_tags(&front);
        if in_body.is_empty() && concerned.iter().all(|tag| self.of(tag).is_none()) {
            return Ok(None);
        }
        let body_uses = in_body.len();
        let done = spliced(text, in_body);
        self.check_body(text, &inline, &done, front.end)?;
        if concerned.iter().all(|tag| self.of(tag).is_none()) {
            let text = done;
            return Ok(Some(Renamed {
                text,
                uses: body_uses,
            }));
        }
        let (text, front_uses) = self.in_frontmatter(&done)?;
        Ok(Some(Renamed {
            text,
            uses: body_uses + front_uses,
        }))
    }

    fn in_body(&self, text: &str, tags: &[InlineTag]) -> Result<Vec<Splice>, Problem> {
        let mut splices = Vec::new();
        for tag in tags {
            let Some(name) = self.of(&tag.name) else {
                continue;
            };
            if !markdown::is_tag(&name) {
                let message = format!("`{name}` cannot stand in running text as a tag");
                return Err(problem(text, tag.span.start, None, message));
            }
            splices.push(Splice {
                span: tag.span.clone(),
                with: name,
            });
        }
        Ok(splices)
    }

    /// Whether a body has the tags that were meant, and the structure that it had.
    fn check_body(
        &self,
        before: &str,
        seen: &Outline,
        after: &str,
        body: usize,
    ) -> Result<(), Problem> {
        let now = outline(after, body);
        let meant = seen
            .tags
            .iter()
            .map(|tag| self.of(&tag.name).unwrap_or_else(|| tag.name.clone()));
        let links = |outline: &Outline| -> Vec<(String, bool)> {
            let links = outline.links.iter();
            links
                .map(|link| (link.destination.clone(), link.among_words))
                .collect()
        };
        let same = meant.eq(now.tags.iter().map(|tag| tag.name.clone()))
            && links(seen) == links(&now)
            && seen.units.len() == now.units.len()
            && seen.headings.len() == now.headings.len();
        if same {
            return Ok(());
        }
        let message = "is not edited: its tags would not be read back as they are meant";
        Err(problem(before, body, None, message.to_owned()))
    }

    fn in_frontmatter(&self, text: &str) -> Result<(String, usize), Problem> {
        let (front, places) = located(text)?;
        if let Some((at, why)) = places.found.iter().find_map(|place| match &place.held {
            Held::Strange(why) => Some((place.key.start, why)),
            _ => None,
        }) {
            return Err(problem(
                text,
                at,
                Some("tags"),
                format!("is not edited: {why}"),
            ));
        }
        let splices = self.at_places(text, &places);
        let uses = splices.len();
        let mut meant: Vec<String> = Vec::new();
        let mut renamed_keys = BTreeSet::new();
        for tag in note::frontmatter_tags(&front) {
            let name = self.of(&tag);
            if let Some(name) = &name {
                renamed_keys.insert(key(name));
            }
            meant.push(name.unwrap_or(tag));
        }
        let mut done = spliced(text, splices);
        check(text, &front, &done, &meant)?;
        // What stands twice now stood under two names before.
        loop {
            let (front, places) = located(&done)?;
            let mut seen = BTreeSet::new();
            let twice = occurrences(&done, &places)
                .into_iter()
                .find(|(_, _, name)| !seen.insert(key(name)) && renamed_keys.contains(&key(name)));
            let Some((place, index, _)) = twice else {
                return Ok((done, uses));
            };
            let splice = item::remove(&done, &front, &places.found[place], index);
            let less = spliced(&done, vec![splice]);
            check(&done, &front, &less, &meant)?;
            done = less;
        }
    }

    fn at_places(&self, text: &str, places: &Places) -> Vec<Splice> {
        let mut splices = Vec::new();
        for place in &places.found {
            match &place.held {
                Held::Text(span) => {
                    for piece in item::pieces(text, span) {
                        let word = &text[piece.clone()];
                        let bare = word.trim_start_matches('#');
                        if let Some(name) = self.of(bare) {
                            let start = piece.end - bare.len();
                            splices.push(Splice {
                                span: start..piece.end,
                                with: name,
                            });
                        }
                    }
                }
                Held::Flow { items, .. } | Held::Block(items) => {
                    splices.extend(items.iter().filter_map(|item| self.at_item(text, item)));
                }
                Held::Nothing | Held::Null(_) | Held::Strange(_) => {}
            }
        }
        splices
    }

    fn at_item(&self, text: &str, item: &Item) -> Option<Splice> {
        let bare = item.value.trim_start_matches('#');
        let marks = &item.value[..item.value.len() - bare.len()];
        let name = self.of(bare)?;
        let is_verbatim = text[item.inner()] == item.value;
        if item.quote.is_some() && is_verbatim && !name.contains(['\\', '\'', '"']) {
            let inner = item.inner();
            return Some(Splice {
                span: inner.start + marks.len()..inner.end,
                with: name,
            });
        }
        Some(Splice {
            span: item.span.clone(),
            with: as_item(&format!("{marks}{name}"), item.quote),
        })
    }

    /// Renames the tags of a taxonomy; none if it has none of them. One that gets the name of
    /// another goes.
    ///
    /// # Errors
    /// Says which line a person has to move first: what stands below another tag is a part of it.
    pub fn taxonomy(&self, text: &str) -> Result<Option<Renamed>, Problem> {
        let tags = taxonomy(text).tags;
        let new_name = |name: &str| self.of(name).unwrap_or_else(|| name.to_owned());
        let unrenamed = tags.iter().filter(|tag| self.of(&tag.name).is_none());
        let mut taken: BTreeSet<String> = unrenamed.map(|tag| key(&tag.name)).collect();
        let mut meant: Vec<String> = Vec::new();
        let (mut splices, mut uses) = (Vec::new(), 0);
        for tag in &tags {
            let Some(name) = self.of(&tag.name) else {
                meant.push(tag.name.clone());
                continue;
            };
            uses += 1;
            let refuse = |why: &str| {
                let message = format!("`{}` {why}", tag.name);
                Err(problem(text, tag.span.start, None, message))
            };
            if !taken.insert(key(&name)) {
                let holds = |other: &crate::TaxonomyTag| {
                    tag.whole.contains(&other.span.start) && other.line != tag.line
                };
                if tags.iter().any(holds) {
                    return refuse(
                        "would become one with another and has tags below it; move them first",
                    );
                }
                splices.push(Splice {
                    span: line_start(text, tag.whole.start)..line_end(text, tag.whole.end),
                    with: String::new(),
                });
                continue;
            }
            let written = &text[tag.span.clone()];
            let parent = tag
                .name
                .len()
                .checked_sub(written.len() + 1)
                .map(|end| &tag.name[..end]);
            let with = match parent {
                None => name.clone(),
                Some(parent) => {
                    let above = format!("{}/", new_name(parent));
                    match name.strip_prefix(&above) {
                        Some(rest) => rest.to_owned(),
                        None => return refuse("stands below another tag; move the line out first"),
                    }
                }
            };
            if with != written {
                splices.push(Splice {
                    span: tag.span.clone(),
                    with,
                });
            }
            meant.push(name);
        }
        if uses == 0 {
            return Ok(None);
        }
        let done = spliced(text, splices);
        let now = taxonomy(&done);
        let difference = now
            .tags
            .iter()
            .zip(&meant)
            .find(|(tag, name)| tag.name != **name);
        if difference.is_some() || now.tags.len() != meant.len() {
            let line = difference.map_or(1, |(tag, _)| tag.line);
            let message =
                "the page would not be read back as it is meant; rename this line by hand first";
            return Err(Problem {
                line,
                key: None,
                message: message.to_owned(),
            });
        }
        Ok(Some(Renamed { text: done, uses }))
    }

    /// Renames the tags that a review queue proposes; none if it proposes none of them.
    ///
    /// # Errors
    /// If it would not be read back as it is meant.
    pub fn queue(&self, text: &str) -> Result<Option<Renamed>, Problem> {
        let queue = review_queue(text);
        let (mut splices, mut uses) = (Vec::new(), 0);
        let mut meant: Vec<(String, Vec<String>)> = Vec::new();
        for entry in &queue.entries {
            let mut names: Vec<String> = Vec::new();
            let mut last_end = None;
            for span in &entry.written {
                let old = &text[span.clone()];
                let new = self.of(old);
                uses += usize::from(new.is_some());
                let name = new.clone().unwrap_or_else(|| old.to_owned());
                let is_new = !names.iter().any(|known| key(known) == key(&name));
                match (is_new, last_end) {
                    (false, Some(end)) if new.is_some() => splices.push(Splice {
                        span: end..span.end,
                        with: String::new(),
                    }),
                    _ if new.is_some() => splices.push(Splice {
                        span: span.clone(),
                        with: name.clone(),
                    }),
                    _ => {}
                }
                if is_new {
                    names.push(name);
                }
                last_end = Some(span.end);
            }
            meant.push((entry.path.clone(), names));
        }
        if uses == 0 {
            return Ok(None);
        }
        let done = spliced(text, splices);
        let now = review_queue(&done);
        let same = |(entry, (path, names)): (&crate::ReviewEntry, &(String, Vec<String>))| {
            let keys =
                |names: &[String]| -> BTreeSet<String> { names.iter().map(|it| key(it)).collect() };
            entry.path == *path && keys(&entry.tags) == keys(names)
        };
        if now.entries.len() != meant.len() || !now.entries.iter().zip(&meant).all(same) {
            let message = "the page would not be read back as it is meant".to_owned();
            return Err(Problem {
                line: line_of(text, 0),
                key: None,
                message,
            });
        }
        Ok(Some(Renamed { text: done, uses }))
    }
}

fn outline(text: &str, body: usize) -> Outline {
    markdown::outline(text, body..text.len())
}
