//! Hostile sizes: deep nesting, many links, endless lines. No stack is used up, and work grows with
//! the size of the text: each case would take minutes if it did not.

use concord_text::{ChunkRules, NoteNames, VaultIndex, lexical, parse, scrub, sentences};

/// Runs everything on a text, on a stack as small as a thread pool may have.
fn survives(name: &str, text: String) {
    let all = move || {
        let text = scrub(&text).text;
        let note = parse("a.md", &text);
        for rules in [ChunkRules::SECTIONS, ChunkRules::OBSIDIAN] {
            for chunk in note.chunks(rules) {
                std::hint::black_box(note.sentences(&chunk));
            }
        }
        std::hint::black_box(sentences(&text));
        std::hint::black_box(lexical::phrases(&text));
        let index = VaultIndex::new([NoteNames::from(&note)]);
        std::hint::black_box(index.edges(note.links.iter().map(|link| ("a.md", link))));
    };
    let thread = std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(all);
    assert!(thread.expect("a thread").join().is_ok(), "{name}");
}

#[test]
fn deep_nesting() {
    for (name, level) in [
        ("quotations", "> "),
        ("tight quotations", ">"),
        ("brackets", "["),
        ("wiki brackets", "[["),
        ("embeds", "![["),
        ("images", "!["),
        ("links", "[a]("),
        ("emphasis", "*a **a "),
        ("lists", "- "),
        ("tags", "<div>"),
        ("code", "`a``"),
        ("comments", "%% a "),
        ("HTML comments", "<!-- "),
        ("footnotes", "[^a]"),
        ("quoted lists", "> - "),
    ] {
        survives(name, level.repeat(10_000));
    }
    let nested: String = (0..2_000)
        .map(|depth| format!("{}- [[a]] b\n", " ".repeat(depth % 500)))
        .collect();
    survives("indented lists", nested);
}

#[test]
fn many_links_and_long_lines() {
    survives("100,000 wikilinks", "[[note]] ".repeat(100_000));
    let distinct: String = (0..100_000).map(|n| format!("- [[note {n}]]\n")).collect();
    survives("100,000 items", distinct);
    survives("100,000 markdown links", "[a](b.md) ".repeat(100_000));
    survives("a line of 5 MB", "x".repeat(5_000_000));
    survives("a line of 5 MB of words", "word. ".repeat(833_333));
    survives("5 MB of CJK", "漢字。".repeat(555_555));
    survives("5 MB of headings", "## a\n".repeat(200_000));
    survives(
        "an endless code block",
        format!("```\n{}", "a b c\n".repeat(200_000)),
    );
    survives(
        "an endless table",
        format!("|a|\n|-|\n{}", "|[[b]]|\n".repeat(100_000)),
    );
    let keys: String = (0..50_000).map(|n| format!("k{n}: v\n")).collect();
    survives("50,000 keys", format!("---\n{keys}---\n"));
    survives(
        "50,000 keys and a mistake",
        format!("---\n{keys}a: b: c\n---\n"),
    );
    let complex: String = (0..50_000).map(|n| format!("? k{n}\n: v\n")).collect();
    survives("50,000 complex keys", format!("---\n{complex}---\n"));
    let items: String = (0..100_000).map(|n| format!("  - n{n}\n")).collect();
    survives(
        "frontmatter of 100,000 links",
        format!("---\nrelated:\n{items}---\n"),
    );
}
