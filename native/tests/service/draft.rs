//! Drafts, by servers that speak the two protocols as the real ones do.

use std::collections::VecDeque;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::server::{Server, TestVault, concord};

const KEY: &str = "a-key-that-nobody-must-see";

/// What a server does with a request.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Answer,
    TooMany,
    Overloaded,
    Nothing,
    Garbage,
    Refuse,
    Forbid,
}

/// A model's service: writes a draft that quotes the first passage it is shown, and one invention.
struct Model {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    _runtime: tokio::runtime::Runtime,
}

#[derive(Default)]
struct Seen {
    script: VecDeque<Does>,
    requests: Vec<(String, HeaderMap, Value)>,
}

impl Model {
    /// Does what the script says, and then answers.
    fn start(script: &[Does]) -> Self {
        let seen = Arc::new(Mutex::new(Seen {
            script: script.iter().copied().collect(),
            requests: Vec::new(),
        }));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().fallback(answer).with_state(Arc::clone(&seen));
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self {
            address,
            seen,
            _runtime: runtime,
        }
    }

    fn requests(&self) -> Vec<(String, HeaderMap, Value)> {
        self.seen.lock().unwrap().requests.clone()
    }
}

async fn answer(
    State(seen): State<Arc<Mutex<Seen>>>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response {
    let body: Value = serde_json::from_str(&body).unwrap();
    let does = {
        let mut seen = seen.lock().unwrap();
        seen.requests
            .push((uri.path().to_owned(), headers, body.clone()));
        seen.script.pop_front().unwrap_or(Does::Answer)
    };
    let is_anthropic = uri.path() == "/v1/messages";
    let prompt = body["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    let prompt = prompt.as_str().unwrap();
    let mut said = prompt.lines().filter_map(|line| line.strip_prefix("  "));
    let first = said.find(|line| !line.starts_with('#'));
    let quote = first.unwrap_or_default().split('.').next().unwrap();
    let text = match prompt.strip_prefix("Tags:\n\n") {
        Some(tags) => format!("invented\n- {}", tags.split(':').next().unwrap()),
        None => {
            format!("It says \"{quote}\" [1], and \"what no note has ever said to anyone\" [1].")
        }
    };
    let error = |status: u16, kind: &str| {
        let told = json!({ "type": "error", "error": { "type": kind, "message": "no" } });
        (
            StatusCode::from_u16(status).unwrap(),
            [("retry-after", "0")],
            told.to_string(),
        )
            .into_response()
    };
    let refuses = does == Does::Refuse;
    match does {
        Does::TooMany => error(429, "rate_limit_error"),
        Does::Overloaded => error(529, "overloaded_error"),
        Does::Forbid => error(401, "authentication_error"),
        Does::Garbage => "<html>it works!</html>".into_response(),
        Does::Nothing => {
            tokio::time::sleep(Duration::from_secs(600)).await;
            "".into_response()
        }
        Does::Answer | Does::Refuse if is_anthropic => {
            let content = if refuses {
                json!([])
            } else {
                json!([{ "type": "text", "text": text }])
            };
            let stop = if refuses { "refusal" } else { "end_turn" };
            json!({ "type": "message", "role": "assistant", "content": content, "stop_reason": stop,
                    "usage": { "input_tokens": 1_000, "output_tokens": 100 } })
            .to_string()
            .into_response()
        }
        Does::Answer | Does::Refuse => {
            let message = if refuses {
                json!({ "role": "assistant", "content": null, "refusal": "no" })
            } else {
                json!({ "role": "assistant", "content": text })
            };
            json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
                    "usage": { "prompt_tokens": 1_000, "completion_tokens": 100 } })
            .to_string()
            .into_response()
        }
    }
}

const NOTE: &str =
    "# Sourdough\n\nA stiff starter keeps for two weeks in the cold. Feed it before you bake.\n";

fn vault() -> TestVault {
    TestVault::of(&[
        ("Sourdough.md", NOTE),
        (
            "Rye.md",
            "# Rye\n\nRye bread wants a wet dough and a long bake.\n",
        ),
    ])
}

fn command(vault: &TestVault, folder: &Path, questions: &[&str]) -> Command {
    let input = folder.join("questions.jsonl");
    let lines: String = questions
        .iter()
        .map(|question| json!({ "question": question }).to_string() + "\n")
        .collect();
    fs::write(&input, lines).unwrap();
    let mut command = concord(&[
        "compose",
        "--draft",
        "--vault",
        vault.path(),
        "--parallel",
        "1",
    ]);
    command
        .arg("--in")
        .arg(input)
        .arg("--out")
        .arg(folder.join("packs.jsonl"))
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("ANTHROPIC_BASE_URL")
        .env_remove("CONCORD_LLM_URL")
        .env_remove("CONCORD_LLM_MODEL")
        .env_remove("CONCORD_LLM_KEY");
    command
}

