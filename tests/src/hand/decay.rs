//! Layer 2.
//!
//! Every row is a note with the rule and the weight it must get. The notes' chunks 1, 2, … are
//! found in this order by one leg, so that the decayed score of the n-th is `weight / (60 + n)`.

use serde_json::{Value, json};

use super::{DAY, Draft, NOW, draft};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = ladders();
    cases.extend(filings());
    cases.extend(half_lives());
    cases.extend(windows());
    cases.extend(switches());
    cases
}

type Row<'a> = (&'a str, Value, &'a str, f64);

fn weigh(name: &str, domain: &str, patch: Value, notes: &[Row<'_>]) -> Draft {
    let mut profile = json!({ "extends": "vault" });
    profile["decay"] = patch;
    let mut case = draft(name).set("domain", json!(domain)).profile(profile);
    let mut hits = Vec::new();
    for (id, (path, facts, rule, weight)) in (1..).zip(notes) {
        hits.push(id);
        case = case
            .note(path, facts.clone())
            .chunk(id, path, json!({}))
            .item(id, "/trace/decay/rule", *rule)
            .item(id, "/trace/decay/weight", *weight)
            .item(id, "/trace/decayed", weight / f64::from(60 + id));
    }
    case.leg("vector", &hits)
}

fn finance(name: &str, notes: &[Row<'_>]) -> Draft {
    weigh(name, "finance", json!({}), notes)
}

/// `days` before the question is asked.
fn ago(days: i64) -> i64 {
    NOW - days * DAY
}

fn by(author: &str, days: i64) -> Value {
    json!({ "author": author, "published_at": ago(days) })
}

fn ladders() -> Vec<Draft> {
    vec![
        finance(
            "ladder: an author's notes step down by date, to a floor",
            &[
                ("a.md", by("ada", 40), "ladder", 0.35),
                ("b.md", by("ada", 10), "ladder", 1.0),
                ("c.md", by("ada", 60), "ladder", 0.25),
                ("d.md", by("ada", 20), "ladder", 0.6),
                ("e.md", by("ada", 50), "ladder", 0.25),
                ("f.md", by("ada", 30), "ladder", 0.45),
                ("g.md", by("ada", 70), "ladder", 0.25),
            ],
        )
        .item(1, "/trace/decay/group", "ada")
        .item(1, "/trace/decay/position", 3)
        .item(7, "/trace/decay/position", 6),
        finance(
            "ladder: an author's only note keeps its weight, however old",
            &[("a.md", by("ada", 9_000), "ladder", 1.0)],
        )
        .item(1, "/trace/decay/position", 0),
        finance(
            "ladder: every author has a ladder of their own",
            &[
                ("a.md", by("ada", 300), "ladder", 1.0),
                ("b.md", by("bob", 2), "ladder", 0.6),
                ("c.md", by("bob", 1), "ladder", 1.0),
                ("d.md", by("ada", 400), "ladder", 0.6),
            ],
        ),
        finance(
            "ladder: authors are told apart by every letter",
            &[
                ("a.md", by("ada", 1), "ladder", 1.0),
                ("b.md", by("Ada", 2), "ladder", 1.0),
            ],
        ),
        finance(
            "ladder: an evergreen note keeps its weight and takes no position",
            &[
                (
                    "a.md",
                    json!({ "author": "ada", "published_at": ago(1), "evergreen": true }),
                    "evergreen",
                    1.0,
                ),
                ("b.md", by("ada", 2), "ladder", 1.0),
                ("c.md", by("ada", 3), "ladder", 0.6),
            ],
        )
        .item(1, "/trace/decay/position", Value::Null)
        .item(2, "/trace/decay/position", 0),
        finance(
            "ladder: notes without an author are no group",
            &[
                ("a.md", json!({ "published_at": ago(1) }), "no_author", 1.0),
                ("b.md", json!({ "published_at": ago(2) }), "no_author", 1.0),
                ("c.md", json!({}), "no_author", 1.0),
            ],
        )
        .item(1, "/trace/decay/group", Value::Null),
        finance(
            "ladder: without a publication date the last change counts",
            &[
                ("a.md", by("ada", 20), "ladder", 0.6),
                (
                    "b.md",
                    json!({ "author": "ada", "modified_at": ago(10) }),
                    "ladder",
                    1.0,
                ),
                (
                    "c.md",
                    json!({ "author": "ada", "modified_at": ago(30) }),
                    "ladder",
                    0.45,
                ),
            ],
        ),
        finance(
            "ladder: a publication date counts even where the last change is later",
            &[
                (
                    "a.md",
                    json!({ "author": "ada", "published_at": ago(90), "modified_at": ago(1) }),
                    "ladder",
                    0.6,
                ),
                ("b.md", by("ada", 80), "ladder", 1.0),
            ],
        ),
        finance(
            "ladder: a note without any date comes last in its group",
            &[
                ("a.md", json!({ "author": "ada" }), "ladder", 0.45),
                ("b.md", by("ada", 9_000), "ladder", 0.6),
                ("c.md", by("ada", 1), "ladder", 1.0),
            ],
        ),
        finance(
            "ladder: notes without any date go by path",
            &[
                ("b.md", json!({ "author": "ada" }), "ladder", 0.6),
                ("a.md", json!({ "author": "ada" }), "ladder", 1.0),
            ],
        ),
        finance(
            "ladder: notes of one date go by path",
            &[
                ("c.md", by("ada", 5), "ladder", 0.45),
                ("a.md", by("ada", 5), "ladder", 1.0),
                ("b.md", by("ada", 5), "ladder", 0.6),
            ],
        ),
        finance(
            "ladder: a date in the future is the newest",
            &[
                ("a.md", by("ada", 0), "ladder", 0.6),
                ("b.md", by("ada", -10), "ladder", 1.0),
            ],
        ),
        finance(
            "ladder: a date before 1970 is a date",
            &[
                (
                    "a.md",
                    json!({ "author": "ada", "published_at": -1 }),
                    "ladder",
                    0.6,
                ),
                (
                    "b.md",
                    json!({ "author": "ada", "published_at": 0 }),
                    "ladder",
                    1.0,
                ),
                (
                    "c.md",
                    json!({ "author": "ada", "published_at": -2 }),
                    "ladder",
                    0.45,
                ),
            ],
        ),
        finance(
            "ladder: the chunks of a note share its position",
            &[("a.md", by("ada", 2), "ladder", 0.6)],
        )
        .note("b.md", by("ada", 1))
        .chunk(2, "b.md", json!({}))
        .chunk(3, "b.md", json!({}))
        .chunk(4, "a.md", json!({}))
        .leg("more", &[2, 3, 4])
        .item(2, "/trace/decay/weight", 1.0)
        .item(3, "/trace/decay/weight", 1.0)
        .item(4, "/trace/decay/weight", 0.6),
        finance(
            "ladder: a note that does not compete takes no position",
            &[("a.md", by("ada", 2), "ladder", 1.0)],
        )
        .note("b.md", by("ada", 1))
        .chunk(2, "b.md", json!({})),
        weigh(
            "ladder: a ladder of one step is a floor for all",
            "finance",
            json!({ "ladder": [0.5] }),
            &[
                ("a.md", by("ada", 1), "ladder", 0.5),
                ("b.md", by("ada", 2), "ladder", 0.5),
                ("c.md", json!({}), "no_author", 1.0),
            ],
        )
        .order(&[3, 1, 2]),
        weigh(
            "ladder: a step of 0 leaves nothing of the score",
            "finance",
            json!({ "ladder": [1.0, 0.0] }),
            &[
                ("a.md", by("ada", 2), "ladder", 0.0),
                ("b.md", by("ada", 1), "ladder", 1.0),
            ],
        )
        .order(&[2, 1])
        .score(1, 0.0)
        .fact("/ranking/scale/low", 0.0),
        weigh(
            "ladder: it may rise",
            "finance",
            json!({ "ladder": [0.2, 1.0] }),
            &[
                ("a.md", by("ada", 1), "ladder", 0.2),
                ("b.md", by("ada", 2), "ladder", 1.0),
            ],
        )
        .order(&[2, 1]),
        finance(
            "ladder: an older note falls behind a less relevant one",
            &[
                ("a.md", by("ada", 20), "ladder", 0.6),
                ("b.md", by("bob", 30), "ladder", 1.0),
                ("c.md", by("ada", 10), "ladder", 1.0),
            ],
        )
        .order(&[2, 3, 1]),
    ]
}

/// Midnight (UTC) at which the second quarter of 2026 begins: 91 days before 1 July.
const Q2: i64 = NOW - (30 + 31 + 30) * DAY;

fn filed(moment: i64) -> Value {
    json!({ "kind": "Filings", "published_at": moment })
}

fn filings() -> Vec<Draft> {
    const NEW: &str = "newest_quarter";
    const OLD: &str = "older_quarter";
    vec![
        finance(
            "filings: the newest quarter of a folder keeps its weight, the rest get 0.6",
            &[
                ("Filings/AAPL/a.md", filed(Q2), NEW, 1.0),
                ("Filings/AAPL/b.md", filed(Q2 + 80 * DAY), NEW, 1.0),
                ("Filings/AAPL/c.md", filed(Q2 - 30 * DAY), OLD, 0.6),
                ("Filings/AAPL/d.md", filed(Q2 - 700 * DAY), OLD, 0.6),
            ],
        )
        .item(1, "/trace/decay/group", "Filings/AAPL"),
        finance(
            "filings: the newest quarter is the newest present, not the current one",
            &[
                ("Filings/AAPL/a.md", filed(Q2 - 900 * DAY), NEW, 1.0),
                ("Filings/AAPL/b.md", filed(Q2 - 1_000 * DAY), OLD, 0.6),
            ],
        ),
        finance(
            "filings: every folder has a newest quarter of its own",
            &[
                ("Filings/AAPL/a.md", filed(Q2), NEW, 1.0),
                ("Filings/MSFT/b.md", filed(Q2 - 200 * DAY), NEW, 1.0),
                ("Filings/MSFT/c.md", filed(Q2 - 400 * DAY), OLD, 0.6),
            ],
        ),
        finance(
            "filings: a quarter begins at midnight UTC",
            &[
                ("Filings/AAPL/a.md", filed(Q2), NEW, 1.0),
                ("Filings/AAPL/b.md", filed(Q2 - 1), OLD, 0.6),
            ],
        ),
        finance(
            "filings: the last second of a quarter belongs to it",
            &[
                ("Filings/AAPL/a.md", filed(NOW - 1), NEW, 1.0),
                ("Filings/AAPL/b.md", filed(Q2), NEW, 1.0),
            ],
        ),
        finance(
            "filings: the same quarter of another year is another quarter",
            &[
                ("Filings/AAPL/a.md", filed(Q2), NEW, 1.0),
                ("Filings/AAPL/b.md", filed(Q2 - 365 * DAY), OLD, 0.6),
            ],
        ),
        finance(
            "filings: one without a date is not of the newest quarter",
            &[
                ("Filings/AAPL/a.md", json!({ "kind": "Filings" }), OLD, 0.6),
                ("Filings/AAPL/b.md", filed(Q2 - 2_000 * DAY), NEW, 1.0),
            ],
        ),
        finance(
            "filings: where none has a date none is of the newest quarter",
            &[("Filings/AAPL/a.md", json!({ "kind": "Filings" }), OLD, 0.6)],
        ),
        finance(
            "filings: without a publication date the last change counts",
            &[
                (
                    "Filings/AAPL/a.md",
                    json!({ "kind": "Filings", "modified_at": Q2 }),
                    NEW,
                    1.0,
                ),
                ("Filings/AAPL/b.md", filed(Q2 - 1), OLD, 0.6),
            ],
        ),
        finance(
            "filings: an evergreen one keeps its weight and sets no quarter",
            &[
                (
                    "Filings/AAPL/a.md",
                    json!({ "kind": "Filings", "published_at": Q2, "evergreen": true }),
                    "evergreen",
                    1.0,
                ),
                ("Filings/AAPL/b.md", filed(Q2 - 1), NEW, 1.0),
            ],
        ),
        finance(
            "filings: folders below the first do not part a group",
            &[
                ("finance/Filings/AAPL/10-Q/a.md", filed(Q2), NEW, 1.0),
                ("finance/Filings/AAPL/8-K/b.md", filed(Q2 - 1), OLD, 0.6),
            ],
        )
        .item(1, "/trace/decay/group", "Filings/AAPL"),
        finance(
            "filings: those directly in the kind's folder are a group",
            &[
                ("Filings/a.md", filed(Q2 - 1), NEW, 1.0),
                ("Filings/b.md", filed(Q2 - 200 * DAY), OLD, 0.6),
                ("Filings/AAPL/c.md", filed(Q2), NEW, 1.0),
            ],
        ),
        finance(
            "filings: those outside the kind's folder are grouped by their own",
            &[
                ("inbox/a.md", filed(Q2), NEW, 1.0),
                ("inbox/b.md", filed(Q2 - 1), OLD, 0.6),
                ("desk/c.md", filed(Q2 - 1), NEW, 1.0),
                ("d.md", filed(Q2 - 300 * DAY), NEW, 1.0),
            ],
        ),
        finance(
            "filings: they stand on no author's ladder",
            &[
                (
                    "Filings/AAPL/a.md",
                    json!({ "kind": "Filings", "author": "ada", "published_at": ago(1) }),
                    NEW,
                    1.0,
                ),
                ("b.md", by("ada", 2), "ladder", 1.0),
            ],
        ),
        finance(
            "filings: another kind in the same folder stands on its author's ladder",
            &[
                ("Filings/AAPL/a.md", filed(Q2), NEW, 1.0),
                (
                    "Filings/AAPL/b.md",
                    json!({ "kind": "Memo", "author": "ada", "published_at": Q2 - 1 }),
                    "ladder",
                    1.0,
                ),
            ],
        ),
        weigh(
            "filings: any kind can have weights of its own",
            "finance",
            json!({ "kind_overrides": { "Minutes": { "group_by_path_prefix": [0.9, 0.1] } } }),
            &[
                (
                    "Minutes/board/a.md",
                    json!({ "kind": "Minutes", "published_at": Q2 }),
                    NEW,
                    0.9,
                ),
                (
                    "Minutes/board/b.md",
                    json!({ "kind": "Minutes", "published_at": Q2 - 1 }),
                    OLD,
                    0.1,
                ),
                ("Filings/board/c.md", filed(Q2 - 1), NEW, 1.0),
            ],
        ),
    ]
}

/// One note at a time.
fn alone(name: &str, mode: &str, more: Value, facts: Value, rule: &str, weight: f64) -> Draft {
    let mut patch = json!({ "mode": mode });
    super::lay_over(&mut patch, more);
    weigh(name, "default", patch, &[("a.md", facts, rule, weight)])
}

fn half_lives() -> Vec<Draft> {
    let dated = |days| json!({ "published_at": ago(days) });
    let row = |name: &str, facts, rule: &str, weight| {
        alone(name, "half_life", json!({}), facts, rule, weight)
    };
    vec![
        row("half-life: today weighs 1", dated(0), "half_life", 1.0),
        row(
            "half-life: a year ago weighs a half",
            dated(365),
            "half_life",
            0.5,
        ),
        row(
            "half-life: two years ago weighs a quarter",
            dated(730),
            "half_life",
            0.25,
        ),
        row(
            "half-life: half a half-life weighs the root of a half",
            json!({ "published_at": NOW - 365 * DAY / 2 }),
            "half_life",
            0.5_f64.sqrt(),
        ),
        row(
            "half-life: ten half-lives weigh 1/1024",
            dated(3_650),
            "half_life",
            1.0 / 1024.0,
        ),
        row(
            "half-life: the future weighs no more than 1",
            dated(-400),
            "half_life",
            1.0,
        ),
        row(
            "half-life: without a publication date the last change counts",
            json!({ "modified_at": ago(365) }),
            "half_life",
            0.5,
        ),
        row("half-life: no date, no age", json!({}), "undated", 1.0),
        row(
            "half-life: an evergreen note does not age",
            json!({ "published_at": ago(730), "evergreen": true }),
            "evergreen",
            1.0,
        ),
        row(
            "half-life: a validity window does not matter",
            json!({ "published_at": ago(365), "valid_from": ago(9), "valid_until": ago(1) }),
            "half_life",
            0.5,
        ),
        alone(
            "half-life: its length is the profile's",
            "half_life",
            json!({ "half_life_days": 30 }),
            dated(90),
            "half_life",
            0.125,
        ),
        alone(
            "half-life: what is too old to weigh anything weighs 0",
            "half_life",
            json!({ "half_life_days": 0.001 }),
            dated(730),
            "half_life",
            0.0,
        ),
    ]
}

fn windows() -> Vec<Draft> {
    const RULE: &str = "validity_window";
    let window =
        |from: i64, until: i64| json!({ "valid_from": ago(from), "valid_until": ago(until) });
    let row =
        |name: &str, facts, rule: &str, weight| alone(name, RULE, json!({}), facts, rule, weight);
    vec![
        row(
            "window: early in it a note weighs 1",
            window(10, -90),
            RULE,
            1.0,
        ),
        row(
            "window: with exactly a quarter left it still weighs 1",
            window(75, -25),
            RULE,
            1.0,
        ),
        row(
            "window: a second later it begins to fade",
            json!({ "valid_from": ago(75) - 1, "valid_until": ago(-25) - 1 }),
            RULE,
            (25 * DAY - 1) as f64 / (25 * DAY) as f64,
        ),
        row(
            "window: halfway through the last quarter it weighs a half",
            window(175, -25),
            RULE,
            0.5,
        ),
        row(
            "window: at two fifths of the last quarter it weighs that",
            window(90, -10),
            RULE,
            0.4,
        ),
        row(
            "window: in its last moment it weighs nothing",
            window(100, 0),
            RULE,
            0.0,
        ),
        row(
            "window: past its end it weighs nothing",
            window(100, 50),
            RULE,
            0.0,
        ),
        row(
            "window: without a beginning it holds whole until its end",
            json!({ "valid_until": NOW + 1 }),
            RULE,
            1.0,
        ),
        row(
            "window: without a beginning it is over at its end",
            json!({ "valid_until": NOW }),
            RULE,
            0.0,
        ),
        row(
            "window: a reversed one holds whole until its end",
            window(-20, -10),
            RULE,
            1.0,
        ),
        row(
            "window: a reversed one is over at its end",
            window(5, 10),
            RULE,
            0.0,
        ),
        row(
            "window: one that has not begun does not fade",
            window(-10, -110),
            RULE,
            1.0,
        ),
        row(
            "window: without an end a note ages",
            json!({ "valid_from": ago(10), "published_at": ago(365) }),
            "half_life",
            0.5,
        ),
        row(
            "window: without an end or a date it does not",
            json!({}),
            "undated",
            1.0,
        ),
        row(
            "window: an evergreen note outlasts its own",
            json!({ "valid_until": ago(10), "evergreen": true }),
            "evergreen",
            1.0,
        ),
        row(
            "window: inside it a note does not age besides",
            json!({ "valid_from": ago(730), "valid_until": ago(-7_300), "published_at": ago(730) }),
            RULE,
            1.0,
        ),
        alone(
            "window: with a fading part of 1 it fades from the beginning",
            RULE,
            json!({ "fading_part": 1.0 }),
            window(30, -70),
            RULE,
            0.7,
        ),
        alone(
            "window: with a fading part of 0 it ends at once",
            RULE,
            json!({ "fading_part": 0.0 }),
            json!({ "valid_from": ago(100), "valid_until": NOW + 1 }),
            RULE,
            1.0,
        ),
    ]
}

/// Which rule is in force where nobody chose one.
fn switches() -> Vec<Draft> {
    let pair = |rule: &'static str, second: f64| {
        [
            ("a.md", by("ada", 1), rule, 1.0),
            ("b.md", by("ada", 2), rule, second),
        ]
    };
    vec![
        finance(
            "decay: under `vault` the ladder is on in finance",
            &pair("ladder", 0.6),
        ),
        weigh(
            "decay: under `vault` it is off in fitness",
            "fitness",
            json!({}),
            &pair("off", 1.0),
        ),
        finance(
            "decay: under `balanced` it is off even in finance",
            &pair("off", 1.0),
        )
        .profile(json!({ "extends": "balanced", "fuse": { "method": "rrf", "weights": { "vector": 1 } } })),
        weigh(
            "decay: the ladder can be switched on anywhere, filings then have no rule",
            "fitness",
            json!({ "mode": "ranked_grouped" }),
            &[
                ("Filings/AAPL/a.md", by("ada", 1), "ladder", 1.0),
                (
                    "Filings/AAPL/b.md",
                    json!({ "kind": "Filings", "author": "ada", "published_at": ago(400) }),
                    "ladder",
                    0.6,
                ),
            ],
        ),
        weigh(
            "decay: it can be switched off in finance",
            "finance",
            json!({ "mode": "off" }),
            &pair("off", 1.0),
        ),
        // Decay comes before scaling: the older note is the worst of the two and gets 0.
        finance("decay: relevance is scaled after it", &pair("ladder", 0.6))
            .score(0, 1.0)
            .score(1, 0.0)
            .fact(
                "/ranking/scale",
                json!({ "low": 0.6 / 62.0, "high": 1.0 / 61.0 }),
            ),
    ]
}
