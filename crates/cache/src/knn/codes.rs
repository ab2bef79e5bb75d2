//! Vectors in whole numbers, and how far from the truth a dot product of them can be.
//!
//! A stored vector `x`, scaled to length 1, becomes signed bytes with a scale: `x = s·c + r`. What
//! is lost is not stored, but its length `ρ = |r|` is. A query `q`, likewise of length 1, becomes
//! 16-bit numbers: `q = t·d + e`, `ε = |e|`. Then, by Cauchy and Schwarz,
//!
//! ```text
//! q·x = s·t·(d·c) + e·(s·c) + q·r
//! |q·x − s·t·(d·c)| ≤ ε·(1 + ρ) + ρ
//! ```
//!
//! `d·c` is a whole number and is computed exactly, so the bound needs no allowance for sums, and
//! only [`SLACK`] for the few roundings after it.

/// Far above what rounding in f64 can add to a bound or to a cosine, far below any difference in ρ.
const SLACK: f64 = 1e-9;

/// A stored vector without its codes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// What one step of its codes is worth.
    scale: f32,
    /// The length of what its codes leave out, not less.
    lost: f32,
}

impl Row {
    /// Appends the codes of a vector. One that has no direction, or none that is a number, gets
    /// zeros; the latter with a bound that keeps it from being ruled out unseen.
    pub(super) fn encode(vector: &[f32], codes: &mut Vec<i8>) -> Self {
        let (length, greatest) = measure(vector);
        if length == 0.0 || !length.is_finite() {
            codes.resize(codes.len() + vector.len(), 0);
            return Self {
                scale: 0.0,
                lost: if length == 0.0 { 0.0 } else { f32::MAX },
            };
        }
        let step = (greatest / length / 127.0) as f32;
        let to_steps = (1.0 / (length * f64::from(step))) as f32;
        let from = codes.len();
        codes.extend(
            vector
                .iter()
                .map(|&number| (number * to_steps).round_ties_even() as i8),
        );
        let mut square = 0.0;
        for (&number, &code) in vector.iter().zip(&codes[from..]) {
            let lost = f64::from(number) / length - f64::from(code) * f64::from(step);
            square += lost * lost;
        }
        Self {
            scale: step,
            lost: (square.sqrt() as f32).next_up(),
        }
    }
}

/// A query in 16-bit numbers.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) numbers: Vec<i16>,
    scale: f64,
    /// The length of what its numbers leave out.
    lost: f64,
}

impl Query {
    /// As fine as 16 bits allow, and coarser where sums of very long vectors would not fit 32 bits.
    pub(super) fn new(vector: &[f32]) -> Self {
        let (length, greatest) = measure(vector);
        let most = f64::from(i32::MAX) / 128.0 / vector.len().max(1) as f64;
        let steps = most.floor().clamp(0.0, f64::from(i16::MAX));
        let has_direction = length > 0.0 && length.is_finite();
        let scale = if has_direction && steps > 0.0 {
            greatest / length / steps
        } else {
            0.0
        };
        let mut lost = 0.0;
        let numbers = vector
            .iter()
            .map(|&number| {
                let number = if has_direction {
                    f64::from(number) / length
                } else {
                    0.0
                };
                let step = if scale > 0.0 {
                    (number / scale).round_ties_even().clamp(-steps, steps)
                } else {
                    0.0
                };
                lost += (number - step * scale).powi(2);
                step as i16
            })
            .collect();
        Self {
            numbers,
            scale,
            lost: lost.sqrt(),
        }
    }

    /// No less than the cosine of a row whose codes gave this dot product.
    pub(super) fn upper(&self, dot: i32, row: Row) -> f32 {
        let lost = f64::from(row.lost);
        let about = f64::from(dot) * (f64::from(row.scale) * self.scale);
        let upper = about + lost + self.lost * (1.0 + lost) + SLACK;
        (upper as f32).next_up()
    }
}

/// Length, and greatest number without its sign.
fn measure(vector: &[f32]) -> (f64, f64) {
    let (mut square, mut greatest) = (0.0, 0.0);
    for &number in vector {
        let number = f64::from(number);
        square += number * number;
        greatest = f64::max(greatest, number.abs());
    }
    (f64::sqrt(square), greatest)
}
