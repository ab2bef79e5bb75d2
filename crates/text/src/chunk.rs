//! Chunks: the passages of a note that are encoded, searched and quoted.
//!
//! The text of a chunk is a verbatim slice of the note, so that quotations of it verify. Nothing
//! but white space is ever trimmed from it, and chunks of nothing but white space are dropped.
//!
//! **Sections.** One chunk for what precedes the first H2 and one for each H2, its heading line
//! included: the heading says what the passage is about, and encoders see nothing else. An H1
//! after an H2 ends that section and begins one of its own. A title with nothing under it but
//! sections would answer a question by repeating it, so its passage goes on into the first of
//! them, for `overlap_words` at most and not into the middle of a block that fits. A section of
//! more than `target_words` is cut into windows of that many words, each repeating the last
//! `overlap_words` of the one before. A window ends before a block of code rather than inside it,
//! if that leaves it half full; and begins after one rather than inside it, at the cost of some
//! overlap. A block of code that is longer than half a window is cut like prose.
//!
//! **Obsidian.** Sections as above, but their headings are not part of the text, and Related, See
//! also, Links and References are skipped with all that is below them. A section of more than
//! `max_characters` is cut at its H3s, then between blocks (as many to a chunk as fit), then
//! between words, at last anywhere. What is left under `min_characters` is dropped.

use std::ops::Range;

use crate::note::ParsedNote;
use crate::outline::{Heading, UnitKind};
use crate::section::skipped_by_obsidian;
use crate::words::words;

/// How notes are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkRules {
    /// By H2, long sections by a sliding window.
    Sections {
        /// Words in a window, at least 2.
        target_words: usize,
        /// Words that a window repeats; at most half of `target_words` are.
        overlap_words: usize,
    },
    /// By H2, then H3, then paragraphs.
    Obsidian {
        /// A chunk has no more characters than this.
        max_characters: usize,
        /// A chunk has no fewer characters than this.
        min_characters: usize,
    },
}

impl ChunkRules {
    /// The default: 600 words, 80 repeated.
    pub const SECTIONS: Self = Self::Sections {
        target_words: 600,
        overlap_words: 80,
    };
    /// The profile `obsidian`: 2,000 characters at most, 30 at least.
    pub const OBSIDIAN: Self = Self::Obsidian {
        max_characters: 2000,
        min_characters: 30,
    };
}

/// A passage of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk<'t> {
    /// Its bytes in the note.
    pub span: Range<usize>,
    /// `note[span]`.
    pub text: &'t str,
    /// The label of the innermost heading that it stands under; empty before the first.
    pub section: String,
    /// The labels of the headings that it stands under, outermost first.
    pub breadcrumb: Vec<String>,
}

/// A stretch of a note under one heading.
struct Section<'n> {
    span: Range<usize>,
    /// Where its text begins if its heading is not part of it.
    below_heading: usize,
    path: Vec<&'n Heading>,
}

pub(crate) fn chunks<'t>(note: &ParsedNote<'t>, rules: ChunkRules) -> Vec<Chunk<'t>> {
    let mut chunks = Vec::new();
    let mut push = |section: &Section<'_>, span: Range<usize>| {
        let span = trimmed(note.text, span);
        if !span.is_empty() {
            let breadcrumb: Vec<_> = section.path.iter().map(|h| h.label.clone()).collect();
            chunks.push(Chunk {
                text: &note.text[span.clone()],
                span,
                section: breadcrumb.last().cloned().unwrap_or_default(),
                breadcrumb,
            });
        }
    };
    let sections = sections(note);
    match rules {
        ChunkRules::Sections {
            target_words,
            overlap_words,
        } => {
            for section in with_what_follows_titles(note, sections, overlap_words) {
                for window in windows(note, section.span.clone(), target_words, overlap_words) {
                    push(&section, window);
                }
            }
        }
        ChunkRules::Obsidian {
            max_characters,
            min_characters,
        } => {
            let skipped = |section: &Section<'_>| {
                section
                    .path
                    .iter()
                    .any(|heading| skipped_by_obsidian(&heading.label))
            };
            for section in sections.into_iter().filter(|section| !skipped(section)) {
                for part in at_h3(note, section, max_characters) {
                    let body = part.below_heading..part.span.end;
                    for piece in between_blocks(note, body, max_characters) {
                        if has_characters(note.text[piece.clone()].trim(), min_characters) {
                            push(&part, piece);
                        }
                    }
                }
            }
        }
    }
    chunks
}

