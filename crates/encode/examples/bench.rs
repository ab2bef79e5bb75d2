//! Times the 8-bit engine; run by `cargo xtask bench encode`.
//!
//! For each shape (12 × 384, as bge-small; 24 × 1024, as bge-large), number of threads and input
//! it prints one line, `shape input threads milliseconds`: the median of as many rounds as fit
//! into a second, three at least.

use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use concord_encode::bert::Bert;

const INPUTS: [(&str, usize, usize); 4] = [
    ("1x16", 1, 16),
    ("1x128", 1, 128),
    ("1x512", 1, 512),
    ("8x128", 8, 128),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for (shape, layers, width, heads) in [("small", 12, 384, 12), ("large", 24, 1024, 16)] {
        let mut model = Bert::meaningless(layers, width, heads)?;
        for threads in [1, 2] {
            model = model.with_threads(threads);
            for (input, count, tokens) in INPUTS {
                let ids: Vec<u32> = (0..tokens as u32).map(|i| 5 + i * 7 % 900).collect();
                let sequences = vec![ids; count];
                let time = median(|| model.encode_ids(&sequences).map(black_box).map(drop))?;
                let milliseconds = time.as_secs_f64() * 1e3;
                writeln!(out, "{shape} {input} {threads} {milliseconds:.2}")?;
            }
        }
    }
    Ok(())
}

fn median<E>(mut round: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    round()?;
    let mut times = Vec::new();
    let started = Instant::now();
    while times.len() < 3 || (started.elapsed() < Duration::from_secs(1) && times.len() < 200) {
        let start = Instant::now();
        round()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
