//! Walks.
//!
//! A world is a line per note: its path, its similarity to the query and the weight of its age.
//! Paths are single letters, so a list of notes is a word.

use serde_json::{Value, json};

use super::{Draft, bare};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = pruning();
    cases.extend(ends());
    cases.extend(decayed());
    cases.extend(roads());
    cases
}

/// The design's two policies.
fn fast() -> Value {
    json!({
        "beam_width": 5, "max_hops": 4, "seed_count": 3, "target_k": 10, "quality_floor": 0.65,
        "prune_threshold": 0.5, "decay": "filter", "keep_pruned": false,
    })
}

fn deep() -> Value {
    json!({
        "beam_width": 12, "max_hops": 4, "seed_count": 8, "target_k": 50, "quality_floor": null,
        "prune_threshold": 0.3, "decay": "feature", "keep_pruned": true,
    })
}

fn but(mut policy: Value, patch: Value) -> Value {
    super::lay_over(&mut policy, patch);
    policy
}

/// Walks from `seeds` over `links` (pairs of letters) among notes of these similarities.
fn walk(name: &str, policy: Value, seeds: &str, notes: &[(char, f64)], links: &str) -> Draft {
    let fresh: Vec<(char, f64, f64)> = notes.iter().map(|&(path, s)| (path, s, 1.0)).collect();
    aged_walk(name, policy, seeds, &fresh, links)
}

/// As [`walk`], with the weight of each note's age.
fn aged_walk(
    name: &str,
    policy: Value,
    seeds: &str,
    notes: &[(char, f64, f64)],
    links: &str,
) -> Draft {
    let place = |letter: char| {
        let found = notes.iter().position(|&(path, ..)| path == letter);
        found.unwrap_or_else(|| panic!("{name}: no note {letter}"))
    };
    let stop = |&(path, similarity, decay): &(char, f64, f64)| json!({ "path": path, "similarity": similarity, "decay_weight": decay });
    let mut pairs = Vec::new();
    for link in links.split_whitespace() {
        let ends: Vec<usize> = link.chars().map(place).collect();
        pairs.push(ends);
    }
    let world = json!({
        "seeds": seeds.chars().map(place).collect::<Vec<_>>(),
        "stops": notes.iter().map(stop).collect::<Vec<_>>(),
        "links": pairs,
    });
    bare(name).walk(world, policy)
}

/// What must have come of it: the notes retained, how many pruned and touched, hops and end.
fn outcome(case: Draft, retained: &str, [pruned, touched, hops]: [u32; 3], ended: &str) -> Draft {
    let mut case = case
        .nothing(&format!("/walk/retained/{}", retained.len()))
        .fact("/walk/pruned_count", pruned)
        .fact("/walk/touched", touched)
        .fact("/walk/hops", hops)
        .fact("/walk/ended", ended);
    for (i, path) in retained.chars().enumerate() {
        case = case.fact(&format!("/walk/retained/{i}/path"), path.to_string());
    }
    case
}

/// What must be returned as pruned.
fn pruned(case: Draft, rows: &[(char, f64, u32, &str)]) -> Draft {
    let row = |&(path, similarity, hop, reason): &(char, f64, u32, &str)| json!({ "path": path, "similarity": similarity, "hop": hop, "drop_reason": reason });
    let rows: Vec<Value> = rows.iter().map(row).collect();
    case.fact("/walk/pruned", rows)
}

