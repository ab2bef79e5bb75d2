//! Tags put into notes, taken out of them and renamed, in every form that people keep them in.

use concord_text::edit::{Line, Renames, add_tags, drop_entries, propose, remove_tags, rewrite};
use concord_text::{parse, review_queue, taxonomy};
use proptest::prelude::*;

/// Adding `new` gives `after`, and taking it away again gives `before`.
fn check(before: &str, after: &str) {
    check_tag("new", before, after);
}

fn check_tag(tag: &str, before: &str, after: &str) {
    let added = add_tags(before, &[tag]).unwrap().unwrap();
    assert_eq!(added, after, "{before:?}");
    let taken = remove_tags(&added, &[tag]).unwrap().unwrap();
    assert_eq!(taken, before, "taken from {after:?}");
}

#[test]
fn a_note_without_tags_gets_some() {
    check("", "---\ntags:\n  - new\n---\n");
    check("Body.\n", "---\ntags:\n  - new\n---\nBody.\n");
    check("Body.\r\n", "---\r\ntags:\r\n  - new\r\n---\r\nBody.\r\n");
    check(
        "\u{feff}Body.\n",
        "\u{feff}---\ntags:\n  - new\n---\nBody.\n",
    );
    check("---\n---\nBody", "---\ntags:\n    - new\n---\nBody");
    check(
        "---\ntitle: T\n---\n",
        "---\ntitle: T\ntags:\n  - new\n---\n",
    );
    check(
        "---\r\ntitle: T\r\n---\r\n",
        "---\r\ntitle: T\r\ntags:\r\n  - new\r\n---\r\n",
    );
    check("---\n# why\n---\n", "---\n# why\ntags:\n  - new\n---\n");
    check("---\n\n---\n", "---\n\ntags:\n  - new\n---\n");
    check(
        "---\nx: |\n  a\n\n...\nB",
        "---\nx: |\n  a\n\ntags:\n  - new\n...\nB",
    );
    check(
        "---\n  a: 1\n  b: 2\n---\n",
        "---\n  a: 1\n  b: 2\n  tags:\n    - new\n---\n",
    );
}

#[test]
fn an_empty_key_is_filled_where_it_stands() {
    check("---\ntags:\n---\n", "---\ntags:\n- new\n---\n");
    check(
        "---\ntags:  \nx: 1\n---\n",
        "---\ntags:  \n- new\nx: 1\n---\n",
    );
    check(
        "---\ntags: # none\nx: 1\n---\n",
        "---\ntags: # none\n- new\nx: 1\n---\n",
    );
    check("---\ntags: []\n---\n", "---\ntags: [new]\n---\n");
    check("---\ntags: [ ] # c\n---\n", "---\ntags: [new ] # c\n---\n");
    check("---\ntags: \"\"\n---\n", "---\ntags: \"new\"\n---\n");
    // What stood for nothing is not remembered.
    let added = add_tags("---\ntags: ~\n---\n", &["new"]).unwrap().unwrap();
    assert_eq!(added, "---\ntags: [new]\n---\n");
}

