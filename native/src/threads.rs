//! Threads: what one of them found, and which of them goes first.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// By so much nicer is a thread that gives way: where both want a processor, it gets a tenth of it.
#[cfg(target_os = "linux")]
const GIVING_WAY: i32 = 10;

/// What a thread came to; its panic goes on in this one.
pub(crate) fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Lets other threads go first, now and from now on; those that this one begins do so too.
pub(crate) fn give_way() {
    // Elsewhere, a priority is the whole process's.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(GIVING_WAY) {
        tracing::warn!(%error, "a thread cannot give way to others");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_gives_way_takes_along_those_it_begins_and_nobody_else() {
        let priority = || rustix::process::getpriority_process(None).unwrap();
        let own = priority();
        let giving_way = move || {
            give_way();
            [priority(), thread::spawn(priority).join().unwrap()]
        };
        let found = thread::spawn(giving_way).join().unwrap();
        let nicer = (own + GIVING_WAY).min(19);
        assert_eq!((found, priority()), ([nicer; 2], own));
    }
}
