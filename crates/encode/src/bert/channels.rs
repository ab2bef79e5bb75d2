//! Several threads on one short sequence: each does some of the channels.
//!
//! With few rows the time goes into reading weights. Cutting the rows between threads would have
//! every thread read all of them; here each reads its own share. Every product of a layer is a
//! round (see [`rounds`](super::rounds)) of equal parts: attention by whole heads, with their
//! queries, keys and values; the other three by output channels. What lies between two products
//! looks at whole rows, is little, and is done by the thread that asked.
//!
//! ```text
//! asker     quantise       add, norm, quantise        quantise       add, norm, quantise …
//! all              attention,         out,       up, gelu       down
//! ```
//!
//! Dot products are whole numbers and every channel's floats are computed by themselves, so the
//! bits are those of one thread.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::thread;

use super::fused::Fused;
use super::packed::Norm;
use super::pool;
use super::rounds::Rounds;
use crate::describe::Pooling;
use crate::kernel::{Finish, Keys, PANEL, Quantised, Queries};

/// The threads that share a sequence, and what passes between them.
struct Crew<'a> {
    model: &'a Fused,
    parts: usize,
    rounds: Rounds,
    /// Written by the asker alone, between rounds.
    task: RwLock<Task>,
    /// What came of each part: rows of its channels.
    results: Vec<RwLock<Vec<f32>>>,
}

/// What a round is about.
#[derive(Default)]
struct Task {
    layer: usize,
    product: Product,
    input: Quantised,
    /// Rows of the input.
    rows: usize,
    /// The first so many rows ask what all of them answer; attention's alone.
    asking: usize,
}

#[derive(Clone, Copy, Default)]
enum Product {
    #[default]
    Attention,
    Out,
    Up,
    Down,
}

/// What a thread needs for attention.
#[derive(Default)]
struct Scratch {
    qkv: Vec<f32>,
    keys: Keys,
    scores: Vec<f32>,
}

/// How many equal parts the products of a model can be cut into: whole heads and whole panels.
/// Fewer than two, where its widths do not allow it.
pub(super) fn parts(model: &Fused) -> usize {
    let Some(layer) = model.layers.first() else {
        return 0;
    };
    let widths = [model.tokens.width, layer.up.outputs];
    if !widths.iter().all(|width| width.is_multiple_of(PANEL)) {
        return 0;
    }
    let counts = [model.heads, widths[0] / PANEL, widths[1] / PANEL];
    (1..=model.heads)
        .rev()
        .find(|&parts| counts.iter().all(|count| count.is_multiple_of(parts)))
        .unwrap_or(0)
}

/// The pooled vector of a sequence, by `threads` threads; the model has two parts at least.
pub(super) fn encode(model: &Fused, ids: &[u32], pooling: Pooling, threads: usize) -> Vec<f32> {
    let parts = parts(model);
    let crew = Crew {
        model,
        parts,
        rounds: Rounds::of(parts),
        task: RwLock::default(),
        results: (0..parts).map(|_| RwLock::default()).collect(),
    };
    thread::scope(|scope| {
        let _presence = crew.rounds.presence();
        for _ in 1..threads.min(parts) {
            scope.spawn(|| {
                let _presence = crew.rounds.presence();
                let mut scratch = Scratch::default();
                crew.rounds.follow(|_, part| crew.work(part, &mut scratch));
            });
        }
        crew.encode(ids, pooling)
    })
}

