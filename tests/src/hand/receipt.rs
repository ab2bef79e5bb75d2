//! Receipts: what is the same, and what the first difference is called.

use concord_core::Profile;
use serde_json::{Value, json};

use super::{Draft, NOW, bare, draft};

pub(super) fn cases() -> Vec<Draft> {
    let same = |name: &str, receipt: Value| {
        let digest = receipt["ranking"]["digest"].clone();
        bare(name)
            .receipt(receipt)
            .fact("/receipt/same", true)
            .fact("/receipt/difference", Value::Null)
            .fact("/receipt/recorded", digest.clone())
            .fact("/receipt/recomputed", digest)
    };
    let differs = |name: &str, key: &str, change: &dyn Fn(&mut Value)| {
        let mut receipt = made();
        change(&mut receipt);
        let replayed = bare(name).receipt(receipt).fact("/receipt/same", false);
        replayed.fact("/receipt/difference/key", key)
    };
    let refused = |name: &str, key: &str, change: &dyn Fn(&mut Value)| {
        let mut receipt = made();
        change(&mut receipt);
        let refusal = json!({ "code": "bad_receipt", "key": key });
        bare(name)
            .receipt(receipt)
            .fact("/receipt/refused", refusal)
    };
    let score = made()["ranking"]["items"][1]["score"]
        .as_f64()
        .unwrap_or(0.0);
    let next = f64::from_bits(score.to_bits() + 1);
    let (bits, next_bits) = (score.to_bits(), next.to_bits());

    vec![
        same("receipt: it is computed again, bit for bit", made()),
        same(
            "receipt: numbers written without a point are the same numbers",
            without_points(made()),
        ),
        differs(
            "receipt: one bit of a score is a difference, and is named",
            "items[1].score",
            &|r| {
                r["ranking"]["items"][1]["score"] = json!(next);
            },
        )
        .fact(
            "/receipt/difference/recorded",
            format!("{next} (bits {next_bits:016x})"),
        )
        .fact(
            "/receipt/difference/recomputed",
            format!("{score} (bits {bits:016x})"),
        ),
        differs(
            "receipt: another digest is named where nothing else differs",
            "digest",
            &|r| {
                r["ranking"]["digest"] = json!("0".repeat(64));
            },
        )
        .fact("/receipt/recorded", "0".repeat(64)),
        differs(
            "receipt: another version is named before all else",
            "version",
            &|r| {
                r["ranking"]["version"] = json!("0.0.0");
                r["ranking"]["items"][0]["score"] = json!(7.5);
            },
        ),
        differs(
            "receipt: an item too few is a difference in length",
            "items.length",
            &|r| {
                let items = r["ranking"]["items"].as_array_mut();
                items.map(Vec::pop);
            },
        )
        .fact("/receipt/difference/recorded", "1")
        .fact("/receipt/difference/recomputed", "2"),
        differs(
            "receipt: another chunk in an item's place is named",
            "items[0].chunk",
            &|r| {
                r["ranking"]["items"][0]["chunk"] = json!(3);
            },
        ),
        differs(
            "receipt: another reason for dropping is a difference",
            "dropped[0].reason",
            &|r| {
                r["ranking"]["dropped"][0]["reason"] = json!("budget");
            },
        ),
        differs(
            "receipt: a number deep in a trace is a difference",
            "items[0].trace.legs[0].contribution",
            &|r| {
                r["ranking"]["items"][0]["trace"]["legs"][0]["contribution"] = json!(0.5);
            },
        ),
        differs(
            "receipt: another query changes the digest alone",
            "digest",
            &|r| {
                r["bundle"]["query"] = json!("what else holds");
            },
        ),
        differs(
            "receipt: another name of the profile changes the digest alone",
            "digest",
            &|r| {
                r["profile"]["name"] = json!("mine");
            },
        ),
        differs(
            "receipt: another moment changes the digest alone where nothing has a date",
            "digest",
            &|r| {
                r["bundle"]["now"] = json!(NOW + 1);
            },
        ),
        differs(
            "receipt: another limit shows in the length of the answer",
            "items.length",
            &|r| {
                r["profile"]["limit"] = json!(3);
            },
        ),
        refused("receipt: an unknown key is refused", "note", &|r| {
            r["note"] = json!("hi");
        }),
        refused(
            "receipt: an unknown key of its ranking is refused",
            "ranking.note",
            &|r| {
                r["ranking"]["note"] = json!("hi");
            },
        ),
        refused(
            "receipt: a bundle that does not hold together is refused",
            "bundle.legs[0].hits[1].chunk",
            &|r| {
                r["bundle"]["legs"][0]["hits"][1]["chunk"] = json!(99);
            },
        ),
        refused(
            "receipt: a profile out of range is refused",
            "profile.fuse.k",
            &|r| {
                r["profile"]["fuse"]["k"] = json!(-1);
            },
        ),
        refused(
            "receipt: it holds a whole profile, and no patch",
            "profile.extends",
            &|r| {
                r["profile"] = json!({ "extends": "vault" });
            },
        ),
    ]
}

/// Three chunks, of which two are shown.
fn made() -> Value {
    let patch = json!({ "extends": "vault", "limit": 2 });
    let asked = draft("")
        .chunks(3)
        .leg("vector", &[1, 2, 3])
        .leg("lexical", &[2])
        .profile(patch.clone());
    let profile = Profile::from_patch(patch, "default").expect("a profile");
    let answer = asked.case.answer();
    json!({ "bundle": asked.case.bundle, "profile": profile, "ranking": answer["ranking"] })
}

/// As JavaScript writes numbers: 1 for 1.0.
fn without_points(value: Value) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(without_points).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, without_points(value)))
            .collect(),
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and far below 2^53")]
            Some(float) if float.fract() == 0.0 => json!(float as i64),
            _ => Value::Number(number),
        },
        other => other,
    }
}
