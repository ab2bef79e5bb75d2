use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{command, concord, sample, vault_of};

const TAXONOMY: &str =
    "# Tags\n\n## Things\n\n- sector/energy: power\n- sector/freight: goods\n- risk: danger\n";

fn read(vault: &Path, path: &str) -> String {
    fs::read_to_string(vault.join(path)).unwrap()
}

/// Every file of a vault but what is hidden.
fn files(vault: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn add(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let is_kept = [".concord", ".concord-keep"]
                .iter()
                .any(|name| entry.file_name() == *name);
            if is_kept {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                add(&entry.path(), found);
            } else {
                found.insert(entry.path(), fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    add(vault, &mut found);
    found
}

#[test]
fn ticked_tags_are_written_and_nothing_else_changes() {
    let folder = tempfile::tempdir().unwrap();
    let queue = "# Mine\n\nMy words.\n\n- [x] a.md: risk, Sector/Energy\n- [ ] b.md: risk\n- [X] `c d.md`: risk\n  - I wrote this\n- [x] gone.md: risk\n- [x] b.md: unknown\n- [x] bad.md: risk\n- nothing\n\nMore words.\n";
    let vault = vault_of(
        folder.path(),
        &[
            ("_taxonomy.md", TAXONOMY),
            ("_review-queue.md", queue),
            (
                "a.md",
                "---\r\ntitle: 'A' # keep\r\ntags: [old]   # mine\r\n---\r\nBody\r\n",
            ),
            ("b.md", "B\n"),
            ("c d.md", "\u{feff}C"),
            ("bad.md", "---\ntitle: a: b\n---\n"),
        ],
    );
    let before = files(&vault);
    let shown = concord(&["promote", "--dry-run"], &vault);
    assert_eq!(files(&vault), before, "a dry run writes nothing");
    assert!(!vault.join(".concord-keep").exists());
    assert_eq!(shown.code, Some(2));
    assert!(
        shown
            .stdout
            .contains("+tags: [old, risk, sector/energy]   # mine"),
        "{}",
        shown.stdout
    );

    let run = concord(&["promote"], &vault).refused(
        2,
        &[
            "gone.md, line 9: there is no such note",
            "b.md, line 10: `unknown` is not in _taxonomy.md",
            "bad.md, line 11: line 2: title: is no YAML",
            "line 12: there is no box",
        ],
    );
    assert!(
        run.stdout
            .contains("3 tags written into 2 notes, 4 proposals left"),
        "{}",
        run.stdout
    );
    assert_eq!(
        read(&vault, "a.md"),
        "---\r\ntitle: 'A' # keep\r\ntags: [old, risk, sector/energy]   # mine\r\n---\r\nBody\r\n"
    );
    assert_eq!(
        read(&vault, "c d.md"),
        "\u{feff}---\ntags:\n  - risk\n---\nC"
    );
    let left = "# Mine\n\nMy words.\n\n- [ ] b.md: risk\n- [x] gone.md: risk\n- [x] b.md: unknown\n- [x] bad.md: risk\n- nothing\n\nMore words.\n";
    assert_eq!(read(&vault, "_review-queue.md"), left);

    concord(&["promote", "--undo", "--json"], &vault).done();
    assert_eq!(files(&vault), before, "and all of it can be taken back");
}

#[test]
fn a_tag_is_renamed_in_the_whole_domain_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let vault = sample(folder.path());
    let before = files(&vault);
    let names = [
        "rename", "sector", "industry", "--domain", "finance", "--vault",
    ];
    let shown = concord(&names, &vault).done().stdout;
    assert_eq!(files(&vault), before, "without --apply nothing is written");
    assert!(
        shown.contains("-- sector/freight: moving")
            && shown.contains("+- industry/freight: moving"),
        "{shown}"
    );
    assert!(!shown.contains("merge"), "{shown}");

    let apply = [
        "rename", "sector", "industry", "--apply", "--json", "--domain", "finance", "--vault",
    ];
    let renamed = concord(&apply, &vault).done().json();
    let touched = renamed["files"].as_array().unwrap().len();
    let after = files(&vault);
    let changed: Vec<&PathBuf> = before
        .keys()
        .filter(|path| before[*path] != after[*path])
        .collect();
    assert_eq!(changed.len(), touched);
    let other_domains = ["fitness", "learning", "nutrition"].map(|folder| vault.join(folder));
    assert!(
        changed
            .iter()
            .all(|path| other_domains.iter().all(|folder| !path.starts_with(folder)))
    );
    let old = [
        b"sector/freight".as_slice(),
        b"sector/energy",
        b"sector/instruments",
    ];
    let has_old = |bytes: &Vec<u8>| {
        old.iter()
            .any(|old| bytes.windows(old.len()).any(|part| part == *old))
    };
    assert!(after.values().all(|bytes| !has_old(bytes)));

    concord(
        &["rename", "--undo", "--domain", "finance", "--vault"],
        &vault,
    )
    .done();
    assert_eq!(files(&vault), before);
    concord(
        &["rename", "--undo", "--domain", "finance", "--vault"],
        &vault,
    )
    .refused(2, &["nothing to take back"]);
}

#[test]
fn a_merge_is_said_and_a_note_that_cannot_be_edited_stops_all() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(
        folder.path(),
        &[
            ("_taxonomy.md", TAXONOMY),
            ("a.md", "---\ntags: [risk, danger]\n---\n#danger\n"),
            ("b.md", "---\ntags: [Danger]\n---\n"),
        ],
    );
    let apply = ["rename", "danger", "risk", "--apply", "--vault"];
    let shown = concord(&["rename", "danger", "risk", "--vault"], &vault)
        .done()
        .stdout;
    assert!(
        shown.contains("merge  `danger` becomes one with `risk`"),
        "{shown}"
    );
    fs::write(vault.join("bad.md"), "---\ntags: &x [danger]\n---\n").unwrap();
    let before = files(&vault);
    concord(&apply, &vault).refused(2, &["bad.md, line 2: is not edited"]);
    assert_eq!(files(&vault), before);
    fs::remove_file(vault.join("bad.md")).unwrap();
    concord(&apply, &vault).done();
    assert_eq!(read(&vault, "a.md"), "---\ntags: [risk]\n---\n#risk\n");
    assert_eq!(read(&vault, "b.md"), "---\ntags: [risk]\n---\n");
    concord(&apply, &vault).refused(2, &["no note of this domain", "`danger`"]);
    concord(&["rename", "one", "--vault"], &vault).refused(2, &["without its other"]);
    concord(&["rename", "a", "b c", "--vault"], &vault).refused(2, &["is no tag"]);
}

#[test]
fn an_undo_overwrites_no_note_that_was_changed_since() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(
        folder.path(),
        &[("a.md", "#old one\n"), ("b.md", "#old two\n")],
    );
    concord(&["rename", "old", "new", "--apply", "--vault"], &vault).done();
    fs::write(vault.join("b.md"), "#new two, and more\n").unwrap();
    concord(&["rename", "--undo", "--vault"], &vault)
        .refused(1, &["b.md: was changed by somebody else"]);
    assert_eq!(read(&vault, "a.md"), "#new one\n");
    concord(&["rename", "--undo", "--leave-changed", "--vault"], &vault).refused(1, &["b.md"]);
    assert_eq!(read(&vault, "a.md"), "#old one\n");
    assert_eq!(read(&vault, "b.md"), "#new two, and more\n");
}

