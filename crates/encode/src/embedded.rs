//! The model inside the binary: bge-small-en-v1.5 in 8 bits.
//!
//! `cargo xtask model` makes the file; `assets/PROVENANCE.md` says from what.

use crate::bert::Bert;
use crate::error::Result;

/// Puts the bytes at a multiple of 64, where no vector load crosses a cache line.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

static MODEL: &Aligned<[u8]> = &Aligned(*include_bytes!("../assets/bge-small-en-v1.5.q8"));

/// Opens it. The weights stay where the binary has them.
///
/// # Errors
/// Only if the binary was built from a damaged file.
pub fn open() -> Result<Bert> {
    crate::asset::read(&MODEL.0)
}

/// Its fingerprint and dimension, as [`open`] would give them, without opening it.
///
/// # Errors
/// Only if the binary was built from a damaged file.
pub fn identity() -> Result<(String, usize)> {
    crate::asset::identity(&MODEL.0)
}

#[cfg(test)]
mod tests {
    use sha2::Digest;

    use super::*;
    use crate::Encoder;
    use crate::reference_figures::{Figures, cosine, models};

    #[test]
    fn in_8_bits_every_vector_is_near_the_one_in_f32() {
        let model = open().expect("the model");
        let figures = Figures::read();
        let texts: Vec<&str> = figures.texts.iter().map(String::as_str).collect();
        let encoded = model.encode_documents(&texts).expect("vectors");
        let cut = figures
            .bge_small
            .iter()
            .filter(|row| row.ids.len() == 512)
            .count();
        assert_eq!(encoded.truncated, cut);
        for ((text, got), row) in texts.iter().zip(&encoded.vectors).zip(&figures.bge_small) {
            let cosine = cosine(got, &row.vector);
            assert!(cosine >= 0.99, "{text:?}: {cosine}");
        }
    }

    #[test]
    fn the_provenance_names_this_very_file() {
        let hash = crate::weights::hex(&sha2::Sha256::digest(&MODEL.0));
        assert!(include_str!("../assets/PROVENANCE.md").contains(&hash));
    }

    #[test]
    fn a_query_is_a_document_with_the_prefix() {
        let model = open().expect("the model");
        let query = model
            .encode_query("how do vaccines work")
            .expect("a vector");
        let with_prefix = format!("{}how do vaccines work", model.query_prefix());
        let document = model.encode_documents(&[&with_prefix]).expect("a vector");
        assert_eq!(query, document.vectors[0]);
        assert_eq!((model.dimension(), query.len()), (384, 384));
        let closed = identity().expect("a header");
        assert_eq!(closed, (model.fingerprint().to_owned(), model.dimension()));
        let length = query.iter().map(|x| x * x).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-5);
    }

    #[test]
    fn it_is_the_folders_model_to_the_last_bit() {
        let Some(folder) = models("bge-small-en-v1.5") else {
            return;
        };
        let folder = Bert::open(&folder, "bge-small-en-v1.5", crate::Precision::Int8).expect("it");
        let model = open().expect("the model");
        assert_eq!(folder.fingerprint(), model.fingerprint());
        for text in ["", "copper", "naïve 中央银行 👩‍👧"] {
            assert_eq!(folder.encode_query(text), model.encode_query(text));
        }
    }

    #[test]
    fn a_document_has_the_same_bits_whichever_others_it_is_encoded_with() {
        let model = open().expect("the model");
        let encode = |texts: &[&str]| model.encode_documents(texts).expect("vectors").vectors;
        let long = "The kiln is fired twice, first slowly and then hot. ".repeat(30);
        let texts = [
            "",
            "copper",
            "Of freight and recall with sleep, see the other note.",
            &long[..400],
            &long,
        ];
        let together = encode(&texts);
        let reversed: Vec<&str> = texts.iter().rev().copied().collect();
        let reversed = encode(&reversed);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(encode(&[text])[0], together[i], "alone: {text:?}");
            assert_eq!(reversed[texts.len() - 1 - i], together[i], "{text:?}");
        }
    }

    #[test]
    fn queries_and_documents_can_be_encoded_at_the_same_time() {
        let model = open().expect("the model");
        let alone = model.encode_query("copper").expect("a vector");
        std::thread::scope(|scope| {
            let documents = scope.spawn(|| model.encode_documents(&["a note on tin"; 40]));
            for _ in 0..5 {
                assert_eq!(model.encode_query("copper").as_ref(), Ok(&alone));
            }
            let encoded = documents.join().expect("a thread").expect("vectors");
            assert!(
                encoded
                    .vectors
                    .iter()
                    .all(|vector| vector == &encoded.vectors[0])
            );
        });
    }
}
