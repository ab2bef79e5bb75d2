//! Recommendations: saved with their quotations checked, looked at again, looked at more deeply.

use std::fs;

use serde_json::{Value, json};

use crate::server::{Answered, Server, TestVault, concord, run};

const FREIGHT: &str = "# Freight\n\nGross margin fell by 210 basis points in the third quarter. \
    Freight explains about half of it.\n\n## Outlook\n\nThe rest is a matter of mix, as the filing \
    says. See [[Mix]] for what that means.\n";

const MIX: &str = "# Mix\n\nFrozen goods earn less than chilled ones, and there were more of them. \
    See also [[Freight]].\n";

fn vault() -> TestVault {
    TestVault::of(&[("Freight.md", FREIGHT), ("Mix.md", MIX)])
}

/// One invented, one altered, one elided, one too short and one correct.
const DRAFT: &str = "It is said that \"the moon over the harbour was made of cheese\", see [[Freight]]. \
    \"Gross margin fell by 310 basis points in the third quarter\" [[Freight]]. \
    \"Gross margin fell … explains about half of it\" [[Freight]]. \
    So \"about half\" [[Freight]]. And “the rest is a matter of mix” [[Freight]].";

fn post(server: &Server, vault: &TestVault, path: &str, body: &Value) -> Answered {
    let token = format!("Bearer {}", vault.token());
    let headers = [("authorization", token.as_str())];
    server.ask("POST", path, &headers, body.to_string().as_bytes())
}

fn saved(server: &Server, vault: &TestVault, body: &Value) -> Value {
    let answered = post(server, vault, "/v1/rx", body);
    let told = String::from_utf8_lossy(&answered.body).into_owned();
    assert_eq!(answered.status, 200, "{told}");
    answered.json()
}

fn reasons(citations: &Value) -> Vec<&str> {
    let citations = citations.as_array().unwrap().iter();
    citations
        .map(|it| it["citation_reason"].as_str().unwrap())
        .collect()
}

#[test]
fn a_draft_is_published_whatever_its_quotations_come_to() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let made = saved(
        &server,
        &vault,
        &json!({ "question": "Why did the margin fall?", "text": DRAFT }),
    );
    let citations = &made["citations"];
    assert_eq!(
        reasons(citations),
        ["not_found", "not_found", "match", "too_short", "match"]
    );
    assert_eq!(made["citations_status"], "has_mismatch");
    assert_eq!(made["title"], "Why did the margin fall?");
    assert_eq!(citations[0]["found_in"], Value::Null);
    let near = &citations[1]["found_in"];
    assert_eq!(
        (&near["note"], &near["near"], &near["distance"]),
        (&json!("Freight.md"), &json!(true), &json!(1))
    );
    assert_eq!(
        cut(near),
        ["Gross margin fell by 210 basis points in the third quarter"]
    );
    assert_eq!(
        cut(&citations[2]),
        ["Gross margin fell", "explains about half of it"]
    );
    assert_eq!(citations[4]["ordinal"], 1);

    let id = made["id"].as_str().unwrap();
    let read = server.json(&format!("/v1/rx/{id}"));
    assert_eq!(read, made);
    let listed = server.json("/v1/rx?status=has_mismatch");
    let row = &listed["recommendations"][0];
    assert_eq!(
        (
            &row["citations"],
            &row["verified"],
            &row["stale"],
            &row["deep"]
        ),
        (&json!(5), &json!(2), &json!(0), &json!(false))
    );
    let none = server.json("/v1/rx?status=all_verified");
    assert_eq!(none["recommendations"], json!([]));
}

/// What the spans of a find cut out of its source.
fn cut(found: &Value) -> Vec<String> {
    let source: Vec<u16> = found["source"].as_str().unwrap().encode_utf16().collect();
    let spans = found["spans"].as_array().unwrap().iter();
    let place = |at: &Value| usize::try_from(at.as_u64().unwrap()).unwrap();
    spans
        .map(|span| String::from_utf16(&source[place(&span[0])..place(&span[1])]).unwrap())
        .collect()
}

