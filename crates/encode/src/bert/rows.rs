//! Several threads on one sequence: each does some of the rows.
//!
//! The rows are cut into groups. A group's rows can go through everything but attention by
//! themselves, and attention needs no more of the others than their keys and values. So a round
//! (see [`rounds`](super::rounds)), of which the groups are the parts, reaches from one attention
//! to the next:
//!
//! ```text
//! round 0:     embed,                              keys and values of layer 0
//! round l + 1: attention of layer l, its products, keys and values of layer l + 1
//! ```
//!
//! Keys and values have two sets of places, taken in turn: while a round reads those of one
//! layer, it writes those of the next.

use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::thread;

use super::fused::{BLOCK, Fused, Scratch};
use super::rounds::Rounds;
use super::{Crew, pool};
use crate::describe::Pooling;
use crate::kernel::Keys;

/// The groups of one sequence.
struct Groups<'a> {
    model: &'a Fused,
    ids: &'a [u32],
    pooling: Pooling,
    /// Rows of every group but the last, which may have fewer.
    share: usize,
    groups: Vec<Mutex<Group>>,
    /// By layer, even and odd; then by group.
    keys: [Vec<RwLock<Keys>>; 2],
}

#[derive(Default)]
struct Group {
    rows: Vec<f32>,
    /// Of the next attention.
    qkv: Vec<f32>,
}

/// The pooled vector of a sequence.
pub(super) fn encode(model: &Fused, ids: &[u32], pooling: Pooling, crew: Crew) -> Vec<f32> {
    // As many groups for one thread as for another.
    let groups = ids.len().div_ceil(BLOCK).next_multiple_of(crew.cut_for);
    let share = ids.len().div_ceil(groups);
    let count = ids.len().div_ceil(share);
    let groups = Groups {
        model,
        ids,
        pooling,
        share,
        groups: (0..count).map(|_| Mutex::default()).collect(),
        keys: [(); 2].map(|()| (0..count).map(|_| RwLock::default()).collect()),
    };
    let rounds = Rounds::of(count);
    thread::scope(|scope| {
        let _presence = rounds.presence();
        for _ in 1..crew.at_work.min(count) {
            scope.spawn(|| {
                let _presence = rounds.presence();
                let mut scratch = Scratch::default();
                rounds.follow(|round, group| groups.work(round, group, &mut scratch));
            });
        }
        let mut scratch = Scratch::default();
        for _ in 0..=model.layers.len() {
            rounds.run(|round, group| groups.work(round, group, &mut scratch));
        }
    });
    let rows: Vec<f32> = groups
        .groups
        .into_iter()
        .flat_map(|group| {
            group
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .rows
        })
        .collect();
    pool(&rows, model.tokens.width, pooling)
}

impl Groups<'_> {
    fn work(&self, round: usize, index: usize, scratch: &mut Scratch) {
        let model = self.model;
        let layers = model.layers.len();
        let mut group = self.groups[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Group { rows, qkv } = &mut *group;
        if round == 0 {
            let first = index * self.share;
            let own = &self.ids[first..self.ids.len().min(first + self.share)];
            model.embed(own, first, rows);
        } else {
            let width = model.tokens.width;
            // Of the last layer the first token's row alone may be wanted.
            let wanted = match self.pooling {
                Pooling::Cls if round == layers => width * usize::from(index == 0),
                _ => rows.len(),
            };
            rows.truncate(wanted);
            if wanted > 0 {
                let parts: Vec<_> = self.keys[(round - 1) % 2].iter().map(read).collect();
                let parts: Vec<&Keys> = parts.iter().map(|part| &**part).collect();
                model.attend(qkv, &parts, rows.len() / width, scratch);
                model.after_attention(round - 1, rows, scratch);
            }
        }
        if round < layers {
            model.queries_keys_values(round, rows, qkv, scratch);
            let heads = model.heads;
            self.keys[round % 2][index]
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .take(qkv, heads, model.tokens.width / heads);
        }
    }
}

fn read<T>(place: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    place.read().unwrap_or_else(PoisonError::into_inner)
}