#[test]
fn the_form_of_a_list_is_kept() {
    check(
        "---\ntags:\n- a\nx: 1\n---\n",
        "---\ntags:\n- a\n- new\nx: 1\n---\n",
    );
    check(
        "---\ntags:\n    -   a # why\n---\n",
        "---\ntags:\n    -   a # why\n    -   new\n---\n",
    );
    check(
        "---\ntags:\n  - \"a\"\n---\n",
        "---\ntags:\n  - \"a\"\n  - \"new\"\n---\n",
    );
    check(
        "---\r\ntags:\r\n  - a\r\n---\r\n",
        "---\r\ntags:\r\n  - a\r\n  - new\r\n---\r\n",
    );
    check("---\ntags: [a]\n---\n", "---\ntags: [a, new]\n---\n");
    check(
        "---\ntags: ['a' , \"b c\" ] # c\n---\n",
        "---\ntags: ['a' , \"b c\" , \"new\" ] # c\n---\n",
    );
    check("---\ntags: [a,b]\n---\n", "---\ntags: [a,b,new]\n---\n");
    check(
        "---\ntags: [a, b,]\n---\n",
        "---\ntags: [a, b, new,]\n---\n",
    );
    check(
        "---\ntags: [\n  a,\n  b\n]\n---\n",
        "---\ntags: [\n  a,\n  b,\n  new\n]\n---\n",
    );
    check(
        "---\ntags: [\n  a, # one\n  b # two\n]\n---\n",
        "---\ntags: [\n  a, # one\n  b, new # two\n]\n---\n",
    );
    check("---\ntags: a, b\n---\n", "---\ntags: a, b, new\n---\n");
    check("---\ntags: a b # c\n---\n", "---\ntags: a b new # c\n---\n");
    check("---\ntags: 'a'\n---\n", "---\ntags: 'a, new'\n---\n");
    check("---\ntags: 2024\n---\n", "---\ntags: 2024, new\n---\n");
    check("---\ntag: a\n---\n", "---\ntag: a, new\n---\n");
    check(
        "---\ntag: [a]\ntags: [b]\n---\n",
        "---\ntag: [a]\ntags: [b, new]\n---\n",
    );
    check(
        "---\n{title: T, tags: [ä]}\n---\n",
        "---\n{title: T, tags: [ä, new]}\n---\n",
    );
    check(
        "---\n\"tags\": [a]\n---\n",
        "---\n\"tags\": [a, new]\n---\n",
    );
}

#[test]
fn a_text_that_goes_on_without_being_indented_keeps_no_note_from_being_edited() {
    check(
        "---\nx: \"one\ntwo\"\ntags:\n- a\ny: 1\n---\n",
        "---\nx: \"one\ntwo\"\ntags:\n- a\n- new\ny: 1\n---\n",
    );
    check(
        "---\nx: \"one\ntwo\"\n---\n",
        "---\nx: \"one\ntwo\"\ntags:\n  - new\n---\n",
    );
    let hidden = "---\nx: \"one\ntags: [a]\"\ny: 1\n---\n";
    assert!(add_tags(hidden, &["new"]).is_err());
}

#[test]
fn a_tag_that_yaml_would_read_as_something_else_is_quoted() {
    for tag in [
        "2024", "true", "null", "~", "-", "1e3", "0x1F", "@x", "!x", "&x", "%x", "?", "=", "a\\b",
        "no",
    ] {
        let added = add_tags("---\ntags: [a]\n---\n", &[tag]).unwrap().unwrap();
        assert_eq!(parse("", &added).tags, ["a", tag], "{added}");
        assert_eq!(
            remove_tags(&added, &[tag]).unwrap().unwrap(),
            "---\ntags: [a]\n---\n"
        );
    }
    check_tag(
        "日本/語",
        "---\ntags: [ä]\n---\n",
        "---\ntags: [ä, 日本/語]\n---\n",
    );
}

#[test]
fn a_note_that_has_a_tag_anywhere_does_not_get_it_again() {
    for text in [
        "---\ntags: [New]\n---\n",
        "Text #new\n",
        "---\ntag: '#NEW'\n---\n",
    ] {
        assert_eq!(add_tags(text, &["new"]), Ok(None), "{text:?}");
    }
}

#[test]
fn a_tag_is_taken_from_any_place_in_a_list() {
    let check = |before: &str, after: &str| {
        let taken = remove_tags(before, &["x"]).unwrap().unwrap();
        assert_eq!(taken, after, "{before:?}");
    };
    check("---\ntags: [x, a]\n---\n", "---\ntags: [a]\n---\n");
    check("---\ntags: [a, X, b, x]\n---\n", "---\ntags: [a, b]\n---\n");
    check("---\ntags: [x,]\n---\n", "---\ntags: []\n---\n");
    check(
        "---\ntags: [\n  a, # one\n  x, # two\n]\n---\n",
        "---\ntags: [\n  a, # one\n   # two\n]\n---\n",
    );
    check(
        "---\ntags:\n  - x # gone\n  - a\n---\n",
        "---\ntags:\n  - a\n---\n",
    );
    check("---\ntags: x a\n---\n", "---\ntags: a\n---\n");
    check("---\ntags: x\nb: 1\n---\n", "---\ntags:\nb: 1\n---\n");
}

