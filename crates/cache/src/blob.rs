//! Lists of numbers as SQLite stores them: little-endian, one after the other.

/// float32.
pub(crate) fn to_floats(vector: &[f32]) -> Vec<u8> {
    vector
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// The way back from [`to_floats`].
pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks();
    numbers
        .iter()
        .map(|&four| f32::from_le_bytes(four))
        .collect()
}

/// Bytes of a span.
pub(crate) const SPAN: usize = 8;

/// Start and end of each span, as u32.
pub(crate) fn to_spans(spans: &[(u32, u32)]) -> Vec<u8> {
    spans
        .iter()
        .flat_map(|(start, end)| [start.to_le_bytes(), end.to_le_bytes()])
        .flatten()
        .collect()
}

/// The way back from [`to_spans`].
pub(crate) fn spans(bytes: &[u8]) -> Vec<(u32, u32)> {
    let (pairs, _) = bytes.as_chunks::<SPAN>();
    pairs
        .iter()
        .map(|&[a, b, c, d, e, f, g, h]| {
            (
                u32::from_le_bytes([a, b, c, d]),
                u32::from_le_bytes([e, f, g, h]),
            )
        })
        .collect()
}
