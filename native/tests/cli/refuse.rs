use std::fs;

use serde_json::{Value, json};

use crate::harness::{FINANCE, Run, finance, folder, run, with, without, write};
use crate::replay::receipt;

/// Exit code 2, nothing on standard output, and one line that names the file and the key.
fn check(refused: &Run, case: &str, file: &str, kind: &str, key: &str) {
    assert_eq!(
        (refused.code, refused.stdout.as_str()),
        (2, ""),
        "{case}: {refused:?}"
    );
    let place = if key.is_empty() {
        format!("concord: {file}: {kind}: ")
    } else {
        format!("concord: {file}: {kind}: {key}: ")
    };
    assert!(
        refused.stderr.starts_with(&place),
        "{case}: {place}\n{}",
        refused.stderr
    );
    assert_eq!(
        refused.stderr.lines().count(),
        1,
        "{case}: {}",
        refused.stderr
    );
}

#[test]
fn malformed_bundles_are_refused_by_file_and_key() {
    let good = finance();
    let folder = folder("bad-bundles");
    let set = |pointer: &str, value: Value| with(&good, pointer, value).to_string();
    let cut = |pointer: &str| without(&good, pointer).to_string();
    let text = fs::read_to_string(FINANCE).unwrap();
    let raw = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let twice = |pointer: &str| {
        let list = good.pointer(pointer).unwrap().as_array().unwrap();
        let mut list = list.clone();
        list.push(list[0].clone());
        let last = list.len() - 1;
        (set(pointer, json!(list)), last)
    };
    let (two_chunks, last_chunk) = twice("/chunks");
    let (two_notes, last_note) = twice("/notes");
    let (two_legs, last_leg) = twice("/legs");
    let (two_nodes, last_node) = twice("/graph/nodes");
    let sentence = |start: u32, end: u32| {
        let sentence = json!({ "start": start, "end": end, "cosine": 0.5 });
        set("/chunks/10/sentences/2", sentence)
    };
    // Inside the two bytes of `°`.
    let within = good["chunks"][10]["text"]
        .as_str()
        .unwrap()
        .find('°')
        .unwrap()
        + 1;
    let within = u32::try_from(within).unwrap();
    let start = u32::try_from(
        good["chunks"][10]["sentences"][2]["start"]
            .as_u64()
            .unwrap(),
    )
    .unwrap();

    let cases: Vec<(&str, Vec<u8>, String)> = [
        ("empty", String::new(), ""),
        ("not JSON", "bundle: yes".into(), ""),
        ("YAML", "schema: 1\nquery: x\n".into(), ""),
        ("a number", "1".into(), ""),
        ("null", "null".into(), ""),
        ("a string", "\"bundle\"".into(), ""),
        ("an empty list", "[]".into(), ""),
        ("an empty object", "{}".into(), ""),
        ("a list of bundles", format!("[{text}]"), ""),
        ("trailing garbage", format!("{text}x"), ""),
        ("two documents", format!("{text}{text}"), ""),
        ("nested beyond measure", "[".repeat(100_000), ""),
        ("unknown key", set("/querry", json!("x")), "querry"),
        (
            "unknown key in a leg",
            set("/legs/1/weight", json!(1)),
            "legs[1].weight",
        ),
        (
            "unknown key in a hit",
            set("/legs/0/hits/3/rank", json!(1)),
            "legs[0].hits[3].rank",
        ),
        (
            "unknown key in a sentence",
            set("/chunks/2/sentences/0/text", json!("")),
            "chunks[2].sentences[0].text",
        ),
        (
            "unknown key in a note",
            set("/notes/4/colour", json!("red")),
            "notes[4].colour",
        ),
        (
            "unknown key in the graph",
            set("/graph/edges", json!([])),
            "graph.edges",
        ),
        (
            "unknown key in the corpus",
            set("/corpus/words", json!(1)),
            "corpus.words",
        ),
        ("missing query", cut("/query"), ""),
        ("missing legs", cut("/legs"), ""),
        (
            "missing score",
            cut("/legs/0/hits/1/score"),
            "legs[0].hits[1]",
        ),
        ("missing path", cut("/notes/3/path"), "notes[3]"),
        ("missing tags", cut("/notes/3/tags"), "notes[3]"),
        (
            "a key twice",
            raw("\"schema\": 1,", "\"schema\": 1, \"schema\": 1,"),
            "",
        ),
        ("another schema", set("/schema", json!(2)), "schema"),
        ("schema as text", set("/schema", json!("1")), "schema"),
        ("query as a number", set("/query", json!(5)), "query"),
        ("query as null", set("/query", json!(null)), "query"),
        ("legs as an object", set("/legs", json!({})), "legs"),
        (
            "evergreen as text",
            set("/notes/6/evergreen", json!("yes")),
            "notes[6].evergreen",
        ),
        (
            "tags as text",
            set("/notes/0/tags", json!("a, b")),
            "notes[0].tags",
        ),
        (
            "a signal as text",
            set("/notes/0/signals/severity", json!("high")),
            "notes[0].signals.severity",
        ),
        ("NaN", raw("\"now\": 1", "\"now\": NaN, \"x\": 1"), "now"),
        (
            "Infinity",
            raw("\"score\": 14.82", "\"score\": Infinity"),
            "legs[1].hits[0].score",
        ),
        (
            "1e999",
            raw("\"score\": 14.82", "\"score\": 1e999"),
            "legs[1].hits[0].score",
        ),
        (
            "a score out of range",
            set("/legs/1/hits/0/score", json!(1e13)),
            "legs[1].hits[0].score",
        ),
        (
            "a cosine out of range",
            set("/chunks/3/cosine", json!(-2e12)),
            "chunks[3].cosine",
        ),
        ("half a second", set("/now", json!(0.5)), "now"),
        (
            "a date beyond time",
            set("/notes/1/published_at", json!(1e300)),
            "notes[1].published_at",
        ),
        (
            "a date as text",
            set("/notes/1/modified_at", json!("2026-07-21")),
            "notes[1].modified_at",
        ),
        (
            "a negative id",
            set("/chunks/1/id", json!(-12)),
            "chunks[1].id",
        ),
        (
            "an id with a fraction",
            set("/chunks/1/id", json!(12.5)),
            "chunks[1].id",
        ),
        (
            "an id beyond u32",
            set("/chunks/1/id", json!(4_294_967_296_u64)),
            "chunks[1].id",
        ),
        (
            "a negative position",
            set("/graph/citations/0", json!([0, -1])),
            "graph.citations[0][1]",
        ),
        (
            "an edge with one end",
            set("/graph/citations/2", json!([0])),
            "graph.citations[2]",
        ),
        (
            "an edge with three ends",
            set("/graph/citations/2", json!([0, 1, 2])),
            "graph.citations[2][2]",
        ),
        (
            "a chunk twice",
            two_chunks,
            &format!("chunks[{last_chunk}].id"),
        ),
        (
            "a note twice",
            two_notes,
            &format!("notes[{last_note}].path"),
        ),
        ("a leg twice", two_legs, &format!("legs[{last_leg}].name")),
        (
            "a node twice",
            two_nodes,
            &format!("graph.nodes[{last_node}]"),
        ),
        (
            "a leg without a name",
            set("/legs/0/name", json!("")),
            "legs[0].name",
        ),
        (
            "a note without a path",
            set("/notes/2/path", json!("")),
            "notes[2].path",
        ),
        (
            "a dangling hit",
            set("/legs/0/hits/2/chunk", json!(9)),
            "legs[0].hits[2].chunk",
        ),
        (
            "a dangling chunk",
            set("/chunks/5/note", json!("gone.md")),
            "chunks[5].note",
        ),
        (
            "a dangling citation",
            set("/graph/citations/13", json!([10, 0])),
            "graph.citations[13]",
        ),
        (
            "a dangling wikilink",
            set("/graph/wikilinks/1", json!([0, 10])),
            "graph.wikilinks[1]",
        ),
        (
            "a sentence beyond the text",
            sentence(start, 100_000),
            "chunks[10].sentences[2]",
        ),
        (
            "a sentence that begins within a character",
            sentence(within, within + 3),
            "chunks[10].sentences[2]",
        ),
        (
            "a sentence that ends within a character",
            sentence(start, within),
            "chunks[10].sentences[2]",
        ),
        (
            "a sentence backwards",
            sentence(start + 2, start + 1),
            "chunks[10].sentences[2]",
        ),
        (
            "sentences that overlap",
            sentence(start - 4, start + 1),
            "chunks[10].sentences[2]",
        ),
    ]
    .into_iter()
    .map(|(case, text, key)| (case, text.into_bytes(), key.to_owned()))
    .chain([
        (
            "not UTF-8",
            [&text.as_bytes()[..40], b"\xff"].concat(),
            String::new(),
        ),
        (
            "UTF-16",
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            String::new(),
        ),
    ])
    .collect();

    for (i, (case, text, key)) in cases.iter().enumerate() {
        let file = write(&folder, &format!("{i}.json"), text);
        for more in [&[][..], &["--json"], &["--explain"]] {
            let refused = run(&[&["rank", "--bundle", &file], more].concat());
            check(&refused, case, &file, "bundle", key);
        }
    }
}

