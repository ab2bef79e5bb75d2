//! What is answered: the golden questions, receipts, scopes, walks, notes, quotations.

use std::collections::BTreeSet;
use std::fs;

use concord_core::Receipt;
use concord_core::ranking::DecayRule;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::{Server, TestVault, encoded, run, sample};

#[derive(Deserialize)]
struct Golden {
    query: String,
    domain: String,
    relevant: Vec<String>,
}

fn golden() -> Vec<Golden> {
    serde_norway::from_str(include_str!("../../sample-questions.yaml")).unwrap()
}

fn notes(answer: &Value) -> Vec<&str> {
    let items = answer["ranking"]["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["note"].as_str().unwrap())
        .collect()
}

#[test]
fn every_golden_question_finds_a_note_that_answers_it() {
    let server = Server::start(sample(), &[]);
    for Golden {
        query,
        domain,
        relevant,
    } in golden()
    {
        let asked = format!(
            "/v1/vault/search?domain={domain}&k=10&q={}",
            encoded(&query)
        );
        for profile in ["", "&profile=balanced"] {
            let answer = server.json(&format!("{asked}{profile}"));
            let found = notes(&answer)
                .iter()
                .any(|note| relevant.iter().any(|it| it == note));
            assert!(found, "{query}: {:?}", notes(&answer));
        }
    }
}

#[test]
fn a_receipt_of_the_service_replays_and_its_parts_add_up() {
    let server = Server::start(sample(), &[]);
    let folder = tempfile::TempDir::new().unwrap();
    for Golden { query, domain, .. } in golden().into_iter().step_by(4) {
        let path = format!(
            "/v1/vault/search?domain={domain}&receipt=1&q={}",
            encoded(&query)
        );
        let answer = server.json(&path);
        let json = answer["receipt"].to_string();
        let receipt = Receipt::from_json(&json).unwrap();
        assert_eq!(answer["ranking"]["digest"], json!(receipt.ranking.digest));
        for item in &receipt.ranking.items {
            assert_eq!(item.trace.recompute(), item.score, "{query}");
        }
        let file = folder.path().join("receipt.json");
        fs::write(&file, &json).unwrap();
        run(&["replay", file.to_str().unwrap()]);
    }
}

#[test]
fn finance_shows_ladder_filings_and_links_in_its_traces() {
    let server = Server::start(sample(), &[]);
    let mut rules = BTreeSet::new();
    let mut linked = false;
    for Golden { query, .. } in golden()
        .into_iter()
        .filter(|golden| golden.domain == "finance")
    {
        let path = format!(
            "/v1/vault/search?domain=finance&receipt=1&q={}",
            encoded(&query)
        );
        let receipt = Receipt::from_json(&server.json(&path)["receipt"].to_string()).unwrap();
        for item in receipt.ranking.items {
            rules.insert(format!("{:?}", item.trace.decay.rule));
            linked |= item.trace.page_rank.product() > 0.0 && item.trace.centrality.product() > 0.0;
        }
    }
    for rule in [
        DecayRule::Ladder,
        DecayRule::NewestQuarter,
        DecayRule::OlderQuarter,
        DecayRule::Evergreen,
    ] {
        assert!(
            rules.contains(&format!("{rule:?}")),
            "{rule:?} is not among {rules:?}"
        );
    }
    assert!(linked);
}

#[test]
fn the_command_line_gives_the_same_answer_as_the_service() {
    let server = Server::start(sample(), &[]);
    let query = "Why can a firm earn a profit and still run out of money?";
    let path = format!(
        "/v1/vault/search?domain=finance&k=5&explain=1&q={}",
        encoded(query)
    );
    let served = server.json(&path);
    let printed = run(&[
        "search",
        query,
        "--vault",
        sample().path(),
        "--domain",
        "finance",
        "-k",
        "5",
        "--json",
    ]);
    let printed: Value = serde_json::from_str(&printed).unwrap();
    // `now` is a part of the digest and moves on, but recency's 30 days hide its seconds.
    assert_eq!(served["ranking"]["items"], printed[0]["ranking"]["items"]);
}

#[test]
fn several_domains_are_asked_at_once_and_strangers_are_told_as_such() {
    let text = run(&[
        "search",
        "What does a deload week change?",
        "--vault",
        sample().path(),
        "-k",
        "2",
    ]);
    assert!(text.contains("── fitness ──"), "{text}");
    assert!(text.contains("Nothing relevant in"), "{text}");
}

#[test]
fn a_scope_acts_inside_the_search() {
    let server = Server::start(sample(), &[]);
    let check = |scope: &str, holds: &dyn Fn(&Value) -> bool| {
        let path = format!("/v1/vault/candidates?domain=finance&q=margin&{scope}");
        let bundle = server.json(&path);
        let found = bundle["notes"].as_array().unwrap();
        assert!(!found.is_empty(), "{scope}");
        for note in found {
            assert!(holds(note), "{scope}: {note}");
        }
    };
    let path = |note: &Value| note["path"].as_str().unwrap().to_owned();
    check("folder=Filings/NRTH", &|note| {
        path(note).starts_with("Filings/NRTH/")
    });
    check("kind=Filings", &|note| note["kind"] == "Filings");
    check("author=Maren+Tolvik", &|note| {
        note["author"] == "Maren Tolvik"
    });
    check("file=Concepts/Margin+of+safety.md", &|note| {
        path(note) == "Concepts/Margin of safety.md"
    });
    check("since=2026-07-01", &|note| {
        note["published_at"]
            .as_f64()
            .or(note["modified_at"].as_f64())
            .unwrap()
            >= 1_782_864_000.0
    });
    let nothing = server.json("/v1/vault/search?domain=finance&q=margin&author=Nobody");
    assert_eq!(nothing["ranking"]["items"], json!([]));
    assert_eq!(nothing["nothing_relevant"], json!(true));
}

#[test]
fn a_walk_tells_what_it_kept_dropped_and_read() {
    let server = Server::start(sample(), &[]);
    let walks = server
        .json("/v1/vault/traverse/Concepts/Margin%20of%20safety.md?domain=finance&mode=compare");
    for mode in ["fast", "deep"] {
        let walk = &walks[mode]["walk"];
        let kept = walk["retained"].as_array().unwrap();
        assert_eq!(
            kept.iter()
                .filter(|stop| stop["retain_reason"] == "seed")
                .count(),
            1,
            "{mode}"
        );
        assert!(
            kept.len() > 1 && walks[mode]["embeddings_read"].as_u64() > Some(0),
            "{mode}"
        );
    }
    let pruned = |mode: &str| walks[mode]["walk"]["pruned"].as_array().unwrap().len();
    assert_eq!(pruned("fast"), 0, "counted, not named");
    assert!(
        walks["deep"]["walk"]["retained"].as_array().unwrap().len()
            >= walks["fast"]["walk"]["retained"].as_array().unwrap().len()
    );
    let from_hits = server.json("/v1/vault/traverse/?domain=finance&q=cash+flow");
    assert!(from_hits["fast"]["walk"]["retained"][0]["path"].is_string());
    let missing = server.get("/v1/vault/traverse/Nobody.md?domain=finance");
    assert_eq!(
        (missing.status, missing.code().as_str()),
        (404, "not_found")
    );
    let text = run(&[
        "traverse",
        "--query",
        "cash flow",
        "--mode",
        "compare",
        "--domain",
        "finance",
        "--vault",
        sample().path(),
    ]);
    assert!(
        text.contains("fast  ") && text.contains("deep  ") && text.contains("embedding"),
        "{text}"
    );
}

#[test]
fn a_walk_takes_a_note_by_any_name_of_a_link_or_by_its_title() {
    let vault = TestVault::of(&[
        (
            "deep/Halden.md",
            "---\ntitle: The Halden contract\naliases: [The grocer]\n---\n\nA contract ended.\n",
        ),
        ("a/Plan.md", "# The first plan\n\nBuy.\n"),
        ("b/Plan.md", "# The second plan\n\nSell.\n"),
    ]);
    let server = Server::start(&vault, &[]);
    let walk = |name: &str| server.get(&format!("/v1/vault/traverse/{name}"));
    for (name, path) in [
        ("deep/Halden.md", "deep/Halden.md"),
        ("deep/Halden", "deep/Halden.md"),
        ("halden", "deep/Halden.md"),
        ("The%20grocer", "deep/Halden.md"),
        ("the%20halden%20contract", "deep/Halden.md"),
        ("The%20second%20plan", "b/Plan.md"),
        ("b/plan", "b/Plan.md"),
    ] {
        let walked = walk(name).json();
        let start = &walked["fast"]["walk"]["retained"][0];
        assert_eq!(start["path"], path, "{name}: {walked}");
    }
    let refused = walk("Plan");
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (400, "bad_request")
    );
    assert_eq!(
        refused.json()["error"]["hint"],
        "name one by its path: `a/Plan.md`, `b/Plan.md`"
    );
    assert_eq!(walk("No%20such%20plan").status, 404);
}

