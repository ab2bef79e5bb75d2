//! Which texts are worked on together, and by whom.
//!
//! Sequences stand one after the other in a batch, none is padded. A batch holds about 128
//! tokens: enough that a panel of weights is used for many rows once it is in the cache, and so
//! little that a thread which has one in hand is soon done with it. The longest come first, so
//! that no thread is left alone with a long one at the end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::Result;

/// Tokens of a batch, unless a single sequence has more.
const TOKENS: usize = 128;

/// Batches of sequence numbers, given the sequences' lengths.
pub(super) fn by_length(lengths: &[usize]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(lengths[i]), i));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut tokens = TOKENS;
    for i in order {
        tokens += lengths[i];
        match batches.last_mut() {
            Some(batch) if tokens <= TOKENS => batch.push(i),
            _ => {
                batches.push(vec![i]);
                tokens = lengths[i];
            }
        }
    }
    batches
}

/// `count` numbers in runs of like length, a few for each thread.
pub(super) fn even(count: usize, threads: usize) -> Vec<Vec<usize>> {
    let run = count.div_ceil(4 * threads).clamp(1, 64);
    (0..count)
        .step_by(run)
        .map(|first| (first..count.min(first + run)).collect())
        .collect()
}

/// Works on every batch, each by one of at most `threads` threads; the results come back in the
/// order of the numbers `0..count`, each of which stands in exactly one batch.
pub(super) fn in_parallel<T: Send>(
    threads: usize,
    batches: &[Vec<usize>],
    count: usize,
    work: impl Fn(&[usize]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    let failure = Mutex::new(None);
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            match work(batch) {
                Ok(made) => {
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    for (&i, made) in batch.iter().zip(made) {
                        results[i] = Some(made);
                    }
                }
                Err(error) => {
                    next.store(batches.len(), Ordering::Relaxed);
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(batches.len()) {
            scope.spawn(run);
        }
        run();
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(results
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .into_iter()
            .flatten()
            .collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;

    #[test]
    fn every_sequence_is_in_one_batch_and_batches_are_small() {
        let lengths = [3, 200, 64, 64, 1, 512, 127, 2];
        let batches = by_length(&lengths);
        let mut seen: Vec<usize> = batches.concat();
        seen.sort_unstable();
        assert_eq!(seen, (0..lengths.len()).collect::<Vec<_>>());
        for batch in &batches {
            let tokens: usize = batch.iter().map(|&i| lengths[i]).sum();
            assert!(batch.len() == 1 || tokens <= TOKENS);
        }
        assert_eq!(batches[0], [5], "the longest comes first");
    }

    #[test]
    fn results_come_back_in_order_whoever_made_them() {
        for threads in [1, 2, 7] {
            let batches = even(100, threads);
            let doubled = in_parallel(threads, &batches, 100, |batch| {
                Ok(batch.iter().map(|i| 2 * i).collect())
            });
            assert_eq!(doubled, Ok((0..100).map(|i| 2 * i).collect()));
        }
    }

    #[test]
    fn a_failure_is_reported_and_ends_the_work() {
        let batches = even(100, 2);
        let failed = in_parallel::<()>(2, &batches, 100, |_| Err(Fault::Machine.because("full")));
        assert_eq!(failed, Err(Fault::Machine.because("full")));
    }
}
