//! Evidence packs: the same bytes every time, whatever ends a run; one bad line stops nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, TestVault, concord, sample};

/// Some questions of the sample vault's domain `finance`, asked in many ways.
fn questions(count: usize) -> String {
    let about = [
        "margin",
        "backlog",
        "guidance",
        "warranty",
        "float",
        "cash",
        "deposit",
        "surcharge",
    ];
    let asked = [
        "What is known of",
        "Why does it matter:",
        "When did it change:",
        "Who wrote about",
    ];
    (0..count)
        .map(|i| {
            let question = format!("{} {} {i}?", asked[i / 8 % 4], about[i % 8]);
            json!({ "id": format!("q{i}"), "question": question }).to_string() + "\n"
        })
        .collect()
}

struct Run {
    code: Option<i32>,
    stderr: String,
}

fn compose(vault: &TestVault, input: &Path, output: &Path, more: &[&str]) -> Run {
    let output = concord(&["compose", "--vault", vault.path()])
        .args(more)
        .arg("--in")
        .arg(input)
        .arg("--out")
        .arg(output)
        .output()
        .unwrap();
    Run {
        code: output.status.code(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn packs(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn partial(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

#[test]
fn a_run_that_is_killed_and_gone_on_with_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("questions.jsonl");
    fs::write(&input, questions(160)).unwrap();
    let [whole, again, killed] =
        ["whole", "again", "killed"].map(|name| folder.path().join(format!("{name}.jsonl")));
    for output in [&whole, &again] {
        let run = compose(sample(), &input, output, &["--domain", "finance"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let expected = fs::read(&whole).unwrap();
    assert_eq!(packs(&whole).len(), 160);
    assert!(fs::read(&again).unwrap() == expected, "two runs differ");

    let mut child = concord(&["compose", "--vault", sample().path(), "--domain", "finance"])
        .arg("--in")
        .arg(&input)
        .arg("--out")
        .arg(&killed)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while fs::metadata(partial(&killed)).map_or(0, |file| file.len()) == 0 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing is written"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!killed.exists(), "it has its name only when it is complete");
    // A line that was torn by the kill.
    let kept = fs::read(partial(&killed)).unwrap();
    fs::write(partial(&killed), &kept[..kept.len() - 7]).unwrap();

    let run = compose(sample(), &input, &killed, &["--domain", "finance"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("going on after"), "{}", run.stderr);
    assert!(fs::read(&killed).unwrap() == expected, "it differs");
    assert!(!partial(&killed).exists());
}

#[test]
fn what_was_begun_under_other_terms_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("questions.jsonl");
    let output = folder.path().join("packs.jsonl");
    fs::write(&input, questions(3)).unwrap();
    let finished = compose(sample(), &input, &output, &["--domain", "finance"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let expected = fs::read(&output).unwrap();

    // As an earlier run with another profile would have left it.
    fs::write(partial(&output), &expected).unwrap();
    let mut basis = partial(&output).into_os_string();
    basis.push(".json");
    fs::write(basis, "{}\n").unwrap();
    let run = compose(
        sample(),
        &input,
        &output,
        &["--domain", "finance", "-k", "2"],
    );
    assert!(run.stderr.contains("beginning anew"), "{}", run.stderr);
    for pack in packs(&output) {
        assert_eq!(pack["passages"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn one_bad_line_stops_nothing_and_is_answered_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("questions.jsonl");
    let output = folder.path().join("packs.jsonl");
    let lines = [
        r#"{"question": "What is a margin of safety?", "id": "first"}"#,
        r#"{"question": ""}"#,
        "",
        r#"{"question": "What is backlog?", "scope": {"folder": "Concepts"}}"#,
        r#"{"question": "What is backlog?", "scope": {"since": "tomorrow"}}"#,
        "not JSON",
        "",
    ];
    fs::write(&input, lines.join("\r\n")).unwrap();
    let run = compose(sample(), &input, &output, &["--domain", "finance"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for part in [
        "line 2: question: question:",
        "line 5: question: scope.since:",
        "4 lines could not be read",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let packs = packs(&output);
    let told: Vec<Value> = packs
        .iter()
        .map(|pack| json!([pack["id"], pack["error"]["key"], pack["error"]["line"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!(["first", null, null]),
            json!([null, "question", 2]),
            json!([null, "", 3]),
            json!(["4", null, null]),
            json!([null, "scope.since", 5]),
            json!([null, "", 6]),
        ]
    );
    for passage in packs[3]["passages"].as_array().unwrap() {
        assert!(passage["note"].as_str().unwrap().starts_with("Concepts/"));
    }
}

#[test]
fn the_service_composes_what_the_command_line_does() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("questions.jsonl");
    let output = folder.path().join("packs.jsonl");
    let asked = [
        json!({ "id": "a", "question": "Why can a firm earn a profit and still run out of money?" }),
        json!({ "id": "b", "question": "Quantum chromodynamics of gluon plasmas" }),
    ];
    let lines: String = asked.iter().map(|it| it.to_string() + "\n").collect();
    fs::write(&input, lines).unwrap();
    let terms = ["--domain", "finance", "--max-tokens", "700", "-k", "5"];
    let run = compose(sample(), &input, &output, &terms);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let printed = packs(&output);

    let server = Server::start(sample(), &[]);
    let body = json!({ "questions": asked, "max_tokens": 700, "k": 5 });
    let path = "/v1/vault/compose?domain=finance";
    let answer = server.ask("POST", path, &[], body.to_string().as_bytes());
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["packs"], json!(printed));

    let pack = &printed[0];
    assert_eq!(
        (&pack["nothing_relevant"], &pack["why"]),
        (&json!(false), &Value::Null)
    );
    let context = pack["context"].as_str().unwrap();
    let mut tokens = 0;
    for passage in pack["passages"].as_array().unwrap() {
        let number = passage["number"].to_string();
        let place = &pack["citations"][&number];
        assert_eq!(
            (&place["note"], &place["ordinal"]),
            (&passage["note"], &passage["ordinal"])
        );
        let heading = format!("[{number}] {}", passage["title"].as_str().unwrap());
        assert!(
            context.lines().any(|line| line.starts_with(&heading)),
            "{heading}"
        );
        assert!(!passage["excerpt"].as_array().unwrap().is_empty());
        tokens += passage["tokens"].as_u64().unwrap();
    }
    assert_eq!(pack["tokens"], tokens);
    assert!(tokens <= 700 && tokens > 0);
    assert!(printed[1]["nothing_relevant"].as_bool().unwrap());
    assert!(printed[1]["why"].is_string());

    // A question has the same pack alone.
    let body = json!({ "questions": [asked[1]], "max_tokens": 700, "k": 5 });
    let alone = server.ask("POST", path, &[], body.to_string().as_bytes());
    assert_eq!(alone.json()["packs"][0], printed[1]);
    // And another at another moment, though what was ranked is the same.
    let body = json!({ "questions": [asked[1]], "max_tokens": 700, "k": 5, "now": 0 });
    let then = server
        .ask("POST", path, &[], body.to_string().as_bytes())
        .json();
    assert_ne!(then["packs"][0]["digest"], printed[1]["digest"]);
}

#[test]
fn what_cannot_be_composed_is_refused_by_its_key() {
    let server = Server::start(sample(), &[]);
    let many: Vec<Value> = (0..101).map(|_| json!({ "question": "a" })).collect();
    let one = json!([{ "question": "a" }]);
    for (body, key) in [
        (
            json!({ "questions": [{ "question": "a" }, { "question": " " }] }),
            "questions[1].question",
        ),
        (json!({ "questions": many }), "questions"),
        (json!({ "questions": one, "k": 0 }), "k"),
        (json!({ "questions": one, "max_tokens": 0 }), "max_tokens"),
        (json!({ "questions": one, "profile": "no-such" }), "profile"),
        (json!({ "questions": one, "draft": true }), "draft"),
        (json!({ "question": "a" }), "body"),
    ] {
        let path = "/v1/vault/compose?domain=finance";
        let answer = server.ask("POST", path, &[], body.to_string().as_bytes());
        assert_eq!(answer.code(), "bad_request", "{body}");
        assert_eq!(answer.json()["error"]["key"], key, "{body}");
    }
}