#[test]
fn what_would_have_to_be_guessed_is_refused_with_its_line() {
    let check = |text: &str, line: usize, part: &str| {
        let problem = add_tags(text, &["new"]).unwrap_err();
        assert_eq!(problem.line, line, "{text:?}: {problem}");
        assert!(problem.message.contains(part), "{text:?}: {problem}");
    };
    check("---\ntitle: a: b\ntags: [a]\n---\n", 2, "is no YAML");
    check("---\na: 1\ntags: &t [a]\nb: *t\n---\n", 3, "anchor");
    check(
        "---\nb: &t [a]\ntags: *t\n---\n",
        3,
        "stands for something else",
    );
    check("---\ntags: [[a]]\n---\n", 2, "list in a list");
    check("---\ntags: {a: 1}\n---\n", 2, "keys of its own");
    check("---\ntags:\n  - a: 1\n---\n", 2, "no text");
    check("---\ntags:\n  - a\n  -\n---\n", 2, "empty");
    check("---\ntags: |\n  a b\n---\n", 2, "block of text");
    check("---\ntags: !!str a\n---\n", 2, "anchor or a type");
    check("---\n{a: 1}\n---\n", 2, "braces");
    check("---\nnever closed\n", 1, "does not end");
    check("---\nOnly prose.\n---\nbody", 1, "no keys");
    check("+++\ntitle = 'x'\n+++\n", 1, "TOML");
    let message = add_tags("text", &["two words"]).unwrap_err().message;
    assert!(message.contains("is no tag"), "{message}");
}

fn renamed(text: &str, pairs: &[(&str, &str)]) -> Option<(String, usize)> {
    let renames = Renames::new(pairs.iter().copied()).unwrap();
    let renamed = renames.note(text).unwrap()?;
    Some((renamed.text, renamed.uses))
}

#[test]
fn a_tag_is_renamed_wherever_it_stands_and_with_what_is_below_it() {
    let check = |before: &str, after: &str, uses: usize| {
        let found = renamed(before, &[("sector", "industry")]).unwrap();
        assert_eq!(found, (after.to_owned(), uses), "{before:?}");
    };
    check(
        "---\ntags: [sector, a] # c\n---\n",
        "---\ntags: [industry, a] # c\n---\n",
        1,
    );
    check(
        "---\ntags:\n  - 'Sector/Energy'\n---\n",
        "---\ntags:\n  - 'industry/Energy'\n---\n",
        1,
    );
}

#[test]
fn only_what_is_a_tag_is_renamed() {
    let text = "---\ntags: sector/a, other\ntitle: sector\n---\n# On #sector\n\nA #Sector/b, `#sector` x#sector\nhttps://e.org/#sector [#sector](a.md) %% #sector %%\n\n```\n#sector\n```\n#sectors (#sector)\n";
    let (after, uses) = renamed(text, &[("sector", "industry")]).unwrap();
    let expected = "---\ntags: industry/a, other\ntitle: sector\n---\n# On #industry\n\nA #industry/b, `#sector` x#sector\nhttps://e.org/#sector [#sector](a.md) %% #sector %%\n\n```\n#sector\n```\n#sectors (#sector)\n";
    assert_eq!((after.as_str(), uses), (expected, 3));
    assert_eq!(
        renamed(
            "---\ntags: [sectors]\n---\n#other",
            &[("sector", "industry")]
        ),
        None
    );
}

