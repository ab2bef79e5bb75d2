//! `cargo xtask soak --what order`: promoting and renaming, killed at random moments.
//!
//! A generated vault of 500 notes that all have a tag. In turn the tag is renamed, or a queue with a
//! ticked line for every note is promoted; the run is killed with SIGKILL, and the next command that
//! writes finishes the work or throws it away. Then every note must be, to the byte, the old or the
//! intended new one, all of one kind, with nothing left behind. In every second round somebody else
//! saves one of the notes all the while, and what they saved last must be there.
//!
//! Replacing the files takes a small part of a run, so half of the kills wait until it has begun.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;

use crate::process::{self, say, spent};
use crate::workspace::Workspace;

const NOTES: usize = 500;

/// Runs until so many kills or minutes are over.
pub(crate) fn run(workspace: &Workspace, kills: u64, minutes: u64) -> Result<()> {
    // Nothing here computes much, so the build that tests use will do.
    process::run(&mut workspace.cargo(["build", "--quiet", "--package=concord"]))?;
    let name = format!("debug/concord{}", std::env::consts::EXE_SUFFIX);
    let program = workspace.target.join(name);
    let started = Instant::now();
    let limit = Duration::from_secs(60 * minutes);
    let seed = fastrand::u64(..);
    say(format!("seed {seed}"));
    let mut rng = Rng::with_seed(seed);
    let folder = tempfile::tempdir()?;
    let campaigns = [
        Campaign::new(
            &program,
            &folder.path().join("rename"),
            &["rename", "old", "new/deep", "--apply", "--vault"],
        )?,
        Campaign::new(&program, &folder.path().join("promote"), &["promote"])?,
    ];
    let mut tally = Tally::default();
    let mut round = 0;
    while tally.killed < kills && started.elapsed() < limit {
        for campaign in &campaigns {
            campaign.round(round % 2 == 1, round % 4 >= 2, &mut rng, &mut tally)?;
        }
        round += 1;
        if round % 25 == 0 {
            say(format!(
                "{} kills, {}",
                tally.killed,
                spent(started.elapsed())
            ));
        }
    }
    let Tally {
        killed,
        too_late,
        half_way,
        old,
        new,
        edits,
    } = tally;
    say(format!(
        "{killed} runs killed, {half_way} of them while files were being replaced ({too_late} were over before), in vaults \
         of {NOTES} notes: all notes old {old} times, all \
         new {new} times, never mixed; {edits} times somebody else wrote meanwhile, and nothing of theirs was lost; {}",
        spent(started.elapsed())
    ));
    ensure!(killed > 0, "no run was killed");
    Ok(())
}

#[derive(Default)]
struct Tally {
    killed: u64,
    too_late: u64,
    half_way: u64,
    old: u64,
    new: u64,
    edits: u64,
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

struct Campaign<'a> {
    program: &'a Path,
    vault: PathBuf,
    arguments: &'a [&'a str],
    old: Files,
    new: Files,
    whole_run: Duration,
    /// How much of it replaces files.
    replacing: Duration,
}

