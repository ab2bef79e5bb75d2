//! Proposals, promotion and renames over HTTP.

use std::fs;

use serde_json::{Value, json};

use crate::server::{Answered, Server, TestVault};

fn vault() -> TestVault {
    TestVault::of(&[
        (
            "_taxonomy.md",
            "## Fruit\n\n- apple: red or green\n- pear: long\n",
        ),
        (
            "_review-queue.md",
            "Mine.\n\n- [ ] a.md: apple\n- [ ] gone.md: plum\n",
        ),
        ("a.md", "# Apples\n\nApples are red or green.\n"),
        ("b/c.md", "# Pears\n\nPears are long, and no apples.\n"),
    ])
}

fn ask(server: &Server, vault: &TestVault, method: &str, path: &str, body: &Value) -> Answered {
    let token = format!("Bearer {}", vault.token());
    let body = serde_json::to_vec(body).unwrap();
    server.ask(method, path, &[("authorization", &token)], &body)
}

#[track_caller]
fn json(server: &Server, vault: &TestVault, method: &str, path: &str, body: &Value) -> Value {
    let answered = ask(server, vault, method, path, body);
    assert_eq!(
        answered.status,
        200,
        "{path}: {}",
        String::from_utf8_lossy(&answered.body)
    );
    answered.json()
}

#[test]
fn a_proposal_is_made_ticked_promoted_and_taken_back() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let note = vault.folder.path().join("a.md");
    let before = fs::read_to_string(&note).unwrap();

    let seen = server.json("/v1/vault/review");
    assert_eq!(seen["entries"][0]["title"], "Apples");
    assert_eq!(
        seen["entries"][0]["tags"],
        json!([{ "name": "apple", "known": true }])
    );
    assert_eq!(seen["entries"][1]["exists"], false);
    assert_eq!(seen["entries"][1]["tags"][0]["known"], false);
    assert_eq!(seen["taxonomy"][0]["group"], "Fruit");

    let tagged = json(&server, &vault, "POST", "/v1/vault/tag", &json!({}));
    assert_eq!(tagged["proposed"], 1, "{tagged}");
    assert_eq!(tagged["entries"][2]["path"], "b/c.md");

    // Ticked by the page: what is not named goes.
    let hash = tagged["hash"].as_str().unwrap();
    let wanted =
        json!({ "hash": hash, "entries": [{ "path": "a.md", "ticked": true, "tags": ["apple"] }] });
    let stale = json!({ "hash": "other", "entries": [] });
    let refused = ask(&server, &vault, "PUT", "/v1/vault/review", &stale);
    assert_eq!((refused.status, refused.code().as_str()), (409, "conflict"));
    let ticked = json(&server, &vault, "PUT", "/v1/vault/review", &wanted);
    assert_eq!(ticked["entries"].as_array().unwrap().len(), 1);

    let dry = json(
        &server,
        &vault,
        "POST",
        "/v1/vault/promote",
        &json!({ "dry_run": true }),
    );
    assert!(
        dry["applied"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("+  - apple"),
        "{dry}"
    );
    assert_eq!(fs::read_to_string(&note).unwrap(), before);
    let promoted = json(&server, &vault, "POST", "/v1/vault/promote", &json!({}));
    assert_eq!(promoted["applied"][0]["added"], json!(["apple"]));
    assert_eq!(
        (&promoted["left"], &promoted["dry_run"]),
        (&json!(0), &json!(false))
    );
    assert_eq!(
        fs::read_to_string(&note).unwrap(),
        format!("---\ntags:\n  - apple\n---\n{before}")
    );
    // The index has followed.
    assert_eq!(server.json("/v1/vault/node/a.md")["tags"], json!(["apple"]));

    let undo = json!({ "journal": promoted["journal"] });
    let undone = json(&server, &vault, "POST", "/v1/vault/undo-renames", &undo);
    assert_eq!(undone["restored"], json!(["a.md", "_review-queue.md"]));
    assert_eq!(fs::read_to_string(&note).unwrap(), before);
}

#[test]
fn a_rename_is_shown_done_and_undone() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let last = || server.json("/v1/vault/undo-renames")["last"].clone();
    assert_eq!(last(), Value::Null);
    let taxonomy = vault.folder.path().join("_taxonomy.md");
    let renames = |dry_run: bool| json!({ "renames": [{ "from": "apple", "to": "pear" }], "dry_run": dry_run });
    let shown = json(
        &server,
        &vault,
        "POST",
        "/v1/vault/apply-renames",
        &renames(true),
    );
    assert_eq!(
        shown["merges"],
        json!([{ "into": "pear", "from": ["apple"] }])
    );
    assert_eq!(
        (&shown["applied"], &shown["journal"]),
        (&json!(false), &Value::Null)
    );
    let done = json(
        &server,
        &vault,
        "POST",
        "/v1/vault/apply-renames",
        &renames(false),
    );
    assert_eq!(done["applied"], true, "{done}");
    assert_eq!(
        fs::read_to_string(&taxonomy).unwrap(),
        "## Fruit\n\n- pear: long\n"
    );
    let told = last();
    assert_eq!(told["journal"], done["journal"]);
    assert_eq!(told["renames"], json!([["apple", "pear"]]));
    assert!(told["at"].as_u64() > Some(1_700_000_000), "{told}");
    let changed = done["files"].as_array().unwrap().iter();
    let changed: Vec<&Value> = changed.map(|file| &file["path"]).collect();
    assert_eq!(told["files"], json!(changed));
    let undone = json(
        &server,
        &vault,
        "POST",
        "/v1/vault/undo-renames",
        &json!({}),
    );
    assert_eq!(undone["conflicts"], json!([]));
    assert_eq!(last(), Value::Null);
    assert!(
        fs::read_to_string(&taxonomy)
            .unwrap()
            .contains("apple: red")
    );
}

#[test]
fn what_changes_notes_takes_the_token_and_a_good_request() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    for (method, path) in [
        ("PUT", "/v1/vault/review"),
        ("POST", "/v1/vault/tag"),
        ("POST", "/v1/vault/promote"),
        ("POST", "/v1/vault/apply-renames"),
        ("POST", "/v1/vault/undo-renames"),
    ] {
        let refused = server.ask(method, path, &[], b"{}");
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (401, "unauthorised"),
            "{path}"
        );
    }
    let bad = json!({ "renames": [{ "from": "a", "to": "b c" }], "dry_run": false });
    let refused = ask(&server, &vault, "POST", "/v1/vault/apply-renames", &bad);
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (400, "bad_request")
    );
    let none = ask(
        &server,
        &vault,
        "POST",
        "/v1/vault/undo-renames",
        &json!({}),
    );
    assert_eq!((none.status, none.code().as_str()), (404, "not_found"));
    let hash = server.json("/v1/vault/review")["hash"].clone();
    let out = json!({ "hash": hash, "entries": [{ "path": "../../etc/passwd", "ticked": true, "tags": ["apple"] }] });
    let refused = ask(&server, &vault, "PUT", "/v1/vault/review", &out);
    assert_eq!(
        refused.status,
        400,
        "{}",
        String::from_utf8_lossy(&refused.body)
    );
}
