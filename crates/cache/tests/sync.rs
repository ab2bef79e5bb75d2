//! A cache is kept in step with its vault: on real folders, with real files.
//!
//! The encoder of these tests counts letters. It is no model, but as an encoder it is real: the same
//! text gives the same vector, and another text nearly always another.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use concord_cache::sync::{Encode, Inventory, LARGEST_NOTE, Report, Selection, Sync, Territory};
use concord_cache::{Cache, ColumnWeights, Error, Fate, Identity, Scope};
use concord_text::ChunkRules;

struct Vault {
    folder: tempfile::TempDir,
    encoded: Cell<usize>,
}

/// A run that differs from the usual one in what is said.
struct Run<'a> {
    selection: Selection,
    territory: Territory,
    largest_note: u64,
    encode: Option<&'a Encode<'a>>,
    stop: Option<&'a AtomicBool>,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            territory: Territory::default(),
            largest_note: LARGEST_NOTE,
            encode: None,
            stop: None,
        }
    }
}

fn letters(text: &str) -> Vec<f32> {
    let mut counts = [0.01_f32; 8];
    for byte in text.bytes() {
        counts[usize::from(byte % 8)] += 1.0;
    }
    let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt();
    counts.iter().map(|count| count / length).collect()
}

impl Vault {
    fn new(files: &[(&str, &str)]) -> Self {
        let vault = Self {
            folder: tempfile::tempdir().unwrap(),
            encoded: Cell::new(0),
        };
        fs::create_dir(vault.folder.path().join("vault")).unwrap();
        for (path, text) in files {
            vault.write(path, text);
        }
        vault
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join("vault").join(path)
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn cache(&self, name: &str) -> Cache {
        let identity = Identity {
            model: Some("letters".to_owned()),
            dimension: 8,
            chunker: "sections".to_owned(),
        };
        Cache::writer(&self.folder.path().join(name), &identity).unwrap()
    }

    fn sync_with(&self, cache: &mut Cache, run: &Run<'_>) -> Result<Report, Error> {
        self.encoded.set(0);
        let encode = |texts: &[&str]| {
            self.encoded.set(self.encoded.get() + texts.len());
            Ok(texts.iter().map(|text| letters(text)).collect())
        };
        let never = AtomicBool::new(false);
        let sync = Sync {
            vault: &Inventory::of(&self.path(""), &run.selection)?,
            territory: &run.territory,
            rules: ChunkRules::SECTIONS,
            largest_note: run.largest_note,
            encode: Some(run.encode.unwrap_or(&encode)),
            stop: run.stop.unwrap_or(&never),
        };
        cache.sync(&sync, &mut |_| ())
    }

    fn sync_into(&self, cache: &mut Cache) -> Report {
        self.sync_with(cache, &Run::default()).unwrap()
    }

    fn sync(&self) -> (Cache, Report) {
        let mut cache = self.cache("kept.db");
        let report = self.sync_into(&mut cache);
        (cache, report)
    }

    /// The kept cache must equal one built from nothing, and hold together.
    fn assert_true(&self, cache: &Cache) {
        let _ = fs::remove_file(self.folder.path().join("fresh.db"));
        let mut fresh = self.cache("fresh.db");
        self.sync_into(&mut fresh);
        assert_eq!(cache.dump().unwrap(), fresh.dump().unwrap());
        assert_eq!(cache.check().unwrap(), []);
        drop(fresh);
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(self.folder.path().join(format!("fresh.db{end}")));
        }
    }
}

const VAULT: &[(&str, &str)] = &[
    (
        "a.md",
        "---\ntitle: First\naliases: [Uno]\n---\nLead.\n\n## One\n\nSee [[b]] for more.\n",
    ),
    (
        "b.md",
        "# Second\n\nSome words.\n\n## Related\n\n- [[a]]\n- [[Uno]]\n",
    ),
    (
        "deep/c.md",
        "Third, which cites [the second](../b.md) here.\n",
    ),
];

#[test]
fn a_second_run_opens_and_encodes_nothing() {
    let vault = Vault::new(VAULT);
    let (cache, report) = vault.sync();
    assert_eq!(
        (report.indexed, report.unchanged, report.failed.len()),
        (3, 0, 0)
    );
    assert!(report.encoded > 3 && vault.encoded.get() == report.encoded);
    vault.assert_true(&cache);
    drop(cache);
    let (_, report) = vault.sync();
    assert_eq!(
        (report.indexed, report.unchanged, report.encoded),
        (0, 3, 0)
    );
}

type Change = fn(&Vault);