/// The body, cut before every H2 and before every H1 that follows an H2.
fn sections<'n>(note: &'n ParsedNote<'_>) -> Vec<Section<'n>> {
    let mut h1 = None;
    let mut current = Section {
        span: note.body.clone(),
        below_heading: note.body.start,
        path: Vec::new(),
    };
    let mut sections = Vec::new();
    for heading in note.headings.iter().filter(|heading| heading.level <= 2) {
        if heading.level == 1 {
            h1 = Some(heading);
        }
        if heading.level == 1 && sections.is_empty() && current.path.iter().all(|h| h.level == 1) {
            // Still before the first H2: the lead stands under its first H1.
            if current.path.is_empty() {
                current.path.push(heading);
                if note.text[current.span.start..heading.span.start]
                    .trim()
                    .is_empty()
                {
                    current.below_heading = heading.span.end;
                }
            }
            continue;
        }
        let mut path: Vec<_> = h1.into_iter().collect();
        if heading.level == 2 {
            path.push(heading);
        }
        let next = Section {
            span: heading.span.start..note.body.end,
            below_heading: heading.span.end,
            path,
        };
        let mut done = std::mem::replace(&mut current, next);
        done.span.end = heading.span.start;
        sections.push(done);
    }
    sections.push(current);
    sections
}

/// The sections, those that are a title alone with the beginning of the first section under it.
fn with_what_follows_titles<'n>(
    note: &ParsedNote<'_>,
    mut sections: Vec<Section<'n>>,
    most_words: usize,
) -> Vec<Section<'n>> {
    for i in 1..sections.len() {
        let (before, from) = sections.split_at_mut(i);
        let (title, first) = (&mut before[i - 1], &from[0]);
        let says_nothing = note.text[title.below_heading..title.span.end]
            .trim()
            .is_empty();
        let is_under = first.path.len() > title.path.len() && !title.path.is_empty();
        if !says_nothing || !is_under {
            continue;
        }
        let words = words(note.text, first.span.clone());
        let Some(last) = words[..words.len().min(most_words)].last() else {
            continue;
        };
        let below = note
            .blocks
            .partition_point(|block| block.start < first.below_heading);
        let fitting = note.blocks[below..]
            .iter()
            .map(|block| block.end)
            .take_while(|&end| end <= last.end);
        title.span.end = fitting.last().unwrap_or(last.end);
    }
    sections
}

/// Overlapping runs of words that together cover the section.
fn windows(
    note: &ParsedNote<'_>,
    section: Range<usize>,
    target: usize,
    overlap: usize,
) -> Vec<Range<usize>> {
    let target = target.max(2);
    let overlap = overlap.min(target / 2);
    let words = words(note.text, section.clone());
    if words.len() <= target {
        return vec![section];
    }
    let code = code_blocks(note, &section, &words);
    // The block of code that has words on both sides of a cut before word `at`.
    let cut_by = |at: usize| {
        let block = code.partition_point(|block| block.end <= at);
        code.get(block).filter(|block| block.start < at)
    };
    let mut windows = Vec::new();
    let mut start = 0;
    loop {
        let mut end = words.len().min(start + target);
        if end < words.len()
            && let Some(block) = cut_by(end)
            && block.start >= start + target.div_ceil(2).max(overlap + 1)
        {
            end = block.start;
        }
        windows.push(words[start].start..words[end - 1].end);
        if end == words.len() {
            return windows;
        }
        // At least one new word in each window, whatever the rules say.
        let next = (end - overlap).max(start + 1);
        start = match cut_by(next) {
            Some(block) if block.end <= end => block.end,
            _ => next,
        };
    }
}

/// The blocks of code in a section, as ranges of its words.
fn code_blocks(
    note: &ParsedNote<'_>,
    section: &Range<usize>,
    words: &[Range<usize>],
) -> Vec<Range<usize>> {
    let first = note
        .units
        .partition_point(|unit| unit.span.end <= section.start);
    let inside = note.units[first..].iter();
    inside
        .take_while(|unit| unit.span.start < section.end)
        .filter(|unit| unit.kind == UnitKind::Code)
        .map(|unit| {
            let from = words.partition_point(|word| word.end <= unit.span.start);
            let to = words.partition_point(|word| word.start < unit.span.end);
            // Its fences belong to it.
            from.saturating_sub(1)..(to + 1).min(words.len())
        })
        .collect()
}