#[test]
fn a_quotation_is_looked_for_where_it_is_cited_then_in_its_note_then_in_the_domain() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let check = |quote: &str, note: Value, ordinal: Value, expected: (&str, Value)| {
        let body = json!({ "citations": [{ "quote": quote, "note": note, "ordinal": ordinal }] });
        let answer = post(&server, &vault, "/v1/vault/verify", &body).json();
        let result = &answer["results"][0];
        assert_eq!(result["citation_reason"], expected.0, "{quote}: {result}");
        let found = &result["found_in"];
        let place = json!([found["note"], found["ordinal"], found["distance"]]);
        let place = if found.is_null() { Value::Null } else { place };
        assert_eq!(place, expected.1, "{quote}");
        assert_eq!(
            result["citation_verified"],
            expected.0 == "match",
            "a find elsewhere verifies nothing"
        );
    };
    let (exact, altered) = ("the rest is a matter of mix", "the rest is a mother of mix");
    check(exact, json!("Freight.md"), json!(1), ("match", Value::Null));
    check(exact, json!("freight"), Value::Null, ("match", Value::Null));
    check(
        exact,
        json!("Freight.md"),
        json!(0),
        ("not_found", json!(["Freight.md", 1, 0])),
    );
    check(
        exact,
        json!("Mix.md"),
        Value::Null,
        ("not_found", json!(["Freight.md", 1, 0])),
    );
    check(
        exact,
        json!("Freight.md"),
        json!(9),
        ("no_chunk_text", json!(["Freight.md", 1, 0])),
    );
    check(
        altered,
        json!("Mix.md"),
        Value::Null,
        ("not_found", json!(["Freight.md", 1, 2])),
    );
    check(
        altered,
        Value::Null,
        Value::Null,
        ("no_chunk_text", json!(["Freight.md", 1, 2])),
    );
    check(
        "nobody ever wrote this anywhere",
        json!("Mix.md"),
        Value::Null,
        ("not_found", Value::Null),
    );
}

#[test]
fn numbers_mean_passages_of_the_pack() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let pack = json!({
        "id": "q", "question": "Why?", "digest": "abc", "passages": [],
        "citations": { "1": { "note": "Freight.md", "section": "", "ordinal": 0 },
                       "2": { "note": "Freight.md", "section": "Outlook", "ordinal": 1 } },
    });
    let text = "\"Freight explains about half of it\" [1]. \"The rest is a matter of mix\" [1]. \
                \"The rest is a matter of mix\" [2]. \"The rest is a matter of mix\" [7].";
    let made = saved(&server, &vault, &json!({ "text": text, "pack": pack }));
    assert_eq!(
        reasons(&made["citations"]),
        ["match", "not_found", "match", "no_chunk_text"]
    );
    assert_eq!(made["citations"][1]["found_in"]["ordinal"], 1);
    assert_eq!(
        (&made["question"], &made["pack"]),
        (&json!("Why?"), &json!("abc"))
    );
}

#[test]
fn a_citation_whose_note_changed_is_stale_until_the_note_has_it_again() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let made = saved(&server, &vault, &json!({ "text": DRAFT }));
    let id = made["id"].as_str().unwrap();
    let stale = || server.json("/v1/rx?stale=1")["recommendations"].clone();
    let file = vault.folder.path().join("Freight.md");
    let change = |text: &str| {
        fs::write(&file, text).unwrap();
        run(&["index", vault.path()]);
    };
    assert_eq!(stale(), json!([]));

    // What is written above a passage moves it, and makes no quotation wrong.
    change(&FREIGHT.replace("## Outlook", "## Between\n\nSomething else.\n\n## Outlook"));
    assert_eq!(stale(), json!([]));

    change(&FREIGHT.replace("a matter of mix", "a matter of luck"));
    assert_eq!(stale()[0]["stale"], 1);
    let read = server.json(&format!("/v1/rx/{id}"));
    let told: Vec<_> = read["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["stale"] == true, it["now"].as_str()))
        .collect();
    assert_eq!(told[2], (false, Some("match")));
    assert_eq!(told[4], (true, Some("not_found")));
    assert_eq!(read["citations_status"], "has_mismatch");

    let listed = concord(&["citations", "--stale", "--json", "--vault", vault.path()])
        .output()
        .unwrap();
    assert_eq!(listed.status.code(), Some(1));
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["citations"].as_array().unwrap().len(), 1);
    assert_eq!(listed["citations"][0]["recommendation"], id);

    change(FREIGHT);
    assert_eq!(stale(), json!([]));
    fs::remove_file(&file).unwrap();
    run(&["index", vault.path()]);
    assert_eq!(stale()[0]["stale"], 2);
    let read = server.json(&format!("/v1/rx/{id}"));
    assert_eq!(read["citations"][4]["now"], "no_chunk_text");
}