#[test]
fn every_kind_of_change_leads_to_the_cache_that_is_built_from_nothing() {
    let vault = Vault::new(VAULT);
    let changes: [(&str, Change); 9] = [
        ("edit", |v| {
            v.write("a.md", "Now without links, and about something else.\n");
        }),
        ("touch", |v| {
            let file = fs::File::options()
                .append(true)
                .open(v.path("b.md"))
                .unwrap();
            file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(5))
                .unwrap();
        }),
        ("add what a link meant all along", |v| {
            v.write("new.md", "Cites [[later]] in words.\n");
        }),
        ("and now it is there", |v| {
            v.write("far/later.md", "Here it is.\n");
        }),
        ("rename", |v| {
            fs::rename(v.path("b.md"), v.path("deep/renamed.md")).unwrap();
        }),
        ("swap two", |v| {
            fs::rename(v.path("a.md"), v.path("x")).unwrap();
            fs::rename(v.path("new.md"), v.path("a.md")).unwrap();
            fs::rename(v.path("x"), v.path("new.md")).unwrap();
        }),
        ("break", |v| v.write("a.md", b"\xff\xfe not text")),
        ("mend", |v| {
            v.write("a.md", "Text again, citing [[later]].\n");
        }),
        ("delete", |v| fs::remove_file(v.path("deep/c.md")).unwrap()),
    ];
    drop(vault.sync());
    for (name, change) in changes {
        change(&vault);
        let (cache, report) = vault.sync();
        let all = report.indexed + report.unchanged + report.skipped + report.failed.len();
        assert_eq!(
            all,
            cache.files().unwrap().len(),
            "{name}: every file has one fate: {report:?}"
        );
        vault.assert_true(&cache);
    }
}

#[test]
fn any_number_of_changes_at_once_leads_to_the_cache_that_is_built_from_nothing() {
    let mut rng = fastrand::Rng::with_seed(5);
    let text = |rng: &mut fastrand::Rng, number: usize| {
        let linked = rng.usize(0..300);
        format!("# N{number}\n\nSome {number}.\n\n## S\n\nIt cites [[n{linked}]] in words.\n")
    };
    let vault = Vault::new(&[]);
    for number in 0..300 {
        let path = format!("{}/n{number}.md", number % 7);
        vault.write(&path, text(&mut rng, number));
    }
    drop(vault.sync());
    for round in 0..6 {
        let (cache, _) = vault.sync();
        let mut notes: Vec<String> = cache.files().unwrap().into_keys().collect();
        drop(cache);
        rng.shuffle(&mut notes);
        for (number, pair) in notes[..100].chunks(2).enumerate() {
            let (one, other) = (vault.path(&pair[0]), vault.path(&pair[1]));
            match number % 5 {
                0 => fs::File::options()
                    .append(true)
                    .open(one)
                    .unwrap()
                    .set_modified(std::time::SystemTime::now())
                    .unwrap(),
                1 => fs::write(one, text(&mut rng, number)).unwrap(),
                2 => fs::rename(one, vault.path(&format!("moved {round} {number}.md"))).unwrap(),
                3 => fs::remove_file(one).unwrap(),
                _ => {
                    let aside = vault.path("aside");
                    fs::rename(&one, &aside).unwrap();
                    fs::rename(&other, &one).unwrap();
                    fs::rename(&aside, &other).unwrap();
                }
            }
        }
        let (cache, report) = vault.sync();
        assert_eq!((report.removed, report.failed.len()), (20, 0), "{report:?}");
        vault.assert_true(&cache);
    }
}

#[test]
fn a_change_that_neither_size_nor_time_shows_is_seen_if_it_came_at_once() {
    let vault = Vault::new(&[("a.md", "One word.\n")]);
    let time = fs::metadata(vault.path("a.md"))
        .unwrap()
        .modified()
        .unwrap();
    drop(vault.sync());
    vault.write("a.md", "Two word.\n");
    let file = fs::File::options().append(true).open(vault.path("a.md"));
    file.unwrap().set_modified(time).unwrap();
    let (cache, report) = vault.sync();
    assert_eq!((report.indexed, report.unchanged), (1, 0));
    vault.assert_true(&cache);
}

#[test]
fn what_was_encoded_is_not_encoded_again() {
    let long = format!(
        "## One\n\n{}\n\n## Two\n\n{}\n",
        "alpha ".repeat(50),
        "beta ".repeat(50)
    );
    let vault = Vault::new(&[("a.md", &long), ("other.md", "Something else.\n")]);
    drop(vault.sync());

    fs::rename(vault.path("a.md"), vault.path("moved.md")).unwrap();
    let (cache, report) = vault.sync();
    assert_eq!((report.encoded, report.reused, report.removed), (0, 2, 1));
    vault.assert_true(&cache);
    drop(cache);

    vault.write("moved.md", long.replace("beta", "gamma"));
    let (_, report) = vault.sync();
    assert_eq!((report.encoded, report.reused), (1, 1));
}

