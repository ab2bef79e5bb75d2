//! `cargo xtask bench core`: how long a ranking takes, natively and as wasm.
//!
//! Ratios in one run on one machine. Both sides do the whole of what a caller asks for. `step` is
//! what a slider costs: a bundle that was read before is ranked under a patch, and the ranking is
//! handed over in the caller's form (JSON text natively, an object in JavaScript). `whole` begins
//! with the bundle's JSON in UTF-8, as it comes from the server. `verify` checks a quotation against a
//! chunk of 600 words. `tests/js/bench.mjs` measures the same in the same way.

use std::hint::black_box;
use std::time::{Duration, Instant};

use concord_core::cite::{self, Quotation};
use concord_core::{Bundle, Prepared, Profile};
use serde_json::{Value, json};

use crate::generate;

/// Candidates and edges of the bundles measured.
pub const SIZES: [(usize, usize); 9] = [
    (60, 200),
    (60, 2_000),
    (60, 20_000),
    (200, 200),
    (200, 2_000),
    (200, 20_000),
    (1_000, 200),
    (1_000, 2_000),
    (1_000, 20_000),
];

/// Median milliseconds of one call; samples are taken for about a third of a second.
fn median(mut call: impl FnMut()) -> f64 {
    call();
    let mut samples = Vec::new();
    let begun = Instant::now();
    while samples.len() < 5
        || (begun.elapsed() < Duration::from_millis(300) && samples.len() < 1_000)
    {
        let start = Instant::now();
        call();
        samples.push(start.elapsed().as_secs_f64() * 1e3);
    }
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// The patch under which bundles are ranked: everything on.
#[must_use]
pub fn patch() -> Value {
    json!({
        "extends": "vault",
        "limit": 20,
        "retrieve": { "pool_min": 1000 },
        "decay": { "mode": "ranked_grouped" },
        "diversity": { "max_per_note": 2 },
    })
}

/// A quotation from the end of a chunk of 600 words.
#[must_use]
pub fn quotation() -> Quotation {
    let words: Vec<String> = (0..600)
        .map(|i| format!("Word{}", i * 7919 % 600))
        .collect();
    Quotation {
        quote: Some(words[570..].join("  ").to_uppercase()),
        chunk: Some(words.join(" ")),
    }
}

/// Milliseconds natively, by row: `step 200/2000`, …
#[must_use]
pub fn native() -> Value {
    let mut rows = json!({});
    for (candidates, edges) in SIZES {
        let bytes = generate::sized_bundle(candidates, edges)
            .to_string()
            .into_bytes();
        let read = || {
            let text = String::from_utf8(bytes.clone()).expect("ours");
            Prepared::new(Bundle::from_json(&text).expect("ours")).expect("ours")
        };
        let prepared = read();
        let patch = patch().to_string();
        let rank = |prepared: &Prepared| {
            let patch = serde_json::from_str(&patch).expect("ours");
            let profile = Profile::from_patch(patch, "finance").expect("ours");
            serde_json::to_string(&prepared.rank(&profile).expect("ours")).expect("plain data")
        };
        rows[format!("step {candidates}/{edges}")] = json!(median(|| {
            black_box(rank(black_box(&prepared)));
        }));
        rows[format!("whole {candidates}/{edges}")] = json!(median(|| {
            black_box(rank(&read()));
        }));
    }
    let quotation = quotation();
    rows["verify 600 words"] = json!(median(|| {
        black_box(cite::verify(black_box(&quotation)));
    }));
    rows
}

/// The rows side by side, wasm with its ratio to native.
#[must_use]
pub fn table(native: &Value, others: &std::collections::BTreeMap<String, Value>) -> String {
    let mut text = format!("{:<20} {:>10}", "ms (median)", "native");
    for name in others.keys() {
        text += &format!(" {name:>10} {:>7}", "ratio");
    }
    text.push('\n');
    let order = |row: &String| {
        SIZES
            .iter()
            .position(|(c, e)| row.ends_with(&format!(" {c}/{e}")))
    };
    let mut rows: Vec<&String> = native
        .as_object()
        .map(|rows| rows.keys().collect())
        .unwrap_or_default();
    rows.sort_by_key(|row| (row.split(' ').next().map(str::len), order(row)));
    for row in rows {
        let own = native[row].as_f64().unwrap_or(f64::NAN);
        text += &format!("{row:<20} {own:>10.3}");
        for rows in others.values() {
            let other = rows[row].as_f64().unwrap_or(f64::NAN);
            text += &format!(" {other:>10.3} {:>6.2}x", other / own);
        }
        text.push('\n');
    }
    text
}
