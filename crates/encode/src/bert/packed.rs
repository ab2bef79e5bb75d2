//! Weights in 8 bits: one scale an output channel, one a row of the token table.
//!
//! ```text
//! w ≈ scale · q,  scale = max |w| / 127,  q in −127..127
//! ```
//!
//! Packed weights are bytes in the order in which the kernels read them (see
//! [`PANEL`](crate::kernel::PANEL)), so that the model inside the binary is used where it lies.

use std::borrow::Cow;

use crate::error::Result;
use crate::kernel::{PANEL, Panels};
use crate::weights::Weights;

/// Weights: in memory of their own, or where the binary has them.
pub(crate) type Bytes = Cow<'static, [i8]>;

/// A linear layer.
pub(crate) struct Linear {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) weights: Bytes,
    pub(crate) scales: Vec<f32>,
    pub(crate) sums: Vec<i32>,
    pub(crate) bias: Vec<f32>,
}

/// Gain and bias of a layer normalisation.
pub(crate) struct Norm {
    pub(crate) gain: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

/// The table of token vectors.
pub(crate) struct Table {
    pub(crate) width: usize,
    pub(crate) rows: Bytes,
    pub(crate) scales: Vec<f32>,
}

impl Linear {
    /// Packs `[outputs][inputs]` weights.
    pub(crate) fn pack(weights: &[f32], bias: &[f32], inputs: usize) -> Self {
        let outputs = bias.len();
        let padded = outputs.next_multiple_of(PANEL);
        let mut packed = vec![0; padded * inputs];
        let mut scales = vec![1.0; padded];
        let mut row = vec![0; inputs];
        for (channel, weights) in weights.chunks_exact(inputs).enumerate() {
            scales[channel] = quantise(weights, &mut row);
            let panel = &mut packed[channel / PANEL * PANEL * inputs..][..PANEL * inputs];
            for (group, four) in panel.chunks_exact_mut(4 * PANEL).zip(row.chunks_exact(4)) {
                group[4 * (channel % PANEL)..][..4].copy_from_slice(four);
            }
        }
        Self::packed(inputs, outputs, packed.into(), scales, bias.to_vec())
    }

    /// A layer that is packed already.
    pub(crate) fn packed(
        inputs: usize,
        outputs: usize,
        weights: Bytes,
        scales: Vec<f32>,
        mut bias: Vec<f32>,
    ) -> Self {
        bias.resize(outputs.next_multiple_of(PANEL), 0.0);
        let mut sums = Vec::with_capacity(bias.len());
        for panel in weights.chunks_exact(PANEL * inputs) {
            let mut of_panel = [0_i32; PANEL];
            for group in panel.chunks_exact(4 * PANEL) {
                for (sum, four) in of_panel.iter_mut().zip(group.chunks_exact(4)) {
                    *sum += four.iter().map(|&w| i32::from(w)).sum::<i32>();
                }
            }
            sums.extend(of_panel);
        }
        Self {
            inputs,
            outputs,
            weights,
            scales,
            sums,
            bias,
        }
    }

    /// As the kernels take it.
    pub(crate) fn panels(&self) -> Panels<'_> {
        Panels {
            inputs: self.inputs,
            outputs: self.outputs,
            column: 0,
            weights: &self.weights,
            scales: &self.scales,
            sums: &self.sums,
            bias: &self.bias,
        }
    }

    /// One of `parts` equal parts of its outputs, each of whole panels.
    pub(crate) fn part(&self, part: usize, parts: usize) -> Panels<'_> {
        let outputs = self.outputs / parts;
        debug_assert_eq!(outputs * parts, self.outputs);
        debug_assert!(outputs.is_multiple_of(PANEL));
        let first = part * outputs;
        Panels {
            inputs: self.inputs,
            outputs,
            column: 0,
            weights: &self.weights[first * self.inputs..][..outputs * self.inputs],
            scales: &self.scales[first..][..outputs],
            sums: &self.sums[first..][..outputs],
            bias: &self.bias[first..][..outputs],
        }
    }
}

impl Norm {
    /// Reads `{name}.weight` and `{name}.bias`.
    ///
    /// # Errors
    /// If either is missing or has another width.
    pub(crate) fn read(weights: &mut dyn Weights, name: &str, width: usize) -> Result<Self> {
        Ok(Self {
            gain: weights.tensor(&format!("{name}.weight"), &[width])?,
            bias: weights.tensor(&format!("{name}.bias"), &[width])?,
        })
    }
}

impl Table {
    /// Packs rows of `width`.
    pub(crate) fn pack(rows: &[f32], width: usize) -> Self {
        let mut packed = vec![0; rows.len()];
        let scales = rows
            .chunks_exact(width)
            .zip(packed.chunks_exact_mut(width))
            .map(|(row, packed)| quantise(row, packed))
            .collect();
        Self {
            width,
            rows: packed.into(),
            scales,
        }
    }

    /// Adds a row; one past the table's end counts as its last.
    pub(crate) fn add(&self, row: u32, out: &mut [f32]) {
        let row = (row as usize).min(self.scales.len() - 1);
        let scale = self.scales[row];
        for (out, &q) in out.iter_mut().zip(&self.rows[row * self.width..]) {
            *out += f32::from(q) * scale;
        }
    }
}

/// One row or channel in 8 bits; gives back its scale.
fn quantise(values: &[f32], out: &mut [i8]) -> f32 {
    let largest = values.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    for (out, value) in out.iter_mut().zip(values) {
        *out = (value / scale).round() as i8;
    }
    scale
}