#[test]
fn recommendations_outlive_the_index_and_can_be_deleted() {
    let vault = vault();
    let text = vault.folder.path().join("draft.txt");
    fs::write(&text, DRAFT).unwrap();
    let add = ["rx", "add", text.to_str().unwrap(), "--vault", vault.path()];
    let made: Value = serde_json::from_str(&run(&[&add[..], &["--json"]].concat())).unwrap();
    let id = made["id"].as_str().unwrap();
    fs::remove_dir_all(vault.folder.path().join(".concord")).unwrap();

    // Without an index nobody knows whether a quotation still holds.
    let show = ["rx", "show", id, "--vault", vault.path()];
    let read: Value = serde_json::from_str(&run(&[&show[..], &["--json"]].concat())).unwrap();
    assert_eq!(read["text"], made["text"]);
    assert_eq!(read["citations"][4]["stale"], Value::Null);
    run(&["index", vault.path()]);
    let shown = run(&show);
    for part in [
        "has_mismatch",
        "too_short",
        "one character changed",
        "Freight.md",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    run(&["rx", "delete", id, "--vault", vault.path()]);
    let gone = concord(&show).output().unwrap();
    assert_eq!(gone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("no recommendation"));
}

#[test]
fn a_deeper_look_drops_nothing_silently_and_is_written_back() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let body = json!({ "question": "What does the mix of goods earn?", "text": "Little." });
    let made = saved(&server, &vault, &body);
    assert_eq!(made["citations_status"], "no_quotes");
    let id = made["id"].as_str().unwrap();
    let look = |more: &[&str]| -> Value {
        let base = ["deep-retrieve", id, "--json", "--vault", vault.path()];
        serde_json::from_str(&run(&[&base[..], more].concat())).unwrap()
    };
    let found = look(&["--mode", "compare"]);
    let candidates = found["candidates"].as_array().unwrap();
    let paths: Vec<&str> = candidates
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert!(paths.contains(&"Mix.md") && paths.contains(&"Freight.md"));
    for candidate in candidates {
        let reasons = [&candidate["retain_reason"], &candidate["drop_reason"]];
        assert_eq!(reasons.iter().filter(|it| it.is_string()).count(), 1);
        assert!(candidate["fast"].is_boolean(), "{candidate}");
    }

    // As it was printed, and with what a curator adds.
    let file = vault.folder.path().join("curated.json");
    fs::write(&file, found.to_string()).unwrap();
    let posted = look(&["--post", file.to_str().unwrap()]);
    assert_eq!(
        posted["deep"]["candidates"].as_array().unwrap().len(),
        paths.len()
    );

    let curated = json!({
        "id": id, "mode": "deep",
        "candidates": [{ "path": "Mix.md", "comment": "this one" }],
        "text": "“Frozen goods earn less than chilled ones” [[Mix]], “and nothing else does so here” [[Mix]].",
    });
    let answered = post(&server, &vault, "/v1/rx/deep", &curated).json();
    let deep = &answered["deep"];
    assert_eq!(reasons(&deep["citations"]), ["match", "not_found"]);
    assert_eq!(deep["citations_status"], "has_mismatch");
    assert_eq!(answered["citations_status"], "has_mismatch");
    assert_eq!(deep["candidates"][0]["comment"], "this one");
    let row = &server.json("/v1/rx")["recommendations"][0];
    assert_eq!((&row["deep"], &row["citations"]), (&json!(true), &json!(2)));
}

