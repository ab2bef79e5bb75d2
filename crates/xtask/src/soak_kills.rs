//! `cargo xtask soak --what kills`: `concord index`, killed at random moments and taken up again.
//!
//! A generated vault of two domains is changed a little (notes edited, renamed, deleted, swapped), a
//! run is started and killed with SIGKILL, another run finishes the work. Then the index must
//! hold together, and equal one that is built from nothing. Every other round is by words alone, the
//! rest by the model inside the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fastrand::Rng;

use crate::process::{self, say, spent};
use crate::workspace::Workspace;

/// Notes of a vault; the model's is smaller, since its runs take longer.
const NOTES: [usize; 2] = [400, 40];

/// Runs until so many kills or minutes are over.
pub(crate) fn run(workspace: &Workspace, kills: u64, minutes: u64) -> Result<()> {
    process::run(&mut workspace.cargo(["build", "--release", "--quiet", "--package=concord"]))?;
    let name = format!("release/concord{}", std::env::consts::EXE_SUFFIX);
    let program = workspace.target.join(name);
    let started = Instant::now();
    let limit = Duration::from_secs(60 * minutes);
    let folder = tempfile::tempdir()?;
    let seed = fastrand::u64(..);
    say(format!("seed {seed}"));
    let mut rng = Rng::with_seed(seed);
    let mut campaigns = [
        Campaign::new(
            &program,
            folder.path(),
            "words",
            &["--words-only"],
            NOTES[0],
            &mut rng,
        )?,
        Campaign::new(&program, folder.path(), "model", &[], NOTES[1], &mut rng)?,
    ];
    let (mut done, mut too_late) = (0, 0);
    while done < kills && started.elapsed() < limit {
        for campaign in &mut campaigns {
            if campaign.round(&mut rng)? {
                done += 1;
            } else {
                too_late += 1;
            }
        }
        if done % 50 < 2 {
            say(format!("{done} kills, {}", spent(started.elapsed())));
        }
    }
    say(format!(
        "{done} runs killed ({too_late} were over before), every index sound and equal to one built \
         from nothing; {}",
        spent(started.elapsed())
    ));
    ensure!(done > 0, "no run was killed");
    Ok(())
}

struct Campaign<'a> {
    program: &'a Path,
    vault: PathBuf,
    fresh: PathBuf,
    arguments: &'a [&'a str],
    /// How long a run from nothing takes.
    whole_run: Duration,
    made: usize,
}

