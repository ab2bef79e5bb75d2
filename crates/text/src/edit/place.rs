//! Where the tags of a frontmatter are written, byte by byte.
//!
//! `serde_norway` says what YAML means but not where it stands, so places come from a second parser.
//! Where the two disagree, the check after every edit notices, and the edit is refused.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::frontmatter::{self, Frontmatter, Problem};

/// The keys under which tags stand, as in [`crate::note`].
pub(super) const KEYS: [&str; 2] = ["tags", "tag"];

/// A key with tags. All positions are bytes of the note.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) key: Range<usize>,
    pub(super) held: Held,
}

/// What a key holds.
#[derive(Debug)]
pub(super) enum Held {
    /// Nothing after the colon, save perhaps a comment.
    Nothing,
    /// `~` or `null`.
    Null(Range<usize>),
    /// One text, without its quotation marks.
    Text(Range<usize>),
    /// `[a, b]`; `open` is where the first item could stand.
    Flow { open: usize, items: Vec<Item> },
    /// A line an item.
    Block(Vec<Item>),
    /// Something that is not edited, and why.
    Strange(&'static str),
}

/// An item of a list.
#[derive(Debug)]
pub(super) struct Item {
    /// With its quotation marks.
    pub(super) span: Range<usize>,
    /// As it is meant.
    pub(super) value: String,
    pub(super) quote: Option<char>,
}

impl Item {
    /// Without its quotation marks.
    pub(super) fn inner(&self) -> Range<usize> {
        let mark = usize::from(self.quote.is_some());
        self.span.start + mark..self.span.end - mark
    }
}

/// The places of a frontmatter.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Of [`KEYS`] the first of each, in the order of the keys and not of the text.
    pub(super) found: Vec<Place>,
    /// How far the keys are indented.
    pub(super) indent: usize,
    /// `{a: 1}`: a key cannot be added on a line of its own.
    pub(super) is_flow: bool,
}

/// Finds the places of tags in a note.
pub(super) fn places(text: &str, front: &Frontmatter) -> Result<Places, Problem> {
    let yaml = &text[front.span.clone()];
    let mut places = Places::default();
    let mut keyed: [Option<Place>; 2] = [None, None];
    let whole = read(text, front.span.clone(), &mut places, &mut keyed);
    if let Err(problem) = whole {
        // This parser is the stricter of the two, as about quoted texts that go on without being
        // indented. Then the keys with tags are read alone.
        places = Places::default();
        keyed = [None, None];
        let mut at = front.span.start;
        for segment in frontmatter::segments(yaml) {
            let span = at..at + segment.len();
            at = span.end;
            let name = segment.split(':').next().unwrap_or_default();
            let name = name.trim_end().trim_matches(['"', '\'']);
            if KEYS.contains(&name) && read(text, span, &mut places, &mut keyed).is_err() {
                return Err(problem);
            }
        }
    }
    places.found = keyed.into_iter().flatten().collect();
    Ok(places)
}

fn read(
    text: &str,
    span: Range<usize>,
    places: &mut Places,
    keyed: &mut [Option<Place>; 2],
) -> Result<(), Problem> {
    let yaml = &text[span.clone()];
    let bytes = Bytes::of(yaml, span.start);
    let first_line = line_of(text, span.start);
    let mut is_first = true;
    let mut depth = 0_usize;
    // The key whose value comes next, at the top.
    let mut key: Option<(String, Range<usize>)> = None;
    let mut list: Option<List> = None;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| Problem {
            line: error.marker().line().max(1) + first_line - 1,
            key: None,
            message: format!("frontmatter is not edited: {}", error.info()),
        })?;
        let span = bytes.at(span.start.index())..bytes.at(span.end.index());
        // What was read as the value of the key at hand, when it is complete.
        let mut value = None;
        match event {
            Event::MappingStart(..) => {
                depth += 1;
                if depth == 1 {
                    places.is_flow = text[span].starts_with('{');
                } else if let Some(list) = &mut list {
                    list.strange = Some("an item is no text");
                }
            }
            Event::SequenceStart(anchor, tag) => {
                depth += 1;
                if depth == 2 && key.is_some() {
                    let is_flow = text[span.clone()].starts_with('[');
                    let mut strange = None;
                    if anchor > 0 || tag.is_some() {
                        strange = Some("it has an anchor or a type");
                    }
                    list = Some(List {
                        open: is_flow.then_some(span.start + 1),
                        items: Vec::new(),
                        strange,
                    });
                } else if let Some(list) = &mut list {
                    list.strange = Some("it is a list in a list");
                }
            }
            Event::SequenceEnd | Event::MappingEnd => {
                depth -= 1;
                if depth == 1 {
                    let mapping = Held::Strange("it holds keys of its own");
                    value = Some(list.take().map_or(mapping, List::held));
                }
            }
            Event::Alias(_) => match &mut list {
                Some(list) => list.strange = Some("an item stands for something else (`*`)"),
                None if depth == 1 => {
                    value = Some(Held::Strange("it stands for something else (`*`)"));
                }
                None => {}
            },
            Event::Scalar(content, style, anchor, tag) => {
                let strange = anchor > 0 || tag.is_some();
                if depth == 1 && key.is_none() {
                    if std::mem::take(&mut is_first) {
                        places.indent = column(text, span.start);
                    }
                    key = Some((content.into_owned(), span));
                    continue;
                }
                if let Some(list) = &mut list {
                    list.add(text, span, &content, style, strange);
                } else if depth == 1 {
                    value = Some(single(text, span, &content, style, strange));
                }
            }
            _ => {}
        }
        if let (1, Some(held)) = (depth, value)
            && let Some((name, key)) = key.take()
            && let Some(at) = KEYS.iter().position(|known| *known == name)
            && keyed[at].is_none()
        {
            keyed[at] = Some(Place { key, held });
        }
    }
    Ok(())
}