#[test]
fn what_a_note_would_have_twice_is_dropped_from_its_frontmatter() {
    let check = |before: &str, pairs: &[(&str, &str)], after: &str| {
        assert_eq!(renamed(before, pairs).unwrap().0, after, "{before:?}");
    };
    check(
        "---\ntags: [a, b, c]\n---\n",
        &[("a", "c")],
        "---\ntags: [c, b]\n---\n",
    );
    check(
        "---\ntags:\n  - a\n  - C\n---\n#a #c\n",
        &[("a", "c")],
        "---\ntags:\n  - c\n---\n#c #c\n",
    );
    check(
        "---\ntags: a b c\n---\n",
        &[("a", "d"), ("c", "d")],
        "---\ntags: d b\n---\n",
    );
    check(
        "---\ntags: [a]\ntag: c\n---\n",
        &[("a", "c")],
        "---\ntags: [c]\ntag:\n---\n",
    );
    // What stood twice before is nobody's business.
    check(
        "---\ntags: [z, z, a]\n---\n",
        &[("a", "b")],
        "---\ntags: [z, z, b]\n---\n",
    );
}

#[test]
fn renames_happen_at_once_and_the_most_specific_counts() {
    let check = |before: &str, pairs: &[(&str, &str)], after: &str| {
        let text = format!("---\ntags: {before}\n---\n");
        let expected = format!("---\ntags: {after}\n---\n");
        assert_eq!(renamed(&text, pairs).unwrap().0, expected, "{before:?}");
    };
    check("[a, b]", &[("a", "b"), ("b", "a")], "[b, a]");
    check("[a/x, a/y]", &[("a", "b"), ("a/x", "c")], "[c, b/y]");
    check("[a, a/x]", &[("a", "a/a")], "[a/a, a/a/x]");
    check("[Straße]", &[("STRASSE", "road")], "[road]");
    check("[Case]", &[("case", "case2"), ("case2", "x")], "[case2]");
}

#[test]
fn a_rename_that_cannot_be_is_refused() {
    let check = |pairs: &[(&str, &str)], part: &str| {
        let message = Renames::new(pairs.iter().copied()).unwrap_err();
        assert!(message.contains(part), "{message}");
    };
    check(&[], "nothing");
    check(&[("a", "a")], "already");
    check(&[("a", "b"), ("A", "c")], "two names");
    check(&[("a", "b c")], "no tag");
    check(&[("", "b")], "no tag");
    let renames = Renames::new([("a", "b.c")]).unwrap();
    assert!(renames.note("---\ntags: [a]\n---\n").unwrap().is_some());
    let problem = renames.note("x\n\n#a\n").unwrap_err();
    assert_eq!(problem.line, 3, "{problem}");
    assert!(renames.note("---\ntags: [[a]]\n---\n").is_err());
}

#[test]
fn a_taxonomy_is_renamed_with_its_notes() {
    let check = |before: &str, pairs: &[(&str, &str)], after: &str| {
        let renames = Renames::new(pairs.iter().copied()).unwrap();
        let found = renames
            .taxonomy(before)
            .unwrap()
            .map(|renamed| renamed.text);
        assert_eq!(found.as_deref(), Some(after), "{before:?}");
    };
    check(
        "# T\n\n- sector/a: x\n- `b`: sector\n",
        &[("sector", "s")],
        "# T\n\n- s/a: x\n- `b`: sector\n",
    );
    check(
        "- sector: x\n  - a: y\n",
        &[("sector", "s")],
        "- s: x\n  - a: y\n",
    );
    check(
        "- sector: x\n  - a: y\n",
        &[("sector/a", "sector/b")],
        "- sector: x\n  - b: y\n",
    );
    // Two that become one leave one line.
    check(
        "- a: x\n- b: y\n  more\n- c\n",
        &[("b", "a")],
        "- a: x\n- c\n",
    );
    check("- b: y\n- a: x\n", &[("b", "a")], "- a: x\n");

    let refused = |before: &str, pair: (&str, &str), line: usize| {
        let problem = Renames::new([pair]).unwrap().taxonomy(before).unwrap_err();
        assert_eq!(problem.line, line, "{problem}");
    };
    refused("- sector: x\n  - a: y\n", ("sector/a", "other"), 2);
    refused("- b: x\n- a: y\n  - z\n", ("a", "b"), 2);
    assert_eq!(taxonomy("- a").tags.len(), 1);
}

