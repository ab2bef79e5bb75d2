//! The loops in which the time goes, for each kind of processor.
//!
//! What is computed, for u8 activations `u` (scale `s`, zero point `z`, one pair a row) and i8
//! weights `w` (scale `t`, one a channel):
//!
//! ```text
//! dot  = Σ_k u[k] · w[k]                                   i32, exact
//! y    = (dot − z · Σ_k w[k]) · (s · t) + bias             f32
//! ```
//!
//! The dot products are whole numbers and every kernel computes them exactly, so all kernels give
//! the same bits there. The products of u8 and i8 that AVX2 adds in pairs would overflow its 16
//! bits: it takes `u − 128` and moves the sign to the weight (at most 2·128·127 < 2^15), and adds
//! `128 · Σw` back. The float parts are one generic text, compiled once for each processor; they
//! may differ in the last bit between a kernel with fused multiply-add and one without.
//!
//! # The only `unsafe` of this crate
//!
//! 1. A function compiled for some instruction set may only run where that set exists. A
//!    [`Kernel`] is made by [`Kernel::best`] and [`Kernel::available`] alone, after asking the
//!    processor, so holding one is the proof; the dispatch below relies on it.
//! 2. The dot-product tiles read through raw pointers. Each asserts first that every row has the
//!    same length `k`, that 4 divides `k`, and that the panel has `64 · k` bytes; all reads lie
//!    within those bounds, and unaligned loads are used throughout.
//! 3. So do the float tiles. Each asserts first that all rows of `a` have one length `n > 0` and
//!    that `b` has `(n − 1) · stride + 32` numbers.
#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "a tile is indexed by row and register on both sides"
)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod attend;
mod float;
mod linear;
mod peak;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use attend::ROUND;
pub(crate) use attend::{Keys, Queries};
pub(crate) use linear::{Finish, PANEL, Panels, Quantised};

/// One row of a tile: the sums of a panel's channels.
type Sums = [i32; PANEL];

/// The two inner loops, each over a tile of `R` rows that stays in registers.
trait Tiles {
    /// The largest tile of dot products, in rows; at most 6.
    const ROWS: usize;

    /// `out[r][c] = Σ_k rows[r][k] · panel[k/4][c][k%4]`. `sums` are the channels' `Σ_k w[k]`.
    ///
    /// # Safety
    /// The processor has the instruction set of this kernel.
    unsafe fn dots<const R: usize>(
        rows: &[&[u8]; R],
        panel: &[i8],
        sums: &Sums,
        out: &mut [Sums; R],
    );

    /// `out[r][c] += Σ_i a[r][i] · b[i·stride + c]`, 32 columns.
    ///
    /// # Safety
    /// The processor has the instruction set of this kernel.
    unsafe fn product<const R: usize>(
        a: &[&[f32]; R],
        b: &[f32],
        stride: usize,
        out: &mut [[f32; ROUND]; R],
    );
}

/// The third invariant likewise; gives back how many products are summed.
#[inline(always)]
fn product_depth<const R: usize>(a: &[&[f32]; R], b: &[f32], stride: usize) -> usize {
    let depth = a[0].len();
    assert!(
        depth > 0
            && a.iter().all(|row| row.len() == depth)
            && b.len() >= (depth - 1) * stride + ROUND,
        "a product of uneven shape"
    );
    depth
}

/// The second invariant, stated once for all tiles; gives back `k`.
#[inline(always)]
fn tile_width<const R: usize>(rows: &[&[u8]; R], panel: &[i8]) -> usize {
    let k = rows[0].len();
    assert!(
        k.is_multiple_of(4) && rows.iter().all(|row| row.len() == k) && panel.len() == PANEL * k,
        "a tile of uneven shape"
    );
    k
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isa {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "aarch64")]
    NeonDot,
}

/// The loops for one instruction set, which this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel(Isa);

