//! Encodes questions and nothing else; run by `cargo xtask bench compose`.
//!
//! `encode < questions` reads a question a line and prints how many seconds the encoder inside the
//! program takes for all of them together, on all processors, the best of three rounds.

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::time::{Duration, Instant};

use concord_encode::{Encoder as _, embedded};

fn main() -> Result<(), Box<dyn Error>> {
    let questions: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let encoder = embedded::open()?;
    let texts: Vec<String> = questions
        .iter()
        .map(|question| format!("{}{question}", encoder.query_prefix()))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let started = Instant::now();
        encoder.encode_documents(&texts)?;
        best = best.min(started.elapsed());
    }
    writeln!(std::io::stdout().lock(), "{}", best.as_secs_f64())?;
    Ok(())
}