fn pruning() -> Vec<Draft> {
    const BELOW: &str = "below_prune_threshold";
    const OVERFLOW: &str = "beam_overflow";
    // A seed with seven neighbours, b the most similar.
    let seven = [
        ('a', 0.9),
        ('b', 0.88),
        ('c', 0.87),
        ('d', 0.86),
        ('e', 0.85),
        ('f', 0.84),
        ('g', 0.83),
        ('h', 0.82),
    ];
    let spokes = "ah ag af ae ad ac ab";
    let fourteen: Vec<(char, f64)> = ('a'..='o')
        .zip((60..=90).rev())
        .map(|(path, s)| (path, f64::from(s) / 100.0))
        .collect();
    vec![
        // Four at the first hop, one below 0.50; three at the second, one below.
        pruned(
            outcome(
                walk(
                    "walk: five notes within two hops, as drawn in the design's source",
                    fast(),
                    "s",
                    &[
                        ('s', 1.0),
                        ('a', 0.8),
                        ('b', 0.7),
                        ('c', 0.6),
                        ('d', 0.4),
                        ('e', 0.75),
                        ('f', 0.55),
                        ('g', 0.3),
                    ],
                    "sa sb sc sd ae bf cg",
                ),
                "saebcf",
                [2, 8, 3],
                "exhausted",
            ),
            &[],
        ),
        outcome(
            walk(
                "prune: fast keeps 0.50 and drops what is below",
                fast(),
                "s",
                &[('s', 1.0), ('a', 0.5), ('b', 0.499_999)],
                "sa sb",
            ),
            "sa",
            [1, 3, 2],
            "exhausted",
        ),
        pruned(
            outcome(
                walk(
                    "prune: deep keeps 0.30 and returns what is below, with the reason",
                    deep(),
                    "s",
                    &[('s', 1.0), ('a', 0.3), ('b', 0.2), ('c', 0.25)],
                    "sa sb ac",
                ),
                "sa",
                [2, 4, 2],
                "exhausted",
            ),
            &[('c', 0.25, 2, BELOW), ('b', 0.2, 1, BELOW)],
        ),
        outcome(
            walk(
                "prune: what was pruned is not walked through",
                fast(),
                "s",
                &[('s', 1.0), ('a', 0.1), ('b', 0.9)],
                "sa ab",
            ),
            "s",
            [1, 2, 1],
            "exhausted",
        ),
        pruned(
            outcome(
                walk(
                    "beam: fast carries the five most similar of a hop",
                    fast(),
                    "a",
                    &seven,
                    spokes,
                ),
                "abcdef",
                [2, 8, 2],
                "exhausted",
            ),
            &[],
        ),
        pruned(
            outcome(
                walk(
                    "beam: deep carries twelve, and returns the others with the reason",
                    deep(),
                    "a",
                    &fourteen,
                    "ao an am al ak aj ai ah ag af ae ad ac ab",
                ),
                "abcdefghijklm",
                [2, 15, 2],
                "exhausted",
            ),
            &[('n', 0.77, 1, OVERFLOW), ('o', 0.76, 1, OVERFLOW)],
        ),
        outcome(
            walk(
                "beam: it is of a hop, not of a note",
                but(fast(), json!({ "beam_width": 2 })),
                "st",
                &[
                    ('s', 1.0),
                    ('t', 1.0),
                    ('a', 0.9),
                    ('b', 0.8),
                    ('c', 0.7),
                    ('d', 0.6),
                ],
                "sa sc tb td",
            ),
            "stab",
            [2, 6, 2],
            "exhausted",
        ),
        pruned(
            outcome(
                walk(
                    "beam: of equally similar notes the first by path",
                    but(deep(), json!({ "beam_width": 1 })),
                    "s",
                    &[('s', 1.0), ('c', 0.7), ('a', 0.7), ('b', 0.7)],
                    "sc sb sa",
                ),
                "sa",
                [2, 4, 2],
                "exhausted",
            ),
            &[('b', 0.7, 1, OVERFLOW), ('c', 0.7, 1, OVERFLOW)],
        ),
        pruned(
            outcome(
                walk(
                    "beam: what is below the threshold takes no place in it",
                    but(deep(), json!({ "beam_width": 1, "prune_threshold": 0.5 })),
                    "s",
                    &[('s', 1.0), ('a', 0.4), ('b', 0.6)],
                    "sa sb",
                ),
                "sb",
                [1, 3, 2],
                "exhausted",
            ),
            &[('a', 0.4, 1, BELOW)],
        ),
        pruned(
            outcome(
                walk(
                    "judged once: what overflowed at one hop is not taken up at the next",
                    but(deep(), json!({ "beam_width": 1 })),
                    "s",
                    &[('s', 1.0), ('a', 0.9), ('b', 0.8)],
                    "sa sb ab",
                ),
                "sa",
                [1, 3, 2],
                "exhausted",
            ),
            &[('b', 0.8, 1, OVERFLOW)],
        ),
    ]
}

