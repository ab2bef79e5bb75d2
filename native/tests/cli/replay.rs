use std::fs;

use serde_json::{Value, json};

use crate::harness::{FINANCE, folder, run, run_with_stdin, with, without};

/// A receipt as the binary writes it.
pub(crate) fn receipt(name: &str) -> Value {
    let file = folder(name).join("receipt.json");
    let path = file.to_str().unwrap();
    let args = [
        "rank",
        "--bundle",
        FINANCE,
        "--profile",
        "vault",
        "--limit",
        "4",
    ];
    run(&[&args[..], &["--receipt", path]].concat()).done();
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn a_receipt_replays_to_the_same_bits() {
    let receipt = receipt("replay-same");
    let digest = receipt["ranking"]["digest"].as_str().unwrap();
    let words = run_with_stdin(&["replay", "-"], receipt.to_string()).done();
    assert_eq!(words.stdout, format!("same bits  {digest}\n"));
    let replay = run_with_stdin(&["replay", "-", "--json"], receipt.to_string())
        .done()
        .json();
    let expected = json!({
        "same": true, "recorded": digest, "recomputed": digest, "difference": null
    });
    assert_eq!(replay, expected);
}

#[test]
fn the_first_difference_is_named_with_both_values() {
    let receipt = receipt("replay-different");
    let check = |changed: Value, key: &str, recorded: &str| {
        let words = run_with_stdin(&["replay", "-"], changed.to_string());
        assert_eq!(
            (words.code, words.stderr.as_str()),
            (1, ""),
            "{key}: {words:?}"
        );
        let first = words.stdout.lines().next().unwrap();
        assert_eq!(first, format!("different at {key}"));
        assert!(
            words.stdout.contains(recorded),
            "{recorded}\n{}",
            words.stdout
        );

        let replay = run_with_stdin(&["replay", "-", "--json"], changed.to_string());
        assert_eq!(replay.code, 1, "{key}");
        let replay = replay.json();
        assert_eq!(replay["same"], false);
        assert_eq!(replay["difference"]["key"], key);
        let both = ["recorded", "recomputed"].map(|side| &replay["difference"][side]);
        assert_ne!(both[0], both[1], "{key}");
    };

    let score = receipt["ranking"]["items"][0]["score"].as_f64().unwrap();
    let bits = score.to_bits() ^ 1;
    check(
        with(
            &receipt,
            "/ranking/items/0/score",
            json!(f64::from_bits(bits)),
        ),
        "items[0].score",
        &format!("{bits:016x}"),
    );
    let digest = "0".repeat(64);
    check(
        with(&receipt, "/ranking/digest", json!(digest)),
        "digest",
        &digest,
    );
    let text = receipt["bundle"]["chunks"][0]["text"].as_str().unwrap();
    check(
        with(
            &receipt,
            "/bundle/chunks/0/text",
            json!(text.replace("210", "220")),
        ),
        "items[0].excerpt[0].text",
        "fell by 210 basis points",
    );
    // What no ranking shows is still under the digest.
    check(
        with(&receipt, "/bundle/notes/7/title", json!("Other")),
        "digest",
        "recorded",
    );
    check(
        with(&receipt, "/profile/excerpt/sentences", json!(1)),
        "items[0].excerpt.length",
        "2",
    );
    check(
        with(&receipt, "/ranking/version", json!("0.9.0")),
        "version",
        "0.9.0",
    );
    check(
        without(&receipt, "/ranking/dropped/0"),
        "dropped[0].chunk",
        "",
    );
    let last = receipt["ranking"]["dropped"].as_array().unwrap().len() - 1;
    check(
        without(&receipt, &format!("/ranking/dropped/{last}")),
        "dropped.length",
        "",
    );
    check(
        with(&receipt, "/ranking/items/1/trace/links", json!("uncited")),
        "items[1].trace.links",
        "uncited",
    );
}