#[test]
fn a_bundle_cut_off_anywhere_is_refused() {
    let folder = folder("cut-bundles");
    let text = fs::read(FINANCE).unwrap();
    for part in 1..20 {
        let cut = text.len() * part / 20;
        let file = write(&folder, "cut.json", &text[..cut]);
        let refused = run(&["rank", "--bundle", &file]);
        check(&refused, &format!("cut at {cut}"), &file, "bundle", "");
    }
}

#[test]
fn a_refusal_says_what_is_wrong_in_one_line() {
    let folder = folder("words");
    let bundle = with(&finance(), "/legs/0/hits/2/chunk", json!(9));
    let file = write(&folder, "bundle.json", bundle.to_string());
    let refused = run(&["rank", "--bundle", &file]);
    let message =
        format!("concord: {file}: bundle: legs[0].hits[2].chunk: 9 is not among the chunks\n");
    assert_eq!(refused.stderr, message);
}

#[test]
fn malformed_profiles_are_refused_by_file_and_key() {
    let folder = folder("bad-profiles");
    let cases = [
        ("", ""),
        ("# nothing but a comment\n", ""),
        ("- limit: 3\n", ""),
        ("limit\n", ""),
        ("3\n", ""),
        ("limit: [\n", ""),
        ("limit: 3\n  k: 4\n", ""),
        ("\tlimit: 3\n", ""),
        ("limit: 3\n---\nlimit: 4\n", ""),
        ("a: &a [*a]\n", ""),
        ("limit: 3\nlimit: 4\n", ""),
        ("{\"limit\": 3, \"limit\": 4}", ""),
        ("1: 2\n", ""),
        ("limits: 3\n", "limits"),
        ("graph: {alhpa: 0.5}\n", "graph.alhpa"),
        ("traverse: {fast: {hops: 2}}\n", "traverse.fast.hops"),
        (
            "decay: {kind_overrides: {Filings: {weights: [1, 0.5]}}}\n",
            "decay.kind_overrides.Filings.weights",
        ),
        ("extends: fancy\n", "extends"),
        ("extends: 3\n", "extends"),
        ("limit: null\n", ""),
        ("graph: {alpha: ~}\n", "graph"),
        ("limit: 0\n", "limit"),
        ("limit: 10001\n", "limit"),
        ("limit: -1\n", "limit"),
        ("limit: 2.5\n", "limit"),
        ("limit: ten\n", "limit"),
        ("limit: '3'\n", "limit"),
        ("limit: 99999999999\n", "limit"),
        ("limit: !must 3\n", "limit"),
        ("limit: {of: 3}\n", "limit"),
        ("limit: .nan\n", "limit"),
        ("name: 3\n", "name"),
        ("retrieve: {pool_min: 0}\n", "retrieve.pool_min"),
        ("retrieve: {text_weight: -1}\n", "retrieve.text_weight"),
        ("fuse: 3\n", "fuse"),
        ("fuse: {method: max}\n", "fuse.method"),
        ("fuse: {unit: page}\n", "fuse.unit"),
        ("fuse: {k: -60}\n", "fuse.k"),
        ("fuse: {weights: {vector: -0.1}}\n", "fuse.weights.vector"),
        ("fuse: {weights: {lexical: .inf}}\n", "fuse.weights.lexical"),
        ("fuse: {weights: [1, 2]}\n", "fuse.weights"),
        ("decay: {mode: sometimes}\n", "decay.mode"),
        ("decay: {mode: false}\n", "decay.mode"),
        ("decay: {ladder: []}\n", "decay.ladder"),
        ("decay: {ladder: [1, 0.6, 1.2]}\n", "decay.ladder[2]"),
        ("decay: {ladder: [1, .nan]}\n", "decay.ladder[1]"),
        ("decay: {half_life_days: 0}\n", "decay.half_life_days"),
        (
            "decay: {kind_overrides: {Filings: {group_by_path_prefix: [1, 2]}}}\n",
            "decay.kind_overrides.Filings.group_by_path_prefix[1]",
        ),
        ("graph: {mode: full}\n", "graph.mode"),
        ("graph: {relevance: both}\n", "graph.relevance"),
        ("graph: {alpha: -0.1}\n", "graph.alpha"),
        ("graph: {beta: 1e7}\n", "graph.beta"),
        ("graph: {damping: 1}\n", "graph.damping"),
        ("graph: {rounds: 0}\n", "graph.rounds"),
        ("graph: {tolerance: 2}\n", "graph.tolerance"),
        ("recency: {amount: -.inf}\n", "recency.amount"),
        ("recency: {days: -1}\n", "recency.days"),
        ("signals: {severity: .nan}\n", "signals.severity"),
        ("signals: {severity: high}\n", "signals.severity"),
        ("cross: {weight: 1.5}\n", "cross.weight"),
        ("diversity: {max_per_note: 0}\n", "diversity.max_per_note"),
        (
            "diversity: {max_per_page: .nan}\n",
            "diversity.max_per_page",
        ),
        ("small_corpus: {guard: 1}\n", "small_corpus.guard"),
        ("budget: {chars_per_token: 0}\n", "budget.chars_per_token"),
        ("excerpt: {sentences: 101}\n", "excerpt.sentences"),
        (
            "traverse: {deep: {beam_width: 0}}\n",
            "traverse.deep.beam_width",
        ),
        (
            "traverse: {fast: {quality_floor: 2}}\n",
            "traverse.fast.quality_floor",
        ),
        ("traverse: {fast: {decay: drop}}\n", "traverse.fast.decay"),
    ];
    for (i, (text, key)) in cases.iter().enumerate() {
        let file = write(&folder, &format!("{i}.yaml"), text);
        let refused = run(&["rank", "--bundle", FINANCE, "--profile", &file, "--json"]);
        check(&refused, text, &file, "profile", key);
        let refused = run(&["profile", &file]);
        check(&refused, text, &file, "profile", key);
    }

    for (name, text, key) in [
        ("yaml-inside.json", "limit: 3\n".as_bytes(), ""),
        ("overflow.json", b"{\"graph\": {\"alpha\": 1e999}}", ""),
        ("list.json", b"[]", ""),
        (
            "unknown.json",
            b"{\"graph\": {\"alhpa\": 1}}",
            "graph.alhpa",
        ),
        ("bytes.yaml", b"name: \xff\n", ""),
    ] {
        let file = write(&folder, name, text);
        let refused = run(&["rank", "--bundle", FINANCE, "--profile", &file]);
        check(&refused, name, &file, "profile", key);
    }
}

