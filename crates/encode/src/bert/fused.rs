//! BERT in 8 bits: matrix products over packed weights, all between them fused.
//!
//! ```text
//! x = norm(token + position + kind)
//! each layer:  x = norm(x + out(attention(qkv(x))))
//!              x = norm(x + down(gelu(up(x))))
//! ```
//!
//! Rows are quantised where a matrix product needs them and are f32 everywhere else. The two wide
//! products of a layer go over blocks of rows, so that what lies between them stays in the cache.
//! In the last layer nothing is computed that pooling would drop: with the first token's vector
//! wanted, all that follows its keys and values is done for that token alone.

use std::thread;

use super::attention::Team;
use super::packed::{Linear, Norm, Table};
use super::pool;
use crate::describe::{Pooling, Shape};
use crate::error::Result;
use crate::kernel::{Finish, Kernel, Keys, Quantised, Queries};
use crate::weights::Weights;

/// Rows that go through the two wide products together; six rows make a tile.
const BLOCK: usize = 96;

/// A thread is not worth waking for fewer rows.
const ROWS_A_THREAD: usize = 24;

/// A packed model.
pub(crate) struct Fused {
    pub(crate) eps: f32,
    pub(crate) heads: usize,
    pub(crate) tokens: Table,
    /// Position and kind, already added up.
    pub(crate) positions: Vec<f32>,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<Layer>,
    kernel: Kernel,
}

/// A packed layer.
pub(crate) struct Layer {
    pub(crate) qkv: Linear,
    pub(crate) out: Linear,
    pub(crate) attention_norm: Norm,
    pub(crate) up: Linear,
    pub(crate) down: Linear,
    pub(crate) norm: Norm,
}

/// What a thread needs besides its rows.
#[derive(Default)]
struct Scratch {
    quantised: Quantised,
    qkv: Vec<f32>,
    mixed: Vec<f32>,
    wide: Vec<f32>,
    scores: Vec<f32>,
    keys: Keys,
}

impl Fused {
    /// Whether this engine computes what the model's `config.json` asks for.
    pub(crate) fn can_run(shape: &Shape) -> bool {
        shape.hidden_act == "gelu"
            && shape.hidden_size.is_multiple_of(4)
            && shape.intermediate_size.is_multiple_of(4)
            && shape.vocab_size > 0
            && shape.max_position_embeddings > 0
    }

    /// Reads and packs a model, tensor by tensor.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape than `config.json` says.
    pub(crate) fn pack(shape: &Shape, weights: &mut dyn Weights) -> Result<Self> {
        let width = shape.hidden_size;
        let table = weights.tensor(
            "embeddings.word_embeddings.weight",
            &[shape.vocab_size, width],
        )?;
        let tokens = Table::pack(&table, width);
        drop(table);
        let mut positions = weights.tensor(
            "embeddings.position_embeddings.weight",
            &[shape.max_position_embeddings, width],
        )?;
        let kinds = weights.tensor(
            "embeddings.token_type_embeddings.weight",
            &[shape.type_vocab_size, width],
        )?;
        for row in positions.chunks_exact_mut(width) {
            for (position, kind) in row.iter_mut().zip(&kinds) {
                *position += kind;
            }
        }
        let norm = Norm::read(weights, "embeddings.LayerNorm", width)?;
        let layers = (0..shape.num_hidden_layers)
            .map(|index| Layer::pack(shape, weights, index))
            .collect::<Result<_>>()?;
        Ok(Self::new(shape, tokens, positions, norm, layers))
    }

    /// A model of packed parts.
    pub(crate) fn new(
        shape: &Shape,
        tokens: Table,
        positions: Vec<f32>,
        norm: Norm,
        layers: Vec<Layer>,
    ) -> Self {
        Self {
            eps: shape.layer_norm_eps as f32,
            heads: shape.num_attention_heads,
            tokens,
            positions,
            norm,
            layers,
            kernel: Kernel::best(),
        }
    }

