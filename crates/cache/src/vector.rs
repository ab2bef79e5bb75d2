//! The cosine of float32 vectors, the same on every machine.
//!
//! ```text
//! cosine = Σ aᵢ·bᵢ / √(Σ aᵢ² · Σ bᵢ²)        0 where that is no number
//! ```

use multiversion::multiversion;

/// Sums that are made side by side.
const LANES: usize = 8;

/// A vector with the square of its length, which every cosine to it needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    numbers: Vec<f32>,
    square: f64,
}

impl From<Vec<f32>> for Vector {
    fn from(numbers: Vec<f32>) -> Self {
        Self {
            square: product(&numbers, &numbers),
            numbers,
        }
    }
}

impl Vector {
    /// The vector.
    #[must_use]
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Its cosine to another of the same length; 0 where either has no length, or is not of numbers.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f64 {
        quotient(
            product(&self.numbers, &other.numbers),
            self.square,
            other.square,
        )
    }
}

/// The cosine of two vectors of the same length that are asked for nothing else.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    quotient(product(a, b), product(a, a), product(b, b))
}

fn quotient(product: f64, a_square: f64, b_square: f64) -> f64 {
    let cosine = product / f64::sqrt(a_square * b_square);
    if cosine.is_finite() { cosine } else { 0.0 }
}

/// Added up in f64, in eight sums that are then added in order: always the same eight, so that it does
/// not depend on the machine.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn product(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0; LANES];
    let ((a, last_of_a), (b, last_of_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += f64::from(a) * f64::from(b);
        }
    }
    for ((lane, &a), &b) in lanes.iter_mut().zip(last_of_a).zip(last_of_b) {
        *lane += f64::from(a) * f64::from(b);
    }
    lanes.into_iter().fold(0.0, |sum, lane| sum + lane)
}
