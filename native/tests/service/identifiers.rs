//! Exact identifiers find their note, and no text of a question can break the search.

use concord_core::Score;
use serde_json::Value;

use crate::server::{Server, TestVault, encoded};

const NOTES: &[(&str, &str)] = &[
    (
        "apple.md",
        "# A company\n\n## Shares\n\nWe hold AAPL in the long account.\n",
    ),
    (
        "apples.md",
        "# Orchard\n\n## Harvest\n\nAn apple a day. Apples ripen in autumn and fall from the trees.\n",
    ),
    (
        "fuse.md",
        "# Ranking\n\n## Code\n\nThe function `_rrf_fuse` adds up reciprocal ranks.\n",
    ),
    (
        "fuses.md",
        "# Electrics\n\n## Box\n\nReplace the fuse before you rank the RRF of the circuit.\n",
    ),
    (
        "law.md",
        "# Prüfungsordnung\n\n## Wiederholung\n\nNach §3 Absatz 2 darf die Prüfung einmal wiederholt werden.\n",
    ),
    (
        "law2.md",
        "# Satzung\n\n## Mitglieder\n\nNach §2 Absatz 3 wählt die Versammlung den Vorstand.\n",
    ),
    (
        "cpp.md",
        "# Languages\n\n## Systems\n\nWe wrote the engine in C++ and never looked back.\n",
    ),
    (
        "c.md",
        "# Vitamins\n\n## C\n\nVitamin C is in peppers. The note C is a white key.\n",
    ),
    (
        "call.md",
        "# Interfaces\n\n## Calls\n\nCall foo.bar() before the session ends.\n",
    ),
    (
        "bar.md",
        "# Evenings\n\n## Out\n\nThe bar was full of foo fighters that night.\n",
    ),
    (
        "quarter.md",
        "# Results\n\n## Figures\n\nIn 2026-Q3 the orders doubled.\n",
    ),
    (
        "quarters.md",
        "# Coins\n\n## Change\n\nQ3 has four quarters, and 2026 of them fill a jar.\n",
    ),
    (
        "phrase.md",
        "# Proverbs\n\n## Old\n\nThe early bird catches the worm, they say.\n",
    ),
    (
        "words.md",
        "# Garden\n\n## Soil\n\nA worm is early in spring; a bird watches and catches the light.\n",
    ),
];

fn first(answer: &Value) -> Option<&str> {
    answer["ranking"]["items"][0]["note"].as_str()
}

#[test]
fn an_identifier_finds_the_note_in_which_it_stands() {
    let vault = TestVault::of(NOTES);
    let server = Server::start(&vault, &[]);
    for (query, note) in [
        ("AAPL", "apple.md"),
        ("_rrf_fuse", "fuse.md"),
        ("§3 Absatz 2", "law.md"),
        ("C++", "cpp.md"),
        ("foo.bar()", "call.md"),
        ("2026-Q3", "quarter.md"),
        ("\"early bird catches the worm\"", "phrase.md"),
    ] {
        for profile in ["balanced", "vault"] {
            let path = format!("/v1/vault/search?profile={profile}&q={}", encoded(query));
            assert_eq!(
                first(&server.json(&path)),
                Some(note),
                "{query} by {profile}"
            );
        }
    }
}

#[test]
fn no_question_can_break_the_search() {
    let vault = TestVault::of(&NOTES[..4]);
    let server = Server::start(&vault, &[]);
    let mut questions: Vec<String> = [
        "\"",
        "\"\"\"",
        "'",
        "''--",
        "*",
        "a*",
        "^a",
        "NEAR(a b)",
        "a AND",
        "OR",
        "NOT",
        "a NOT b",
        "(",
        ")",
        "a:b",
        "text:apple",
        "{a b}: c",
        "-a",
        "+",
        "\\",
        "%",
        "_",
        ";",
        "a;DROP TABLE vault_chunk",
        "\0",
        "a\0b",
        "\u{202e}abc",
        "\u{feff}",
        "ﷺ",
        "e\u{301}",
        "👩‍👩‍👧‍👦",
        "\r\n\t",
        " ",
        "§",
        "§§",
        "Art.",
    ]
    .map(str::to_owned)
    .to_vec();
    questions.push("🙂".repeat(2_000));
    questions.push("a ".repeat(4_000));
    let mut random = fastrand::Rng::with_seed(7);
    let pieces = [
        "\"", "*", "(", ")", "OR", "AND", "NEAR", "^", ":", "apple", "C++", "§3", "\0", "“", "é",
        "-", "{", "}",
    ];
    for _ in 0..200 {
        let count = random.usize(1..12);
        let words: Vec<&str> = (0..count)
            .map(|_| pieces[random.usize(..pieces.len())])
            .collect();
        questions.push(words.join(if random.bool() { " " } else { "" }));
    }
    for question in questions {
        let answered = server.get(&format!("/v1/vault/search?k=3&q={}", encoded(&question)));
        let body = String::from_utf8_lossy(&answered.body);
        assert_eq!(answered.status, 200, "{question:?}: {body}");
        for item in answered.json()["ranking"]["items"].as_array().unwrap() {
            let score = item["score"].as_f64().unwrap();
            assert!(Score::try_from(score).is_ok());
        }
    }
    // 100 KB are no question, and are told so.
    let long = encoded(&"🙂".repeat(25_000));
    let request = format!(
        "GET /v1/vault/search?q={long} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    );
    let told = server.raw(request.as_bytes());
    let told = told.lines().next().unwrap_or_default();
    assert!(
        [" 400 ", " 413 ", " 414 ", " 431 "]
            .iter()
            .any(|status| told.contains(status)),
        "{told}"
    );
    assert_eq!(server.get("/v1/domains").status, 200);
}