#[test]
fn what_is_no_recommendation_is_refused_by_its_key() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let check = |path: &str, body: &Value, code: &str, part: &str| {
        let answered = post(&server, &vault, path, body);
        assert_eq!(answered.code(), code, "{body}");
        let told = answered.json()["error"].to_string();
        assert!(told.contains(part), "{body}: {told}");
    };
    check("/v1/rx", &json!({ "text": " " }), "bad_request", "text");
    check("/v1/rx", &json!({ "txt": "a" }), "bad_request", "txt");
    check(
        "/v1/rx?domain=other",
        &json!({ "text": "a" }),
        "no_such_domain",
        "default",
    );
    check(
        "/v1/rx",
        &json!({ "text": "a", "citations": [{ "quote": "b", "number": 3 }] }),
        "bad_request",
        "citations[0].number",
    );
    check(
        "/v1/rx/deep",
        &json!({ "id": "nowhere", "candidates": [] }),
        "not_found",
        "nowhere",
    );
    check(
        "/v1/rx/deep",
        &json!({ "id": "nowhere", "mode": "sideways", "candidates": [] }),
        "bad_request",
        "mode",
    );
    assert_eq!(server.get("/v1/rx/nowhere").code(), "not_found");
    let body = json!({ "text": "a" }).to_string();
    let bare = server.ask("POST", "/v1/rx", &[], body.as_bytes());
    assert_eq!(bare.code(), "unauthorised");
}

#[test]
fn quotations_of_a_domain_in_another_process_are_checked_there() {
    let vault = TestVault::of(&[
        ("_domains.yaml", "near: {}\nfar: {}\n"),
        ("near/Mix.md", MIX),
        ("far/Freight.md", FREIGHT),
    ]);
    let process = Server::start_by(concord(&["serve", vault.path()]).env("DOMAIN", "far"));
    let registry = format!("near: {{}}\nfar: {{ url: \"{}\" }}\n", process.url(""));
    fs::write(vault.folder.path().join("_domains.yaml"), registry).unwrap();
    let gateway = Server::start(&vault, &[]);
    let body = json!({ "text": DRAFT });
    let made = post(&gateway, &vault, "/v1/rx?domain=far", &body).json();
    assert_eq!(
        reasons(&made["citations"]),
        ["not_found", "not_found", "match", "too_short", "match"]
    );
    let id = made["id"].as_str().unwrap();
    let file = vault.folder.path().join("far/Freight.md");
    fs::write(
        &file,
        FREIGHT.replace("a matter of mix", "a matter of luck"),
    )
    .unwrap();
    let token = format!("Bearer {}", vault.token());
    let reload = process.ask("POST", "/reload", &[("authorization", &token)], b"");
    assert_eq!(reload.status, 200);
    assert_eq!(
        gateway.json("/v1/rx?stale=1")["recommendations"][0]["stale"],
        1
    );

    // While it is down its recommendations can be read, and nothing is said of what cannot be known.
    process.kill();
    let read = gateway.json(&format!("/v1/rx/{id}"));
    assert_eq!(read["citations"][4]["stale"], Value::Null);
    assert_eq!(read["citations"][4]["citation_reason"], "match");
    let refused = post(&gateway, &vault, "/v1/rx?domain=far", &body);
    assert_eq!(refused.code(), "domain_down");
}

#[test]
fn many_may_save_at_once_and_a_later_programs_file_is_left_alone() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    std::thread::scope(|scope| {
        for i in 0..8 {
            let (server, vault) = (&server, &vault);
            scope.spawn(move || {
                let body = json!({ "title": format!("Number {i}"), "text": DRAFT });
                saved(server, vault, &body)
            });
        }
    });
    let listed = server.json("/v1/rx");
    let rows = listed["recommendations"].as_array().unwrap();
    let ids: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 8);

    let file = vault.folder.path().join(".concord-keep/recommendations.db");
    let connection = rusqlite::Connection::open(file).unwrap();
    let verified = "SELECT sum(citation_verified) FROM citation";
    let verified: i64 = connection
        .query_row(verified, [], |row| row.get(0))
        .unwrap();
    assert_eq!(verified, 16);
    connection.pragma_update(None, "user_version", 99).unwrap();
    let refused = server.get("/v1/rx");
    assert_eq!(refused.code(), "internal");
    assert!(refused.json().to_string().contains("later version"));
}
