//! Goldens: the answers to the hand-made cases, bit for bit, one file a group.
//!
//! `cargo xtask golden` mints them from the native core; every other runtime only ever checks. A
//! golden changes only with a reason in the commit message.
//!
//! `cases.json` holds the questions beside the digests of their answers: what the page needs to
//! check the browser that it runs in, with nobody to ask.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::case::{digest, flatten};
use crate::hand;

/// How to mint again; part of every message about a golden.
pub const HOW: &str =
    "if the change is meant, run `cargo xtask golden` and say why in the commit message";

/// Flattened answers by the name of their case.
pub type Goldens = BTreeMap<String, String>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// Writes all goldens anew, and says how many cases they hold.
///
/// # Errors
/// If two cases bear one name, a case breaks its promise, or a file cannot be written.
pub fn mint() -> Result<usize> {
    let mut count = 0;
    let mut names = std::collections::BTreeSet::new();
    for (group, drafts) in hand::groups() {
        let mut text = String::new();
        for draft in drafts {
            let answer = draft.case.answer();
            let broken = draft.broken_promises(&answer);
            if !broken.is_empty() {
                bail!(
                    "a golden must not hold a broken promise:\n{}",
                    broken.join("\n")
                );
            }
            let name = &draft.case.name;
            if !names.insert(name.clone()) {
                bail!("two cases are named `{name}`");
            }
            writeln!(text, "# {name}")?;
            for line in flatten(&answer).lines() {
                writeln!(text, "{line}{}", decimal(line))?;
            }
            count += 1;
        }
        let path = folder().join(format!("{group}.txt"));
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let path = folder().join(CASES);
    fs::write(&path, cases()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(count)
}

/// The questions with the digests of their answers.
const CASES: &str = "cases.json";

/// A case a line, so that a change shows as the lines of its cases. What is not asked is left out.
fn cases() -> String {
    let drafts = hand::groups().into_iter().flat_map(|(_, drafts)| drafts);
    let lines = drafts.map(|draft| {
        let mut line = json!(draft.case);
        line["digest"] = json!(digest(&flatten(&draft.case.answer())));
        if let Some(fields) = line.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        line.to_string()
    });
    format!("[\n{}\n]\n", lines.collect::<Vec<_>>().join(",\n"))
}

/// For the reader of a golden: what the bits are in decimal.
fn decimal(line: &str) -> String {
    let bits = line.rsplit(' ').next().unwrap_or_default();
    match u64::from_str_radix(bits, 16) {
        Ok(bits) if line.len() > 16 && line[..line.len() - 16].ends_with(' ') => {
            format!("  # {:?}", f64::from_bits(bits))
        }
        _ => String::new(),
    }
}

/// Reads all goldens.
///
/// # Errors
/// If a file cannot be read.
pub fn read() -> Result<Goldens> {
    let mut goldens = Goldens::new();
    for (group, _) in hand::groups() {
        let path = folder().join(format!("{group}.txt"));
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}; {HOW}", path.display()))?;
        let mut name = String::new();
        for line in text.lines() {
            if let Some(next) = line.strip_prefix("# ") {
                name = next.to_owned();
                goldens.insert(name.clone(), String::new());
            } else if let Some(flat) = goldens.get_mut(&name) {
                flat.push_str(without_decimal(line));
                flat.push('\n');
            }
        }
    }
    Ok(goldens)
}

/// Only a line that ends in bits bears a remark: a text that holds ` # ` stays whole.
fn without_decimal(line: &str) -> &str {
    match line.rsplit_once("  # ") {
        Some((bare, _)) if decimal(bare) == line[bare.len()..] && !decimal(bare).is_empty() => bare,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::first_mismatch;

    #[test]
    fn native_answers_equal_the_goldens() {
        let goldens = read().unwrap();
        let mut cases = 0;
        for (group, drafts) in hand::groups() {
            for draft in drafts {
                let name = &draft.case.name;
                let golden = goldens.get(name);
                let golden =
                    golden.unwrap_or_else(|| panic!("{group}: no golden for `{name}`; {HOW}"));
                if let Some(mismatch) = first_mismatch(golden, &flatten(&draft.case.answer())) {
                    panic!("{group}: `{name}` has changed: {mismatch:?}; {HOW}");
                }
                cases += 1;
            }
        }
        assert_eq!(
            cases,
            goldens.len(),
            "a golden is left over from a case that is gone; {HOW}"
        );
        assert!(cases >= 150, "only {cases} hand-made cases");
    }

    #[test]
    fn the_page_carries_the_questions_of_the_goldens() {
        let kept = fs::read_to_string(folder().join(CASES)).unwrap();
        let apart = kept.lines().zip(cases().lines()).position(|(a, b)| a != b);
        assert_eq!(apart, None, "{CASES} is of other cases; {HOW}");
        assert_eq!(kept, cases(), "{HOW}");
    }

    #[test]
    fn every_hand_made_case_keeps_its_promise() {
        let drafts = hand::groups().into_iter().flat_map(|(_, drafts)| drafts);
        let broken: Vec<String> = drafts
            .flat_map(|draft| draft.broken_promises(&draft.case.answer()))
            .collect();
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
}