fn by_anthropic<'c>(command: &'c mut Command, model: &Model) -> &'c mut Command {
    command
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", format!("http://{}", model.address))
        .env("CONCORD_LLM_MODEL", "writer-1")
}

fn by_open_ai<'c>(command: &'c mut Command, model: &Model) -> &'c mut Command {
    command
        .env("CONCORD_LLM_URL", format!("http://{}/v1", model.address))
        .env("CONCORD_LLM_KEY", KEY)
        .env("CONCORD_LLM_MODEL", "writer-1")
}

/// Runs it, and makes sure that the key is nowhere to be seen.
fn finish(command: &mut Command) -> (Option<i32>, String) {
    let (code, stderr, stdout) = told(command);
    assert!(stdout.is_empty(), "{stdout}");
    (code, stderr)
}

fn told(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let [stderr, stdout] = [output.stderr, output.stdout].map(|it| String::from_utf8(it).unwrap());
    assert!(!stderr.contains(KEY) && !stdout.contains(KEY));
    (output.status.code(), stderr, stdout)
}

fn drafts(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("packs.jsonl")).unwrap();
    assert!(!text.contains(KEY));
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["draft"].clone())
        .collect()
}

const QUESTION: &str = "How long does a stiff sourdough starter keep?";

#[test]
fn a_draft_is_written_by_either_protocol_and_its_quotations_are_checked() {
    type By = for<'c> fn(&'c mut Command, &Model) -> &'c mut Command;
    let protocols: [(By, &str); 2] = [
        (by_anthropic, "/v1/messages"),
        (by_open_ai, "/v1/chat/completions"),
    ];
    for (by, path) in protocols {
        // Too many, then overloaded, then an answer.
        let model = Model::start(&[Does::TooMany, Does::Overloaded]);
        let (vault, folder) = (vault(), tempfile::tempdir().unwrap());
        let mut command = command(&vault, folder.path(), &[QUESTION]);
        command.args(["--price-in", "3", "--price-out", "15", "--save"]);
        let (code, stderr) = finish(by(&mut command, &model));
        assert_eq!(code, Some(0), "{stderr}");
        assert!(
            stderr.contains("1000 tokens read, 100 written, cost 0.0045"),
            "{stderr}"
        );
        let [draft] = &drafts(folder.path())[..] else {
            panic!("one draft")
        };
        let reasons: Vec<&str> = draft["citations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["citation_reason"].as_str().unwrap())
            .collect();
        assert_eq!(reasons, ["match", "not_found"], "{draft}");
        assert_eq!(draft["citations_status"], "has_mismatch");

        let requests = model.requests();
        assert_eq!(requests.len(), 3);
        let (asked_at, headers, body) = &requests[2];
        assert_eq!(asked_at, path);
        let header = |name: &str| headers.get(name).map(|it| it.to_str().unwrap());
        if path == "/v1/messages" {
            assert_eq!(
                (header("x-api-key"), header("anthropic-version")),
                (Some(KEY), Some("2023-06-01"))
            );
        } else {
            assert_eq!(
                header("authorization"),
                Some(format!("Bearer {KEY}").as_str())
            );
        }
        assert_eq!(body["model"], "writer-1");
        assert!(body.to_string().contains("A stiff starter keeps"));

        // It was published as it is.
        let id = draft["recommendation"].as_str().unwrap();
        let shown = crate::server::run(&["rx", "show", id, "--json", "--vault", vault.path()]);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["citations_status"], "has_mismatch");
        assert_eq!(shown["question"], QUESTION);
    }
}

#[test]
fn a_model_that_declines_is_one_questions_affair() {
    let model = Model::start(&[Does::Refuse]);
    let (vault, folder) = (vault(), tempfile::tempdir().unwrap());
    let mut command = command(
        &vault,
        folder.path(),
        &[QUESTION, "What does rye bread want?"],
    );
    let (code, stderr) = finish(by_open_ai(&mut command, &model));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("1 draft: 2000 tokens read"), "{stderr}");
    let drafts = drafts(folder.path());
    assert_eq!(drafts[0]["text"], Value::Null);
    assert!(drafts[0]["why"].as_str().unwrap().contains("refused"));
    assert!(drafts[1]["text"].is_string());
}

