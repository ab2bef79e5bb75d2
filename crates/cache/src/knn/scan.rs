//! The loop in which the time goes: a query's numbers times every row's codes.
//!
//! Plain loops, compiled once for each kind of processor and chosen at run time. The sums are of
//! whole numbers, so every kind gives the same.

use multiversion::multiversion;

/// `out[i] = Σ query[j] · rows[i·width + j]`. The query is small enough that no sum overflows.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "x86_64+sse4.1"))]
pub(crate) fn dots(query: &[i16], rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = dot(query, row);
    }
}

/// `out[i] = Σ rows[i·width + j]²`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "x86_64+sse4.1"))]
pub(crate) fn squares(width: usize, rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(width).zip(out) {
        *out = row.iter().map(|&a| i32::from(a) * i32::from(a)).sum();
    }
}

#[inline(always)]
fn dot(query: &[i16], row: &[i8]) -> i32 {
    query
        .iter()
        .zip(row)
        .map(|(&a, &b)| i32::from(a) * i32::from(b))
        .sum()
}
