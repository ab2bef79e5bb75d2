//! Text out of a seed: words as frequent as those of a language are, in sentences.
//!
//! A third of the words are English ones without meaning of their own, as in English. The others are made
//! of syllables, and the word of rank r comes up in proportion to 1 / (r + 8), by Zipf and Mandelbrot.

use fastrand::Rng;

/// Words that every text has.
const PLAIN: [&str; 24] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with", "be",
    "by", "on", "not", "from", "or", "are", "this", "which", "at", "an",
];
const SYLLABLES: [&str; 40] = [
    "ba", "co", "di", "fu", "ga", "ho", "ji", "ku", "la", "me", "ni", "po", "qua", "re", "si",
    "to", "vu", "wa", "xe", "zi", "bran", "cest", "dor", "fel", "gam", "hol", "jan", "kel", "lum",
    "mor", "nar", "pel", "rin", "sol", "tan", "ver", "win", "yor", "zan", "stri",
];
const WORDS: usize = 20_000;

/// A language.
pub(crate) struct Language {
    pub(crate) words: Vec<String>,
    /// Of each word, the sum of its own and all earlier frequencies.
    sums: Vec<f64>,
}

impl Language {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let mut words: Vec<String> = Vec::with_capacity(WORDS);
        let mut known = std::collections::HashSet::new();
        while words.len() < WORDS {
            let word: String = (0..rng.usize(2..5))
                .map(|_| SYLLABLES[rng.usize(..SYLLABLES.len())])
                .collect();
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut sum = 0.0;
        let sums = (0..WORDS).map(|rank| {
            sum += 1.0 / (rank as f64 + 8.0);
            sum
        });
        Self {
            sums: sums.collect(),
            words,
        }
    }

    /// A word with a meaning of its own.
    fn word(&self, rng: &mut Rng) -> &str {
        let place = rng.f64() * self.sums[WORDS - 1];
        &self.words[self.sums.partition_point(|sum| *sum < place).min(WORDS - 1)]
    }

    /// A sentence of 8 to 24 words.
    pub(crate) fn sentence(&self, rng: &mut Rng) -> String {
        let mut sentence = String::new();
        for place in 0..rng.usize(8..25) {
            let plain = rng.usize(..3) == 0;
            let word = if plain {
                PLAIN[rng.usize(..PLAIN.len())]
            } else {
                self.word(rng)
            };
            if place == 0 {
                let (first, rest) = word.split_at(1);
                sentence += &first.to_uppercase();
                sentence += rest;
            } else {
                sentence.push(' ');
                sentence += word;
            }
        }
        sentence.push('.');
        sentence
    }

    /// A question about a passage: five of its words that mean something.
    pub(crate) fn question(&self, passage: &str, rng: &mut Rng) -> String {
        let lower = passage.to_lowercase();
        let mut words: Vec<&str> = lower
            .split([' ', '.'])
            .filter(|word| !word.is_empty() && !PLAIN.contains(word))
            .collect();
        rng.shuffle(&mut words);
        words.truncate(5);
        format!(
            "how is the {} of {}?",
            words[..2].join(" "),
            words[2..].join(" and ")
        )
    }

    /// All words that occur.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        PLAIN
            .into_iter()
            .chain(self.words.iter().map(String::as_str))
    }
}