#[test]
fn links_become_edges_by_what_they_mean() {
    let (cache, _) = Vault::new(VAULT).sync();
    let edges = |path: &str| {
        let edges = cache.edges_of(path).unwrap();
        edges
            .into_iter()
            .map(|(from, to, kind)| format!("{from} {to} {}", kind.name()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        edges("b.md"),
        [
            "a.md b.md citation",
            "b.md a.md wikilink",
            "deep/c.md b.md citation"
        ]
    );
}

#[test]
fn a_bad_note_is_reported_and_the_rest_is_indexed() {
    let huge = "word ".repeat(4 << 20);
    let vault = Vault::new(&[
        ("good.md", "A good note.\n"),
        ("empty.md", ""),
        ("huge.md", &huge),
    ]);
    vault.write("binary.md", b"\x00\x01\x02");
    vault.write("latin1.md", b"caf\xe9");
    vault.write(
        "yaml.md",
        "---\ntitle: [unclosed\n---\nThe body counts all the same.\n",
    );
    vault.write("🙂 new\nline.md", "An odd name.\n");
    vault.write("x/same.md", "One.\n");
    vault.write("y/same.md", "Two.\n");
    vault.write(".obsidian/hidden.md", "Hidden.\n");
    vault.write("ignored/a.md", "Ignored.\n");
    vault.write(".gitignore", "ignored/\n");
    vault.write("_taxonomy.md", "- tag\n");
    vault.write("picture.png", b"\x89PNG");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(vault.path(""), vault.path("loop")).unwrap();
        std::os::unix::fs::symlink(vault.path("good.md"), vault.path("link.md")).unwrap();
    }
    let (cache, report) = vault.sync();
    let fates: BTreeMap<String, String> = cache
        .files()
        .unwrap()
        .into_values()
        .map(|file| {
            let fate = match file.fate {
                Fate::Indexed => "indexed".to_owned(),
                Fate::Skipped(reason) => format!("skipped: {reason}"),
                Fate::Failed(reason) => format!("failed: {reason}"),
            };
            (file.path, fate)
        })
        .collect();
    let check = |path: &str, expected: &str| assert_eq!(fates[path], expected, "{path}");
    for path in [
        "good.md",
        "empty.md",
        "yaml.md",
        "🙂 new\nline.md",
        "x/same.md",
        "y/same.md",
    ] {
        check(path, "indexed");
    }
    check("huge.md", "skipped: larger than 16 MiB");
    check("binary.md", "skipped: binary: it holds a NUL byte");
    check("latin1.md", "failed: byte 3 is not UTF-8; save it as UTF-8");
    check("_taxonomy.md", "skipped: steers the domain, and is no note");
    #[cfg(unix)]
    check("link.md", "skipped: a symbolic link");
    assert!(
        !fates
            .keys()
            .any(|path| path.contains("hidden") || path.starts_with("ignored")),
        "{fates:?}"
    );
    let reason = "byte 3 is not UTF-8; save it as UTF-8";
    assert_eq!(report.failed, [("latin1.md".to_owned(), reason.to_owned())]);

    let hits = cache
        .matching(
            &["counts".to_owned()],
            5,
            &Scope::default(),
            ColumnWeights::default(),
        )
        .unwrap();
    assert_eq!(cache.chunk(hits[0].chunk).unwrap().unwrap().note, "yaml.md");
    vault.assert_true(&cache);
}

#[test]
fn a_run_that_is_ended_is_finished_by_the_next() {
    let files: Vec<(String, String)> = (0..200)
        .map(|i| {
            (
                format!("{i:03}.md"),
                format!("Note {i} cites [[{:03}]] in words.\n", (i + 1) % 200),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let vault = Vault::new(&files);
    let mut cache = vault.cache("kept.db");
    let stop = AtomicBool::new(false);
    let encode = |texts: &[&str]| {
        stop.store(true, Ordering::Relaxed);
        Ok(texts.iter().map(|text| letters(text)).collect())
    };
    let run = Run {
        encode: Some(&encode),
        stop: Some(&stop),
        ..Run::default()
    };
    let report = vault.sync_with(&mut cache, &run).unwrap();
    assert!(
        report.stopped && report.indexed > 0 && report.indexed < 200,
        "{report:?}"
    );
    drop(cache);
    let (cache, report) = vault.sync();
    assert!(!report.stopped && report.unchanged > 0, "{report:?}");
    vault.assert_true(&cache);
}

#[test]
fn an_encoder_that_fails_ends_the_run_and_loses_nothing() {
    let vault = Vault::new(VAULT);
    let mut cache = vault.cache("kept.db");
    let encode = |_: &[&str]| Err("out of luck".to_owned());
    let run = Run {
        encode: Some(&encode),
        ..Run::default()
    };
    let error = vault.sync_with(&mut cache, &run).unwrap_err();
    assert_eq!(error.to_string(), "the encoder failed: out of luck");
    drop(cache);
    let (cache, _) = vault.sync();
    vault.assert_true(&cache);
}

#[test]
fn a_folder_that_is_not_there_is_an_error_and_empties_nothing() {
    let vault = Vault::new(VAULT);
    let (mut cache, _) = vault.sync();
    let before = cache.dump().unwrap();
    fs::rename(vault.path(""), vault.folder.path().join("elsewhere")).unwrap();
    let refused = vault.sync_with(&mut cache, &Run::default());
    assert!(refused.unwrap_err().to_string().contains("no such folder"));
    assert_eq!(cache.dump().unwrap(), before);
}

#[test]
fn a_domain_covers_its_own_folders_and_links_see_the_whole_vault() {
    let vault = Vault::new(&[
        (
            "fitness/plan/squat.md",
            "Squats, see [[protein]] and [[rest]] in the plan.\n",
        ),
        ("fitness/rest.md", "Rest.\n"),
        ("nutrition/protein.md", "Protein.\n"),
        ("loose.md", "Loose.\n"),
    ]);
    let territory = Territory {
        folders: vec!["fitness".to_owned()],
        except: Vec::new(),
    };
    let mut cache = vault.cache("fitness.db");
    let sync = |cache: &mut Cache| {
        let territory = territory.clone();
        let run = Run {
            territory,
            ..Run::default()
        };
        vault.sync_with(cache, &run)
    };
    sync(&mut cache).unwrap();
    let paths: Vec<String> = cache
        .notes()
        .unwrap()
        .into_iter()
        .map(|note| note.path)
        .collect();
    assert_eq!(paths, ["fitness/plan/squat.md", "fitness/rest.md"]);
    assert_eq!(cache.edges_of("fitness/plan/squat.md").unwrap().len(), 1);

    // A second note of that name makes the link ambiguous, wherever in the vault it lies.
    vault.write("nutrition/rest.md", "Another.\n");
    let report = sync(&mut cache).unwrap();
    assert_eq!((report.indexed, report.unchanged), (0, 2));
    assert_eq!(cache.edges_of("fitness/plan/squat.md").unwrap(), []);
    fs::remove_file(vault.path("nutrition/rest.md")).unwrap();
    sync(&mut cache).unwrap();
    assert_eq!(cache.edges_of("fitness/plan/squat.md").unwrap().len(), 1);
}

#[test]
fn what_the_owner_leaves_out_is_skipped_with_the_reason_and_comes_back() {
    let vault = Vault::new(&[
        ("Work/a.md", "Kept, and cites [[b]] in words.\n"),
        ("Archive/b.md", "Left out.\n"),
        ("big.md", &"word ".repeat(1 << 18)),
    ]);
    let (mut cache, _) = vault.sync();
    let fates = |cache: &Cache| -> Vec<(String, Option<String>)> {
        let files = cache.files().unwrap().into_values();
        files
            .map(|file| (file.path, file.fate.parts().1.map(str::to_owned)))
            .collect()
    };
    let expect = |found: Vec<(String, Option<String>)>, reasons: [Option<&str>; 3]| {
        let reasons = reasons.map(|reason| reason.map(str::to_owned));
        assert_eq!(
            found
                .into_iter()
                .map(|(_, reason)| reason)
                .collect::<Vec<_>>(),
            reasons
        );
    };
    expect(fates(&cache), [None, None, None]);

    let selecting = |ignore: &[&str], allow: &[&str], largest_note: u64| {
        let list = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
        let (ignore, allow): (Vec<String>, Vec<String>) = (list(ignore), list(allow));
        Run {
            selection: Selection::new(&ignore, &allow).unwrap(),
            largest_note,
            ..Run::default()
        }
    };
    let (archive, large) = (
        Some("`ignore` names it, by `Archive/`"),
        Some("larger than 1 MiB"),
    );
    let report = vault
        .sync_with(&mut cache, &selecting(&["Archive/"], &[], 1 << 20))
        .unwrap();
    assert_eq!((report.unchanged, report.skipped), (1, 2), "{report:?}");
    expect(fates(&cache), [archive, None, large]);

    let run = selecting(&[], &["Work/"], LARGEST_NOTE);
    vault.sync_with(&mut cache, &run).unwrap();
    let not_named = Some("`allow` does not name it");
    expect(fates(&cache), [not_named, None, not_named]);
    assert_eq!(cache.check().unwrap(), []);

    let run = selecting(&[], &[], 1 << 20);
    vault.sync_with(&mut cache, &run).unwrap();
    expect(fates(&cache), [None, None, large]);
    vault.sync_into(&mut cache);
    expect(fates(&cache), [None, None, None]);
    vault.assert_true(&cache);
}