/// A list that is being read.
struct List {
    open: Option<usize>,
    items: Vec<Item>,
    strange: Option<&'static str>,
}

impl List {
    fn add(
        &mut self,
        text: &str,
        span: Range<usize>,
        value: &str,
        style: ScalarStyle,
        strange: bool,
    ) {
        let Some((span, quote)) = written(text, span, style) else {
            self.strange = Some("an item is a block of text");
            return;
        };
        if strange {
            self.strange = Some("an item has an anchor or a type");
        }
        if span.is_empty() {
            self.strange = Some("an item is empty");
        }
        self.items.push(Item {
            span,
            value: value.to_owned(),
            quote,
        });
    }

    fn held(self) -> Held {
        match (self.strange, self.open) {
            (Some(why), _) => Held::Strange(why),
            (None, Some(open)) => Held::Flow {
                open,
                items: self.items,
            },
            (None, None) => Held::Block(self.items),
        }
    }
}

fn single(text: &str, span: Range<usize>, value: &str, style: ScalarStyle, strange: bool) -> Held {
    if strange {
        return Held::Strange("it has an anchor or a type");
    }
    match written(text, span, style) {
        None => Held::Strange("it is a block of text"),
        Some((span, None)) if span.is_empty() => Held::Nothing,
        Some((span, None)) if matches!(value, "~" | "null" | "Null" | "NULL") => Held::Null(span),
        Some((span, None)) => Held::Text(span),
        Some((span, Some(_))) => Held::Text(span.start + 1..span.end - 1),
    }
}

/// Where a scalar is written, and its quotation mark; none for blocks (`|`, `>`).
fn written(
    text: &str,
    span: Range<usize>,
    style: ScalarStyle,
) -> Option<(Range<usize>, Option<char>)> {
    let quote = match style {
        ScalarStyle::Plain => None,
        ScalarStyle::SingleQuoted => Some('\''),
        ScalarStyle::DoubleQuoted => Some('"'),
        ScalarStyle::Literal | ScalarStyle::Folded => return None,
    };
    // The parser counts in what follows a closing mark, even a comment.
    let end = match quote {
        None => span.start + text[span.clone()].trim_end().len(),
        Some(quote) => closing(text, span.start + 1, quote)?,
    };
    Some((span.start..end, quote))
}

/// Behind the mark that ends a quotation which begins here.
fn closing(text: &str, from: usize, quote: char) -> Option<usize> {
    let mut characters = text[from..].char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote {
            // Two single ones stand for one.
            if quote == '\'' && characters.next_if(|&(_, next)| next == quote).is_some() {
                continue;
            }
            return Some(from + at + 1);
        }
    }
    None
}

/// How many bytes stand before this on its line.
pub(super) fn column(text: &str, at: usize) -> usize {
    at - line_start(text, at)
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Behind the end of the line that this stands on.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |newline| at + newline + 1)
}

/// The line of a position, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes()[..at].iter();
    before.filter(|&&byte| byte == b'\n').count() + 1
}

/// Positions that count characters, as bytes of the note.
struct Bytes {
    starts: Option<Vec<usize>>,
    offset: usize,
    end: usize,
}

impl Bytes {
    fn of(yaml: &str, offset: usize) -> Self {
        let starts = (!yaml.is_ascii()).then(|| yaml.char_indices().map(|(at, _)| at).collect());
        Self {
            starts,
            offset,
            end: yaml.len(),
        }
    }

    fn at(&self, character: usize) -> usize {
        let within = match &self.starts {
            None => character.min(self.end),
            Some(starts) => starts.get(character).copied().unwrap_or(self.end),
        };
        self.offset + within
    }
}
