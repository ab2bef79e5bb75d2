//! Patches: what they change, and what is refused.

use concord_core::Profile;
use serde_json::{Value, json};

use super::{DAY, Draft, NOW, draft};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = defaults();
    cases.extend(merges());
    cases.extend(unknown_keys());
    cases.extend(out_of_range());
    cases
}

/// Two notes of one author, the older found first by meaning, the newer by words; chunk 3 is
/// another of the older.
fn two_notes(name: &str, domain: &str, patch: Value) -> Draft {
    let by_ada = |days: i64| json!({ "author": "ada", "published_at": NOW - days * DAY });
    draft(name)
        .set("domain", json!(domain))
        .note("a.md", by_ada(20))
        .note("b.md", by_ada(10))
        .chunk(1, "a.md", json!({}))
        .chunk(2, "b.md", json!({}))
        .chunk(3, "a.md", json!({}))
        .leg("vector", &[1, 3, 2])
        .leg("lexical", &[2, 1])
        .profile_alone(patch)
}

/// The answer bears this digest: the same as that of another case, to the last bit.
fn same_as(case: Draft, other: &Draft) -> Draft {
    let digest = other.case.answer()["ranking"]["digest"].clone();
    case.fact("/ranking/digest", digest)
}

fn defaults() -> Vec<Draft> {
    let none = || two_notes("profile: none is `balanced`", "finance", Value::Null);
    let vault = || json!({ "extends": "vault" });
    let complete = |profile: Profile, extends: &str| {
        let mut whole = json!(profile);
        whole["extends"] = json!(extends);
        whole
    };
    vec![
        none()
            .order(&[1, 2])
            .fused(1, 0.6)
            .item(1, "/trace/decay/rule", "off"),
        same_as(
            two_notes("profile: an empty one is none", "finance", json!({})),
            &none(),
        ),
        same_as(
            two_notes(
                "profile: extending `balanced` is the same as extending nothing",
                "finance",
                json!({ "extends": "balanced" }),
            ),
            &none(),
        ),
        same_as(
            two_notes(
                "profile: the whole of `balanced` as a patch is the same as none",
                "finance",
                json!(Profile::balanced()),
            ),
            &none(),
        ),
        same_as(
            two_notes(
                "profile: the whole of `balanced` over `vault` is `balanced`",
                "default",
                complete(Profile::balanced(), "vault"),
            ),
            &two_notes("", "default", Value::Null),
        ),
        same_as(
            two_notes(
                "profile: the whole of `vault` as a patch is `vault`",
                "finance",
                complete(Profile::vault("finance"), "vault"),
            ),
            &two_notes("", "finance", vault()),
        ),
        two_notes(
            "profile: `vault` in finance weighs words 0.5, and age",
            "finance",
            vault(),
        )
        .fused(1, 1.0 / 61.0 + 0.5 / 62.0)
        .fused(2, 1.0 / 63.0 + 0.5 / 61.0)
        .item(1, "/trace/decay/weight", 0.6)
        .item(2, "/trace/decay/weight", 1.0),
        two_notes(
            "profile: `vault` in learning weighs words 0.05, and no age",
            "learning",
            vault(),
        )
        .fused(1, 1.0 / 61.0 + 0.05 / 62.0)
        .fused(2, 1.0 / 63.0 + 0.05 / 61.0)
        .item(1, "/trace/decay/weight", 1.0),
        two_notes(
            "profile: a domain is finance only if that is its whole name",
            "Finance",
            vault(),
        )
        .item(1, "/trace/decay/rule", "off"),
        two_notes(
            "profile: `balanced` is the same in every domain",
            "fitness",
            json!({}),
        )
        .order(&[1, 2])
        .fused(1, 0.6),
    ]
}

fn merges() -> Vec<Draft> {
    let finance = |name: &str, patch: Value| two_notes(name, "finance", patch);
    vec![
        finance(
            "patch: one number of a part leaves the others",
            json!({ "extends": "vault", "fuse": { "k": 0 } }),
        )
        .fused(1, 1.0 + 0.5 / 2.0)
        .fused(3, 1.0 / 2.0),
        finance(
            "patch: one weight of a map leaves the others",
            json!({ "extends": "vault", "fuse": { "weights": { "tags": 9.0, "lexical": 2.0 } } }),
        )
        .fused(1, 1.0 / 61.0 + 2.0 / 62.0),
        finance(
            "patch: null removes a weight, and the general one takes its place",
            json!({ "extends": "vault", "fuse": { "weights": { "lexical": null }, "other_weight": 0.3 } }),
        )
        .fused(1, 1.0 / 61.0 + 0.3 / 62.0),
        finance(
            "patch: null removes what is not there",
            json!({ "extends": "vault", "fuse": { "weights": { "tags": null } } }),
        )
        .fused(1, 1.0 / 61.0 + 0.5 / 62.0),
        finance(
            "patch: null lifts a limit",
            json!({ "extends": "vault", "budget": { "max_tokens": null } }),
        )
        .fact("/ranking/dropped", json!([])),
        finance(
            "patch: a list replaces a list",
            json!({ "extends": "vault", "decay": { "ladder": [0.9, 0.8] } }),
        )
        .item(1, "/trace/decay/weight", 0.8)
        .item(2, "/trace/decay/weight", 0.9),
        finance(
            "patch: minus zero is zero",
            json!({ "extends": "vault", "fuse": { "weights": { "lexical": -0.0 } } }),
        )
        .fused(1, 1.0 / 61.0)
        .nothing("/ranking/items/0/trace/legs/1"),
        finance(
            "patch: a whole number is a number",
            json!({ "extends": "vault", "fuse": { "weights": { "lexical": 1 } } }),
        )
        .fused(1, 1.0 / 61.0 + 1.0 / 62.0),
        finance(
            "patch: null removes a kind's own rule",
            json!({ "extends": "vault", "decay": { "kind_overrides": { "Filings": null } } }),
        )
        .put("/notes/0/kind", json!("Filings"))
        .item(1, "/trace/decay/rule", "ladder"),
    ]
}

