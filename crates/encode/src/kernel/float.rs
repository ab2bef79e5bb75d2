//! Float loops that every kernel shares: written over fixed lanes, so that the compiler turns
//! them into vector instructions wherever they are inlined.

/// Independent sums of a reduction: fills the widest vectors twice over.
const LANES: usize = 32;

/// Adding this leaves a whole number in the low bits (round to nearest, ties to even).
pub(super) const MAGIC: f32 = 12_582_912.0;

/// `e^x` for `x ≤ 0`, to two units in the last place; below −87 it is `e^−87`, about 1.6e-38.
///
/// `e^x = 2^n · e^r` with `n = round(x·log2 e)` and `|r| ≤ ln 2 / 2`; `e^r` by its Taylor series
/// to the seventh power.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = x.max(-87.0);
    let shifted = x * std::f32::consts::LOG2_E + MAGIC;
    let n = shifted - MAGIC;
    // ln 2 in two parts, the first with enough zeros at its end that n·HIGH is exact.
    let r = (x - n * 0.693_359_4) - n * -2.121_944_4e-4;
    let mut power = 1.0 / 5040.0;
    for coefficient in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        power = power * r + coefficient;
    }
    let exponent = shifted
        .to_bits()
        .wrapping_sub(MAGIC.to_bits())
        .wrapping_add(127)
        << 23;
    power * f32::from_bits(exponent)
}

/// `x · Φ(x)`, the error function by Abramowitz and Stegun 7.1.26 (to 1.5e-7).
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut tail = 1.061_405_4;
    for coefficient in [-1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        tail = tail * t + coefficient;
    }
    // half = Φ(−|x|)
    let half = 0.5 * tail * t * exp(-(z * z));
    x * if x < 0.0 { half } else { 1.0 - half }
}

#[inline(always)]
fn reduce(
    row: &[f32],
    start: f32,
    each: impl Fn(f32, f32) -> f32,
    join: impl Fn(f32, f32) -> f32,
) -> f32 {
    let mut lanes = [start; LANES];
    let chunks = row.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = each(*lane, x);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = each(*lane, x);
    }
    lanes.into_iter().fold(start, join)
}

/// The least and the greatest of a row and zero.
#[inline(always)]
pub(super) fn range(row: &[f32]) -> (f32, f32) {
    let least = |a: f32, b: f32| if b < a { b } else { a };
    (reduce(row, 0.0, least, least), greatest(row, 0.0))
}

/// The greatest of a row and `start`.
#[inline(always)]
pub(super) fn greatest(row: &[f32], start: f32) -> f32 {
    let greatest = |a: f32, b: f32| if b > a { b } else { a };
    reduce(row, start, greatest, greatest)
}

/// `e^(x − top)` in place; gives back their sum.
#[inline(always)]
pub(super) fn exponentials(row: &mut [f32], top: f32) -> f32 {
    for x in row.iter_mut() {
        *x = exp(*x - top);
    }
    reduce(row, 0.0, |a, b| a + b, |a, b| a + b)
}

/// `(x − mean) / sqrt(variance + eps) · gain + bias`, each row by itself.
#[inline(always)]
pub(super) fn layer_norm(rows: &mut [f32], gain: &[f32], bias: &[f32], eps: f32) {
    let width = gain.len();
    assert!(bias.len() == width && rows.len().is_multiple_of(width));
    let count = width as f32;
    for row in rows.chunks_exact_mut(width) {
        let mean = reduce(row, 0.0, |a, b| a + b, |a, b| a + b) / count;
        let squares = reduce(row, 0.0, |a, b| a + (b - mean) * (b - mean), |a, b| a + b);
        let scale = 1.0 / (squares / count + eps).sqrt();
        for ((x, gain), bias) in row.iter_mut().zip(gain).zip(bias) {
            *x = (*x - mean) * scale * gain + bias;
        }
    }
}
