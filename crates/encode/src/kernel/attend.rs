//! Attention in f32, one head at a time, no padding and no mask.
//!
//! ```text
//! out_i = Σ_j e^(q_i·k_j − max) · v_j / Σ_j e^(q_i·k_j − max)
//! ```
//!
//! The factor 1/√d is in the queries already. The keys of one sequence may come in several parts,
//! one from each thread that works on it.

use super::Tiles;
use super::float::{exponentials, greatest};

/// Key counts and head widths are rounded up to this; what is added is zero.
pub(super) const ROUND: usize = 32;

/// Keys and values of some tokens, all heads.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    tokens: usize,
    /// `tokens`, rounded up.
    columns: usize,
    /// The head's width, rounded up.
    width: usize,
    /// `[head][width][columns]`: transposed, so that neighbours are neighbouring keys.
    keys: Vec<f32>,
    /// `[head][tokens][width]`
    values: Vec<f32>,
}

/// The queries of some tokens: head `h` of row `i` is at `rows[i·stride + h·head ..][..head]`.
pub(crate) struct Queries<'a> {
    /// The rows.
    pub(crate) rows: &'a [f32],
    /// From one row to the next.
    pub(crate) stride: usize,
    /// How many heads.
    pub(crate) heads: usize,
    /// The head's width.
    pub(crate) head: usize,
}

impl Keys {
    /// Takes keys and values over from rows of `[query | key | value]`, each of `heads · head`.
    pub(crate) fn take(&mut self, rows: &[f32], heads: usize, head: usize) {
        let hidden = heads * head;
        self.tokens = rows.len() / (3 * hidden);
        self.columns = self.tokens.next_multiple_of(ROUND);
        self.width = head.next_multiple_of(ROUND);
        self.keys.clear();
        self.keys.resize(heads * self.width * self.columns, 0.0);
        self.values.clear();
        self.values.resize(heads * self.tokens * self.width, 0.0);
        for (token, row) in rows.chunks_exact(3 * hidden).enumerate() {
            for h in 0..heads {
                let key = &row[hidden + h * head..][..head];
                for (d, &x) in key.iter().enumerate() {
                    self.keys[(h * self.width + d) * self.columns + token] = x;
                }
                let value = &row[2 * hidden + h * head..][..head];
                self.values[(h * self.tokens + token) * self.width..][..head]
                    .copy_from_slice(value);
            }
        }
    }
}

/// See [`super::Kernel::attend`]; `out` has the rows of `queries`, `heads · head` wide. `R` rows
/// are done together.
///
/// # Safety
/// The processor has the instruction set of `T`.
#[inline(always)]
pub(super) unsafe fn attend<T: Tiles, const R: usize>(
    queries: &Queries<'_>,
    parts: &[&Keys],
    scores: &mut Vec<f32>,
    out: &mut [f32],
) {
    let hidden = queries.heads * queries.head;
    let rows = out.len() / hidden;
    let columns: usize = parts.iter().map(|part| part.columns).sum();
    scores.resize(R * columns, 0.0);
    for h in 0..queries.heads {
        for first in (0..rows).step_by(R) {
            // The last tile reaches back over rows that are done: the same work, no second shape.
            let first = first.min(rows.saturating_sub(R));
            let tile: [&[f32]; R] = std::array::from_fn(|r| {
                let row = (first + r).min(rows - 1);
                &queries.rows[row * queries.stride + h * queries.head..][..queries.head]
            });
            let mut start = 0;
            for part in parts {
                let keys = &part.keys[h * part.width * part.columns..];
                for column in (0..part.columns).step_by(ROUND) {
                    let mut sums = [[0.0; ROUND]; R];
                    // SAFETY: as this function's own.
                    unsafe { T::product(&tile, &keys[column..], part.columns, &mut sums) };
                    for r in 0..R {
                        scores[r * columns + start + column..][..ROUND].copy_from_slice(&sums[r]);
                    }
                }
                start += part.columns;
            }
            let shares = softmax::<R>(parts, scores, columns);
            for d in (0..queries.head).step_by(ROUND) {
                let mut mixed = [[0.0; ROUND]; R];
                let mut start = 0;
                for part in parts {
                    let values = &part.values[h * part.tokens * part.width..];
                    let weights: [&[f32]; R] =
                        std::array::from_fn(|r| &scores[r * columns + start..][..part.tokens]);
                    if part.tokens > 0 {
                        // SAFETY: as this function's own.
                        unsafe { T::product(&weights, &values[d..], part.width, &mut mixed) };
                    }
                    start += part.columns;
                }
                let width = ROUND.min(queries.head - d);
                for r in 0..R.min(rows) {
                    let at = (first + r) * hidden + h * queries.head + d;
                    for (out, x) in out[at..at + width].iter_mut().zip(&mixed[r]) {
                        *out = x * shares[r];
                    }
                }
            }
        }
    }
}

/// Turns scores into `e^(score − max)`, zero past a part's end; gives back one over their sums.
#[inline(always)]
fn softmax<const R: usize>(parts: &[&Keys], scores: &mut [f32], columns: usize) -> [f32; R] {
    let mut sums = [0.0; R];
    for (row, sum) in scores.chunks_exact_mut(columns).zip(&mut sums) {
        let mut start = 0;
        for part in parts {
            row[start + part.tokens..start + part.columns].fill(f32::MIN);
            start += part.columns;
        }
        let top = greatest(row, f32::MIN);
        *sum = 1.0 / exponentials(row, top);
    }
    sums
}
