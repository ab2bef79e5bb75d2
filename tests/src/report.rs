//! What a runtime answered, and how that is told.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::case::{Mismatch, first_mismatch};
use crate::suite::Suite;

/// What one runtime answered so far.
#[derive(Debug)]
pub struct Report {
    /// What it calls itself.
    pub agent: String,
    /// How many questions it answered.
    pub answered: usize,
    /// How many answers differ.
    pub differences: usize,
    /// The first few of them, by the case's name.
    pub examples: BTreeMap<String, Mismatch>,
    /// It has answered all it was asked.
    pub done: bool,
    /// It gave up, and why.
    pub failure: Option<String>,
    /// When it last said anything.
    pub heard: Instant,
    begun: Instant,
}

/// Differences shown in full.
const EXAMPLES: usize = 5;

impl Report {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let now = Instant::now();
        Self {
            agent: String::new(),
            answered: 0,
            differences: 0,
            examples: BTreeMap::new(),
            done: false,
            failure: None,
            heard: now,
            begun: now,
        }
    }

    /// Takes the digests of a batch; the numbers whose whole answers are wanted come back.
    pub fn take(&mut self, suite: &Suite, batch: usize, digests: &[String]) -> Vec<usize> {
        self.heard = Instant::now();
        let expected = suite.digests(batch);
        self.answered += digests.len();
        let mut wanted = Vec::new();
        for (i, expected) in expected.iter().enumerate() {
            if digests.get(i) != Some(expected) {
                self.differences += 1;
                wanted.push(batch * crate::suite::BATCH + i);
            }
        }
        wanted.truncate(EXAMPLES.saturating_sub(self.examples.len()));
        wanted
    }

    /// Takes a whole answer that differs.
    pub fn explain(&mut self, suite: &Suite, number: usize, answer: &str) {
        self.heard = Instant::now();
        let mismatch =
            first_mismatch(&suite.expected(number), answer).unwrap_or_else(|| Mismatch {
                key: "(digest)".to_owned(),
                expected: "the digest of this answer".to_owned(),
                found: "another, for the same answer".to_owned(),
            });
        self.examples.insert(suite.question(number).name, mismatch);
    }

    /// How long it took.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.heard - self.begun
    }

    /// Whether it said all it was asked, and nothing different.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.done && self.failure.is_none() && self.differences == 0 && self.answered > 0
    }
}

impl Default for Report {
    fn default() -> Self {
        Self::new()
    }
}

/// The summary: a row a runtime, and under it what differs.
#[must_use]
pub fn table(reports: &BTreeMap<String, Report>) -> String {
    let mut text = format!(
        "{:<10} {:>9} {:>12} {:>8}  {}\n",
        "runtime", "cases", "differences", "seconds", "engine"
    );
    for (runtime, report) in reports {
        text += &format!(
            "{runtime:<10} {:>9} {:>12} {:>8.1}  {}\n",
            report.answered,
            report.differences,
            report.took().as_secs_f64(),
            report.agent
        );
        for (case, mismatch) in &report.examples {
            let Mismatch {
                key,
                expected,
                found,
            } = mismatch;
            text += &format!("  differs: `{case}` at {key}: expected {expected}, found {found}\n");
        }
        if let Some(failure) = &report.failure {
            text += &format!("  failed: {failure}\n");
        } else if !report.done {
            text += "  failed: it did not answer all it was asked\n";
        }
    }
    text
}
