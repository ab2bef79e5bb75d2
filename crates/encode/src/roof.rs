//! How fast this machine could encode at best: what a benchmark compares a time with.
//!
//! ```text
//! least time = max(products of 8 bits ÷ peak,  bytes of weights ÷ speed of reading)
//! ```
//!
//! Both speeds are measured here, by as many threads at once as the work may use: the peak with
//! a tile that stays in the first-level cache, reading over as many bytes as the model has, again
//! and again, so that a model which fits into a cache is held to that cache's speed. Attention's
//! products in f32, and all that is no product, are not counted: the least time is too low rather
//! than too high.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use crate::kernel::Kernel;

/// How often, and for how long, something is measured; the best counts, since what else the
/// machine does can only slow it down.
const TRIES: usize = 5;
const SPAN: Duration = Duration::from_millis(50);

/// What this machine can do.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Roof {
    /// Products of two bytes a second.
    pub products: f64,
    /// Bytes read a second.
    pub bytes: f64,
}

impl Roof {
    /// Measures with so many threads at once, and reading over so many bytes.
    #[must_use]
    pub fn measure(threads: usize, bytes: usize) -> Self {
        let kernel = Kernel::best();
        Self {
            products: together(threads, |_| kernel.peak(200)),
            bytes: reading(bytes, threads),
        }
    }

    /// The least time for so many products and bytes.
    #[must_use]
    pub fn least(&self, products: usize, bytes: usize) -> Duration {
        let computing = products as f64 / self.products;
        let reading = bytes as f64 / self.bytes;
        Duration::from_secs_f64(computing.max(reading))
    }
}

/// Bytes read a second, of all threads together, each with its share of `bytes`.
fn reading(bytes: usize, threads: usize) -> f64 {
    let words = vec![1_u64; bytes / 8];
    let share = words.len().div_ceil(threads);
    together(threads, |thread| {
        let own = &words[(thread * share).min(words.len())..];
        let own = &own[..share.min(own.len())];
        // Sixteen sums at once: one alone would wait for the adder, not for the memory.
        let mut sums = [0_u64; 16];
        for words in own.chunks_exact(16) {
            for (sum, word) in sums.iter_mut().zip(words) {
                *sum = sum.wrapping_add(*word);
            }
        }
        black_box(sums);
        8 * own.len()
    })
}

/// What all threads get done a second; `work` says how much it did.
fn together(threads: usize, work: impl Fn(usize) -> usize + Sync) -> f64 {
    let speed = &|thread: usize| {
        let started = Instant::now();
        let mut done = 0;
        while started.elapsed() < SPAN {
            done += work(thread);
        }
        done as f64 / started.elapsed().as_secs_f64()
    };
    let once = || {
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|thread| scope.spawn(move || speed(thread)))
                .collect();
            let own = speed(0);
            let others = others.into_iter().map(|other| other.join());
            others.map(Result::unwrap_or_default).sum::<f64>() + own
        })
    };
    (0..TRIES).map(|_| once()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slower_of_computing_and_reading_is_the_bound() {
        let roof = Roof {
            products: 100.0,
            bytes: 10.0,
        };
        assert_eq!(roof.least(100, 1), Duration::from_secs(1));
        assert_eq!(roof.least(100, 20), Duration::from_secs(2));
    }
}
