//! Dot products with AVX-512 VNNI, AVX-VNNI and AVX2.

use std::arch::x86_64::*;

use super::{PANEL, ROUND, Sums, Tiles, product_depth, tile_width};

/// Four inputs of a row, in every lane.
#[inline(always)]
unsafe fn four(row: &[u8], group: usize) -> i32 {
    // SAFETY: the caller's group is below row.len() / 4.
    unsafe { row.as_ptr().add(4 * group).cast::<i32>().read_unaligned() }
}

/// One instruction multiplies 64 pairs and adds them by fours.
pub(super) struct Avx512Vnni;

impl Tiles for Avx512Vnni {
    // 6 rows × 4 registers of sums, 4 of weights, 1 of inputs: 29 of the 32 there are.
    const ROWS: usize = 6;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")]
    unsafe fn dots<const R: usize>(
        rows: &[&[u8]; R],
        panel: &[i8],
        _sums: &Sums,
        out: &mut [Sums; R],
    ) {
        let k = tile_width(rows, panel);
        let mut sums = [[_mm512_setzero_si512(); 4]; R];
        for group in 0..k / 4 {
            // SAFETY: group < k/4, so the 256 bytes lie within the panel's 64·k.
            let weights: [__m512i; 4] = std::array::from_fn(|quarter| unsafe {
                _mm512_loadu_si512(panel.as_ptr().add(4 * PANEL * group + 64 * quarter).cast())
            });
            for r in 0..R {
                // SAFETY: group < k/4.
                let inputs = _mm512_set1_epi32(unsafe { four(rows[r], group) });
                for quarter in 0..4 {
                    sums[r][quarter] =
                        _mm512_dpbusd_epi32(sums[r][quarter], inputs, weights[quarter]);
                }
            }
        }
        for r in 0..R {
            for quarter in 0..4 {
                // SAFETY: 16 sums at 16·quarter, below 64.
                unsafe {
                    _mm512_storeu_si512(
                        out[r].as_mut_ptr().add(16 * quarter).cast(),
                        sums[r][quarter],
                    );
                }
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")]
    unsafe fn product<const R: usize>(
        a: &[&[f32]; R],
        b: &[f32],
        stride: usize,
        out: &mut [[f32; ROUND]; R],
    ) {
        let depth = product_depth(a, b, stride);
        let mut sums = [[_mm512_setzero_ps(); 2]; R];
        for i in 0..depth {
            // SAFETY: i < depth, so these 32 numbers lie within b.
            let b: [__m512; 2] = std::array::from_fn(|half| unsafe {
                _mm512_loadu_ps(b.as_ptr().add(i * stride + 16 * half))
            });
            for r in 0..R {
                // SAFETY: i < depth, the length of every row of a.
                let a = _mm512_set1_ps(unsafe { *a[r].get_unchecked(i) });
                for half in 0..2 {
                    sums[r][half] = _mm512_fmadd_ps(a, b[half], sums[r][half]);
                }
            }
        }
        for r in 0..R {
            for half in 0..2 {
                // SAFETY: 16 of the 32 numbers, at 16·half.
                unsafe {
                    let place = out[r].as_mut_ptr().add(16 * half);
                    _mm512_storeu_ps(place, _mm512_add_ps(_mm512_loadu_ps(place), sums[r][half]));
                }
            }
        }
    }
}

/// As [`Avx512Vnni`] with registers of half the width.
pub(super) struct AvxVnni;

impl Tiles for AvxVnni {
    const ROWS: usize = 4;

    #[target_feature(enable = "avx2,fma,avxvnni")]
    unsafe fn dots<const R: usize>(
        rows: &[&[u8]; R],
        panel: &[i8],
        _sums: &Sums,
        out: &mut [Sums; R],
    ) {
        let k = tile_width(rows, panel);
        for quarter in 0..4 {
            let mut sums = [[_mm256_setzero_si256(); 2]; R];
            for group in 0..k / 4 {
                // SAFETY: group < k/4 and quarter < 4, so the 64 bytes lie within the panel.
                let weights = unsafe { sixteen(panel, group, quarter) };
                for r in 0..R {
                    // SAFETY: group < k/4.
                    let inputs = _mm256_set1_epi32(unsafe { four(rows[r], group) });
                    for half in 0..2 {
                        sums[r][half] =
                            _mm256_dpbusd_avx_epi32(sums[r][half], inputs, weights[half]);
                    }
                }
            }
            store(&sums, quarter, out);
        }
    }

    #[target_feature(enable = "avx2,fma,avxvnni")]
    unsafe fn product<const R: usize>(
        a: &[&[f32]; R],
        b: &[f32],
        stride: usize,
        out: &mut [[f32; ROUND]; R],
    ) {
        product_256(a, b, stride, out);
    }
}

/// Pairs added in 16 bits, then in 32: exact because the signs are moved to the weights.
pub(super) struct Avx2;

impl Tiles for Avx2 {
    const ROWS: usize = 4;

    #[target_feature(enable = "avx2,fma")]
    unsafe fn dots<const R: usize>(
        rows: &[&[u8]; R],
        panel: &[i8],
        channel_sums: &Sums,
        out: &mut [Sums; R],
    ) {
        let k = tile_width(rows, panel);
        let ones = _mm256_set1_epi16(1);
        for quarter in 0..4 {
            // Inputs are taken less 128, so 128 · Σw is where the sums begin.
            let start: [__m256i; 2] = std::array::from_fn(|half| {
                // SAFETY: 8 sums at 16·quarter + 8·half, at most 56.
                let sums = unsafe {
                    _mm256_loadu_si256(channel_sums.as_ptr().add(16 * quarter + 8 * half).cast())
                };
                _mm256_slli_epi32::<7>(sums)
            });
            let mut sums = [start; R];
            for group in 0..k / 4 {
                // SAFETY: group < k/4 and quarter < 4, so the 64 bytes lie within the panel.
                let weights = unsafe { sixteen(panel, group, quarter) };
                for r in 0..R {
                    // SAFETY: group < k/4.
                    let inputs = unsafe { four(rows[r], group) } ^ 0x8080_8080_u32.cast_signed();
                    let inputs = _mm256_set1_epi32(inputs);
                    let size = _mm256_abs_epi8(inputs);
                    for half in 0..2 {
                        let signed = _mm256_sign_epi8(weights[half], inputs);
                        let pairs = _mm256_maddubs_epi16(size, signed);
                        let fours = _mm256_madd_epi16(pairs, ones);
                        sums[r][half] = _mm256_add_epi32(sums[r][half], fours);
                    }
                }
            }
            store(&sums, quarter, out);
        }
    }

    #[target_feature(enable = "avx2,fma")]
    unsafe fn product<const R: usize>(
        a: &[&[f32]; R],
        b: &[f32],
        stride: usize,
        out: &mut [[f32; ROUND]; R],
    ) {
        product_256(a, b, stride, out);
    }
}

/// The float tile of both 256-bit kernels: two passes of 16 columns.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn product_256<const R: usize>(
    a: &[&[f32]; R],
    b: &[f32],
    stride: usize,
    out: &mut [[f32; ROUND]; R],
) {
    let depth = product_depth(a, b, stride);
    for column in [0, 16] {
        let mut sums = [[_mm256_setzero_ps(); 2]; R];
        for i in 0..depth {
            // SAFETY: i < depth and column + 16 ≤ 32, so these numbers lie within b.
            let b: [__m256; 2] = std::array::from_fn(|half| unsafe {
                _mm256_loadu_ps(b.as_ptr().add(i * stride + column + 8 * half))
            });
            for r in 0..R {
                // SAFETY: i < depth, the length of every row of a.
                let a = _mm256_set1_ps(unsafe { *a[r].get_unchecked(i) });
                for half in 0..2 {
                    sums[r][half] = _mm256_fmadd_ps(a, b[half], sums[r][half]);
                }
            }
        }
        for r in 0..R {
            for half in 0..2 {
                // SAFETY: 8 of the 32 numbers, at column + 8·half, at most 24.
                unsafe {
                    let place = out[r].as_mut_ptr().add(column + 8 * half);
                    _mm256_storeu_ps(place, _mm256_add_ps(_mm256_loadu_ps(place), sums[r][half]));
                }
            }
        }
    }
}

/// The weights of 16 channels for four inputs.
///
/// # Safety
/// `group < k/4` and `quarter < 4`, for a panel of `64 · k` bytes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sixteen(panel: &[i8], group: usize, quarter: usize) -> [__m256i; 2] {
    std::array::from_fn(|half| {
        let at = 4 * PANEL * group + 64 * quarter + 32 * half;
        // SAFETY: at + 32 ≤ 256 · (group + 1) ≤ 64 · k, by the caller's promise.
        unsafe { _mm256_loadu_si256(panel.as_ptr().add(at).cast()) }
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn store<const R: usize>(sums: &[[__m256i; 2]; R], quarter: usize, out: &mut [Sums; R]) {
    for r in 0..R {
        for half in 0..2 {
            let eight = &mut out[r][16 * quarter + 8 * half..][..8];
            // SAFETY: `eight` has room for 8 sums.
            unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), sums[r][half]) };
        }
    }
}