impl<'a> Campaign<'a> {
    fn new(program: &'a Path, vault: &Path, arguments: &'a [&'a str]) -> Result<Self> {
        fs::create_dir_all(vault)?;
        fs::write(
            vault.join("_taxonomy.md"),
            "- old: a tag\n- risk: another\n",
        )?;
        let mut queue = String::from("# Mine\n\n");
        for number in 0..NOTES {
            let path = format!("{}/note {number}.md", number % 11);
            let file = vault.join(&path);
            fs::create_dir_all(file.parent().context("a folder")?)?;
            fs::write(file, note(number))?;
            queue += &format!("- [x] {path}: risk\n");
        }
        fs::write(vault.join("_review-queue.md"), queue + "\nMy words.\n")?;
        let mut campaign = Self {
            program,
            vault: vault.to_owned(),
            arguments,
            old: files(vault)?,
            new: Files::new(),
            whole_run: Duration::ZERO,
            replacing: Duration::ZERO,
        };
        let begun = Instant::now();
        let mut child = campaign.start()?;
        let mut replacing_since = None;
        let done = loop {
            if let Some(done) = child.try_wait()? {
                break done;
            }
            match (replacing_since, campaign.is_replacing()) {
                (None, true) => replacing_since = Some(Instant::now()),
                (Some(since), false) if campaign.replacing.is_zero() => {
                    campaign.replacing = Instant::now() - since;
                }
                _ => {}
            }
            sleep(Duration::from_micros(200));
        };
        ensure!(done.success(), "{arguments:?} failed");
        campaign.whole_run = begun.elapsed();
        campaign.new = files(vault)?;
        ensure!(
            campaign.new != campaign.old,
            "{arguments:?} changed nothing"
        );
        campaign.put_back()?;
        Ok(campaign)
    }

    fn start(&self) -> Result<Child> {
        let mut command = Command::new(self.program);
        command.args(self.arguments).arg(&self.vault);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok(command.spawn()?)
    }

    fn round(
        &self,
        with_editor: bool,
        while_replacing: bool,
        rng: &mut Rng,
        tally: &mut Tally,
    ) -> Result<()> {
        let edited = self.vault.join(format!("{}/note {}.md", 490 % 11, 490));
        let pause = self.whole_run.mul_f64(rng.f64());
        let stop = AtomicBool::new(false);
        let mut child = self.start()?;
        let (was_running, saved) = thread::scope(|scope| -> Result<_> {
            let editor =
                with_editor.then(|| scope.spawn(|| edit(&self.vault, &edited, pause / 2, &stop)));
            if while_replacing {
                while !self.is_replacing() && child.try_wait()?.is_none() {
                    sleep(Duration::from_micros(200));
                }
                sleep(self.replacing.mul_f64(rng.f64()));
            } else {
                sleep(pause);
            }
            let was_running = child.try_wait()?.is_none();
            child.kill()?;
            child.wait()?;
            stop.store(true, Ordering::Relaxed);
            let saved = editor.map(|editor| {
                editor
                    .join()
                    .unwrap_or_else(|_| bail!("the editor fell over"))
            });
            Ok((was_running, saved.transpose()?))
        })?;
        tally.half_way += u64::from(self.is_replacing());
        // Nothing is called so, but what was interrupted is finished first.
        let recovered = Command::new(self.program)
            .args(["rename", "nothing", "else", "--vault"])
            .arg(&self.vault)
            .output()?;
        ensure!(recovered.status.code() == Some(2), "{recovered:?}");

        let mut now = files(&self.vault)?;
        let (mut old, mut new) = (self.old.clone(), self.new.clone());
        if let Some(saved) = saved {
            let found = now.remove(&edited).context("the edited note is gone")?;
            ensure!(String::from_utf8(found)?.contains(&saved), "lost: {saved}");
            old.remove(&edited);
            new.remove(&edited);
            tally.edits += 1;
        }
        if now == new {
            tally.new += 1;
        } else if now == old {
            tally.old += 1;
        } else {
            let differs = now
                .iter()
                .find(|(path, bytes)| old.get(*path) != Some(bytes));
            bail!(
                "the notes are neither all old nor all new: {:?}",
                differs.map(|(path, _)| path)
            );
        }
        if was_running {
            tally.killed += 1;
        } else {
            tally.too_late += 1;
        }
        self.put_back()
    }

    /// Whether a change has happened, and has not come to its end.
    fn is_replacing(&self) -> bool {
        let changes = fs::read_dir(self.vault.join(".concord-keep/renames"));
        changes.into_iter().flatten().flatten().any(|change| {
            let folder = change.path();
            folder.join("plan.json").exists() && !folder.join("done").exists()
        })
    }

    fn put_back(&self) -> Result<()> {
        for (path, bytes) in &self.old {
            fs::write(path, bytes)?;
        }
        ensure!(files(&self.vault)? == self.old, "something was left behind");
        Ok(())
    }
}

/// Saves a note as editors do, under another name that then takes the note's place; the last line
/// that was saved.
fn edit(vault: &Path, note: &Path, after: Duration, stop: &AtomicBool) -> Result<String> {
    sleep(after);
    let mut line = String::new();
    for number in 0..20 {
        let text = fs::read_to_string(note)?;
        line = format!("Mine, {number}.\n");
        let own = vault.join(".editor.swp");
        fs::write(&own, format!("{text}{line}"))?;
        fs::rename(&own, note)?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        sleep(Duration::from_millis(2));
    }
    Ok(line)
}

fn note(number: usize) -> String {
    match number % 5 {
        0 => format!(
            "---\r\ntags: [old/{number}, \"x\"]  # {number}\r\n---\r\nText #old and #other.\r\n"
        ),
        1 => format!("---\ntitle: {number}\ntags:\n  - x # c\n  - old\n---\nText\n"),
        2 => format!("---\ntags: old, x{number}\n---\n"),
        3 => format!("# Note {number}\n\nOnly in the text: #old/deep.\n"),
        _ => format!(
            "\u{feff}---\ntag: old\n---\n{}\n",
            "Many words. ".repeat(number)
        ),
    }
}

/// All files of a vault but what is kept of changes.
fn files(folder: &Path) -> Result<Files> {
    let mut found = Files::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with(".concord-keep") {
                found.extend(files(&path)?);
            }
        } else {
            found.insert(path.clone(), fs::read(&path)?);
        }
    }
    Ok(found)
}
