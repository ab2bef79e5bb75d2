//! Times the search by words; run by `cargo xtask bench lexical`.
//!
//! `lexical CACHE` reads a question a line and answers each with the milliseconds that its 30 best
//! passages took, the question's way into phrases among them, and then those passages as
//! places in the order in which they were indexed.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Instant;

use concord_cache::{CandidateStore as _, ColumnWeights, Scope, SharedCache};
use concord_text::lexical::phrases;

const K: u32 = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("lexical CACHE")?;
    let cache = SharedCache::open(Path::new(&file))?;
    for question in std::io::stdin().lock().lines() {
        let question = question?;
        let began = Instant::now();
        let snapshot = cache.snapshot()?;
        let phrases = phrases(&question);
        let found = snapshot.matching(&phrases, K, &Scope::default(), ColumnWeights::default())?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        // Chunks are numbered from 1.
        let places: Vec<String> = found
            .iter()
            .map(|hit| (hit.chunk - 1).to_string())
            .collect();
        println!("{took:.4} {}", places.join(" "));
        std::io::stdout().flush()?;
    }
    Ok(())
}
