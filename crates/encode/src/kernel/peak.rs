//! What the processor can do at most: a tile of dot products over a panel that never leaves the
//! first-level cache.

use super::{PANEL, Sums, Tiles};

/// Inputs of the tile: its panel is 16 KB, half of the smallest first-level cache there is.
const INPUTS: usize = 256;

/// Multiplies so many tiles; gives back how many products of two bytes that were.
///
/// # Safety
/// The processor has the instruction set of `T`.
#[inline(always)]
pub(super) unsafe fn peak<T: Tiles>(tiles: usize) -> usize {
    // SAFETY: as this function's own.
    unsafe {
        match T::ROWS {
            6 => repeat::<T, 6>(tiles),
            _ => repeat::<T, 4>(tiles),
        }
    }
}

/// # Safety
/// The processor has the instruction set of `T`.
#[inline(always)]
unsafe fn repeat<T: Tiles, const R: usize>(tiles: usize) -> usize {
    let row = [1; INPUTS];
    let panel = [1; PANEL * INPUTS];
    let mut sums: [Sums; R] = [[0; PANEL]; R];
    for _ in 0..tiles {
        // SAFETY: as this function's own.
        unsafe { T::dots(&[&row[..]; R], &panel, &[0; PANEL], &mut sums) };
        std::hint::black_box(&mut sums);
    }
    tiles * R * PANEL * INPUTS
}
