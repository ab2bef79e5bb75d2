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

use super::packed::{Linear, Norm, Table};
use super::{Crew, channels, pool, rows};
use crate::describe::{Pooling, Shape};
use crate::error::Result;
use crate::kernel::{Finish, Kernel, Keys, Quantised, Queries};
use crate::weights::Weights;

/// Rows that go through the two wide products together; six rows make a tile.
pub(super) const BLOCK: usize = 96;

/// A thread is not worth waking for fewer rows. Measured on two cores with bge-small's shape: two
/// threads take 0.75 of one thread's time at 16 tokens, 0.68 at 32, 0.61 at 48, 0.57 at 128.
const ROWS_A_THREAD: usize = 8;

/// Up to so many tokens, a model that does not stay in the cache is cut by channels ([`channels`])
/// instead of by rows ([`rows`]): then it is reading the weights that takes the time. Measured with
/// bge-large's shape, milliseconds by channels and by rows: 21 and 30 at 16 tokens, 36 and 45 at
/// 32, 54 and 56 at 48, equal at 64. With bge-small's rows win throughout, 1.8 to 2.1 at 16 tokens:
/// less passes between the threads.
const SHORT: usize = 48;

/// Bytes of weights that no last-level cache is taken to keep from one text to the next.
const OUT_OF_CACHE: usize = 64 << 20;

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
pub(super) struct Scratch {
    quantised: Quantised,
    /// What attention made of the rows, until [`Fused::after_attention`] takes it.
    mixed: Vec<f32>,
    wide: Vec<f32>,
    scores: Vec<f32>,
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

    /// Bytes of weights that every text needs.
    fn weights(&self) -> usize {
        self.layers
            .iter()
            .flat_map(|layer| [&layer.qkv, &layer.out, &layer.up, &layer.down])
            .map(|linear| linear.weights.len())
            .sum()
    }

    /// The pooled vectors of some sequences, on this thread.
    pub(crate) fn encode_batch(&self, sequences: &[&[u32]], pooling: Pooling) -> Vec<Vec<f32>> {
        let width = self.tokens.width;
        let mut rows = Vec::new();
        let mut lengths: Vec<usize> = sequences.iter().map(|ids| ids.len()).collect();
        for ids in sequences {
            self.embed(ids, 0, &mut rows);
        }
        let (mut qkv, mut keys) = (Vec::new(), Keys::default());
        let mut scratch = Scratch::default();
        for index in 0..self.layers.len() {
            self.queries_keys_values(index, &rows, &mut qkv, &mut scratch);
            let first_only = pooling == Pooling::Cls && index + 1 == self.layers.len();
            let mut kept = Vec::new();
            let mut start = 0;
            for length in &mut lengths {
                let own = &qkv[start * 3 * width..(start + *length) * 3 * width];
                let asking = if first_only { 1 } else { *length };
                keys.take(own, self.heads, width / self.heads);
                self.attend(own, &[&keys], asking, &mut scratch);
                if first_only {
                    kept.extend_from_slice(&rows[start * width..][..width]);
                }
                start += *length;
                *length = asking;
            }
            if first_only {
                rows = kept;
            }
            self.after_attention(index, &mut rows, &mut scratch);
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

    /// The pooled vector of one sequence, by up to so many threads.
    pub(super) fn encode_split(&self, ids: &[u32], pooling: Pooling, crew: Crew) -> Vec<f32> {
        let crew = crew.at_most(ids.len() / ROWS_A_THREAD);
        let by_channels =
            ids.len() <= SHORT && self.weights() >= OUT_OF_CACHE && channels::parts(self) > 1;
        // By channels, the bits are those of one thread.
        if crew.cut_for < 2 || (by_channels && crew.at_work < 2) {
            self.encode_batch(&[ids], pooling).swap_remove(0)
        } else if by_channels {
            channels::encode(self, ids, pooling, crew.at_work)
        } else {
            rows::encode(self, ids, pooling, crew)
        }
    }

    /// Appends the rows of some tokens, the first of them at position `first`.
    pub(super) fn embed(&self, ids: &[u32], first: usize, rows: &mut Vec<f32>) {
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

    /// What attention needs of some rows.
    pub(super) fn queries_keys_values(
        &self,
        layer: usize,
        rows: &[f32],
        qkv: &mut Vec<f32>,
        scratch: &mut Scratch,
    ) {
        let quantised = &mut scratch.quantised;
        self.kernel.quantise(rows, self.tokens.width, quantised);
        qkv.resize(rows.len() * 3, 0.0);
        let panels = self.layers[layer].qkv.panels();
        self.kernel.linear(quantised, &panels, Finish::Store, qkv);
    }

    /// Attention of the first `asking` rows over all keys of their sequence.
    pub(super) fn attend(&self, qkv: &[f32], keys: &[&Keys], asking: usize, scratch: &mut Scratch) {
        let width = self.tokens.width;
        let queries = Queries {
            rows: qkv,
            stride: 3 * width,
            heads: self.heads,
            head: width / self.heads,
        };
        let Scratch { mixed, scores, .. } = scratch;
        let at = mixed.len();
        mixed.resize(at + asking * width, 0.0);
        self.kernel.attend(&queries, keys, scores, &mut mixed[at..]);
    }

    /// The rest of a layer, over the rows whose attention is done.
    pub(super) fn after_attention(&self, layer: usize, rows: &mut [f32], scratch: &mut Scratch) {
        let (kernel, layer) = (self.kernel, &self.layers[layer]);
        let width = self.tokens.width;
        let Scratch {
            quantised,
            mixed,
            wide,
            ..
        } = scratch;
        kernel.quantise(mixed, width, quantised);
        mixed.clear();
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