#[test]
fn new_notes_get_proposals_of_the_taxonomy_once() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(
        folder.path(),
        &[
            (
                "_taxonomy.md",
                "- freight: moving goods by road, lorries, haulage\n- sleep: rest at night, dreams\n- soup: cooking in a pot\n",
            ),
            (
                "a.md",
                "Lorries move goods along the road; haulage pays little.\n",
            ),
            (
                "b.md",
                "---\ntags: [other]\n---\nDreams come at night, when you rest.\n",
            ),
            ("c.md", "---\ntags: [soup]\n---\nA pot.\n"),
        ],
    );
    concord(&["tag"], &vault).refused(2, &["concord index"]);
    concord(&["index", "--words-only"], &vault).done();
    fs::write(vault.join("concord.yaml"), "model: none\n").unwrap();
    concord(&["tag"], &vault).done();
    let page = read(&vault, "_review-queue.md");
    let lines: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("- [ ] "))
        .collect();
    assert_eq!(
        lines,
        ["- [ ] a.md: freight", "- [ ] b.md: sleep"],
        "{page}"
    );
    let again = concord(&["tag", "--json"], &vault).done().json();
    assert_eq!(again[0]["tagged"]["proposed"], 0, "{again}");
    assert_eq!(read(&vault, "_review-queue.md"), page);

    fs::write(
        vault.join("_review-queue.md"),
        page.replace("[ ] a.md", "[x] a.md"),
    )
    .unwrap();
    concord(&["promote"], &vault).done();
    assert_eq!(read(&vault, "a.md").lines().nth(2), Some("  - freight"));
    let found = concord(&["status", "--json"], &vault).done();
    assert!(found.stdout.contains("a.md"));
}