#[test]
fn a_queue_is_renamed_with_its_notes() {
    let renames = Renames::new([("a", "b")]).unwrap();
    let before = "Say a.\n\n- [ ] a.md: a, `a/x`, c\n- [x] d.md:  c , a, #b, A\n- [?] e.md: a\n";
    let after = "Say a.\n\n- [ ] a.md: b, `b/x`, c\n- [x] d.md:  c , b, #b\n- [?] e.md: a\n";
    let found = renames.queue(before).unwrap().unwrap();
    assert_eq!((found.text.as_str(), found.uses), (after, 4));
    assert_eq!(renames.queue("- [ ] a.md: c\n"), Ok(None));
}

fn line(path: &str, ticked: bool, tags: &[&str]) -> Line {
    Line {
        path: path.to_owned(),
        ticked,
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
    }
}

#[test]
fn entries_go_and_the_words_around_them_stay() {
    let page = "# Mine\n\nWords.\n\n* [x] a.md: x\n  - I agree\n* [ ] b.md: y\n\n  More on b.\n\n* [x] c.md: z\n\nAfter.\n";
    let less = drop_entries(page, &[5, 11]).unwrap();
    assert_eq!(
        less,
        "# Mine\n\nWords.\n\n* [ ] b.md: y\n\n  More on b.\n\n\nAfter.\n"
    );
    assert_eq!(
        drop_entries("- [x] a.md: x\r\n- [ ] b.md: y", &[2]).unwrap(),
        "- [x] a.md: x\r\n"
    );
    let nested = "- [x] a.md: x\n  - [ ] b.md: y\n";
    assert!(drop_entries(nested, &[1]).is_err());
}

#[test]
fn proposals_come_after_the_last_entry() {
    let check = |page: &str, expected: &str| {
        let (page, left) = propose(page, &[line("n: 1.md", false, &["a", "b/c"])]);
        assert_eq!((page.as_str(), left.len()), (expected, 0));
    };
    check(
        "- [ ] a.md: x\n\nEnd.\n",
        "- [ ] a.md: x\n- [ ] n: 1.md: a, b/c\n\nEnd.\n",
    );
    check("* [ ] a.md: x", "* [ ] a.md: x\n* [ ] n: 1.md: a, b/c\n");
    check("Words.\r\n", "Words.\r\n\r\n- [ ] n: 1.md: a, b/c\r\n");
    let (page, left) = propose(
        "",
        &[
            line("a.md: b.md", false, &["a"]),
            line("_x_ *y*.md", false, &["a"]),
        ],
    );
    assert_eq!(review_queue(&page).entries.len(), 1, "{page}");
    assert_eq!(left.len(), 1);
}

#[test]
fn a_page_is_rewritten_only_where_it_differs() {
    let page = "Words.\n\n- [] `a.md` :  x ,y\n- [ ] b.md: y\n  - why\n- [X] c.md: z\n";
    let wanted = [
        line("c.md", false, &["z"]),
        line("a.md", true, &["x", "y"]),
        line("d.md", true, &[]),
    ];
    let expected = "Words.\n\n- [x] `a.md` :  x ,y\n- [ ] c.md: z\n- [x] d.md:\n";
    assert_eq!(rewrite(page, &wanted).unwrap(), expected);
    let same: Vec<Line> = [
        ("a.md", false, ["x", "y"].as_slice()),
        ("b.md", false, &["y"]),
        ("c.md", true, &["z"]),
    ]
    .map(|(path, ticked, tags)| line(path, ticked, tags))
    .into();
    assert_eq!(rewrite(page, &same).unwrap(), page);
    assert!(rewrite(page, &[line("a.md", true, &["two words"])]).is_err());
}

