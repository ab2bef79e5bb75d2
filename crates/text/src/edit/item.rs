//! One tag more, or one less, at the place where a note keeps its tags.
//!
//! Whatever form the owner chose is kept: a line an item, brackets, one text. What [`insert`] writes
//! [`remove`] takes away again to the byte, so how far a list is indented that was begun here says
//! what there was before it:
//!
//! | there was | becomes |
//! |---|---|
//! | no frontmatter, or no key | `tags:` and `  - tag` |
//! | `tags:` | `tags:` and `- tag` |
//! | `---` and `---` with nothing between | `tags:` and `    - tag` |

use std::ops::Range;

use serde_norway::Value;

use super::place::{Held, Item, Place, Places, column, line_end, line_start};
use crate::frontmatter::Frontmatter;

/// A part of a text and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) span: Range<usize>,
    pub(super) with: String,
}

impl Splice {
    fn insert(at: usize, with: String) -> Self {
        Self { span: at..at, with }
    }

    fn delete(span: Range<usize>) -> Self {
        let with = String::new();
        Self { span, with }
    }
}

/// The text with all splices done; they must not overlap.
pub(super) fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.span.start);
    let mut done = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for Splice { span, with } in splices {
        done.push_str(&text[at..span.start]);
        done.push_str(&with);
        at = span.end;
    }
    done.push_str(&text[at..]);
    done
}

/// The end of line that a text uses.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Adds a tag; or why that is not done, and at which position.
pub(super) fn insert(
    text: &str,
    front: &Frontmatter,
    places: &Places,
    tag: &str,
) -> Result<Splice, (usize, String)> {
    let newline = line_break(text);
    let item = as_item(tag, None);
    let Some(place) = places.found.first() else {
        if front.end == front.span.start {
            // Behind a byte order mark.
            let new = format!("---{newline}tags:{newline}  - {item}{newline}---{newline}");
            return Ok(Splice::insert(front.end, new));
        }
        if places.is_flow {
            let why = "there are no `tags`, and a frontmatter in braces has no lines to add to";
            return Err((front.span.start, why.to_owned()));
        }
        let indent = " ".repeat(places.indent);
        let inner = if front.span.is_empty() { "    " } else { "  " };
        let new = format!("{indent}tags:{newline}{indent}{inner}- {item}{newline}");
        return Ok(Splice::insert(front.span.end, new));
    };
    let at = place.key.start;
    match &place.held {
        Held::Strange(why) => Err((at, format!("is not edited: {why}"))),
        Held::Nothing if places.is_flow => Err((
            at,
            "is not edited: it is empty, in a frontmatter in braces".to_owned(),
        )),
        Held::Nothing => {
            let indent = " ".repeat(column(text, at));
            let new = format!("{indent}- {item}{newline}");
            Ok(Splice::insert(line_end(text, at), new))
        }
        Held::Null(span) => Ok(Splice {
            span: span.clone(),
            with: format!("[{item}]"),
        }),
        Held::Text(span) => {
            let inside = &text[span.clone()];
            let separator = match inside.trim() {
                "" => "",
                some if some.contains(',') || !some.contains(char::is_whitespace) => ", ",
                _ => " ",
            };
            Ok(Splice::insert(span.end, format!("{separator}{tag}")))
        }
        Held::Flow { open, items } => Ok(match items.last() {
            None => Splice::insert(*open, item),
            Some(last) => {
                let item = as_item(tag, last.quote);
                let between = items.len().checked_sub(2).map(|before| {
                    let end = items[before].span.end;
                    &text[end..last.span.start]
                });
                let is_plain = |it: &&str| it.chars().all(|c| c == ',' || c.is_whitespace());
                let separator = between.filter(is_plain).unwrap_or(", ");
                Splice::insert(last.span.end, format!("{separator}{item}"))
            }
        }),
        Held::Block(items) => {
            let last = items.last().ok_or((at, "has no items".to_owned()))?;
            let item = as_item(tag, last.quote);
            let before = &text[line_start(text, last.span.start)..last.span.start];
            let line = line_end(text, last.span.end);
            Ok(Splice::insert(line, format!("{before}{item}{newline}")))
        }
    }
}

