use std::fs;
use std::path::Path;

use crate::harness::{Run, command, finish, sample, vault_of};

/// `concord eval` with a cache folder of its own.
fn eval(arguments: &[&str], vault: &Path, caches: &Path) -> Run {
    let mut command = command(&["eval"], vault);
    command.arg("--cache").arg(caches).args(arguments);
    finish(command)
}

fn sample_questions() -> String {
    format!("{}/sample-questions.yaml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_sample_questions_are_measured_by_leg_layer_and_category() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, caches) = (sample(folder.path()), folder.path().join("caches"));
    let page = folder.path().join("report.html");
    let arguments = [
        "--questions",
        &sample_questions(),
        "--json",
        "--compare",
        "balanced",
        "--html",
        page.to_str().unwrap(),
    ];
    let report = eval(&arguments, &vault, &caches).done().json();
    let verdict = &report["verdicts"][0];
    assert_eq!(verdict["questions"], 25);
    assert_eq!(verdict["categories"].as_array().unwrap().len(), 6);
    let stages = verdict["stages"].as_array().unwrap();
    let figure = |key: &str| {
        let stage = stages.iter().find(|stage| stage["key"] == key);
        stage.unwrap()["figures"]["nDCG@10"]["mean"]
            .as_f64()
            .unwrap()
    };
    // Words and meaning together are better than words.
    assert!(figure("fused") > figure("lexical"), "{verdict}");
    for stage in stages.iter().filter(|stage| stage["is_leg"] == false) {
        let change = &stage["change"];
        let count = |key: &str| change[key].as_array().unwrap().len();
        let unchanged = usize::try_from(change["unchanged"].as_u64().unwrap()).unwrap();
        assert_eq!(count("helped") + count("hurt") + unchanged, 25);
    }
    assert_eq!(report["comparisons"][0]["second"], "balanced");

    let page = fs::read_to_string(&page).unwrap();
    assert!(
        page.contains("<svg") && page.contains("Meaning alone"),
        "{page}"
    );
    for outside in ["http:", "https:", "<script", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }

    // The same figures again, from the vectors that were kept.
    let again = eval(&arguments, &vault, &caches).done().json();
    assert_eq!(again["verdicts"][0]["stages"], verdict["stages"]);
}

#[test]
fn questions_that_say_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let caches = folder.path().join("caches");
    let vault = vault_of(folder.path(), &[("a.md", "# Ships\n\nThey float.\n")]);
    fs::write(vault.join("concord.yaml"), "model: none\n").unwrap();
    let file = folder.path().join("questions.yaml");
    let check = |text: &str, parts: &[&str]| {
        fs::write(&file, text).unwrap();
        let run = eval(&["--questions", file.to_str().unwrap()], &vault, &caches);
        assert_eq!(run.stdout, "");
        run.refused(2, parts);
    };
    check("[]", &["questions.yaml", "no question"]);
    check(
        "- query: q\n  relevant: [b.md]",
        &["\"b.md\" (question 1", "concord index"],
    );
    check(
        "- query: q\n  domain: x\n  relevant: [a.md]",
        &["no domain `x`"],
    );
    check("- query: q\n  relevent: [a.md]", &["relevent"]);
    let run = eval(&[], &vault, &caches);
    run.refused(2, &["--questions", "--beir"]);
}

#[test]
fn ten_questions_are_too_few_to_choose_numbers_by() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, caches) = (sample(folder.path()), folder.path().join("caches"));
    fs::write(vault.join("concord.yaml"), "model: none\n").unwrap();
    let run = eval(
        &["--questions", &sample_questions(), "--tune"],
        &vault,
        &caches,
    );
    run.refused(1, &["25 questions", "too few", "Keep what you have"]);
}

#[test]
fn a_collection_in_beirs_form_is_asked_its_own_questions() {
    let folder = tempfile::tempdir().unwrap();
    let (beir, caches) = (folder.path().join("ships"), folder.path().join("caches"));
    fs::create_dir(&beir).unwrap();
    let write = |name: &str, text: &str| fs::write(beir.join(name), text).unwrap();
    write(
        "corpus.jsonl",
        "{\"_id\": \"1\", \"title\": \"Ships\", \"text\": \"A hull floats on water.\"}\n\
         {\"_id\": \"2\", \"title\": \"Bread\", \"text\": \"Dough rises overnight.\"}\n",
    );
    write(
        "queries.jsonl",
        "{\"_id\": \"q\", \"text\": \"why does dough rise\"}\n",
    );
    write("qrels.tsv", "query-id\tcorpus-id\tscore\nq\t2\t1\n");
    let run = eval(
        &["--beir", beir.to_str().unwrap(), "--json"],
        folder.path(),
        &caches,
    );
    let report = run.done().json();
    let verdict = &report["verdicts"][0];
    assert_eq!(
        (&verdict["name"], &verdict["notes"]),
        (&"ships".into(), &2.into())
    );
    let stages = verdict["stages"].as_array().unwrap();
    let whole = &stages.last().unwrap()["figures"];
    assert_eq!(
        (&whole["MRR"]["mean"], &whole["nDCG@10"]["mean"]),
        (&1.0.into(), &1.0.into())
    );
    // Nothing was written beside the collection.
    assert_eq!(fs::read_dir(&beir).unwrap().count(), 3);
}