/// A section that is too long, cut before its H3s.
fn at_h3<'n>(note: &'n ParsedNote<'_>, section: Section<'n>, max: usize) -> Vec<Section<'n>> {
    if !has_characters(&note.text[section.span.clone()], max + 1) {
        return vec![section];
    }
    let first = note
        .headings
        .partition_point(|heading| heading.span.start < section.span.start);
    let end = section.span.end;
    let inside = note.headings[first..]
        .iter()
        .take_while(|heading| heading.span.start < end)
        .filter(|heading| heading.level == 3);
    let path = section.path.clone();
    let mut parts = vec![section];
    for heading in inside {
        let Some(last) = parts.last_mut() else { break };
        let end = std::mem::replace(&mut last.span.end, heading.span.start);
        last.below_heading = last.below_heading.min(heading.span.start);
        let mut path = path.clone();
        path.push(heading);
        parts.push(Section {
            span: heading.span.start..end,
            below_heading: heading.span.end,
            path,
        });
    }
    parts
}

/// As many blocks to a piece as fit; a block that does not fit alone is cut between words.
fn between_blocks(note: &ParsedNote<'_>, body: Range<usize>, max: usize) -> Vec<Range<usize>> {
    let max = max.max(1);
    let text = note.text;
    if !has_characters(text[body.clone()].trim(), max + 1) {
        return vec![body];
    }
    let first = note
        .blocks
        .partition_point(|block| block.start < body.start);
    let starts = note.blocks[first..].iter().map(|block| block.start);
    let mut cuts: Vec<usize> = starts.take_while(|&start| start < body.end).collect();
    cuts.push(body.end);

    let mut pieces = Vec::new();
    let (mut start, mut last_cut) = (body.start, body.start);
    // Characters are counted once: from the last cut on, and summed up since `start`.
    let mut counted = 0;
    for cut in cuts {
        let more = text[last_cut..cut].chars().count();
        let said = text[last_cut..cut].trim_end().chars().count();
        let fits = counted + said <= max;
        if !fits && last_cut > start {
            pieces.push(start..last_cut);
            (start, counted) = (last_cut, 0);
        }
        let full = counted + said > max;
        counted += more;
        last_cut = cut;
        if full {
            pieces.extend(between_words(text, start..cut, max));
            (start, counted) = (cut, 0);
        }
    }
    if start < body.end {
        pieces.push(start..body.end);
    }
    pieces
}

