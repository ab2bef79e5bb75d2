//! What other implementations make of the same weights: `tests/reference/encoder.json`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

/// The figures.
#[derive(Deserialize)]
pub(crate) struct Figures {
    pub(crate) texts: Vec<String>,
    pub(crate) bge_small: Vec<Row>,
    #[serde(deserialize_with = "vectors")]
    pub(crate) potion: Vec<Vec<f32>>,
    pub(crate) large: Vec<Row>,
}

/// Token ids and the vector due.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) ids: Vec<u32>,
    #[serde(deserialize_with = "vector")]
    pub(crate) vector: Vec<f32>,
}

impl Figures {
    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference/encoder.json");
        serde_json::from_slice(&std::fs::read(path).expect("the figures")).expect("the figures")
    }
}

/// A model's folder below `CONCORD_MODELS`; without it says that the test is left out.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
pub(crate) fn models(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CONCORD_MODELS").map(|models| PathBuf::from(models).join(name));
    if folder.as_deref().is_some_and(Path::is_dir) {
        return folder;
    }
    eprintln!("LEFT OUT: no {name}; set CONCORD_MODELS to a folder that holds it");
    None
}

/// The cosine of two vectors; of two zero vectors, 1.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths == 0.0 {
        return f64::from(u8::from(dot(a, a) == dot(b, b)));
    }
    dot(a, b) / lengths
}

fn vector<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    Ok(floats(&String::deserialize(deserializer)?))
}

fn vectors<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<f32>>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    Ok(texts.iter().map(|text| floats(text)).collect())
}

/// Base64 of little-endian f32.
fn floats(base64: &str) -> Vec<f32> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for character in base64.bytes() {
        let six = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        held = held << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| f32::from_le_bytes(word)).collect()
}
