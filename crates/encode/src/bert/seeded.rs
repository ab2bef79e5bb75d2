//! Weights made from their names: models of any shape without a file, for tests and measurements.
//!
//! The rule is that of `tests/reference/encoder.py`, which makes the same ones.

use super::{Bert, Engine, Fused};
use crate::describe::{Description, Pooling, Shape};
use crate::error::Result;
use crate::tokens::Tokens;
use crate::weights::Weights;

/// Tensors of a standard deviation of 0.02; gains around 1.
pub(super) struct Seeded;

impl Weights for Seeded {
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let seed = name.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let offset = if name.ends_with("LayerNorm.weight") {
            1.0
        } else {
            0.0
        };
        Ok((0..shape.iter().product::<usize>() as u64)
            .map(|i| {
                let x = seed.wrapping_add(i).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
                let u = (x ^ (x >> 32)) >> 40;
                ((u as f64 / 8_388_608.0 - 1.0) * 0.02 * 3.0_f64.sqrt()) as f32 + offset
            })
            .collect())
    }
}

impl Bert {
    /// A model of this shape whose vectors mean nothing: what a benchmark times.
    ///
    /// # Errors
    /// Never, for a shape with a head or more.
    #[doc(hidden)]
    pub fn meaningless(layers: usize, width: usize, heads: usize) -> Result<Self> {
        let shape = Shape {
            hidden_size: width,
            num_hidden_layers: layers,
            num_attention_heads: heads,
            intermediate_size: 4 * width,
            vocab_size: 1_000,
            max_position_embeddings: 512,
            type_vocab_size: 2,
            hidden_act: "gelu".to_owned(),
            layer_norm_eps: 1e-12,
        };
        let model = Fused::pack(&shape, &mut Seeded)?;
        let tokens = Tokens::uncased("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]", 512)?;
        let description = Description {
            name: "meaningless".to_owned(),
            shape,
            pooling: Pooling::Cls,
            window: 512,
            query_prefix: String::new(),
        };
        Ok(Self::new(description, "", tokens, Engine::Fused(model)))
    }
}