    /// The kernel in use.
    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The same model by another kernel.
    #[cfg(test)]
    pub(crate) fn set_kernel(&mut self, kernel: Kernel) {
        self.kernel = kernel;
    }

    /// The pooled vectors of some sequences, on this thread.
    pub(crate) fn encode_batch(&self, sequences: &[&[u32]], pooling: Pooling) -> Vec<Vec<f32>> {
        let width = self.tokens.width;
        let mut rows = Vec::new();
        let mut lengths: Vec<usize> = sequences.iter().map(|ids| ids.len()).collect();
        for ids in sequences {
            self.embed(ids, 0, &mut rows);
        }
        let mut scratch = Scratch::default();
        for index in 0..self.layers.len() {
            let last = index + 1 == self.layers.len();
            self.layer(
                index,
                &mut rows,
                &mut lengths,
                None,
                last && pooling == Pooling::Cls,
                &mut scratch,
            );
        }
        let mut start = 0;
        lengths
            .iter()
            .map(|length| {
                let hidden = &rows[start * width..(start + length) * width];
                start += length;
                pool(hidden, width, pooling)
            })
            .collect()
    }

    /// The pooled vector of one sequence, by up to `threads` threads.
    pub(crate) fn encode_split(&self, ids: &[u32], pooling: Pooling, threads: usize) -> Vec<f32> {
        let threads = threads.min(ids.len() / ROWS_A_THREAD);
        if threads < 2 {
            return self.encode_batch(&[ids], pooling).swap_remove(0);
        }
        let width = self.tokens.width;
        let team = Team::of(threads);
        let share = ids.len().div_ceil(threads);
        let work = |thread: usize| {
            let first = (thread * share).min(ids.len());
            let own = &ids[first..ids.len().min(first + share)];
            let mut rows = Vec::new();
            self.embed(own, first, &mut rows);
            let mut lengths = vec![own.len()];
            let mut scratch = Scratch::default();
            for index in 0..self.layers.len() {
                let last = index + 1 == self.layers.len();
                self.layer(
                    index,
                    &mut rows,
                    &mut lengths,
                    Some((&team, thread)),
                    last && pooling == Pooling::Cls,
                    &mut scratch,
                );
            }
            rows
        };
        let rows = thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|thread| {
                    let work = &work;
                    scope.spawn(move || work(thread))
                })
                .collect();
            let mut rows = work(0);
            for other in others {
                match other.join() {
                    Ok(more) => rows.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            rows
        });
        pool(&rows, width, pooling)
    }

    /// Appends the rows of some tokens, the first of them at position `first`.
    fn embed(&self, ids: &[u32], first: usize, rows: &mut Vec<f32>) {
        let width = self.tokens.width;
        let start = rows.len();
        let known = self.positions.len() / width;
        for (position, &id) in (first..).zip(ids) {
            let position = position.min(known - 1);
            rows.extend_from_slice(&self.positions[position * width..][..width]);
            let at = rows.len() - width;
            self.tokens.add(id, &mut rows[at..]);
        }
        self.kernel.layer_norm(
            &mut rows[start..],
            &self.norm.gain,
            &self.norm.bias,
            self.eps,
        );
    }

    /// One layer over the rows of some sequences, `lengths` of them; with `first_only`, what
    /// comes out is each sequence's first row (in a team: the first thread's).
    fn layer(
        &self,
        index: usize,
        rows: &mut Vec<f32>,
        lengths: &mut [usize],
        team: Option<(&Team, usize)>,
        first_only: bool,
        scratch: &mut Scratch,
    ) {
        let (kernel, layer) = (self.kernel, &self.layers[index]);
        let width = self.tokens.width;
        let head = width / self.heads;
        let Scratch {
            quantised,
            qkv,
            mixed,
            wide,
            scores,
            keys,
        } = scratch;

        kernel.quantise(rows, width, quantised);
        qkv.resize(rows.len() * 3, 0.0);
        kernel.linear(quantised, &layer.qkv.panels(), Finish::Store, qkv);

        mixed.clear();
        let mut start = 0;
        let mut kept = Vec::new();
        for length in lengths.iter_mut() {
            let own = &qkv[start * 3 * width..(start + *length) * 3 * width];
            let asked = match (first_only, team) {
                (false, _) => *length,
                (true, None | Some((_, 0))) => 1,
                (true, Some(_)) => 0,
            };
            let queries = Queries {
                rows: own,
                stride: 3 * width,
                heads: self.heads,
                head,
            };
            let at = mixed.len();
            mixed.resize(at + asked * width, 0.0);
            match team {
                None => {
                    keys.take(own, self.heads, head);
                    kernel.attend(&queries, &[keys], scores, &mut mixed[at..]);
                }
                Some((team, thread)) => {
                    let parts = team.share(index, thread, |keys| keys.take(own, self.heads, head));
                    let parts: Vec<&Keys> = parts.iter().map(|part| &**part).collect();
                    kernel.attend(&queries, &parts, scores, &mut mixed[at..]);
                }
            }
            if first_only {
                kept.extend_from_slice(&rows[start * width..(start + asked) * width]);
            }
            start += *length;
            *length = asked;
        }
        if first_only {
            *rows = kept;
        }

        kernel.quantise(mixed, width, quantised);
        kernel.linear(quantised, &layer.out.panels(), Finish::Add, rows);
        let norm = &layer.attention_norm;
        kernel.layer_norm(rows, &norm.gain, &norm.bias, self.eps);

        for block in rows.chunks_mut(BLOCK * width) {
            kernel.quantise(block, width, quantised);
            wide.resize(block.len() / width * layer.up.outputs, 0.0);
            kernel.linear(quantised, &layer.up.panels(), Finish::Gelu, wide);
            kernel.quantise(wide, layer.up.outputs, quantised);
            kernel.linear(quantised, &layer.down.panels(), Finish::Add, block);
        }
        kernel.layer_norm(rows, &layer.norm.gain, &layer.norm.bias, self.eps);
    }
}