impl Crew<'_> {
    /// The asker's side of it.
    fn encode(&self, ids: &[u32], pooling: Pooling) -> Vec<f32> {
        let model = self.model;
        let width = model.tokens.width;
        let norm = |rows: &mut [f32], norm: &Norm| {
            model
                .kernel()
                .layer_norm(rows, &norm.gain, &norm.bias, model.eps);
        };
        let mut scratch = Scratch::default();
        let mut rows = Vec::new();
        model.embed(ids, 0, &mut rows);
        let (mut mixed, mut wide) = (Vec::new(), Vec::new());
        for (index, layer) in model.layers.iter().enumerate() {
            let last = index + 1 == model.layers.len();
            if last && pooling == Pooling::Cls {
                self.round(index, Product::Attention, &rows, 1, &mut scratch);
                rows.truncate(width);
            } else {
                self.round(index, Product::Attention, &rows, ids.len(), &mut scratch);
            }
            let count = rows.len() / width;
            mixed.resize(rows.len(), 0.0);
            self.each_result(&mut mixed, count, <[f32]>::copy_from_slice);

            self.round(index, Product::Out, &mixed, count, &mut scratch);
            self.each_result(&mut rows, count, add);
            norm(&mut rows, &layer.attention_norm);

            self.round(index, Product::Up, &rows, count, &mut scratch);
            wide.resize(count * layer.up.outputs, 0.0);
            self.each_result(&mut wide, count, <[f32]>::copy_from_slice);

            self.round(index, Product::Down, &wide, count, &mut scratch);
            self.each_result(&mut rows, count, add);
            norm(&mut rows, &layer.norm);
        }
        pool(&rows, width, pooling)
    }

    /// One product of a layer over `input`, into the results.
    fn round(
        &self,
        layer: usize,
        product: Product,
        input: &[f32],
        asking: usize,
        scratch: &mut Scratch,
    ) {
        let of = &self.model.layers[layer];
        let width = match product {
            Product::Attention => of.qkv.inputs,
            Product::Out => of.out.inputs,
            Product::Up => of.up.inputs,
            Product::Down => of.down.inputs,
        };
        let mut task = self.task.write().unwrap_or_else(PoisonError::into_inner);
        task.layer = layer;
        task.product = product;
        task.rows = input.len() / width;
        task.asking = asking;
        self.model.kernel().quantise(input, width, &mut task.input);
        drop(task);
        self.rounds.run(|_, part| self.work(part, scratch));
    }

    /// Hands every row of every result to `take`, together with its place in `rows`.
    fn each_result(&self, rows: &mut [f32], count: usize, take: impl Fn(&mut [f32], &[f32])) {
        let width = rows.len() / count;
        let own = width / self.parts;
        for (part, result) in self.results.iter().enumerate() {
            let result = read(result);
            for (row, result) in rows.chunks_exact_mut(width).zip(result.chunks_exact(own)) {
                take(&mut row[part * own..][..own], result);
            }
        }
    }

    /// Does one part of the round's task.
    fn work(&self, part: usize, scratch: &mut Scratch) {
        let (model, kernel) = (self.model, self.model.kernel());
        let task = read(&self.task);
        let layer = &model.layers[task.layer];
        let mut result = self.results[part]
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let (linear, finish) = match task.product {
            Product::Attention => {
                let Scratch { qkv, keys, scores } = scratch;
                let own = model.tokens.width / self.parts;
                qkv.resize(task.rows * 3 * own, 0.0);
                for block in 0..3 {
                    let mut panels = layer.qkv.part(block * self.parts + part, 3 * self.parts);
                    panels.column = block * own;
                    kernel.linear(&task.input, &panels, Finish::Store, qkv);
                }
                let heads = model.heads / self.parts;
                let queries = Queries {
                    rows: qkv,
                    stride: 3 * own,
                    heads,
                    head: own / heads,
                };
                keys.take(qkv, heads, own / heads);
                result.resize(task.asking * own, 0.0);
                kernel.attend(&queries, &[keys], scores, &mut result);
                return;
            }
            Product::Out => (&layer.out, Finish::Store),
            Product::Up => (&layer.up, Finish::Gelu),
            Product::Down => (&layer.down, Finish::Store),
        };
        let panels = linear.part(part, self.parts);
        result.resize(task.rows * panels.outputs, 0.0);
        kernel.linear(&task.input, &panels, finish, &mut result);
    }
}

fn add(row: &mut [f32], result: &[f32]) {
    for (row, y) in row.iter_mut().zip(result) {
        *row += y;
    }
}

fn read<T>(place: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    place.read().unwrap_or_else(PoisonError::into_inner)
}
