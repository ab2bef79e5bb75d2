//! Changing a `_review-queue.md`: entries come, go and are ticked; everything else on the page is its
//! owner's and stays.
//!
//! As with notes, the page is read again after every change, and one that would not say what was
//! meant is refused.

use super::item::{Splice, line_break, spliced};
use super::place::{line_end, line_start};
use super::problem;
use crate::frontmatter::Problem;
use crate::review::{ReviewEntry, ReviewQueue, review_queue};
use crate::taxonomy::why_no_tag;

/// What a new page begins with.
const PREAMBLE: &str = "\
# Tags waiting for a decision

Each line proposes tags for one note. Put an x into the brackets of the lines you agree with, \
delete single tags you do not want, then run `concord promote`: the ticked tags are written into \
the notes and their lines go from this page. Lines left open stay as they are.
";

/// An entry as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The note.
    pub path: String,
    /// Whether a person agreed.
    pub ticked: bool,
    /// The tags.
    pub tags: Vec<String>,
}

impl Line {
    fn of(entry: &ReviewEntry) -> Self {
        Self {
            path: entry.path.clone(),
            ticked: entry.ticked,
            tags: entry.tags.clone(),
        }
    }

    /// As it is written on the page; none if no way of writing it is read back as it is meant.
    fn written(&self) -> Option<String> {
        let tick = if self.ticked { 'x' } else { ' ' };
        let tags = self.tags.join(", ");
        let path = &self.path;
        let ways = [path.clone(), format!("`{path}`"), format!("[[{path}]]")];
        ways.into_iter()
            .map(|path| format!("[{tick}] {path}: {tags}").trim_end().to_owned())
            .find(|line| {
                let read = review_queue(&format!("- {line}\n"));
                matches!(&read.entries[..], [entry] if Self::of(entry) == *self)
            })
    }
}

/// The page without the entries that begin on these lines. What a person wrote below an entry goes
/// with it.
///
/// # Errors
/// If another entry stands below one of them.
pub fn drop_entries(text: &str, lines: &[usize]) -> Result<String, Problem> {
    let queue = review_queue(text);
    let goes = |entry: &&ReviewEntry| lines.contains(&entry.line);
    let splices = queue
        .entries
        .iter()
        .filter(goes)
        .map(|entry| whole_lines(text, entry))
        .collect();
    let meant = queue
        .entries
        .iter()
        .filter(|entry| !goes(entry))
        .map(Line::of);
    let done = spliced(text, joined(splices));
    check(text, &done, &meant.collect::<Vec<_>>())?;
    Ok(done)
}

/// The page with these entries at its end, and those of them that cannot be written down.
#[must_use]
pub fn propose(text: &str, entries: &[Line]) -> (String, Vec<Line>) {
    let text = if text.trim().is_empty() {
        PREAMBLE
    } else {
        text
    };
    let queue = review_queue(text);
    let newline = line_break(text);
    let (mark, at) = match queue.entries.last() {
        Some(last) => {
            let before = &text[line_start(text, last.span.start)..last.span.start];
            let bullets = ["- ", "* ", "+ "];
            let mark = bullets
                .into_iter()
                .find(|mark| before == *mark)
                .unwrap_or("- ");
            (mark, line_end(text, last.whole.end))
        }
        None => ("- ", text.len()),
    };
    let mut added = String::new();
    let mut unwritten = Vec::new();
    for entry in entries {
        match entry.written() {
            Some(line) => added += &format!("{mark}{line}{newline}"),
            None => unwritten.push(entry.clone()),
        }
    }
    if added.is_empty() {
        return (text.to_owned(), unwritten);
    }
    let before = &text[..at];
    let mut gap = String::new();
    if !before.is_empty() && !before.ends_with('\n') {
        gap += newline;
    }
    if queue.entries.is_empty() && !(before.ends_with("\n\n") || before.ends_with("\r\n\r\n")) {
        gap += newline;
    }
    let splice = Splice {
        span: at..at,
        with: gap + &added,
    };
    (spliced(text, vec![splice]), unwritten)
}

/// The page with exactly these entries: those of notes that it has are changed where they stand,
/// others go, new ones come at its end.
///
/// # Errors
/// If a tag or a path cannot be one, or the page would not be read back as it is meant.
pub fn rewrite(text: &str, wanted: &[Line]) -> Result<String, Problem> {
    for line in wanted {
        if let Some(message) = line.tags.iter().find_map(|tag| why_no_tag(tag)) {
            return Err(problem(text, 0, None, format!("{}: {message}", line.path)));
        }
    }
    let queue = review_queue(text);
    let mut left: Vec<&Line> = wanted.iter().collect();
    let (mut splices, mut meant) = (Vec::new(), Vec::new());
    for entry in &queue.entries {
        let Some(at) = left.iter().position(|line| line.path == entry.path) else {
            splices.push(whole_lines(text, entry));
            continue;
        };
        let line = left.remove(at);
        if line.ticked != entry.ticked {
            splices.push(Splice {
                span: entry.mark.clone(),
                with: if line.ticked { "x" } else { " " }.to_owned(),
            });
        }
        if line.tags != entry.tags {
            let tags = line.tags.join(", ");
            let with = if tags.is_empty() {
                tags
            } else {
                format!(" {tags}")
            };
            splices.push(Splice {
                span: entry.list.clone(),
                with,
            });
        }
        meant.push(line.clone());
    }
    let done = spliced(text, joined(splices));
    check(text, &done, &meant)?;
    if left.is_empty() {
        return Ok(done);
    }
    let new: Vec<Line> = left.into_iter().cloned().collect();
    let (done, unwritten) = propose(&done, &new);
    if let Some(line) = unwritten.first() {
        let message = format!("{:?} cannot stand on this page as a path", line.path);
        return Err(problem(text, 0, None, message));
    }
    meant.extend(new);
    check(text, &done, &meant)?;
    Ok(done)
}

fn whole_lines(text: &str, entry: &ReviewEntry) -> Splice {
    Splice {
        span: line_start(text, entry.whole.start)..line_end(text, entry.whole.end),
        with: String::new(),
    }
}

/// Deletions inside others are part of them.
fn joined(mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|splice| (splice.span.start, std::cmp::Reverse(splice.span.end)));
    let mut end = 0;
    splices.retain(|splice| {
        let inside = splice.span.end <= end && !splice.span.is_empty();
        end = end.max(splice.span.end);
        !inside
    });
    splices
}

fn check(before: &str, after: &str, meant: &[Line]) -> Result<(), Problem> {
    let ReviewQueue { entries, .. } = review_queue(after);
    let mut now = entries.iter().map(Line::of);
    let same =
        entries.len() == meant.len() && meant.iter().all(|line| now.next().as_ref() == Some(line));
    if same {
        return Ok(());
    }
    let message =
        "the page would not be read back as it is meant; an entry may stand below another";
    let first = meant
        .iter()
        .zip(entries.iter().map(Line::of))
        .find(|(a, b)| *a != b);
    let at = first
        .and_then(|(line, _)| before.find(&line.path))
        .unwrap_or(0);
    Err(problem(before, at, None, message.to_owned()))
}
