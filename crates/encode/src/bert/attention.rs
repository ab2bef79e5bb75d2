//! Several threads on one sequence.
//!
//! Each thread owns some of the rows and does everything that concerns a row by itself. Only
//! attention looks at other rows, through their keys and values: every thread puts its own into
//! its place, waits for the others, and reads them all. Places alternate between two sets from
//! layer to layer, so that one wait a layer is enough: whoever writes a set again has seen every
//! reader of it arrive at the wait in between.

use std::sync::{Barrier, PoisonError, RwLock, RwLockReadGuard};

use crate::kernel::Keys;

/// The threads that share a sequence.
pub(super) struct Team {
    places: [Vec<RwLock<Keys>>; 2],
    barrier: Barrier,
}

impl Team {
    pub(super) fn of(threads: usize) -> Self {
        let set = || (0..threads).map(|_| RwLock::default()).collect();
        Self {
            places: [set(), set()],
            barrier: Barrier::new(threads),
        }
    }

    /// Puts a thread's keys where the others find them, and gives back everyone's.
    pub(super) fn share(
        &self,
        layer: usize,
        thread: usize,
        fill: impl FnOnce(&mut Keys),
    ) -> Vec<RwLockReadGuard<'_, Keys>> {
        let places = &self.places[layer % 2];
        fill(
            &mut places[thread]
                .write()
                .unwrap_or_else(PoisonError::into_inner),
        );
        self.barrier.wait();
        places
            .iter()
            .map(|place| place.read().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}
