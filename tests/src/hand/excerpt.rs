//! The sentences that are shown.

use serde_json::{Value, json};

use super::{Draft, draft};

pub(super) fn cases() -> Vec<Draft> {
    let four = [
        ("One.", 0.2),
        ("Two.", 0.9),
        ("Three.", 0.1),
        ("Four.", 0.5),
    ];
    vec![
        excerpt(
            "excerpt: the two nearest sentences, in document order",
            &four,
            json!({}),
            &[1, 3],
        ),
        excerpt(
            "excerpt: the nearest may come last",
            &[("One.", 0.4), ("Two.", 0.1), ("Three.", 0.8)],
            json!({}),
            &[0, 2],
        ),
        excerpt(
            "excerpt: of equally near sentences the earlier",
            &[
                ("One.", 0.3),
                ("Two.", 0.5),
                ("Three.", 0.5),
                ("Four.", 0.5),
            ],
            json!({}),
            &[1, 2],
        ),
        excerpt(
            "excerpt: a tie for the second place goes to the earlier",
            &[("One.", 0.3), ("Two.", 0.3), ("Three.", 0.9)],
            json!({}),
            &[0, 2],
        ),
        excerpt(
            "excerpt: one sentence is shown alone",
            &four[..1],
            json!({}),
            &[0],
        ),
        excerpt("excerpt: no sentences, no excerpt", &[], json!({}), &[]),
        excerpt(
            "excerpt: none if none are asked for",
            &four,
            json!({ "sentences": 0 }),
            &[],
        ),
        excerpt(
            "excerpt: three if three are asked for",
            &four,
            json!({ "sentences": 3 }),
            &[0, 1, 3],
        ),
        excerpt(
            "excerpt: all if more are asked for",
            &four,
            json!({ "sentences": 100 }),
            &[0, 1, 2, 3],
        ),
        excerpt(
            "excerpt: the least far of sentences that are all far",
            &[("One.", -0.9), ("Two.", -0.2), ("Three.", -0.4)],
            json!({}),
            &[1, 2],
        ),
        excerpt(
            "excerpt: minus zero is as near as zero",
            &[("One.", -0.0), ("Two.", 0.0), ("Three.", 0.0)],
            json!({}),
            &[0, 1],
        ),
        excerpt(
            "excerpt: sentences are cut at their bytes, whatever the script",
            &[
                ("Größe zählt.", 0.1),
                ("日本語の文。", 0.8),
                ("Smile 😀!", 0.7),
            ],
            json!({}),
            &[1, 2],
        ),
        excerpt(
            "excerpt: an empty sentence is a sentence",
            &[("", 0.9), ("Two.", 0.8)],
            json!({}),
            &[0, 1],
        ),
        draft("excerpt: text between sentences belongs to none")
            .chunk(
                1,
                "a.md",
                json!({
                    "text": "# Head\n\nFirst. [1] Second.",
                    "sentences": [
                        { "start": 8, "end": 14, "cosine": 0.1 },
                        { "start": 19, "end": 26, "cosine": 0.2 },
                    ],
                }),
            )
            .leg("vector", &[1])
            .item(1, "/excerpt/0/text", "First.")
            .item(1, "/excerpt/1/text", "Second."),
    ]
}

/// A chunk of these sentences, a space between each, and which of them must be shown.
fn excerpt(name: &str, sentences: &[(&str, f64)], patch: Value, expected: &[usize]) -> Draft {
    let mut text = String::new();
    let mut spans = Vec::new();
    for (sentence, cosine) in sentences {
        let start = text.len();
        text.push_str(sentence);
        spans.push(json!({ "start": start, "end": text.len(), "cosine": cosine }));
        text.push(' ');
    }
    let mut profile = json!({});
    profile["excerpt"] = patch;
    let shown = |&i: &usize| {
        let (text, cosine) = sentences[i];
        json!({ "sentence": i, "cosine": cosine, "text": text })
    };
    let expected: Vec<Value> = expected.iter().map(shown).collect();
    draft(name)
        .chunk(1, "a.md", json!({ "text": text, "sentences": spans }))
        .leg("vector", &[1])
        .profile(profile)
        .item(1, "/excerpt", expected)
}
