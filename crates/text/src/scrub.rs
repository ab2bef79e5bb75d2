//! Credentials, taken out of a text before anything of it is stored, encoded or logged.
//!
//! A secret is replaced by `[REDACTED:name]` with the name of the pattern that found it: 21
//! vendors' tokens, 9 generic forms on one line, 2 that span lines. In an assignment only the value
//! goes, so that what is left still says what stood there. Texts *about* credentials, placeholders
//! (`<password>`, `${TOKEN}`) and references (`os.environ[…]`) stay.
//!
//! Lengths change, so this runs on a note's text before it is parsed: every later span is in bytes
//! of the scrubbed text, and quotations are verified against that.
//!
//! Time is linear. A first pass looks for the literals without which no pattern can match; only
//! patterns with a literal in the text are run, by an engine without backtracking. Patterns run in
//! a fixed order, each on what the one before has left; scrubbing twice changes nothing.

mod armor;
mod patterns;

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::{Captures, Regex};

use patterns::{PATTERNS, Pattern};

/// A text without credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scrubbed<'t> {
    /// The text as it may be kept; borrowed if nothing was found.
    pub text: Cow<'t, str>,
    /// Which patterns found something, and how often, in the order in which they ran.
    pub fired: Vec<(&'static str, usize)>,
}

/// The names of all 32 patterns, in the order in which they run.
pub static PATTERN_NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = PATTERNS.iter().map(|pattern| pattern.name);
    armor::NAMES.into_iter().chain(lines).collect()
});

/// Takes all credentials out of a text.
#[must_use]
pub fn scrub(text: &str) -> Scrubbed<'_> {
    let mut scrubbed = Scrubbed {
        text: Cow::Borrowed(text),
        fired: Vec::new(),
    };
    armor::scrub(&mut scrubbed);
    let engine = &*ENGINE;
    let due = engine.due(&scrubbed.text);
    for ((pattern, regex), due) in PATTERNS.iter().zip(&engine.regexes).zip(due) {
        if due {
            run(
                pattern,
                regex.get_or_init(|| pattern.compiled()),
                &mut scrubbed,
            );
        }
    }
    scrubbed
}

fn run(pattern: &Pattern, regex: &Regex, scrubbed: &mut Scrubbed<'_>) {
    let mut count = 0;
    let replaced = regex.replace_all(&scrubbed.text, |found: &Captures<'_>| {
        let whole = found.get_match();
        let Some(secret) = found
            .name("secret")
            .filter(|secret| (pattern.is_secret)(secret.as_str()))
        else {
            return whole.as_str().to_owned();
        };
        count += 1;
        let before = secret.start() - whole.start();
        // What closes a sentence or a parenthesis is not part of a value.
        let value = secret.as_str().trim_end_matches(['.', ':', ')', ']', '*']);
        let after = before + value.len();
        let (whole, name) = (whole.as_str(), pattern.name);
        format!("{}[REDACTED:{name}]{}", &whole[..before], &whole[after..])
    });
    if count > 0 {
        let replaced = replaced.into_owned();
        scrubbed.text = Cow::Owned(replaced);
        scrubbed.fired.push((pattern.name, count));
    }
}

impl Pattern {
    fn compiled(&self) -> Regex {
        Regex::new(self.regex).expect("patterns are checked by a test")
    }
}

/// The patterns, each compiled once and when it is first needed: together they take longer than
/// a walk through a vault in which nothing has changed.
struct Engine {
    literals: AhoCorasick,
    /// By literal: the pattern that needs it.
    owners: Vec<usize>,
    regexes: Vec<OnceLock<Regex>>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut literals = Vec::new();
    let mut owners = Vec::new();
    for (number, pattern) in PATTERNS.iter().enumerate() {
        literals.extend_from_slice(pattern.literals);
        owners.resize(literals.len(), number);
    }
    Engine {
        literals: AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&literals)
            .expect("a few dozen short literals"),
        owners,
        regexes: PATTERNS.iter().map(|_| OnceLock::new()).collect(),
    }
});

impl Engine {
    /// By pattern: whether one of its literals is in the text.
    fn due(&self, text: &str) -> Vec<bool> {
        let mut due = vec![false; PATTERNS.len()];
        for found in self.literals.find_overlapping_iter(text) {
            due[self.owners[found.pattern().as_usize()]] = true;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_32_patterns_each_with_its_own_name() {
        let mut names = PATTERN_NAMES.clone();
        assert_eq!(names.len(), 32);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 32);
    }

    #[test]
    fn every_pattern_compiles_names_its_secret_and_has_a_literal() {
        for pattern in PATTERNS {
            let regex = Regex::new(pattern.regex).expect(pattern.name);
            assert!(
                regex.capture_names().flatten().eq(["secret"]),
                "{}",
                pattern.name
            );
            assert!(!pattern.literals.is_empty(), "{}", pattern.name);
        }
    }
}
