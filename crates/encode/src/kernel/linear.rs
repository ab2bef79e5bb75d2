//! A linear layer in 8 bits: rows quantised as they come, weights packed beforehand.

use super::float::{MAGIC, gelu, range};
use super::{Sums, Tiles};

/// Channels that are packed together. Within a panel the weights stand as
/// `[inputs / 4][64 channels][4 inputs]`: one order that every kernel reads from front to back.
pub(crate) const PANEL: usize = 64;

/// The weights of a linear layer, packed.
pub(crate) struct Panels<'a> {
    /// How many inputs; a multiple of 4.
    pub(crate) inputs: usize,
    /// How many outputs; the last panel is filled up with zeros.
    pub(crate) outputs: usize,
    /// Where the first of them stands in a row of what comes out.
    pub(crate) column: usize,
    /// `outputs.div_ceil(64)` panels of `64 · inputs`.
    pub(crate) weights: &'a [i8],
    /// Of each channel, filled up: the factor by which its weights were divided.
    pub(crate) scales: &'a [f32],
    /// Of each channel, filled up: the sum of its weights.
    pub(crate) sums: &'a [i32],
    /// Of each channel, filled up.
    pub(crate) bias: &'a [f32],
}

/// What happens to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// It replaces what was there.
    Store,
    /// Its GELU replaces what was there.
    Gelu,
    /// It is added to what is there.
    Add,
}

/// Rows in 8 bits: `x ≈ scale · (u − zero)`.
#[derive(Debug, Default)]
pub(crate) struct Quantised {
    width: usize,
    values: Vec<u8>,
    scales: Vec<f32>,
    zeros: Vec<i32>,
}

/// See [`super::Kernel::quantise`]. The range is stretched to hold zero, so zero stays exact.
#[inline(always)]
pub(super) fn quantise(rows: &[f32], width: usize, out: &mut Quantised) {
    assert!(rows.len().is_multiple_of(width));
    out.width = width;
    out.scales.clear();
    out.zeros.clear();
    out.values.resize(rows.len(), 0);
    for (row, values) in rows
        .chunks_exact(width)
        .zip(out.values.chunks_exact_mut(width))
    {
        let (least, greatest) = range(row);
        let spread = greatest - least;
        let scale = if spread > 0.0 { spread / 255.0 } else { 1.0 };
        let inverse = 1.0 / scale;
        let zero = (-least * inverse).round();
        for (value, &x) in values.iter_mut().zip(row) {
            let u = (x * inverse + zero).clamp(0.0, 255.0);
            *value = (u + MAGIC).to_bits() as u8;
        }
        out.scales.push(scale);
        out.zeros.push(zero as i32);
    }
}

/// See [`super::Kernel::linear`]. Panels outside, rows inside: a panel stays in the first-level
/// cache while the rows go by.
///
/// # Safety
/// The processor has the instruction set of `T`.
#[inline(always)]
pub(super) unsafe fn linear<T: Tiles>(
    input: &Quantised,
    panels: &Panels<'_>,
    finish: Finish,
    out: &mut [f32],
) {
    let (k, n) = (panels.inputs, panels.outputs);
    let rows = input.scales.len();
    let stride = out.len().checked_div(rows).unwrap_or(0);
    assert!(input.width == k && out.len() == rows * stride);
    for (index, panel) in panels.weights.chunks_exact(PANEL * k).enumerate() {
        let first = index * PANEL;
        let panel = Panel {
            weights: panel,
            scales: lanes(&panels.scales[first..]),
            sums: lanes(&panels.sums[first..]),
            bias: lanes(&panels.bias[first..]),
            columns: panels.column + first..panels.column + n.min(first + PANEL),
            stride,
        };
        let mut row = 0;
        while row < rows {
            // SAFETY: as this function's own.
            unsafe {
                row += match (rows - row).min(T::ROWS) {
                    1 => panel.tile::<T, 1>(input, row, finish, out),
                    2 => panel.tile::<T, 2>(input, row, finish, out),
                    3 => panel.tile::<T, 3>(input, row, finish, out),
                    4 => panel.tile::<T, 4>(input, row, finish, out),
                    5 => panel.tile::<T, 5>(input, row, finish, out),
                    _ => panel.tile::<T, 6>(input, row, finish, out),
                };
            }
        }
    }
}

#[inline(always)]
fn lanes<T>(values: &[T]) -> &[T; PANEL] {
    values.first_chunk().expect("filled up to whole panels")
}

struct Panel<'a> {
    weights: &'a [i8],
    scales: &'a [f32; PANEL],
    sums: &'a [i32; PANEL],
    bias: &'a [f32; PANEL],
    columns: std::ops::Range<usize>,
    stride: usize,
}

impl Panel<'_> {
    /// `R` rows from `first` on; gives back `R`.
    ///
    /// # Safety
    /// The processor has the instruction set of `T`.
    #[inline(always)]
    unsafe fn tile<T: Tiles, const R: usize>(
        &self,
        input: &Quantised,
        first: usize,
        finish: Finish,
        out: &mut [f32],
    ) -> usize {
        let rows: [&[u8]; R] =
            std::array::from_fn(|r| &input.values[(first + r) * input.width..][..input.width]);
        let mut dots: [Sums; R] = [[0; PANEL]; R];
        // SAFETY: as this function's own.
        unsafe { T::dots(&rows, self.weights, self.sums, &mut dots) };
        for (r, dots) in dots.iter().enumerate() {
            let scale = input.scales[first + r];
            let zero = input.zeros[first + r];
            let mut y = [0.0; PANEL];
            for c in 0..PANEL {
                y[c] = (dots[c] - zero * self.sums[c]) as f32 * (scale * self.scales[c])
                    + self.bias[c];
            }
            let row = &mut out[(first + r) * self.stride..][..self.stride];
            let out = &mut row[self.columns.clone()];
            match finish {
                Finish::Store => out.copy_from_slice(&y[..out.len()]),
                Finish::Gelu => {
                    for y in &mut y {
                        *y = gelu(*y);
                    }
                    out.copy_from_slice(&y[..out.len()]);
                }
                Finish::Add => {
                    for (out, y) in out.iter_mut().zip(&y) {
                        *out += y;
                    }
                }
            }
        }
        R
    }
}

#[cfg(test)]
impl Quantised {
    /// Rows that are in 8 bits already.
    pub(super) fn of(values: Vec<u8>, width: usize, scales: Vec<f32>, zeros: Vec<i32>) -> Self {
        Self {
            width,
            values,
            scales,
            zeros,
        }
    }

    /// What the rows stand for.
    pub(super) fn restored(&self) -> impl Iterator<Item = Vec<f32>> {
        self.values.chunks(self.width).enumerate().map(|(r, row)| {
            row.iter()
                .map(|&u| self.scales[r] * (i32::from(u) - self.zeros[r]) as f32)
                .collect()
        })
    }
}
