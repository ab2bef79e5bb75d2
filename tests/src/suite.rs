//! The suite: every question by number, with the answer it must get.

use std::sync::OnceLock;

use anyhow::{Result, anyhow};

use crate::case::{Case, digest, flatten};
use crate::{generate, golden, hand};

/// Questions are put, and answers computed, this many at a time.
pub const BATCH: usize = 200;

/// Hand-made cases first, then generated ones.
pub struct Suite {
    hand_made: Vec<(Case, String)>,
    seed: u64,
    generated: usize,
    /// By batch, computed when first needed.
    digests: Vec<OnceLock<Vec<String>>>,
}

impl Suite {
    /// All hand-made cases with their goldens, and so many generated ones.
    ///
    /// # Errors
    /// If a golden is missing.
    pub fn new(seed: u64, generated: usize) -> Result<Self> {
        let mut goldens = golden::read()?;
        let mut hand_made = Vec::new();
        for draft in hand::groups().into_iter().flat_map(|(_, drafts)| drafts) {
            let name = &draft.case.name;
            let golden = goldens.remove(name);
            let golden =
                golden.ok_or_else(|| anyhow!("no golden for `{name}`; {}", golden::HOW))?;
            hand_made.push((draft.case, golden));
        }
        let batches = (hand_made.len() + generated).div_ceil(BATCH);
        Ok(Self {
            hand_made,
            seed,
            generated,
            digests: (0..batches).map(|_| OnceLock::new()).collect(),
        })
    }

    /// How many questions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hand_made.len() + self.generated
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many batches there are.
    #[must_use]
    pub fn batches(&self) -> usize {
        self.digests.len()
    }

    /// The numbers of a batch.
    #[must_use]
    pub fn batch(&self, batch: usize) -> std::ops::Range<usize> {
        batch * BATCH..((batch + 1) * BATCH).min(self.len())
    }

    /// A question.
    #[must_use]
    pub fn question(&self, number: usize) -> Case {
        match self.hand_made.get(number) {
            Some((case, _)) => case.clone(),
            None => generate::case(self.seed, (number - self.hand_made.len()) as u64),
        }
    }

    /// The answer it must get: the golden of a hand-made case, the native answer to a generated.
    #[must_use]
    pub fn expected(&self, number: usize) -> String {
        match self.hand_made.get(number) {
            Some((_, golden)) => golden.clone(),
            None => flatten(&self.question(number).answer()),
        }
    }

    /// The digests of a batch's expected answers.
    pub fn digests(&self, batch: usize) -> &[String] {
        let compute = || {
            self.batch(batch)
                .map(|number| digest(&self.expected(number)))
                .collect()
        };
        self.digests[batch].get_or_init(compute)
    }
}
