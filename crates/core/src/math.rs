//! The one door to transcendental functions: `libm`, pinned exactly.
//!
//! `+ − × ÷` and `sqrt` are exact in IEEE 754 and need no door. Everything else is compiled from
//! the same source for every target here; the platform's own functions differ in the last bit.

/// 2 to the power of `x`.
pub(crate) fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}