/// Compiles the generic loops for one instruction set.
macro_rules! instantiate {
    ($name:ident, $features:literal, $tiles:ty, rows: $rows:literal) => {
        mod $name {
            use super::*;

            /// # Safety
            /// The processor has the features named.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn linear(
                input: &Quantised,
                panels: &Panels<'_>,
                finish: Finish,
                out: &mut [f32],
            ) {
                // SAFETY: the caller's promise is the one asked for.
                unsafe { linear::linear::<$tiles>(input, panels, finish, out) }
            }

            /// # Safety
            /// The processor has the features named.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn attend(
                queries: &Queries<'_>,
                keys: &[&Keys],
                scores: &mut Vec<f32>,
                out: &mut [f32],
            ) {
                // SAFETY: the caller's promise is the one asked for.
                unsafe { attend::attend::<$tiles, $rows>(queries, keys, scores, out) }
            }

            /// # Safety
            /// The processor has the features named.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn quantise(rows: &[f32], width: usize, out: &mut Quantised) {
                linear::quantise(rows, width, out);
            }

            /// # Safety
            /// The processor has the features named.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn layer_norm(
                rows: &mut [f32],
                gain: &[f32],
                bias: &[f32],
                eps: f32,
            ) {
                float::layer_norm(rows, gain, bias, eps);
            }

            /// # Safety
            /// The processor has the features named.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn peak(tiles: usize) -> usize {
                // SAFETY: the caller's promise is the one asked for.
                unsafe { peak::peak::<$tiles>(tiles) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
instantiate!(avx512, "avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma", x86::Avx512Vnni, rows: 8);
#[cfg(target_arch = "x86_64")]
instantiate!(avxvnni, "avx2,fma,avxvnni", x86::AvxVnni, rows: 4);
#[cfg(target_arch = "x86_64")]
instantiate!(avx2, "avx2,fma", x86::Avx2, rows: 4);
#[cfg(target_arch = "aarch64")]
instantiate!(neon, "neon,dotprod", aarch64::NeonDot, rows: 4);

/// Calls the copy of a loop that was compiled for the kernel's instruction set.
macro_rules! dispatch {
    ($kernel:expr, $function:ident($($argument:expr),*), portable: $portable:expr) => {
        match $kernel.0 {
            Isa::Portable => $portable,
            // SAFETY: a kernel exists only where its instruction set does (invariant 1).
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            Isa::AvxVnni => unsafe { avxvnni::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512Vnni => unsafe { avx512::$function($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            Isa::NeonDot => unsafe { neon::$function($($argument),*) },
        }
    };
}

impl Kernel {
    /// The fastest that this processor can run.
    pub(crate) fn best() -> Self {
        Self::available()[0]
    }

    /// All that this processor can run, the fastest first; the portable one is always the last.
    pub(crate) fn available() -> Vec<Self> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self(Isa::Avx512Vnni));
            }
            if avx2 && is_x86_feature_detected!("avxvnni") {
                kernels.push(Self(Isa::AvxVnni));
            }
            if avx2 {
                kernels.push(Self(Isa::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("dotprod") {
            kernels.push(Self(Isa::NeonDot));
        }
        kernels.push(Self(Isa::Portable));
        kernels
    }

    /// What a person calls it.
    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            Isa::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Isa::AvxVnni => "AVX-VNNI",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512Vnni => "AVX-512 VNNI",
            #[cfg(target_arch = "aarch64")]
            Isa::NeonDot => "NEON dot product",
        }
    }

    /// Every row of `rows` in 8 bits, with its own scale and zero point.
    pub(crate) fn quantise(self, rows: &[f32], width: usize, out: &mut Quantised) {
        dispatch!(self, quantise(rows, width, out), portable: linear::quantise(rows, width, out));
    }

    /// A linear layer over quantised rows, into the columns of `out` that `panels` names; what
    /// happens to its result is `finish`'s to say.
    pub(crate) fn linear(
        self,
        input: &Quantised,
        panels: &Panels<'_>,
        finish: Finish,
        out: &mut [f32],
    ) {
        dispatch!(
            self,
            linear(input, panels, finish, out),
            // SAFETY: the portable kernel needs no instruction set.
            portable: unsafe { linear::linear::<portable::Portable>(input, panels, finish, out) }
        );
    }

    /// Attention of some queries over all keys of their sequence.
    pub(crate) fn attend(
        self,
        queries: &Queries<'_>,
        keys: &[&Keys],
        scores: &mut Vec<f32>,
        out: &mut [f32],
    ) {
        dispatch!(
            self,
            attend(queries, keys, scores, out),
            // SAFETY: the portable kernel needs no instruction set.
            portable: unsafe { attend::attend::<portable::Portable, 4>(queries, keys, scores, out) }
        );
    }

    /// Layer normalisation of every row, in place; the width is that of `gain`.
    pub(crate) fn layer_norm(self, rows: &mut [f32], gain: &[f32], bias: &[f32], eps: f32) {
        dispatch!(
            self,
            layer_norm(rows, gain, bias, eps),
            portable: float::layer_norm(rows, gain, bias, eps)
        );
    }

    /// Multiplies so many tiles that stay in the first-level cache: what this kernel can do at
    /// most. Gives back how many products of two bytes that were.
    pub(crate) fn peak(self, tiles: usize) -> usize {
        dispatch!(
            self,
            peak(tiles),
            // SAFETY: the portable kernel needs no instruction set.
            portable: unsafe { peak::peak::<portable::Portable>(tiles) }
        )
    }
}

#[cfg(test)]
mod tests;