#[test]
fn an_unknown_profile_name_says_which_there_are() {
    let refused = run(&["rank", "--bundle", FINANCE, "--profile", "ballanced"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    for words in ["ballanced", "`vault`", "`balanced`"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn malformed_receipts_are_refused_by_file_and_key() {
    let good = receipt("bad-receipts-from");
    let folder = folder("bad-receipts");
    let set = |pointer: &str, value: Value| with(&good, pointer, value).to_string();
    let cut = |pointer: &str| without(&good, pointer).to_string();
    let whole = good.to_string();
    let cases = [
        ("empty", String::new(), ""),
        ("not JSON", "receipt".into(), ""),
        ("an empty object", "{}".into(), ""),
        ("a bundle", finance().to_string(), ""),
        ("a ranking", good["ranking"].to_string(), ""),
        ("cut off", whole[..whole.len() / 2].to_owned(), ""),
        ("trailing garbage", format!("{whole}]"), ""),
        ("no bundle", cut("/bundle"), ""),
        ("no profile", cut("/profile"), ""),
        ("no ranking", cut("/ranking"), ""),
        ("unknown key", set("/signature", json!("x")), "signature"),
        ("bundle as null", set("/bundle", json!(null)), "bundle"),
        (
            "profile as a name",
            set("/profile", json!("vault")),
            "profile",
        ),
        ("ranking as text", set("/ranking", json!("x")), "ranking"),
        (
            "another schema",
            set("/bundle/schema", json!(2)),
            "bundle.schema",
        ),
        (
            "unknown key in a note",
            set("/bundle/notes/0/x", json!(1)),
            "bundle.notes[0].x",
        ),
        (
            "a dangling hit",
            set("/bundle/legs/0/hits/0/chunk", json!(9)),
            "bundle.legs[0].hits[0].chunk",
        ),
        (
            "a sentence off its text",
            set("/bundle/chunks/0/sentences/0/end", json!(9999)),
            "bundle.chunks[0].sentences[0]",
        ),
        ("no key of the profile", cut("/profile/limit"), "profile"),
        (
            "unknown key of the profile",
            set("/profile/extends", json!("vault")),
            "profile.extends",
        ),
        (
            "a number out of range",
            set("/profile/graph/alpha", json!(-1)),
            "profile.graph.alpha",
        ),
        (
            "an unknown mode",
            set("/profile/decay/mode", json!("on")),
            "profile.decay.mode",
        ),
        ("no digest", cut("/ranking/digest"), "ranking"),
        (
            "digest as a number",
            set("/ranking/digest", json!(1)),
            "ranking.digest",
        ),
        ("no items", cut("/ranking/items"), "ranking"),
        (
            "a score as text",
            set("/ranking/items/0/score", json!("1.0")),
            "ranking.items[0].score",
        ),
        (
            "an unknown link state",
            set("/ranking/items/0/trace/links", json!("x")),
            "ranking.items[0].trace.links",
        ),
        (
            "unknown key in a trace",
            set("/ranking/items/1/trace/luck", json!(1)),
            "ranking.items[1].trace.luck",
        ),
        (
            "an unknown reason",
            set("/ranking/dropped/0/reason", json!("ugly")),
            "ranking.dropped[0].reason",
        ),
        (
            "a negative count",
            set("/ranking/candidates", json!(-1)),
            "ranking.candidates",
        ),
    ];
    for (i, (case, text, key)) in cases.iter().enumerate() {
        let file = write(&folder, &format!("{i}.json"), text);
        for more in [&[][..], &["--json"]] {
            let refused = run(&[&["replay", &file], more].concat());
            check(&refused, case, &file, "receipt", key);
        }
    }
}