#[test]
fn a_note_is_shown_with_its_passages_in_place_and_its_links_both_ways() {
    let server = Server::start(sample(), &[]);
    let note = server.json("/v1/vault/node/Concepts/Margin%20of%20safety.md?domain=finance");
    let text: Vec<u16> = note["text"].as_str().unwrap().encode_utf16().collect();
    let chunks = note["chunks"].as_array().unwrap();
    assert!(!chunks.is_empty());
    for chunk in chunks {
        let place = |key: &str| usize::try_from(chunk[key].as_u64().unwrap()).unwrap();
        assert!(
            place("start") < place("end") && place("end") <= text.len(),
            "{chunk}"
        );
    }
    assert!(!note["backlinks"].as_array().unwrap().is_empty());
    for link in note["links"].as_array().unwrap() {
        let path = link["path"].as_str().unwrap();
        let other = server.json(&format!(
            "/v1/vault/node/{}?domain=finance",
            encoded(path).replace("%2F", "/")
        ));
        let back = other["backlinks"].as_array().unwrap();
        assert!(
            back.iter()
                .any(|back| back["path"] == "Concepts/Margin of safety.md"),
            "{path}"
        );
    }
}

#[test]
fn quotations_are_checked_and_found_elsewhere() {
    let server = Server::start(sample(), &[]);
    let note = server.json("/v1/vault/node/Concepts/Margin%20of%20safety.md?domain=finance");
    let text = note["text"].as_str().unwrap();
    let body = text
        .split("\n\n")
        .find(|block| block.split_whitespace().count() > 12 && !block.starts_with(['#', '-', '>']));
    let quote: Vec<&str> = body.unwrap().split_whitespace().take(9).collect();
    let quote = quote.join(" ");
    let other = "Filings/NRTH/2026-Q3.md";
    let draft = json!({ "citations": [
        { "quote": quote, "note": "Concepts/Margin of safety.md" },
        { "quote": quote, "note": other },
        { "quote": "a sentence that nobody ever wrote down here", "note": other },
        { "quote": "too short", "note": other },
        { "quote": null, "note": other },
        { "quote": quote, "note": null, "chunk_text": text },
    ] });
    let answered = server.ask(
        "POST",
        "/v1/vault/verify?domain=finance",
        &[],
        draft.to_string().as_bytes(),
    );
    let verdicts = answered.json();
    assert_eq!(verdicts["status"], "has_mismatch");
    let reasons: Vec<&str> = verdicts["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["citation_reason"].as_str().unwrap())
        .collect();
    assert_eq!(
        reasons,
        [
            "match",
            "not_found",
            "not_found",
            "too_short",
            "no_quote",
            "match"
        ]
    );
    assert_eq!(
        verdicts["results"][1]["found_in"]["note"],
        "Concepts/Margin of safety.md"
    );
    assert_eq!(verdicts["results"][2]["found_in"], Value::Null);
}

#[test]
fn the_description_names_every_address_and_every_address_answers() {
    let server = Server::start(sample(), &[]);
    let document = server.json("/v1/openapi.json");
    assert_eq!(document["openapi"], "3.1.0");
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let address = format!("{}?domain=finance", path.replace("{path}", "nothing.md"));
            let answered = server.ask(&method.to_uppercase(), &address, &[], b"");
            let reached = answered.status != 405
                && (answered.status == 200
                    || answered.code() != "not_found"
                    || path.contains("{path}"));
            assert!(reached, "{method} {path}: {}", answered.status);
            let protected = operation["security"].is_array();
            assert_eq!(answered.status == 401, protected, "{method} {path}");
        }
    }
}

