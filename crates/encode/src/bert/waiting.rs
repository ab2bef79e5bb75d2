//! Waiting for another thread: spinning first, then asleep.
//!
//! Threads that share a sequence wait for each other every few dozen microseconds, and waking a
//! sleeper takes as long again. So who waits spins for about as long; but not longer, since the
//! thread that is waited for may be waiting for this very processor.

use std::hint;
use std::sync::{Condvar, Mutex, PoisonError};

/// Twenty to a hundred microseconds, by processor.
const SPINS: usize = 2_000;

/// Where threads wait for something to change.
#[derive(Default)]
pub(super) struct Waiting {
    asleep: Mutex<usize>,
    woken: Condvar,
}

impl Waiting {
    /// Returns once `ready`.
    pub(super) fn until(&self, ready: impl Fn() -> bool) {
        for _ in 0..SPINS {
            if ready() {
                return;
            }
            hint::spin_loop();
        }
        let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        *asleep += 1;
        while !ready() {
            asleep = self
                .woken
                .wait(asleep)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *asleep -= 1;
    }

    /// To be called after every change that somebody may wait for. It looks under the lock, under
    /// which a sleeper has looked for the change and counted itself: none is missed.
    pub(super) fn wake(&self) {
        if *self.asleep.lock().unwrap_or_else(PoisonError::into_inner) > 0 {
            self.woken.notify_all();
        }
    }
}