impl<'a> Campaign<'a> {
    fn new(
        program: &'a Path,
        folder: &Path,
        name: &str,
        arguments: &'a [&'a str],
        notes: usize,
        rng: &mut Rng,
    ) -> Result<Self> {
        let mut campaign = Self {
            program,
            vault: folder.join(name),
            fresh: folder.join(format!("{name}-fresh")),
            arguments,
            whole_run: Duration::ZERO,
            made: 0,
        };
        fs::create_dir_all(campaign.vault.join("other"))?;
        let registry = "main: { legacy: true }\nother: {}\n";
        fs::write(campaign.vault.join("_domains.yaml"), registry)?;
        for _ in 0..notes {
            campaign.add(rng)?;
        }
        let begun = Instant::now();
        campaign.index(&campaign.vault)?;
        campaign.whole_run = begun.elapsed();
        Ok(campaign)
    }

    /// One kill; whether the run was still going.
    fn round(&mut self, rng: &mut Rng) -> Result<bool> {
        let from_nothing = rng.u8(0..4) == 0;
        if from_nothing {
            fs::remove_dir_all(self.vault.join(".concord"))?;
        } else {
            for _ in 0..rng.usize(1..=self.made / 4) {
                self.change(rng)?;
            }
        }
        let mut child = Command::new(self.program)
            .arg("index")
            .args(self.arguments)
            .arg(&self.vault)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let longest = if from_nothing {
            self.whole_run
        } else {
            self.whole_run / 2
        };
        sleep(longest.mul_f64(rng.f64()));
        let was_running = child.try_wait()?.is_none();
        child.kill()?;
        child.wait()?;

        self.index(&self.vault)?;
        self.concord(&["doctor"], &self.vault)
            .context("the index does not hold together")?;
        self.copy_vault()?;
        self.index(&self.fresh)?;
        let kept = self.concord(&["doctor", "--dump"], &self.vault)?;
        let fresh = self.concord(&["doctor", "--dump"], &self.fresh)?;
        if let Some((kept, fresh)) = first_difference(&kept, &fresh) {
            anyhow::bail!("kept and fresh index differ:\n{kept}\n{fresh}");
        }
        Ok(was_running)
    }

    fn index(&self, vault: &Path) -> Result<String> {
        let mut arguments = vec!["index"];
        arguments.extend(self.arguments);
        self.concord(&arguments, vault)
    }

    fn concord(&self, arguments: &[&str], vault: &Path) -> Result<String> {
        process::read(Command::new(self.program).args(arguments).arg(vault))
    }

    fn copy_vault(&self) -> Result<()> {
        if self.fresh.exists() {
            fs::remove_dir_all(&self.fresh)?;
        }
        for file in files(&self.vault)? {
            let to = self.fresh.join(file.strip_prefix(&self.vault)?);
            fs::create_dir_all(to.parent().context("a folder")?)?;
            fs::copy(file, to)?;
        }
        Ok(())
    }

    fn change(&mut self, rng: &mut Rng) -> Result<()> {
        let notes: Vec<PathBuf> = files(&self.vault)?
            .into_iter()
            .filter(|file| file.extension().is_some_and(|it| it == "md"))
            .collect();
        let (one, other) = (rng.choice(&notes), rng.choice(&notes));
        let (Some(one), Some(other)) = (one, other) else {
            return self.add(rng);
        };
        match rng.u8(0..5) {
            0 => self.add(rng),
            1 => Ok(fs::write(one, text(self.made, rng))?),
            2 => Ok(fs::remove_file(one)?),
            3 => {
                self.made += 1;
                let to = self.vault.join(format!("other/moved {}.md", self.made));
                Ok(fs::rename(one, to)?)
            }
            _ => {
                let (first, second) = (fs::read(one)?, fs::read(other)?);
                fs::write(one, second)?;
                Ok(fs::write(other, first)?)
            }
        }
    }

    fn add(&mut self, rng: &mut Rng) -> Result<()> {
        self.made += 1;
        let folder = if rng.bool() { "other/" } else { "" };
        let file = self.vault.join(format!("{folder}note {}.md", self.made));
        Ok(fs::write(file, text(self.made, rng))?)
    }
}

/// A note with some sections, a link in each.
fn text(upto: usize, rng: &mut Rng) -> String {
    let words = [
        "freight", "margin", "sleep", "squat", "fibre", "recall", "cash", "lattice",
    ];
    let mut text = format!("---\ntitle: Note {}\n---\n", rng.u32(..));
    for _ in 0..rng.usize(1..4) {
        let mut word = || words[rng.usize(..words.len())];
        let heading = word();
        let sentence = format!("{} and {} with {}", word(), word(), word());
        let link = rng.usize(..=upto);
        text += &format!("\n## {heading}\n\nOf {sentence}, see [[note {link}]].\n");
    }
    text
}

/// All files of a vault but its index.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with(".concord") {
                found.extend(files(&path)?);
            }
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn first_difference<'t>(one: &'t str, other: &'t str) -> Option<(&'t str, &'t str)> {
    if one == other {
        return None;
    }
    let pairs = one.lines().zip(other.lines());
    let found = pairs.into_iter().find(|(one, other)| one != other);
    Some(found.unwrap_or(("one of them ends", "before the other")))
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn two_indexes_differ_in_a_line_or_in_their_length() {
        assert_eq!(first_difference("a\nb", "a\nb"), None);
        assert_eq!(first_difference("a\nb", "a\nc"), Some(("b", "c")));
        assert!(first_difference("a", "a\nb").is_some());
    }
}