/// Takes an occurrence of a tag away: the `index`th of its place.
pub(super) fn remove(text: &str, front: &Frontmatter, place: &Place, index: usize) -> Splice {
    match &place.held {
        Held::Nothing | Held::Null(_) | Held::Strange(_) => {
            Splice::insert(place.key.start, String::new())
        }
        Held::Text(span) => remove_piece(text, place, span, index),
        Held::Flow { items, .. } => remove_bracketed(text, items, index),
        Held::Block(items) => remove_line(text, front, place, items, index),
    }
}

/// The tags of one text, as bytes of the note: what lies between commas and white space.
pub(super) fn pieces(text: &str, span: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = span.start;
    for piece in text[span.clone()].split(|c: char| c == ',' || c.is_whitespace()) {
        if !piece.is_empty() {
            found.push(at..at + piece.len());
        }
        at += piece.len();
        at += text[at..span.end].chars().next().map_or(0, char::len_utf8);
    }
    found
}

fn remove_piece(text: &str, place: &Place, span: &Range<usize>, index: usize) -> Splice {
    let pieces = pieces(text, span);
    let piece = pieces[index].clone();
    if index > 0 {
        return Splice::delete(pieces[index - 1].end..piece.end);
    }
    if let Some(next) = pieces.get(1) {
        return Splice::delete(piece.start..next.start);
    }
    // The last one: with the space before it, unless it stands in quotation marks.
    let before = &text[place.key.end..span.start];
    let quoted = before.ends_with(['"', '\'']);
    let spaces = if quoted {
        0
    } else {
        before.len() - before.trim_end().len()
    };
    Splice::delete(span.start - spaces..span.end)
}

fn remove_bracketed(text: &str, items: &[Item], index: usize) -> Splice {
    let span = items[index].span.clone();
    let has_comment = |between: Range<usize>| text[between].contains('#');
    if let Some(before) = index.checked_sub(1).map(|before| &items[before])
        && !has_comment(before.span.end..span.start)
    {
        return Splice::delete(before.span.end..span.end);
    }
    if let Some(after) = items.get(index + 1)
        && !has_comment(span.end..after.span.start)
    {
        return Splice::delete(span.start..after.span.start);
    }
    // Alone, or between comments: with the comma that follows it, if one does.
    let rest = &text[span.end..];
    let blank = rest.len() - rest.trim_start().len();
    let comma = if rest.trim_start().starts_with(',') {
        blank + 1
    } else {
        0
    };
    Splice::delete(span.start..span.end + comma)
}

fn remove_line(
    text: &str,
    front: &Frontmatter,
    place: &Place,
    items: &[Item],
    index: usize,
) -> Splice {
    let Item { span, .. } = &items[index];
    let start = line_start(text, span.start);
    let line = start..line_end(text, span.end);
    let key_line = line_start(text, place.key.start)..line_end(text, place.key.end);
    let before = &text[start..span.start];
    let indent = before.len() - before.trim_start().len();
    let is_bare = text[place.key.end..key_line.end].trim_end() == ":";
    // `- ` under its key without being indented: the key was there before.
    let inner = indent.saturating_sub(column(text, place.key.start));
    if items.len() > 1 || inner == 0 || !is_bare || key_line.end != start {
        return Splice::delete(line);
    }
    let whole = key_line.start..line.end;
    if whole == front.span && inner != 4 {
        // Nothing is left between the two lines around it.
        let fence = line_start(text, front.span.start.saturating_sub(1));
        let fence = if text.starts_with('\u{feff}') {
            fence.max(3)
        } else {
            fence
        };
        return Splice::delete(fence..front.end);
    }
    Splice::delete(whole)
}

/// A tag as an item of a list: bare where YAML reads it as this text, quoted where it would not, or
/// where the others are.
pub(super) fn as_item(tag: &str, like: Option<char>) -> String {
    if let Some(quote) = like.filter(|quote| !(*quote == '"' && tag.contains('\\')))
        && !tag.contains(quote)
    {
        return format!("{quote}{tag}{quote}");
    }
    let is_itself = |yaml: &str| {
        let read: Result<Vec<Value>, _> = serde_norway::from_str(yaml);
        matches!(read.as_deref(), Ok([Value::String(read)]) if read == tag)
    };
    if is_itself(&format!("[{tag}]")) && is_itself(&format!("- {tag}\n")) {
        return tag.to_owned();
    }
    format!("'{}'", tag.replace('\'', "''"))
}
