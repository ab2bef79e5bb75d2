//! Dot products in plain Rust: what every other kernel is compared with.

use super::{PANEL, ROUND, Sums, Tiles, product_depth, tile_width};

/// Runs everywhere.
pub(super) struct Portable;

impl Tiles for Portable {
    const ROWS: usize = 4;

    #[inline(always)]
    unsafe fn dots<const R: usize>(
        rows: &[&[u8]; R],
        panel: &[i8],
        _sums: &Sums,
        out: &mut [Sums; R],
    ) {
        tile_width(rows, panel);
        for (row, out) in rows.iter().zip(out) {
            *out = [0; PANEL];
            for (inputs, weights) in row.chunks_exact(4).zip(panel.chunks_exact(4 * PANEL)) {
                for (sum, weights) in out.iter_mut().zip(weights.chunks_exact(4)) {
                    for (&u, &w) in inputs.iter().zip(weights) {
                        *sum += i32::from(u) * i32::from(w);
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn product<const R: usize>(
        a: &[&[f32]; R],
        b: &[f32],
        stride: usize,
        out: &mut [[f32; ROUND]; R],
    ) {
        let depth = product_depth(a, b, stride);
        for (a, out) in a.iter().zip(out) {
            for i in 0..depth {
                for (out, b) in out.iter_mut().zip(&b[i * stride..]) {
                    *out += a[i] * b;
                }
            }
        }
    }
}