/// Frontmatter as people write it, and as they should not.
fn frontmatter() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "tags:",
        "tag:",
        " ",
        "  ",
        "[",
        "]",
        ", ",
        "a",
        "b/c",
        "\"q\"",
        "'s'",
        "\n",
        "\n  - ",
        "\n- ",
        "# c",
        "#",
        "\n\n",
        "title: T\n",
        "x: |\n  t\n",
        "&a ",
        "*a",
        "~",
        "null",
        "{",
        "}",
        "ä",
        "\t",
        "\r\n",
        "- ",
        "2024",
        "new/x",
        "...\n",
        "\n    - ",
    ]);
    let inner = prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat());
    (inner, prop::bool::ANY, prop::bool::ANY).prop_map(|(inner, crlf, bom)| {
        let text = format!("---\n{inner}\n---\nBody #inline.\n");
        let text = if crlf {
            text.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            text
        };
        if bom { format!("\u{feff}{text}") } else { text }
    })
}

/// Frontmatter that is in order: every form of tags among other keys.
fn orderly() -> impl Strategy<Value = String> {
    let tags = prop::sample::select(vec![
        "",
        "tags:\n",
        "tags: []\n",
        "tags: [a]\n",
        "tags: [a, 'b']\n",
        "tags:\n- a\n",
        "tags:\n  - a # c\n  - \"b\"\n",
        "tags: a\n",
        "tags: a, b\n",
        "tags: a b\n",
        "tags: \"a b\" # c\n",
        "tag: a\n",
        "tags: [\n  a,\n  b,\n]\n",
        "tags: # later\n",
        "'tags': [a]\n",
    ]);
    let other = prop::sample::select(vec![
        "",
        "title: T # t\n",
        "x:\n  - 1\n  - 2\n",
        "y: |\n  a\n  b\n\n",
        "# c\n",
        "z: {a: 1}\n",
    ]);
    (other.clone(), tags, other, prop::bool::ANY, prop::bool::ANY).prop_map(
        |(before, tags, after, crlf, bom)| {
            // A key that stood twice would be a mistake of its own.
            let after = if after == before { "" } else { after };
            let text = format!("---\n{before}{tags}{after}---\nBody.\n");
            let text = if crlf {
                text.replace('\n', "\r\n")
            } else {
                text
            };
            if bom { format!("\u{feff}{text}") } else { text }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn whatever_is_edited_says_what_was_meant_and_nothing_else_has_changed(text in frontmatter()) {
        let before = parse("n.md", &text);
        if let Ok(Some(added)) = add_tags(&text, &["new/tag"]) {
            let after = parse("n.md", &added);
            prop_assert!(after.tags.iter().any(|tag| tag == "new/tag"));
            prop_assert_eq!(after.tags.len(), before.tags.len() + 1);
            prop_assert_eq!(&after.title, &before.title);
            prop_assert_eq!(&added[after.body.clone()], &text[before.body.clone()]);
            if let Ok(taken) = remove_tags(&added, &["new/tag"]) {
                let again = taken.unwrap();
                prop_assert_eq!(&parse("n.md", &again).tags, &before.tags);
            }
        }
        let renames = Renames::new([("a", "z"), ("inline", "b/c")]).unwrap();
        if let Ok(Some(renamed)) = renames.note(&text) {
            let after = parse("n.md", &renamed.text);
            prop_assert!(after.tags.iter().all(|tag| tag != "a" && tag != "inline"));
            prop_assert!(after.tags.len() <= before.tags.len());
        }
    }

    #[test]
    fn a_tag_that_was_added_is_taken_back_to_the_byte(text in orderly(), tag in "[a-z]{1,8}(/[a-z0-9-]{1,6})?") {
        let tag = format!("n{tag}");
        let added = add_tags(&text, &[&tag]).unwrap().unwrap();
        prop_assert_eq!(remove_tags(&added, &[&tag]).unwrap().unwrap(), text);
    }

    #[test]
    fn arbitrary_text_is_edited_or_refused_and_never_damaged(text in any::<String>()) {
        if let Ok(Some(added)) = add_tags(&text, &["new"]) {
            prop_assert_eq!(&remove_tags(&added, &["new"]).unwrap().unwrap(), &text);
        }
        if let Ok(page) = drop_entries(&text, &[1]) {
            let goes = review_queue(&text).entries.iter().any(|entry| entry.line == 1);
            prop_assert_eq!(page.len() < text.len(), goes);
        }
    }
}