#[test]
fn by_meaning_most_proposals_are_what_people_chose() {
    let folder = tempfile::tempdir().unwrap();
    let vault = sample(folder.path());
    concord(&["index", "--no-sentences"], &vault).done();
    let measured = concord(&["tag", "--measure", "--json"], &vault)
        .done()
        .json();
    let sum = |key: &str| -> u64 {
        let domains = measured.as_array().unwrap().iter();
        domains
            .map(|domain| domain["measured"][key].as_u64().unwrap())
            .sum()
    };
    let (notes, one, best) = (sum("notes"), sum("one_is_right"), sum("best_is_right"));
    assert!(notes > 60, "{measured}");
    assert!(
        one * 100 >= notes * 80 && best * 100 >= notes * 60,
        "{measured}"
    );
}

/// A rename of a tag in many files, killed at random moments while somebody else writes.
#[test]
fn killed_at_any_moment_all_files_are_of_one_kind_and_nobody_elses_change_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let notes: Vec<(String, String)> = (0..80)
        .map(|number| {
            let text =
                format!("---\ntags: [old/{number}, x]  # {number}\n---\nText #old and #other.\n");
            (format!("{}/note {number}.md", number % 7), text)
        })
        .collect();
    let notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(path, text)| (&path[..], &text[..]))
        .collect();
    let vault = vault_of(folder.path(), &notes);
    let apply = ["rename", "old", "new/deep", "--apply", "--vault"];
    let undo = ["rename", "--undo", "--vault"];
    let old = files(&vault);
    let begun = Instant::now();
    concord(&apply, &vault).done();
    let whole_run = begun.elapsed();
    let new = files(&vault);
    concord(&undo, &vault).done();
    assert_eq!(files(&vault), old);

    let mut rng = fastrand::Rng::with_seed(7);
    let edited = vault.join("3/note 10.md");
    for round in 0..16 {
        let with_editor = round % 2 == 1;
        let stop = AtomicBool::new(false);
        let pause = whole_run.mul_f64(rng.f64() * 1.2);
        let mut child = command(&apply, &vault)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let written = thread::scope(|scope| {
            let editor =
                with_editor.then(|| scope.spawn(|| edit(&vault, &edited, pause / 2, &stop)));
            if round % 4 >= 2 {
                // Replacing the files takes a small part of a run: wait until it has begun.
                while !is_replacing(&vault) && child.try_wait().unwrap().is_none() {
                    thread::sleep(Duration::from_micros(200));
                }
                thread::sleep(Duration::from_micros(rng.u64(0..4_000)));
            } else {
                thread::sleep(pause);
            }
            let _ = child.kill();
            child.wait().unwrap();
            stop.store(true, Ordering::Relaxed);
            editor.map(|editor| editor.join().unwrap())
        });
        // Any command that writes finishes what was begun, or throws it away.
        concord(&["rename", "nothing", "else", "--vault"], &vault).refused(2, &["`nothing`"]);
        let mut now = files(&vault);
        if let Some(written) = written {
            let found = now.insert(edited.clone(), Vec::new()).unwrap();
            let found = String::from_utf8(found).unwrap();
            assert!(
                found.contains(&written),
                "round {round}: lost {written:?}\n{found}"
            );
        }
        let without = |files: &BTreeMap<PathBuf, Vec<u8>>| {
            let mut files = files.clone();
            if with_editor {
                files.insert(edited.clone(), Vec::new());
            }
            files
        };
        let is_new = now == without(&new);
        assert!(
            is_new || now == without(&old),
            "round {round}: neither old nor new"
        );
        for (path, bytes) in &old {
            fs::write(path, bytes).unwrap();
        }
        assert_eq!(
            files(&vault),
            old,
            "round {round}: something was left behind"
        );
    }
}

/// Whether a change has happened, and has not come to its end.
fn is_replacing(vault: &Path) -> bool {
    let changes = fs::read_dir(vault.join(".concord-keep/renames"));
    changes.into_iter().flatten().flatten().any(|change| {
        let folder = change.path();
        folder.join("plan.json").exists() && !folder.join("done").exists()
    })
}

/// Saves a note again and again, as editors do: what it reads with a line more, under a name of its
/// own that then takes the note's place. The last line that was saved.
fn edit(vault: &Path, note: &Path, after: Duration, stop: &AtomicBool) -> String {
    thread::sleep(after);
    let mut line = String::new();
    for number in 0.. {
        let text = fs::read_to_string(note).unwrap();
        line = format!("Mine, {number}.\n");
        let own = vault.join(".editor.swp");
        fs::write(&own, format!("{text}{line}")).unwrap();
        fs::rename(&own, note).unwrap();
        if stop.load(Ordering::Relaxed) || number > 3 {
            break;
        }
        thread::sleep(Duration::from_millis(3));
    }
    line
}
