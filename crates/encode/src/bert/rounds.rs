//! Who does which part of the work, and who waits for whom.
//!
//! Work comes in rounds of a fixed number of parts. The thread that opens a round takes parts
//! itself, so that it is never idle for want of another: one that has no processor just now does
//! fewer, or none. It waits only for parts that another has in hand.
//!
//! It takes parts from the front and the others take them from the back, so that on a quiet
//! machine a thread finds in its own cache what it made of the same part a round before.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::waiting::Waiting;

/// In the place of a round: no more come.
const OVER: u64 = u64::MAX;

/// The rounds of one piece of work.
pub(super) struct Rounds {
    parts: u64,
    /// A [`Round`], or [`OVER`]. In one word, so that nobody can take a part of a round that is
    /// past.
    now: AtomicU64,
    /// Parts of this round that are done.
    done: AtomicUsize,
    waiting: Waiting,
}

/// A round and the parts of it that are taken: as a word, 32 bits of number, 16 and 16 of counts.
#[derive(Clone, Copy)]
struct Round {
    /// From 1 on; 0 before the first.
    number: u64,
    front: u64,
    back: u64,
}

impl Round {
    fn of(word: u64) -> Self {
        Self {
            number: word >> 32,
            front: word >> 16 & 0xFFFF,
            back: word & 0xFFFF,
        }
    }

    fn word(self) -> u64 {
        self.number << 32 | self.front << 16 | self.back
    }
}

/// Which end a thread takes parts from.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

/// Ends the rounds when dropped, so that a thread that panics leaves nobody waiting.
pub(super) struct Presence<'a>(&'a Rounds);

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        self.0.now.store(OVER, Ordering::Release);
        self.0.waiting.wake();
    }
}

impl Rounds {
    /// Rounds of so many parts, none open yet.
    pub(super) fn of(parts: usize) -> Self {
        let parts = parts as u64;
        assert!(parts < 1 << 16);
        let none_left = Round {
            number: 0,
            front: parts,
            back: 0,
        };
        Self {
            parts,
            now: AtomicU64::new(none_left.word()),
            done: AtomicUsize::new(0),
            waiting: Waiting::default(),
        }
    }

    /// What every thread that takes part holds: the rounds are over when the first lets go.
    pub(super) fn presence(&self) -> Presence<'_> {
        Presence(self)
    }

    /// Opens a round, works on it with whoever else does, and returns when all of it is done.
    /// `work` is told the round's number, from 0, and the part's.
    ///
    /// # Panics
    /// If another thread did.
    pub(super) fn run(&self, mut work: impl FnMut(usize, usize)) {
        self.done.store(0, Ordering::Relaxed);
        // Not a plain store: it must not undo a thread's having ended the rounds.
        let opened = self.change(|round| {
            Some(Round {
                number: round.number + 1,
                front: 0,
                back: 0,
            })
        });
        if opened.is_some() {
            self.waiting.wake();
        }
        while let Some((round, part)) = self.take(End::Front) {
            work(round, part);
            self.done.fetch_add(1, Ordering::Release);
        }
        let all = self.parts as usize;
        self.waiting
            .until(|| self.done.load(Ordering::Acquire) == all || self.over());
        assert!(!self.over(), "another thread panicked");
    }

    /// Works on rounds that another thread opens, until they are over.
    pub(super) fn follow(&self, mut work: impl FnMut(usize, usize)) {
        while !self.over() {
            while let Some((round, part)) = self.take(End::Back) {
                work(round, part);
                if self.done.fetch_add(1, Ordering::Release) + 1 == self.parts as usize {
                    self.waiting.wake();
                }
            }
            self.waiting.until(|| self.over() || self.open());
        }
    }

    fn over(&self) -> bool {
        self.now.load(Ordering::Acquire) == OVER
    }

    fn open(&self) -> bool {
        self.left(Round::of(self.now.load(Ordering::Acquire))) > 0
    }

    fn left(&self, round: Round) -> u64 {
        self.parts.saturating_sub(round.front + round.back)
    }

    /// The number of a round, and of a part of it that is now this thread's.
    fn take(&self, end: End) -> Option<(usize, usize)> {
        let before = self.change(|round| {
            let Round { front, back, .. } = round;
            (self.left(round) > 0).then_some(match end {
                End::Front => Round {
                    front: front + 1,
                    ..round
                },
                End::Back => Round {
                    back: back + 1,
                    ..round
                },
            })
        })?;
        let part = match end {
            End::Front => before.front,
            End::Back => self.parts - 1 - before.back,
        };
        Some((before.number as usize - 1, part as usize))
    }

    /// Changes the round, unless there are no more; gives back what it was.
    fn change(&self, to: impl Fn(Round) -> Option<Round>) -> Option<Round> {
        self.now
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| match word {
                OVER => None,
                word => to(Round::of(word)).map(Round::word),
            })
            .ok()
            .map(Round::of)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    use super::*;

    #[test]
    fn every_part_of_every_round_is_done_once_before_the_next_begins() {
        for threads in [1, 2, 5] {
            let rounds = Rounds::of(7);
            let counts: Vec<AtomicUsize> = (0..7).map(|_| AtomicUsize::new(0)).collect();
            let work = |_: usize, part: usize| {
                counts[part].fetch_add(1, Ordering::Relaxed);
            };
            thread::scope(|scope| {
                let _presence = rounds.presence();
                for _ in 1..threads {
                    scope.spawn(|| rounds.follow(work));
                }
                for round in 1..=300 {
                    rounds.run(work);
                    for count in &counts {
                        assert_eq!(count.load(Ordering::Relaxed), round);
                    }
                }
            });
        }
    }

    #[test]
    fn a_thread_that_panics_leaves_nobody_waiting() {
        let rounds = Rounds::of(1_000);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                let _presence = rounds.presence();
                scope.spawn(|| {
                    let _presence = rounds.presence();
                    rounds.follow(|_, _| panic!("as planned"));
                });
                for _ in 0.. {
                    rounds.run(|_, _| thread::yield_now());
                }
            });
        }));
        assert!(ended.is_err());
    }
}