#[test]
fn a_service_that_fails_ends_the_run_and_nothing_is_paid_twice() {
    for (does, part) in [
        (&[Does::Garbage; 5][..], "not of its protocol"),
        (&[Does::Forbid; 1][..], "authentication_error"),
        (&[Does::Nothing; 5][..], "time"),
    ] {
        let script: Vec<Does> = [Does::Answer].iter().chain(does).copied().collect();
        let model = Model::start(&script);
        let (vault, folder) = (vault(), tempfile::tempdir().unwrap());
        let questions = [QUESTION, "What does rye bread want?"];
        let mut first = command(&vault, folder.path(), &questions);
        first.args(["--llm-timeout", "1"]);
        let (code, stderr) = finish(by_anthropic(&mut first, &model));
        assert_eq!(code, Some(3), "{stderr}");
        assert!(
            stderr.contains(part) && stderr.contains("goes on from there"),
            "{stderr}"
        );
        let asked = model.requests().len();

        let mut second = command(&vault, folder.path(), &questions);
        let (code, stderr) = finish(by_anthropic(&mut second, &model));
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(
            model.requests().len(),
            asked + 1,
            "only what was left is asked for"
        );
        assert!(
            drafts(folder.path())
                .iter()
                .all(|draft| draft["text"].is_string())
        );
    }
}

#[test]
fn nothing_is_sent_where_nothing_was_found_or_nobody_asked() {
    let model = Model::start(&[]);
    let (vault, folder) = (vault(), tempfile::tempdir().unwrap());
    let mut command = command(
        &vault,
        folder.path(),
        &["Quantum chromodynamics of gluon plasmas"],
    );
    let (code, stderr) = finish(by_anthropic(&mut command, &model));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(drafts(folder.path())[0]["why"].is_string());

    // A service that was not told to has no model, and one that was wants the token.
    let body = json!({ "questions": [{ "question": QUESTION }], "draft": true }).to_string();
    let mut serve = concord(&["serve", vault.path(), "--draft"]);
    let server = Server::start_by(by_anthropic(&mut serve, &model));
    let bare = server.ask("POST", "/v1/vault/compose", &[], body.as_bytes());
    assert_eq!(bare.code(), "unauthorised");
    assert_eq!(model.requests().len(), 0);
    let token = format!("Bearer {}", vault.token());
    let headers = [("authorization", token.as_str())];
    let drafted = server.ask("POST", "/v1/vault/compose", &headers, body.as_bytes());
    let draft = &drafted.json()["packs"][0]["draft"];
    assert_eq!(draft["citations_status"], "has_mismatch", "{draft}");
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn without_a_model_a_draft_is_refused_with_what_to_do() {
    let (vault, folder) = (vault(), tempfile::tempdir().unwrap());
    let (code, stderr) = finish(&mut command(&vault, folder.path(), &[QUESTION]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("ANTHROPIC_API_KEY"), "{stderr}");
    let mut nameless = command(&vault, folder.path(), &[QUESTION]);
    let (code, stderr) = finish(nameless.env("ANTHROPIC_API_KEY", KEY));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("CONCORD_LLM_MODEL"), "{stderr}");
}

#[test]
fn a_model_proposes_only_tags_of_the_taxonomy_and_sees_no_credential() {
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let note = format!("# Starter\n\nThe key is {secret} and the flour is rye.\n");
    let vault = TestVault::of(&[
        (
            "_taxonomy.md",
            "- bread: what is baked\n- keys: what opens\n",
        ),
        ("Starter.md", &note),
        ("Tagged.md", "---\ntags: [bread]\n---\nA loaf.\n"),
    ]);
    // The first request is refused for the moment and made again.
    let model = Model::start(&[Does::Overloaded]);
    let mut command = concord(&["tag", vault.path(), "--llm"]);
    let (code, stderr, _) = told(by_anthropic(&mut command, &model));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("1000 tokens read, 100 written"), "{stderr}");
    let queue = fs::read_to_string(Path::new(vault.path()).join("_review-queue.md")).unwrap();
    assert!(queue.contains("- [ ] Starter.md: bread"), "{queue}");
    assert!(
        !queue.contains("invented") && !queue.contains("Tagged"),
        "{queue}"
    );
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    for (_, _, body) in requests {
        assert!(!body.to_string().contains(&secret), "{body}");
    }

    // Where its service does not let anybody in, nothing is written and that is said.
    let vault = TestVault::of(&[("_taxonomy.md", "- bread\n"), ("Starter.md", &note)]);
    let model = Model::start(&[Does::Forbid]);
    let mut command = concord(&["tag", vault.path(), "--llm"]);
    let (code, stderr, _) = told(by_open_ai(&mut command, &model));
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("401"), "{stderr}");
    assert!(!Path::new(vault.path()).join("_review-queue.md").exists());
}
