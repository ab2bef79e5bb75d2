//! Vectors in whole numbers, and how far from the truth a dot product of them can be.
//!
//! A stored vector `x`, scaled to length 1, becomes signed bytes with a scale: `x = s·c + r`. Of what
//! is lost the length `ρ = |r|` is stored. A query `q`, likewise of length 1, becomes 16-bit numbers:
//! `q = t·d + e`, `ε = |e|`. Then, by Cauchy and Schwarz,
//!
//! ```text
//! q·x = s·t·(d·c) + e·(s·c) + q·r
//! |q·x − s·t·(d·c)| ≤ ε·(1 + ρ) + ρ
//! ```
//!
//! What is lost becomes bytes in its turn, of steps 254 times as fine: `r = s/254·c′ + r′`, `ρ′ = |r′|`,
//! and with `c + c′/254` in the place of `c` the same holds for `ρ′`. The first bytes of all rows tell
//! which few hundred are worth looking at, the second bytes of these which of them are among the best.
//!
//! `d·c` and `d·c′` are whole numbers and are computed exactly, so the bounds need no allowance for
//! sums, and only [`SLACK`] for the few roundings after them.

/// Far above what rounding in f64 can add to a bound or to a cosine, far below any difference in ρ.
const SLACK: f64 = 1e-9;

/// A stored vector without its codes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// What one step of its codes is worth.
    scale: f32,
    /// The length of what its codes leave out, not less.
    lost: f32,
    /// The length of what its fine codes leave out too, not less.
    still_lost: f32,
}

/// So many fine steps are one step.
const FINER: f64 = 254.0;

impl Row {
    /// Appends the codes of a vector, and the fine ones. One that has no direction, or none that is a
    /// number, gets zeros; the latter with a bound that keeps it from being ruled out unseen.
    pub(super) fn encode(vector: &[f32], codes: &mut Vec<i8>, fine: &mut Vec<i8>) -> Self {
        let (length, greatest) = measure(vector);
        if length == 0.0 || !length.is_finite() {
            codes.resize(codes.len() + vector.len(), 0);
            fine.resize(fine.len() + vector.len(), 0);
            let lost = if length == 0.0 { 0.0 } else { f32::MAX };
            return Self {
                scale: 0.0,
                lost,
                still_lost: lost,
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
        let (to_unit, of_code) = (1.0 / length, f64::from(step));
        let of_fine = of_code / FINER;
        let (mut square, mut fine_square) = (0.0, 0.0);
        for (&number, &code) in vector.iter().zip(&codes[from..]) {
            let lost = f64::from(number) * to_unit - f64::from(code) * of_code;
            square += lost * lost;
            let code = (lost / of_fine).round_ties_even() as i8;
            fine.push(code);
            let still_lost = lost - f64::from(code) * of_fine;
            fine_square += still_lost * still_lost;
        }
        let length = |square: f64| (square.sqrt() as f32).next_up();
        Self {
            scale: step,
            lost: length(square),
            still_lost: length(fine_square),
        }
    }
}

/// A query in 16-bit numbers, made ready once for many vectors in bytes.
#[derive(Clone, Debug)]
pub struct PackedQuery {
    pub(crate) numbers: Vec<i16>,
    scale: f64,
    /// The length of what its numbers leave out.
    lost: f64,
}

impl PackedQuery {
    /// As fine as 16 bits allow, and coarser where sums of very long vectors would not fit 32 bits.
    /// One that has no direction is all zeros.
    #[must_use]
    pub fn new(vector: &[f32]) -> Self {
        let (length, greatest) = measure(vector);
        if length == 0.0 || !length.is_finite() {
            return Self {
                numbers: vec![0; vector.len()],
                scale: 0.0,
                lost: 0.0,
            };
        }
        let most = f64::from(i32::MAX) / 128.0 / vector.len() as f64;
        let steps = most.floor().clamp(1.0, f64::from(i16::MAX));
        let to_unit = 1.0 / length;
        let scale = greatest * to_unit / steps;
        let to_steps = 1.0 / scale;
        let mut lost = 0.0;
        let number = |&number: &f32| {
            let number = f64::from(number) * to_unit;
            let step = (number * to_steps).round_ties_even().clamp(-steps, steps);
            lost += (number - step * scale) * (number - step * scale);
            step as i16
        };
        Self {
            numbers: vector.iter().map(number).collect(),
            scale,
            lost: lost.sqrt(),
        }
    }

    /// The cosine of a vector of codes whose dot product and square these are, but for what 16 bits
    /// leave out of the query.
    pub(crate) fn cosine(&self, dot: i32, square: i32) -> f64 {
        let cosine = f64::from(dot) * self.scale / f64::from(square).sqrt();
        if cosine.is_finite() { cosine } else { 0.0 }
    }

    /// No less than the cosine of a row whose codes gave this dot product.
    pub(super) fn upper(&self, dot: i32, row: Row) -> f32 {
        self.at_most(f64::from(dot), row.scale, row.lost)
    }

    /// The same, hardly more, of a row whose codes and whose fine codes gave these.
    pub(super) fn fine_upper(&self, dot: i32, fine_dot: i32, row: Row) -> f32 {
        let dot = f64::from(dot) + f64::from(fine_dot) / FINER;
        self.at_most(dot, row.scale, row.still_lost)
    }

    fn at_most(&self, dot: f64, scale: f32, lost: f32) -> f32 {
        let lost = f64::from(lost);
        let about = dot * (f64::from(scale) * self.scale);
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
