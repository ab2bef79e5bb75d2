//! Dot products with NEON's `sdot`.

use std::arch::aarch64::*;
use std::arch::asm;

use super::{PANEL, ROUND, Sums, Tiles, product_depth, tile_width};

/// Each instruction multiplies 16 pairs of signed bytes and adds them by fours.
pub(super) struct NeonDot;

/// `sums[i] += Σ_j a[4i+j] · b[4i+j]`. In assembler because the intrinsic is not yet stable.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn sdot(mut sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    // SAFETY: one instruction on registers, which the enabled feature provides.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {a:v}.16b, {b:v}.16b",
            sums = inout(vreg) sums,
            a = in(vreg) a,
            b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

impl Tiles for NeonDot {
    const ROWS: usize = 4;

    #[target_feature(enable = "neon,dotprod")]
    unsafe fn dots<const R: usize>(
        rows: &[&[u8]; R],
        panel: &[i8],
        channel_sums: &Sums,
        out: &mut [Sums; R],
    ) {
        let k = tile_width(rows, panel);
        for quarter in 0..4 {
            // Inputs are taken less 128, so 128 · Σw is where the sums begin.
            let start: [int32x4_t; 4] = std::array::from_fn(|i| {
                // SAFETY: 4 sums at 16·quarter + 4·i, at most 60.
                let sums = unsafe { vld1q_s32(channel_sums.as_ptr().add(16 * quarter + 4 * i)) };
                vshlq_n_s32::<7>(sums)
            });
            let mut sums = [start; R];
            for group in 0..k / 4 {
                let weights: [int8x16_t; 4] = std::array::from_fn(|i| {
                    let at = 4 * PANEL * group + 64 * quarter + 16 * i;
                    // SAFETY: at + 16 ≤ 256 · (group + 1) ≤ 64 · k.
                    unsafe { vld1q_s8(panel.as_ptr().add(at)) }
                });
                for r in 0..R {
                    // SAFETY: group < k/4.
                    let inputs = unsafe {
                        rows[r]
                            .as_ptr()
                            .add(4 * group)
                            .cast::<u32>()
                            .read_unaligned()
                    };
                    let inputs = vreinterpretq_s8_u32(vdupq_n_u32(inputs ^ 0x8080_8080));
                    for i in 0..4 {
                        sums[r][i] = sdot(sums[r][i], inputs, weights[i]);
                    }
                }
            }
            for r in 0..R {
                for i in 0..4 {
                    // SAFETY: 4 sums at 16·quarter + 4·i, at most 60.
                    unsafe {
                        vst1q_s32(out[r].as_mut_ptr().add(16 * quarter + 4 * i), sums[r][i]);
                    }
                }
            }
        }
    }

    #[target_feature(enable = "neon,dotprod")]
    unsafe fn product<const R: usize>(
        a: &[&[f32]; R],
        b: &[f32],
        stride: usize,
        out: &mut [[f32; ROUND]; R],
    ) {
        let depth = product_depth(a, b, stride);
        for half in 0..2 {
            let mut sums = [[vdupq_n_f32(0.0); 4]; R];
            for i in 0..depth {
                let b: [float32x4_t; 4] = std::array::from_fn(|q| {
                    // SAFETY: i < depth and 16·half + 4·q + 4 ≤ 32, so this lies within b.
                    unsafe { vld1q_f32(b.as_ptr().add(i * stride + 16 * half + 4 * q)) }
                });
                for r in 0..R {
                    // SAFETY: i < depth, the length of every row of a.
                    let a = vdupq_n_f32(unsafe { *a[r].get_unchecked(i) });
                    for q in 0..4 {
                        sums[r][q] = vfmaq_f32(sums[r][q], a, b[q]);
                    }
                }
            }
            for r in 0..R {
                for q in 0..4 {
                    // SAFETY: 4 of the 32 numbers, at 16·half + 4·q, at most 28.
                    unsafe {
                        let place = out[r].as_mut_ptr().add(16 * half + 4 * q);
                        vst1q_f32(place, vaddq_f32(vld1q_f32(place), sums[r][q]));
                    }
                }
            }
        }
    }
}
