use std::fs;

use serde_json::{Value, json};

use crate::harness::{FINANCE, concord, finance, finish, folder, run, run_with_stdin, with, write};

/// The first under `balanced`.
const TOP: &str = "finance/Filings/NRTH/2026-Q3.md";

#[test]
fn a_list_shows_title_section_path_score_and_the_sentences_that_matter() {
    let list = run(&["rank", "--bundle", FINANCE]).done().stdout;
    let first = "\
  1  1.0818  Northwind 10-Q, third quarter 2026 › Item 2. Management's discussion
             finance/Filings/NRTH/2026-Q3.md
             Gross profit as a percentage of net sales was 24.6 %, compared with 26.7 % in the prior-year quarter.
             The decrease reflects higher inbound freight expense and promotional pricing, partially offset by lower shrink.
";
    assert!(list.contains(first), "{list}");
    let last = list.lines().last().unwrap();
    let beginning = "8 candidates, 8 shown · links acted (14 citations) · digest ";
    let digest = last.strip_prefix(beginning).expect(last);
    assert_eq!(digest.len(), 12);
    let ranking = run(&["rank", "--bundle", FINANCE, "--json"]).done().json();
    assert!(ranking["digest"].as_str().unwrap().starts_with(digest));
}

#[test]
fn a_bundle_may_come_from_standard_input() {
    let bundle = fs::read(FINANCE).unwrap();
    let piped = run_with_stdin(&["rank", "--bundle", "-", "--json"], bundle).done();
    let read = run(&["rank", "--bundle", FINANCE, "--json"]).done();
    assert_eq!(piped.stdout, read.stdout);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_document() {
    let marked = [b"\xef\xbb\xbf", fs::read(FINANCE).unwrap().as_slice()].concat();
    let piped = run_with_stdin(&["rank", "--bundle", "-", "--json"], marked).done();
    let read = run(&["rank", "--bundle", FINANCE, "--json"]).done();
    assert_eq!(piped.stdout, read.stdout);
}

#[test]
fn json_is_one_document_with_every_trace() {
    let ranking = run(&["rank", "--bundle", FINANCE, "--json"]).done().json();
    assert_eq!(ranking["candidates"], 8);
    assert_eq!(ranking["items"][0]["note"], TOP);
    for item in ranking["items"].as_array().unwrap() {
        assert!(item["trace"]["legs"].is_array(), "{item}");
    }
}

#[test]
fn a_profile_is_a_name_or_a_file_of_either_format() {
    let folder = folder("profiles");
    let yaml = write(&folder, "p.yaml", "extends: vault\nlimit: 3\n");
    let json = write(
        &folder,
        "p.json",
        "{\n\t\"extends\": \"vault\", \"limit\": 3\n}",
    );
    let bare = write(&folder, "p", "{extends: vault, limit: 3}");
    let name = |profile| {
        let args = ["rank", "--bundle", FINANCE, "--profile", profile, "--json"];
        run(&args).done().json()
    };
    let named = {
        let args = ["rank", "--bundle", FINANCE, "--profile", "vault"];
        let args = [&args[..], &["--limit", "3", "--json"]].concat();
        run(&args).done().json()
    };
    assert_eq!(named["items"].as_array().unwrap().len(), 3);
    for file in [&yaml, &json, &bare] {
        assert_eq!(name(file), named, "{file}");
    }
    let args = ["rank", "--bundle", FINANCE, "--profile", "-", "--json"];
    let piped = run_with_stdin(&args, "extends: vault\nlimit: 3\n").done();
    assert_eq!(piped.json(), named);
}

#[test]
fn the_vault_profile_is_that_of_the_bundles_domain() {
    let args = ["rank", "--bundle", FINANCE, "--profile", "vault", "--json"];
    let ranking = run(&args).done().json();
    let rules: Vec<&Value> = ranking["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["trace"]["decay"]["rule"])
        .collect();
    for rule in [
        "ladder",
        "newest_quarter",
        "older_quarter",
        "evergreen",
        "no_author",
    ] {
        assert!(
            rules.iter().any(|&found| found == rule),
            "{rule}: {rules:?}"
        );
    }
}

/// Every profile below, shown with `--explain`: in each block the signed numbers add up to the
/// one after `=` to the last digit, and the last one is the score.
#[test]
fn the_parts_of_an_explanation_add_up_to_the_score() {
    let profiles = [
        "extends: balanced",
        "extends: vault",
        "{extends: vault, signals: {severity: -0.3}}",
        "{extends: vault, cross: {weight: 0.37}}",
        "{fuse: {method: convex, weights: {lexical: 0.3}}}",
        "{decay: {mode: half_life, half_life_days: 77}}",
        "{decay: {mode: validity_window}, graph: {mode: 'off'}}",
        "{graph: {min_citations: 100, relevance: cosine}, recency: {amount: 0}}",
        "{extends: vault, graph: {min_citations: 100}, fuse: {unit: note}}",
        "{diversity: {max_per_note: 1}, extends: vault}",
    ];
    for profile in profiles {
        let args = ["rank", "--bundle", FINANCE, "--profile", "-"];
        let explained = run_with_stdin(&[&args[..], &["--explain"]].concat(), profile).done();
        let ranking = run_with_stdin(&[&args[..], &["--json"]].concat(), profile).done();
        let mut scores = Vec::new();
        let mut sum = 0;
        for line in explained.stdout.lines() {
            let Some((sign, amount, label)) = part(line) else {
                continue;
            };
            match sign {
                '+' => sum += amount,
                '-' => sum -= amount,
                ' ' => sum = amount,
                '=' if label == "decayed" => {}
                '=' => {
                    assert_eq!(sum, amount, "{profile}: {line}\n{}", explained.stdout);
                    if label == "score" {
                        scores.push(amount);
                    }
                }
                _ => {}
            }
        }
        let ranking = ranking.json();
        let items = ranking["items"].as_array().unwrap().iter();
        let expected: Vec<i64> = items.map(|item| millionths(&item["score"])).collect();
        assert_eq!(scores, expected, "{profile}");
    }
}

/// Sign, millionths and label of a line of an explanation: `   + 0.016393  vector …`.
fn part(line: &str) -> Option<(char, i64, &str)> {
    let mut rest = line.strip_prefix("   ")?.chars();
    let sign = rest.next().filter(|sign| " +-=×".contains(*sign))?;
    let mut words = rest.as_str().strip_prefix(' ')?.split_whitespace();
    let amount = words.next()?;
    let label = words.next()?;
    let amount: f64 = amount
        .parse()
        .ok()
        .filter(|_| sign != ' ' || amount.len() > 7)?;
    Some((sign, millionths(&json!(amount)), label))
}

#[expect(clippy::cast_possible_truncation, reason = "scores are small")]
fn millionths(score: &Value) -> i64 {
    (score.as_f64().unwrap() * 1e6).round() as i64
}

#[test]
fn an_explanation_says_why_in_words() {
    let check = |profile: &str, words: &str| {
        let args = ["rank", "--bundle", FINANCE, "--profile", "-", "--explain"];
        let list = run_with_stdin(&args, profile).done().stdout;
        assert!(list.contains(words), "{profile}: {words}\n{list}");
    };
    check(
        "extends: vault",
        "ladder: no. 2 from the newest of the notes by Ines Okafor",
    );
    check("extends: vault", "of the newest quarter in Filings/NRTH");
    check("extends: vault", "of an older quarter in Filings/NRTH");
    check("extends: vault", "evergreen");
    check("extends: vault", "no author, so it stands alone");
    check("extends: vault", "0.5 / (60 + 2)  rank 2, own score 13.07");
    check("extends: vault", "PageRank     0.526809 × 0.25");
    check("{}", "age does not weigh");
    check("{}", "not changed in the last 30 days");
    check("{graph: {mode: 'off'}}", "off by profile");
    check(
        "{graph: {min_citations: 15}}",
        "too few: 14 citations, 15 needed",
    );
    check(
        "{extends: vault, graph: {min_citations: 15}}",
        "counts for relevance instead",
    );
    check(
        "{decay: {mode: half_life}}",
        "half of it goes every 365 days",
    );
    check("{cross: {weight: 0.5}}", "logit 4.1, scaled");
    check("{signals: {severity: 2}}", "0.800000 × 2  signal");
}

#[test]
fn a_closing_line_says_what_was_dropped_and_whether_links_acted() {
    let check = |profile: &str, words: &str| {
        let args = ["rank", "--bundle", FINANCE, "--profile", "-"];
        let list = run_with_stdin(&args, profile).done().stdout;
        assert!(
            list.lines().last().unwrap().contains(words),
            "{words}\n{list}"
        );
    };
    check(
        "limit: 3",
        "8 candidates, 3 shown, 5 past the limit · links acted",
    );
    check("graph: {mode: 'off'}", "links did not act (14 citations)");
    check(
        "{extends: vault, diversity: {max_per_note: 1}}",
        "11 candidates, 8 shown, 3 of notes shown often enough",
    );
    check("budget: {max_tokens: 60}", "too long for the budget");
    check(
        "{limit: 1, small_corpus: {guard: true}}",
        "all of a small corpus",
    );
}

#[test]
fn nothing_in_a_bundle_reaches_the_terminal_as_a_command() {
    let evil = "\u{1b}]0;evil\u{7}\u{1b}[31mred\u{9b}2J\u{202e}abc\u{2066}\r\n  9  9.9999  forged\u{0}\u{7f}";
    let mut bundle = finance();
    for pointer in [
        "/query",
        "/notes/0/title",
        "/notes/0/author",
        "/chunks/0/section",
        "/legs/0/name",
    ] {
        bundle = with(&bundle, pointer, json!(evil));
    }
    bundle = with(&bundle, "/chunks/0/text", json!(evil));
    let whole = json!([{ "start": 0, "end": evil.len(), "cosine": 0.9 }]);
    bundle = with(&bundle, "/chunks/0/sentences", whole);
    bundle = with(&bundle, "/notes/0/signals", json!({ evil: 1.0 }));
    let path = bundle["notes"][0]["path"].clone();
    let mut text = bundle.to_string();
    text = text.replace(path.as_str().unwrap(), "evil\\u001b[2J.md");

    let folder = folder("escapes");
    let bundle = write(&folder, "b.json", text);
    let signals = json!({ "extends": "vault", "name": evil, "signals": { evil: 0.5 } });
    let profile = write(&folder, "p.json", signals.to_string());
    let args = [
        "rank",
        "--bundle",
        &bundle,
        "--profile",
        &profile,
        "--explain",
    ];
    let list = run(&args).done().stdout;
    let turns_text = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let harmless = |c: char| c == '\n' || !c.is_control() && !turns_text(c);
    assert_eq!(list.chars().find(|&c| !harmless(c)), None, "{list:?}");
    let forged = list.lines().find(|line| line.starts_with("  9  9.9999"));
    assert_eq!(forged, None, "a note cannot write a line of ours");
    assert!(list.contains("red"), "the text itself stays: {list}");

    // JSON keeps every character, as an escape.
    let json = run(&["rank", "--bundle", &bundle, "--json"]).done();
    assert_eq!(json.stdout.chars().find(|&c| !harmless(c)), None);
    let document = json.json();
    let items = document["items"].as_array().unwrap().iter();
    let mut sentences = items.filter_map(|item| item["excerpt"][0]["text"].as_str());
    assert!(sentences.any(|text| text == evil), "{document}");

    // The same holds for what is said on standard error.
    let dangling = with(&finance(), "/chunks/0/note", json!(evil));
    let bundle = write(&folder, "dangling.json", dangling.to_string());
    let refused = run(&["rank", "--bundle", &bundle]);
    assert_eq!(refused.code, 2);
    assert_eq!(refused.stderr.chars().find(|&c| !harmless(c)), None);
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
}

#[test]
fn colours_come_only_where_they_are_wanted() {
    let check = |set: &[(&str, &str)], coloured: bool| {
        let mut command = concord(&["rank", "--bundle", FINANCE]);
        for &(name, value) in set {
            command.env(name, value);
        }
        let list = finish(command).done().stdout;
        assert_eq!(list.contains('\u{1b}'), coloured, "{set:?}");
    };
    check(&[], false); // no terminal
    check(&[("CLICOLOR_FORCE", "1")], true);
    check(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false);
}

#[test]
fn a_receipt_is_written_whole_and_holds_all_that_the_ranking_depends_on() {
    let folder = folder("receipt");
    let receipt = write(&folder, "r.json", "an older one");
    let args = ["rank", "--bundle", FINANCE, "--profile", "vault", "--json"];
    let ranking = run(&[&args[..], &["--receipt", &receipt]].concat()).done();
    let written: Value = serde_json::from_str(&fs::read_to_string(&receipt).unwrap()).unwrap();
    assert_eq!(written["ranking"], ranking.json());
    assert_eq!(written["profile"]["name"], "vault");
    assert_eq!(written["bundle"]["query"], finance()["query"]);
    let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else is left: {left:?}");
}

#[test]
fn a_receipt_that_cannot_be_written_leaves_nothing_behind_and_prints_nothing() {
    let folder = folder("no-receipt");
    let inner = folder.join("inner");
    fs::create_dir(&inner).unwrap();
    let check = |target: &str, code: i32| {
        let refused = run(&["rank", "--bundle", FINANCE, "--receipt", target]);
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (code, ""),
            "{refused:?}"
        );
        assert!(refused.stderr.contains(target), "{refused:?}");
    };
    check(inner.to_str().unwrap(), 2);
    check(folder.join("nowhere/r.json").to_str().unwrap(), 2);
    check("-", 2);
    if cfg!(target_os = "linux") {
        check("/dev/full", 3);
    }
    let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left: {left:?}");
}

#[cfg(unix)]
#[test]
fn a_receipt_goes_where_a_link_points() {
    let folder = folder("link");
    let target = write(&folder, "target.json", "old");
    let link = folder.join("link.json");
    std::os::unix::fs::symlink("target.json", &link).unwrap();
    let link_name = link.to_str().unwrap();
    run(&["rank", "--bundle", FINANCE, "--receipt", link_name]).done();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(target).unwrap().contains("\"digest\""));
}

#[test]
fn a_bundle_without_candidates_is_an_empty_answer() {
    let mut bundle = finance();
    for pointer in ["/legs", "/chunks", "/notes"] {
        bundle = with(&bundle, pointer, json!([]));
    }
    let list = run_with_stdin(&["rank", "--bundle", "-", "--explain"], bundle.to_string()).done();
    assert!(
        list.stdout.contains("0 candidates, 0 shown"),
        "{}",
        list.stdout
    );
}