fn ends() -> Vec<Draft> {
    // s and a to d, then e to i, then j: 1, 5, 10, 11 notes.
    let chain = |similarity: f64| -> Vec<(char, f64)> {
        let mut notes = vec![('s', similarity)];
        notes.extend(('a'..='j').map(|path| (path, similarity)));
        notes
    };
    let links = "sa sb sc sd ae af ag ah ai ij";
    let row = |letters: &str| -> Vec<(char, f64)> { letters.chars().map(|l| (l, 0.9)).collect() };
    vec![
        outcome(
            walk(
                "end: ten notes of average 0.65 or more are enough",
                fast(),
                "s",
                &chain(0.75),
                links,
            ),
            "abcdefghis",
            [0, 10, 2],
            "good_enough",
        ),
        outcome(
            walk(
                "end: ten notes of a lower average are not",
                fast(),
                "s",
                &chain(0.625),
                links,
            ),
            "abcdefghijs",
            [0, 11, 4],
            "exhausted",
        ),
        outcome(
            walk(
                "end: nine notes are not enough, however good",
                fast(),
                "s",
                &chain(1.0)[..9],
                "sa sb sc sd ae af ag ah",
            ),
            "abcdefghs",
            [0, 9, 3],
            "exhausted",
        ),
        outcome(
            walk(
                "end: an average equal to the floor is enough",
                but(fast(), json!({ "target_k": 2, "quality_floor": 0.75 })),
                "s",
                &[('s', 1.0), ('a', 0.5), ('b', 0.9)],
                "sa ab",
            ),
            "sa",
            [0, 2, 1],
            "good_enough",
        ),
        outcome(
            walk(
                "end: a later hop can lift the average over the floor",
                but(fast(), json!({ "target_k": 2, "quality_floor": 0.7 })),
                "s",
                &[('s', 0.6), ('a', 0.6), ('b', 0.95), ('c', 0.9)],
                "sa ab bc",
            ),
            "bas",
            [0, 3, 2],
            "good_enough",
        ),
        outcome(
            walk(
                "end: seeds alone can be enough",
                but(fast(), json!({ "target_k": 2 })),
                "st",
                &[('s', 0.9), ('t', 0.8), ('a', 0.9)],
                "sa",
            ),
            "st",
            [0, 2, 0],
            "good_enough",
        ),
        outcome(
            walk(
                "end: more than enough is returned whole",
                but(fast(), json!({ "target_k": 2 })),
                "s",
                &row("sabcd"),
                "sa sb sc sd",
            ),
            "abcds",
            [0, 5, 1],
            "good_enough",
        ),
        outcome(
            walk(
                "end: without a floor no number of notes is enough",
                but(deep(), json!({ "target_k": 2 })),
                "s",
                &row("sabc"),
                "sa ab bc",
            ),
            "abcs",
            [0, 4, 4],
            "exhausted",
        ),
        outcome(
            walk(
                "end: fast makes four hops at most",
                fast(),
                "s",
                &row("sabcdef"),
                "sa ab bc cd de ef",
            ),
            "abcds",
            [0, 5, 4],
            "max_hops",
        ),
        outcome(
            walk(
                "end: deep makes four hops at most",
                deep(),
                "s",
                &row("sabcdef"),
                "sa ab bc cd de ef",
            ),
            "abcds",
            [0, 5, 4],
            "max_hops",
        ),
        outcome(
            walk(
                "end: with no hops allowed only the seeds are there",
                but(fast(), json!({ "max_hops": 0 })),
                "s",
                &row("sa"),
                "sa",
            ),
            "s",
            [0, 1, 0],
            "max_hops",
        ),
        outcome(
            walk("end: no seeds, no walk", fast(), "", &row("sa"), "sa"),
            "",
            [0, 0, 0],
            "exhausted",
        ),
    ]
}

