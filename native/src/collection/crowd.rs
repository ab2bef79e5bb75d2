//! How many questions are being answered at this moment.
//!
//! A question alone is answered soonest by all processors together, which costs them more than one of
//! them would need. Where another is being answered anyway, that is lost to both: so each then keeps to
//! the thread that it came on. What is answered does not depend on it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Of this process, in all its domains.
static ANSWERING: AtomicUsize = AtomicUsize::new(0);

/// A question that is being answered, until it is dropped.
pub(super) struct Answering {
    /// How many others were, when it began.
    pub(super) others: usize,
}

impl Answering {
    pub(super) fn begin() -> Self {
        Self {
            others: ANSWERING.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        ANSWERING.fetch_sub(1, Ordering::Relaxed);
    }
}