#[test]
fn an_answer_tells_how_long_each_step_took() {
    let server = Server::start(sample(), &[]);
    let answered = server.get("/v1/vault/search?domain=finance&q=margin");
    let timing: Vec<&str> = answered
        .headers
        .get_all("server-timing")
        .iter()
        .map(|value| value.to_str().unwrap())
        .collect();
    let timing = timing.join(", ");
    for step in [
        "encode;dur=",
        "vector;dur=",
        "lexical;dur=",
        "facts;dur=",
        "rank;dur=",
        "all;dur=",
    ] {
        assert!(timing.contains(step), "{step} is not in {timing}");
    }
    assert!(answered.headers.contains_key("x-request-id"));
    let health = server.json("/v1/vault/health?domain=finance");
    assert_eq!(
        (&health["words_only"], &health["dimension"]),
        (&json!(false), &json!(384))
    );
    assert!(
        health["notes"].as_u64() > Some(20) && health["age"].is_u64(),
        "{health}"
    );
}

#[test]
fn profiles_are_saved_used_and_deleted_with_the_token_alone() {
    let vault = crate::server::TestVault::of(&[("a.md", "# Apples\n\nApples are red or green.\n")]);
    let server = Server::start(&vault, &[]);
    let token = format!("Bearer {}", vault.token());
    let bearer = [("authorization", token.as_str())];
    let patch = br#"{"extends": "balanced", "limit": 3}"#;
    let path = "/v1/profiles/mine?domain=default";
    assert_eq!(server.ask("PUT", path, &[], patch).code(), "unauthorised");
    assert_eq!(
        server.ask("PUT", path, &bearer, patch).json()["profile"]["limit"],
        3
    );
    let answer = server.json("/v1/vault/search?q=apples&profile=mine&receipt=1");
    assert_eq!(answer["receipt"]["profile"]["name"], "mine");
    let listed = server.json("/v1/profiles");
    let names: Vec<&str> = listed["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"mine") && names.contains(&"vault"),
        "{names:?}"
    );
    for bad in ["balanced", "..%2Fevil", "a%2Fb", "%2e%2e", &"x".repeat(65)] {
        let answered = server.ask("PUT", &format!("/v1/profiles/{bad}"), &bearer, patch);
        assert_eq!(
            (answered.status, answered.code().as_str()),
            (400, "bad_request"),
            "{bad}"
        );
    }
    assert_eq!(
        server.ask("PUT", path, &bearer, br#"{"limmit": 3}"#).json()["error"]["key"],
        "limmit"
    );
    assert_eq!(server.ask("DELETE", path, &bearer, b"").status, 200);
    assert_eq!(server.ask("DELETE", path, &bearer, b"").status, 404);
}

#[test]
fn an_index_made_anew_under_the_service_is_the_one_that_answers() {
    let vault = crate::server::TestVault::of(&[("a.md", "# Apples\n\nApples are red or green.\n")]);
    let server = Server::start(&vault, &[]);
    assert_eq!(notes(&server.json("/v1/vault/search?q=apples")), ["a.md"]);
    fs::write(
        vault.folder.path().join("b.md"),
        "# Pears\n\nPears are sweet in autumn.\n",
    )
    .unwrap();
    run(&["index", "--rebuild", vault.path()]);
    let answer = server.json("/v1/vault/search?q=pears");
    assert_eq!(notes(&answer)[0], "b.md");
    let token = format!("Bearer {}", vault.token());
    fs::write(
        vault.folder.path().join("c.md"),
        "# Plums\n\nPlums are blue.\n",
    )
    .unwrap();
    let reloaded = server.ask(
        "POST",
        "/v1/vault/reload",
        &[("authorization", &token)],
        b"",
    );
    assert_eq!(
        (reloaded.status, &reloaded.json()["indexed"]),
        (200, &json!(1))
    );
    assert_eq!(notes(&server.json("/v1/vault/search?q=plums"))[0], "c.md");
}