/// Rows of name, patch and the key at which it must be refused.
fn refusals<const N: usize>(rows: [(&str, Value, &str); N]) -> Vec<Draft> {
    let case = |(name, patch, key): (&str, Value, &str)| {
        let case = draft(name).chunks(1).leg("vector", &[1]);
        case.profile(patch).refused("bad_profile", key)
    };
    rows.into_iter().map(case).collect()
}

fn unknown_keys() -> Vec<Draft> {
    refusals([
        ("unknown key: at the top", json!({ "speed": 1 }), "speed"),
        (
            "unknown key: in a part",
            json!({ "fuse": { "speed": 1 } }),
            "fuse.speed",
        ),
        (
            "unknown key: three deep",
            json!({ "traverse": { "deep": { "speed": 1 } } }),
            "traverse.deep.speed",
        ),
        (
            "unknown key: in a kind's own rule",
            json!({ "decay": { "kind_overrides": { "Memo": { "group_by_path_prefix": [1, 1], "by": 1 } } } }),
            "decay.kind_overrides.Memo.by",
        ),
        (
            "unknown key: the wrong case",
            json!({ "Limit": 5 }),
            "Limit",
        ),
        (
            "unknown value: of a switch",
            json!({ "graph": { "mode": "loud" } }),
            "graph.mode",
        ),
        (
            "unknown value: of `extends`",
            json!({ "extends": "vaults" }),
            "extends",
        ),
        (
            "wrong type: of `extends`",
            json!({ "extends": 1 }),
            "extends",
        ),
        (
            "wrong type: text for a number",
            json!({ "fuse": { "k": "60" } }),
            "fuse.k",
        ),
        (
            "wrong type: a number for a part",
            json!({ "fuse": 60 }),
            "fuse",
        ),
        (
            "wrong type: a number for a list",
            json!({ "decay": { "ladder": 1 } }),
            "decay.ladder",
        ),
        (
            "wrong type: text in a list",
            json!({ "decay": { "ladder": [1, "x"] } }),
            "decay.ladder[1]",
        ),
        (
            "wrong type: a fraction for a count",
            json!({ "limit": 2.5 }),
            "limit",
        ),
        (
            "wrong type: a negative count",
            json!({ "excerpt": { "sentences": -1 } }),
            "excerpt.sentences",
        ),
        ("wrong type: a list for a profile", json!([]), ""),
        (
            "missing: null removes what a profile must have",
            json!({ "fuse": { "k": null } }),
            "fuse",
        ),
        (
            "missing: null removes a whole part",
            json!({ "graph": null }),
            "",
        ),
    ])
}

fn out_of_range() -> Vec<Draft> {
    let filings = |values: Value| json!({ "extends": "vault", "decay": { "kind_overrides": { "Filings": { "group_by_path_prefix": values } } } });
    refusals([
        ("range: a limit of 0", json!({ "limit": 0 }), "limit"),
        (
            "range: a limit over ten thousand",
            json!({ "limit": 10_001 }),
            "limit",
        ),
        (
            "range: a negative k",
            json!({ "fuse": { "k": -1 } }),
            "fuse.k",
        ),
        (
            "range: a negative weight of a leg",
            json!({ "fuse": { "weights": { "lexical": -0.1 } } }),
            "fuse.weights.lexical",
        ),
        (
            "range: a weight over a million",
            json!({ "fuse": { "weights": { "vector:2": 1_000_001 } } }),
            "fuse.weights.vector:2",
        ),
        (
            "range: a step over 1",
            json!({ "decay": { "ladder": [1, 1.5] } }),
            "decay.ladder[1]",
        ),
        (
            "range: a ladder without steps",
            json!({ "decay": { "ladder": [] } }),
            "decay.ladder",
        ),
        (
            "range: a negative weight of older quarters",
            filings(json!([1, -1])),
            "decay.kind_overrides.Filings.group_by_path_prefix[1]",
        ),
        (
            "range: a half-life of 0",
            json!({ "decay": { "half_life_days": 0 } }),
            "decay.half_life_days",
        ),
        (
            "range: a fading part over 1",
            json!({ "decay": { "fading_part": 1.1 } }),
            "decay.fading_part",
        ),
        (
            "range: a damping of 1",
            json!({ "graph": { "damping": 1 } }),
            "graph.damping",
        ),
        (
            "range: no rounds",
            json!({ "graph": { "rounds": 0 } }),
            "graph.rounds",
        ),
        (
            "range: a huge signal",
            json!({ "signals": { "severity": 1e7 } }),
            "signals.severity",
        ),
        (
            "range: a weight of the cross-encoder over 1",
            json!({ "cross": { "weight": 1.01 } }),
            "cross.weight",
        ),
        (
            "range: no chunk a note",
            json!({ "diversity": { "max_per_note": 0 } }),
            "diversity.max_per_note",
        ),
        (
            "range: tokens of no characters",
            json!({ "budget": { "chars_per_token": 0 } }),
            "budget.chars_per_token",
        ),
        (
            "range: a threshold over 1",
            json!({ "traverse": { "deep": { "prune_threshold": 2 } } }),
            "traverse.deep.prune_threshold",
        ),
        (
            "range: a quality floor below -1",
            json!({ "traverse": { "fast": { "quality_floor": -2 } } }),
            "traverse.fast.quality_floor",
        ),
    ])
}
