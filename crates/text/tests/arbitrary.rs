//! No text breaks a promise: arbitrary strings, and strings of what markdown is made of.

use std::ops::Range;

use concord_text::{
    ChunkRules, NoteNames, ParsedNote, VaultIndex, lexical, parse, scrub, sentences,
};
use proptest::prelude::*;

const SMALL: ChunkRules = ChunkRules::Sections {
    target_words: 7,
    overlap_words: 2,
};
const SHORT: ChunkRules = ChunkRules::Obsidian {
    max_characters: 40,
    min_characters: 1,
};

/// Text that parsers trip over.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "# ",
        "## ",
        "### ",
        "\n",
        "\n\n",
        "\r\n",
        "---\n",
        "===\n",
        "...",
        "```",
        "~~~",
        "`",
        "    ",
        "\t",
        "- ",
        "* ",
        "1. ",
        "- [ ] ",
        "> ",
        "| a | b |\n|---|---|\n",
        "| ",
        "[[",
        "]]",
        "![[",
        "[",
        "](",
        ")",
        "!",
        "#tag",
        "#",
        "a#b",
        "^",
        "[^1]",
        "[^1]: ",
        "%%",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<script>",
        "word ",
        "Two words. ",
        "z. B. ",
        "Dr. ",
        "U.S. ",
        "e.g. ",
        "3.5 ",
        "“q.” ",
        "日本。",
        "é",
        "e\u{301}",
        "\u{feff}",
        "\u{0}",
        "\u{a0}",
        "\u{2028}",
        "🙂",
        "👩‍👩‍👧",
        "title: ",
        "tags: [",
        "a: b: c\n",
        "&amp;",
        "&#35;",
        "\\",
        "*",
        "**",
        "_",
        "~~",
        "$",
        "https://e.org/x ",
        "[t](a%20b.md#c)",
        "References",
        "Related",
        "key = ",
        "password: ",
        "secret=",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END ",
        "\"",
        "§3 Absatz 2",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![2 => nasty(), 1 => any::<String>(), 1 => nasty().prop_map(|text| format!("---\n{text}"))]
}

/// Slicing panics if a span is out of bounds or off a character boundary.
fn ascending(text: &str, spans: &[Range<usize>]) {
    let mut last = 0;
    for span in spans {
        assert!(
            last <= span.start && span.start < span.end,
            "{spans:?} in {text:?}"
        );
        let slice = &text[span.clone()];
        assert_eq!(slice, slice.trim(), "in {text:?}");
        last = span.end;
    }
}

fn check_note(text: &str) {
    let note = parse("a/b.md", text);
    assert!(!note.title.is_empty());
    assert_eq!(note.body.end, text.len());
    for link in &note.links {
        assert!(!text[link.span.clone()].is_empty(), "{link:?}");
        assert!(
            !(link.target.is_empty() && link.fragment.is_none()),
            "{link:?} in {text:?}"
        );
    }
    for heading in &note.headings {
        assert!(heading.span.start >= note.body.start);
        let _ = &text[heading.span.clone()];
    }
    for rules in [SMALL, SHORT, ChunkRules::SECTIONS, ChunkRules::OBSIDIAN] {
        for chunk in note.chunks(rules) {
            assert_eq!(chunk.text, &text[chunk.span.clone()]);
            assert!(!chunk.text.trim().is_empty());
            assert!(chunk.span.start >= note.body.start);
            ascending(chunk.text, &note.sentences(&chunk));
            assert!(note.heading_context(&chunk).starts_with(&note.title));
            if rules == SHORT {
                assert!(chunk.text.chars().count() <= 40, "{:?}", chunk.text);
            }
        }
    }
    covers(&note, text, SMALL, false);
    let headings = note
        .headings
        .iter()
        .map(|heading| heading.label.to_lowercase());
    let skipping = headings
        .into_iter()
        .any(|label| label.contains("related") || label.contains("references"));
    if !skipping {
        covers(&note, text, SHORT, true);
    }
}

/// Every character of the body that is no white space is in a chunk, headings excepted if so said.
fn covers(note: &ParsedNote<'_>, text: &str, rules: ChunkRules, except_headings: bool) {
    let mut covered = vec![false; text.len()];
    for chunk in note.chunks(rules) {
        covered[chunk.span].fill(true);
    }
    if except_headings {
        for heading in &note.headings {
            covered[heading.span.clone()].fill(true);
        }
    }
    for (at, character) in text.char_indices().filter(|&(at, _)| at >= note.body.start) {
        assert!(
            covered[at] || character.is_whitespace(),
            "byte {at} by {rules:?} in {text:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn notes_chunks_and_sentences_keep_their_spans(text in texts()) {
        check_note(&text);
        ascending(&text, &sentences(&text));
    }

    #[test]
    fn resolving_never_fails(from in "[a-b./]{0,8}", text in texts()) {
        let note = parse(&from, &text);
        let other = NoteNames { path: "a/b.md".to_owned(), aliases: note.tags.clone(), permalink: None };
        let index = VaultIndex::new([NoteNames::from(&note), other]);
        let edges = index.edges(note.links.iter().map(|link| (note.path.as_str(), link)));
        for edge in &edges.edges {
            prop_assert_ne!(&edge.from, &edge.to);
        }
    }

    #[test]
    fn scrubbing_twice_changes_nothing(text in texts()) {
        let once = scrub(&text);
        let twice = scrub(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(&twice.fired, &[]);
    }

    #[test]
    fn every_phrase_of_a_query_says_something(query in texts()) {
        let phrases = lexical::phrases(&query);
        if phrases.is_empty() {
            prop_assert!(lexical::literal_terms(&query).is_empty());
        }
        for phrase in &phrases {
            prop_assert!(phrase.contains(char::is_alphanumeric));
            prop_assert!(!phrase.contains(char::is_control));
        }
        prop_assert!(phrases.len() <= lexical::MAX_TERMS);
    }
}