impl Layer {
    fn pack(shape: &Shape, weights: &mut dyn Weights, index: usize) -> Result<Self> {
        let (width, wide) = (shape.hidden_size, shape.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let mut linear = |part: &str, outputs: usize, inputs: usize| -> Result<_> {
            Ok((
                weights.tensor(&name(&format!("{part}.weight")), &[outputs, inputs])?,
                weights.tensor(&name(&format!("{part}.bias")), &[outputs])?,
            ))
        };
        let (mut qkv, mut qkv_bias) = linear("attention.self.query", width, width)?;
        // The factor 1/√d of attention goes into the queries.
        let factor = 1.0 / ((width / shape.num_attention_heads) as f32).sqrt();
        for value in qkv.iter_mut().chain(&mut qkv_bias) {
            *value *= factor;
        }
        for part in ["attention.self.key", "attention.self.value"] {
            let (more, bias) = linear(part, width, width)?;
            qkv.extend(more);
            qkv_bias.extend(bias);
        }
        let mut packed = |part: &str, outputs: usize, inputs: usize| -> Result<Linear> {
            let (weights, bias) = linear(part, outputs, inputs)?;
            Ok(Linear::pack(&weights, &bias, inputs))
        };
        let out = packed("attention.output.dense", width, width)?;
        let up = packed("intermediate.dense", wide, width)?;
        let down = packed("output.dense", width, wide)?;
        Ok(Self {
            qkv: Linear::pack(&qkv, &qkv_bias, width),
            out,
            attention_norm: Norm::read(weights, &name("attention.output.LayerNorm"), width)?,
            up,
            down,
            norm: Norm::read(weights, &name("output.LayerNorm"), width)?,
        })
    }
}
