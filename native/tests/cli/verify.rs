use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{FINANCE, folder, run, run_with_stdin, write};

fn line(quote: &str, chunk: &str) -> String {
    json!({ "quote": quote, "chunk": chunk }).to_string()
}

fn answers(stdout: &str) -> Vec<Value> {
    let lines = stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

#[test]
fn each_line_is_answered_in_order() {
    let chunk = "The report shows that revenue grew by twelve percent, and costs did not.";
    let cases = [
        (line("revenue grew by TWELVE percent", chunk), "match", 1),
        (line("revenue … costs", chunk), "too_short", 0),
        (line("revenue grew … costs did not", chunk), "match", 2),
        (
            line("revenue fell by twelve percent", chunk),
            "not_found",
            0,
        ),
        (
            line("revenue grew by twelve percent", ""),
            "no_chunk_text",
            0,
        ),
        (line("", chunk), "no_quote", 0),
        ("{}".to_owned(), "no_quote", 0),
        (
            json!({ "quote": null, "chunk": null }).to_string(),
            "no_quote",
            0,
        ),
        (
            json!({ "quote": "revenue grew by twelve" }).to_string(),
            "no_chunk_text",
            0,
        ),
    ];
    let input: String = cases.iter().map(|(line, ..)| format!("{line}\n")).collect();
    let folder = folder("verify");
    let file = write(&folder, "lines.jsonl", &input);
    for run in [
        run(&["verify", "--jsonl", &file]),
        run_with_stdin(&["verify", "--jsonl"], input.as_str()),
        run_with_stdin(&["verify", "--jsonl", "-"], input.replace('\n', "\r\n")),
    ] {
        assert_eq!(run.code, 0, "{run:?}");
        let answers = answers(&run.stdout);
        assert_eq!(answers.len(), cases.len());
        for (answer, (line, reason, spans)) in answers.iter().zip(&cases) {
            assert_eq!(answer["citation_reason"], *reason, "{line}");
            assert_eq!(answer["citation_verified"], *reason == "match", "{line}");
            assert_eq!(answer["spans"].as_array().unwrap().len(), *spans, "{line}");
        }
        let summary = "concord: 9 lines: 2 match, 1 not_found, 1 too_short, 3 no_quote, \
                       2 no_chunk_text\n";
        assert_eq!(run.stderr, summary);
    }
}

#[test]
fn spans_are_bytes_of_the_chunk_as_given() {
    let chunk = "Übersicht: „Die Größe der ﬁnanziellen Lücke“ — 3 € je Stück, sagt er. 👩‍🚀";
    let check = |quote: &str, expected: &[&str]| {
        let run = run_with_stdin(&["verify", "--jsonl"], line(quote, chunk));
        let answer = &answers(&run.stdout)[0];
        let spans: Vec<(usize, usize)> = serde_json::from_value(answer["spans"].clone()).unwrap();
        let found: Vec<&str> = spans
            .iter()
            .map(|&(start, end)| &chunk[start..end])
            .collect();
        assert_eq!(found, expected, "{quote}");
    };
    check(
        "DIE GRÖSSE DER FINANZIELLEN",
        &["Die Größe der ﬁnanziellen"],
    );
    check(
        "die größe [...] 3 € je stück",
        &["Die Größe", "3 € je Stück"],
    );
    check("die größe der lücke", &[]);
}

#[test]
fn a_bad_line_is_reported_by_number_and_the_rest_goes_on() {
    let good = line("revenue grew by twelve", "Revenue grew by twelve percent.");
    let mut input = Vec::new();
    let lines: [&[u8]; 12] = [
        good.as_bytes(),
        b"",
        b"{\"quote\": 3, \"chunk\": \"x\"}",
        b"{\"quote\": \"\xff\xfe\", \"chunk\": \"x\"}",
        good.as_bytes(),
        b"{\"quote\": \"x\", \"chunk\": \"y\", \"note\": \"z\"}",
        b"{\"quote\": \"x\"",
        b"{} {}",
        b"[1, 2, 3]",
        b"  \t ",
        b"{\"quote\": \"\\ud800\", \"chunk\": \"lone surrogate\"}",
        good.as_bytes(),
    ];
    for line in lines {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(b"\n \n\r\n"); // blank lines at the end count for nothing
    let run = run_with_stdin(&["verify", "--jsonl"], input);
    assert_eq!(run.code, 2, "{run:?}");

    let answers = answers(&run.stdout);
    assert_eq!(
        answers.len(),
        lines.len(),
        "the n-th answer is to the n-th line"
    );
    let keys = [
        None,
        Some(""),
        Some("quote"),
        Some(""),
        None,
        Some("note"),
        Some(""),
        Some(""),
        Some(""),
        Some(""),
        Some("quote"),
        None,
    ];
    for (i, (answer, key)) in answers.iter().zip(keys).enumerate() {
        let number = i + 1;
        let Some(key) = key else {
            assert_eq!(answer["citation_verified"], true, "line {number}: {answer}");
            continue;
        };
        let error = &answer["error"];
        assert_eq!(error["code"], "bad_quotation", "line {number}: {answer}");
        assert_eq!(error["line"], number);
        if !key.is_empty() {
            assert_eq!(error["key"], key, "line {number}");
        }
        let report = format!("concord: standard input: line {number}: quotation: ");
        assert!(run.stderr.contains(&report), "{report}\n{}", run.stderr);
        assert!(run.stderr.contains(error["message"].as_str().unwrap()));
        assert!(
            !error["message"].as_str().unwrap().contains("line 1"),
            "{error}"
        );
    }
    let summary = "concord: 12 lines: 3 match, 9 could not be read\n";
    assert!(run.stderr.ends_with(summary), "{}", run.stderr);
}

#[test]
fn a_line_beyond_all_measure_is_a_bad_line_and_not_the_end() {
    let good = line("revenue grew by twelve", "Revenue grew by twelve percent.");
    let mut input = vec![b'x'; (16 << 20) + 1];
    input.push(b'\n');
    input.extend_from_slice(good.as_bytes()); // and no line break at the end
    let run = run_with_stdin(&["verify", "--jsonl"], input);
    assert_eq!(run.code, 2);
    let answers = answers(&run.stdout);
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["error"]["line"], 1);
    assert_eq!(answers[1]["citation_verified"], true);
}

#[test]
fn no_line_at_all_is_no_mistake() {
    for input in ["", "\n", "\n\n  \n"] {
        let run = run_with_stdin(&["verify", "--jsonl"], input);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
        assert_eq!(run.stderr, "concord: 0 lines\n");
    }
}

#[test]
fn a_line_is_answered_before_the_next_is_waited_for() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["verify", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (answered, answer) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in stdout.lines() {
            let _ = answered.send(line.unwrap());
        }
    });
    for _ in 0..3 {
        writeln!(stdin, "{}", line("revenue grew by", "revenue grew by far")).unwrap();
        let line = answer.recv_timeout(Duration::from_secs(20));
        assert!(line.is_ok_and(|line| line.contains("match")));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
}