fn decayed() -> Vec<Draft> {
    let notes = [
        ('s', 1.0, 1.0),
        ('a', 0.9, 0.0),
        ('b', 0.8, 1.0),
        ('c', 0.7, 0.01),
    ];
    vec![
        outcome(
            aged_walk(
                "decay: fast drops what no longer holds, and what lies behind it",
                fast(),
                "s",
                &notes,
                "sa ab sc",
            ),
            "sc",
            [1, 3, 2],
            "exhausted",
        )
        .fact("/walk/pruned", json!([]))
        .fact("/walk/retained/1/decay_weight", 0.01)
        .fact("/walk/retained/1/decay_zero", false),
        outcome(
            aged_walk(
                "decay: deep keeps and flags it, and walks on",
                deep(),
                "s",
                &notes,
                "sa ab sc",
            ),
            "sabc",
            [0, 4, 3],
            "exhausted",
        )
        .fact(
            "/walk/retained/1",
            json!({
                "path": "a", "similarity": 0.9, "hop": 1, "decay_weight": 0.0, "decay_zero": true,
                "retain_reason": "kept_despite_decay_zero",
            }),
        )
        .fact("/walk/retained/2/hop", 2)
        .fact("/walk/retained/2/retain_reason", "above_prune_floor")
        .fact("/walk/retained/0/retain_reason", "seed"),
        outcome(
            aged_walk(
                "decay: a filter that keeps what it pruned says so",
                but(fast(), json!({ "keep_pruned": true })),
                "s",
                &notes,
                "sa",
            ),
            "s",
            [1, 2, 1],
            "exhausted",
        )
        .fact("/walk/pruned/0/drop_reason", "decay_zero"),
        outcome(
            aged_walk(
                "decay: deep still drops what is below its threshold",
                deep(),
                "s",
                &[('s', 1.0, 1.0), ('a', 0.2, 0.0)],
                "sa",
            ),
            "s",
            [1, 2, 1],
            "exhausted",
        )
        .fact("/walk/pruned/0/drop_reason", "below_prune_threshold"),
        outcome(
            aged_walk(
                "seeds: one is never dropped, however unlike or old",
                fast(),
                "s",
                &[('s', -0.2, 0.0), ('a', 0.9, 1.0)],
                "sa",
            ),
            "as",
            [0, 2, 2],
            "exhausted",
        )
        .fact("/walk/retained/1/retain_reason", "seed")
        .fact("/walk/retained/1/decay_zero", true),
    ]
}

fn roads() -> Vec<Draft> {
    let four = [('s', 1.0), ('a', 0.9), ('b', 0.8), ('c', 0.7)];
    vec![
        outcome(
            walk(
                "links: they are walked both ways",
                fast(),
                "s",
                &four,
                "as ba bc",
            ),
            "sabc",
            [0, 4, 4],
            "exhausted",
        )
        .fact("/walk/retained/3/hop", 3),
        outcome(
            walk(
                "links: a ring is walked once",
                fast(),
                "s",
                &four,
                "sa ab bc cs",
            ),
            "sabc",
            [0, 4, 3],
            "exhausted",
        )
        .fact("/walk/retained/2/hop", 2)
        .fact("/walk/retained/3/hop", 1),
        outcome(
            walk(
                "links: repeated ones and self-links change nothing",
                fast(),
                "s",
                &four,
                "sa sa as ss aa",
            ),
            "sa",
            [0, 2, 2],
            "exhausted",
        ),
        outcome(
            walk(
                "links: a note that nothing leads to is not touched",
                fast(),
                "s",
                &four,
                "sa bc",
            ),
            "sa",
            [0, 2, 2],
            "exhausted",
        ),
        outcome(
            walk(
                "seeds: one that is named twice counts once",
                fast(),
                "ss",
                &four,
                "sa",
            ),
            "sa",
            [0, 2, 2],
            "exhausted",
        ),
        outcome(
            walk(
                "seeds: the hop is counted from the nearest",
                fast(),
                "sc",
                &four,
                "sa ab bc",
            ),
            "sabc",
            [0, 4, 2],
            "exhausted",
        )
        .fact("/walk/retained/2/path", "b")
        .fact("/walk/retained/2/hop", 1)
        .fact("/walk/retained/3/hop", 0),
    ]
}

#[cfg(test)]
mod tests {
    use concord_core::Profile;

    use super::{deep, fast};

    #[test]
    fn the_core_has_the_policies_of_the_design() {
        let traverse = Profile::vault("").traverse;
        assert_eq!(serde_json::json!(traverse.fast), fast());
        assert_eq!(serde_json::json!(traverse.deep), deep());
    }
}