/// Pieces of at most `max` characters, cut at white space where there is some.
fn between_words(text: &str, range: Range<usize>, max: usize) -> Vec<Range<usize>> {
    let range = trimmed(text, range);
    let mut pieces = Vec::new();
    let mut start = range.start;
    loop {
        let rest = &text[start..range.end];
        let Some((limit, _)) = rest.char_indices().nth(max) else {
            pieces.push(start..range.end);
            return pieces;
        };
        let space = rest[..limit].rfind(char::is_whitespace);
        let cut = space.filter(|&at| at > limit / 2).unwrap_or(limit);
        pieces.push(start..start + cut);
        start += cut;
        start += text[start..range.end].len() - text[start..range.end].trim_start().len();
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = text[range.clone()].trim_start();
    let start = range.end - inner.len();
    start..start + inner.trim_end().len()
}

/// Whether a text has at least so many characters.
fn has_characters(text: &str, count: usize) -> bool {
    count == 0 || text.chars().nth(count - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn check(text: &str, rules: ChunkRules, expected: &[(&str, &str)]) {
        let chunks = parse("n.md", text).chunks(rules);
        let found: Vec<_> = chunks
            .iter()
            .map(|c| (c.breadcrumb.join(" › "), c.text))
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(crumbs, text)| (crumbs.as_str(), *text))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    const SMALL: ChunkRules = ChunkRules::Sections {
        target_words: 6,
        overlap_words: 2,
    };
    const SHORT: ChunkRules = ChunkRules::Obsidian {
        max_characters: 20,
        min_characters: 3,
    };

    #[test]
    fn a_section_is_a_chunk() {
        let check = |text, expected| check(text, ChunkRules::SECTIONS, expected);
        check("", &[]);
        check("---\ntitle: x\n---\n \n", &[]);
        check("only text", &[("", "only text")]);
        check(
            "---\na: 1\n---\n# T\nlead\n## A\none\n### A1\ntwo\n## B\n",
            &[
                ("T", "# T\nlead"),
                ("T › A", "## A\none\n### A1\ntwo"),
                ("T › B", "## B"),
            ],
        );
        check("before\n\n# T\nlead\n", &[("T", "before\n\n# T\nlead")]);
        check(
            "## A\none\n\n# T\ntwo\n## B\nthree",
            &[
                ("A", "## A\none"),
                ("T", "# T\ntwo"),
                ("T › B", "## B\nthree"),
            ],
        );
        check(
            "Setext\n---\ntext\n\n```\n## no\n```\n",
            &[("Setext", "Setext\n---\ntext\n\n```\n## no\n```")],
        );
        check("\u{feff}## A\r\none\r\n", &[("A", "## A\r\none")]);
    }

    #[test]
    fn a_title_alone_goes_on_into_its_first_section() {
        let check = |text: &str, expected: &[(&str, &str)]| check(text, SMALL, expected);
        check(
            "# T\n\n## A\none two three",
            &[("T", "# T\n\n## A"), ("T › A", "## A\none two three")],
        );
        check(
            "# T\nlead\n## A\none",
            &[("T", "# T\nlead"), ("T › A", "## A\none")],
        );
        check("# T\n", &[("T", "# T")]);
        check(
            "## A\n\n## B\none\n# T\n# U\n",
            &[
                ("A", "## A"),
                ("B", "## B\none"),
                ("T", "# T"),
                ("U", "# U"),
            ],
        );
        let long = |text| -> Vec<String> {
            let note = crate::note::parse("n.md", text);
            let chunks = note.chunks(ChunkRules::SECTIONS);
            chunks.iter().map(|chunk| chunk.text.to_owned()).collect()
        };
        let words = "word ".repeat(70);
        let two = format!("# T\n\n## A\n\none two.\n\n{words}\n\n{words}");
        assert_eq!(
            long(&two)[0],
            format!("# T\n\n## A\n\none two.\n\n{}", words.trim())
        );
        let whole = format!("# T\n\n## A\n\n{words}{words}");
        assert_eq!(long(&whole)[0].split_whitespace().count(), 2 + 80);
    }

    #[test]
    fn long_sections_slide() {
        check(
            "a b c d e f g h i j",
            SMALL,
            &[("", "a b c d e f"), ("", "e f g h i j")],
        );
        check(
            "a b c d e f g h i j k",
            SMALL,
            &[("", "a b c d e f"), ("", "e f g h i j"), ("", "i j k")],
        );
        check("a b c d e f", SMALL, &[("", "a b c d e f")]);
    }

    #[test]
    fn windows_do_not_cut_code_that_fits() {
        check(
            "a b c d\n\n```\ne f\n```\n\ng h i j k l m",
            SMALL,
            &[
                ("", "a b c d"),
                ("", "c d\n\n```\ne f\n```"),
                ("", "g h i j k l"),
                ("", "k l m"),
            ],
        );
    }

    #[test]
    fn the_obsidian_rules_cut_at_h3_then_between_blocks_then_between_words() {
        check(
            "# T\nlead text\n## A\n### A1\nfirst part\n### A2\nsecond part\n",
            SHORT,
            &[
                ("T", "lead text"),
                ("T › A › A1", "first part"),
                ("T › A › A2", "second part"),
            ],
        );
        check(
            "one two\n\nthree four\n\nfive six seven",
            SHORT,
            &[("", "one two\n\nthree four"), ("", "five six seven")],
        );
        check(
            "aaaa bbbb cccc dddd eeee\n\nx\n",
            SHORT,
            &[("", "aaaa bbbb cccc dddd"), ("", "eeee")],
        );
        check(
            &"é".repeat(45),
            SHORT,
            &[("", &"é".repeat(20)), ("", &"é".repeat(20)), ("", "ééééé")],
        );
        check(
            "## A\ntext\n## See also\n- [[a long enough note]]\n### More\nof it\n## B\ntext\n",
            SHORT,
            &[("A", "text"), ("B", "text")],
        );
    }
}
