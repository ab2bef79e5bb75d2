//! The engines against each other and against another implementation's figures
//! (`tests/reference/encoder.py`).

use super::seeded::Seeded;
use super::*;
use crate::describe::Shape;
use crate::kernel::Kernel;
use crate::reference_figures::{Figures, Row, cosine, models};

fn shape(layers: usize, width: usize, heads: usize) -> Shape {
    Shape {
        hidden_size: width,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        intermediate_size: 4 * width,
        vocab_size: 100,
        max_position_embeddings: 96,
        type_vocab_size: 2,
        hidden_act: "gelu".to_owned(),
        layer_norm_eps: 1e-12,
    }
}

fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    normalise(&mut vector);
    vector
}

#[test]
fn the_large_shape_matches_the_reference_and_8_bits_stay_near_it() {
    let large = shape(24, 1024, 16);
    let figures = Figures::read().large;
    assert_eq!(figures.len(), 3);
    let model = Reference::load(&large, &mut Seeded).expect("a model");
    for Row { ids, vector } in &figures {
        let got = normalised(model.encode(ids, Pooling::Cls).expect("a vector"));
        let furthest = got
            .iter()
            .zip(vector)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(furthest <= 1e-4, "{} tokens: off by {furthest}", ids.len());
    }
    drop(model);
    let model = Fused::pack(&large, &mut Seeded).expect("a model");
    for Row { ids, vector } in &figures {
        let got = normalised(model.encode_split(ids, Pooling::Cls, Crew::of(2)));
        let cosine = cosine(&got, vector);
        assert!(cosine >= 0.99, "{} tokens: cosine {cosine}", ids.len());
    }
}

#[test]
fn in_f32_bge_small_is_what_transformers_makes_of_it() {
    let Some(folder) = models("bge-small-en-v1.5") else {
        return;
    };
    let bert = Bert::open(&folder, "bge-small-en-v1.5", Precision::F32).expect("a model");
    let figures = Figures::read();
    let mut lowest = 1.0_f64;
    for (text, row) in figures.texts.iter().zip(&figures.bge_small) {
        assert_eq!(bert.tokens.ids(text).expect("ids").ids, row.ids, "{text:?}");
        let vector = &bert.encode_documents(&[text]).expect("a vector").vectors[0];
        lowest = lowest.min(cosine(vector, &row.vector));
    }
    assert!(lowest >= 0.99999, "lowest cosine {lowest}");
}

#[test]
fn every_kernel_and_every_split_gives_nearly_the_same_vector() {
    let mut model = Fused::pack(&shape(3, 128, 4), &mut Seeded).expect("a model");
    let ids: Vec<u32> = (0..90).map(|i| i * 7 % 100).collect();
    for pooling in [Pooling::Cls, Pooling::Mean] {
        let expected = model.encode_split(&ids, pooling, Crew::of(1));
        for kernel in Kernel::available() {
            model.set_kernel(kernel);
            for threads in [1, 2, 3] {
                let got = model.encode_split(&ids, pooling, Crew::of(threads));
                let cosine = cosine(&got, &expected);
                assert!(
                    cosine > 0.9999,
                    "{} on {threads} threads: {cosine}",
                    kernel.name()
                );
            }
        }
    }
}

#[test]
fn cut_by_channels_a_sequence_gives_the_bits_of_one_thread() {
    // Heads of half a panel, of one and of two; and widths of which parts of several panels come.
    for (width, heads) in [(128, 4), (192, 6), (384, 12), (256, 4), (256, 2)] {
        let mut model = Fused::pack(&shape(2, width, heads), &mut Seeded).expect("a model");
        assert!(channels::parts(&model) > 1, "{width} in {heads} heads");
        for kernel in Kernel::available() {
            model.set_kernel(kernel);
            for (tokens, threads) in [(1, 2), (2, 3), (7, 2), (16, 2), (33, 4), (40, 2)] {
                let ids: Vec<u32> = (0..tokens).map(|i| i * 7 % 100).collect();
                for pooling in [Pooling::Cls, Pooling::Mean] {
                    assert_eq!(
                        channels::encode(&model, &ids, pooling, threads),
                        model.encode_batch(&[&ids], pooling)[0],
                        "{} on {threads} threads, {tokens} tokens, {width} in {heads} heads",
                        kernel.name()
                    );
                }
            }
        }
    }
}

#[test]
fn a_sequence_has_the_same_bits_however_many_are_at_work_on_it() {
    for (width, heads) in [(128, 4), (384, 12)] {
        let model = Fused::pack(&shape(2, width, heads), &mut Seeded).expect("a model");
        for tokens in [1, 15, 16, 33, 100] {
            let ids: Vec<u32> = (0..tokens).map(|i| i * 7 % 100).collect();
            for cut_for in 1..4 {
                let by =
                    |at_work| model.encode_split(&ids, Pooling::Mean, Crew { cut_for, at_work });
                for at_work in 1..cut_for {
                    assert_eq!(
                        by(at_work),
                        by(cut_for),
                        "{tokens} tokens, {at_work} of {cut_for}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_model_that_cannot_be_cut_into_whole_heads_and_panels_has_no_parts() {
    for (width, heads) in [(96, 3), (128, 1), (64, 2)] {
        let model = Fused::pack(&shape(1, width, heads), &mut Seeded).expect("a model");
        assert!(channels::parts(&model) < 2, "{width} in {heads} heads");
    }
}

#[test]
fn a_batch_gives_the_vectors_that_its_texts_have_alone() {
    let model = Fused::pack(&shape(3, 128, 4), &mut Seeded).expect("a model");
    let sequences: Vec<Vec<u32>> = (1..8)
        .map(|n| (0..n * 5).map(|i| i % 100).collect())
        .collect();
    let batch: Vec<&[u32]> = sequences.iter().map(Vec::as_slice).collect();
    for pooling in [Pooling::Cls, Pooling::Mean] {
        let together = model.encode_batch(&batch, pooling);
        for (ids, got) in batch.iter().zip(together) {
            assert_eq!(model.encode_batch(&[ids], pooling)[0], got);
        }
    }
}

#[test]
fn ids_and_positions_past_the_tables_end_do_no_harm() {
    let tiny = shape(1, 32, 2);
    let ids: Vec<u32> = (0..200).map(|_| u32::MAX).collect();
    let fused = Fused::pack(&tiny, &mut Seeded).expect("a model");
    assert!(
        fused
            .encode_split(&ids, Pooling::Mean, Crew::of(2))
            .iter()
            .all(|x| x.is_finite())
    );
    let reference = Reference::load(&tiny, &mut Seeded).expect("a model");
    assert!(reference.encode(&ids, Pooling::Mean).is_ok());
}