#[test]
fn a_reader_that_has_seen_enough_is_no_mistake() {
    let folder = folder("pipe");
    let good = line("revenue grew by twelve", "Revenue grew by twelve percent.");
    let lines = write(&folder, "lines.jsonl", format!("{good}\n").repeat(50_000));
    let commands: [&[&str]; 5] = [
        &["verify", "--jsonl", &lines],
        &["rank", "--bundle", FINANCE, "--json"],
        &["rank", "--bundle", FINANCE, "--explain"],
        &["schema", "receipt"],
        &["profile"],
    ];
    for args in commands {
        let mut child = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        if args[0] == "verify" {
            let mut first = String::new();
            stdout.read_line(&mut first).unwrap();
            assert!(first.contains("match"), "{first}");
        }
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), words.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
}

#[test]
fn a_single_quotation_is_shown_where_it_stands() {
    let folder = folder("one");
    let text = "A first line.\nThe ﬁrm’s margin “fell by 210 basis points” — mostly on freight.\n";
    let chunk = write(&folder, "chunk.txt", text);
    let check = |quote: &str, first: &str, passage: &str| {
        let run = run(&["verify", "--quote", quote, "--chunk", &chunk]).done();
        assert!(run.stdout.starts_with(first), "{quote}\n{}", run.stdout);
        assert!(run.stdout.contains(passage), "{quote}\n{}", run.stdout);
    };
    check(
        "the firm's margin \"fell",
        "verified  match",
        "\n  »The ﬁrm’s margin “fell« by 210 basis points” — mostly on freight.\n",
    );
    check(
        "fell by 210 basis ... on freight",
        "verified  match",
        "»on freight«",
    );
    check("- mostly on", "not verified  too_short", "12 characters");
    check(
        "-- mostly on freight",
        "not verified  not_found",
        "not in the chunk",
    );
    check(" ", "not verified  no_quote", "nothing is quoted");

    let args = [
        "verify",
        "--json",
        "--quote",
        "fell by 210 basis",
        "--chunk",
    ];
    let json = run(&[&args[..], &[&chunk]].concat()).done();
    let piped = run_with_stdin(&[&args[..], &["-"]].concat(), text).done();
    assert_eq!(json.stdout, piped.stdout);
    let start = text.find("fell").unwrap();
    let spans = json!([[start, start + "fell by 210 basis".len()]]);
    assert_eq!(json.json()["spans"], spans);
    assert_eq!(json.stdout.lines().count(), 1);
}

#[test]
fn a_chunk_that_is_no_text_is_refused_by_name() {
    let folder = folder("no-text");
    let chunk = write(&folder, "chunk.bin", b"abc\xff");
    let run = run(&["verify", "--quote", "twelve characters", "--chunk", &chunk]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr
            .contains("chunk.bin: quotation: must be UTF-8, and byte 3 is not")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_by_the_longest_line_and_not_by_the_file() {
    // Forty times what a line may hold, from a file that takes no space; a fifth of it in memory.
    let folder = folder("sparse");
    let path = folder.join("sparse.jsonl");
    File::create(&path).unwrap().set_len(640 << 20).unwrap();
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -v 131072 && exec \"$0\" verify --jsonl \"$1\"",
        ])
        .args([env!("CARGO_BIN_EXE_concord").as_ref(), path.as_os_str()])
        .output()
        .unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(answers(&String::from_utf8(output.stdout).unwrap()).len(), 1);
}
