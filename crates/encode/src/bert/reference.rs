//! candle's BERT in f32: what the fused engine is measured by, and what runs the models that it
//! cannot. candle does not show outside this file.

use std::collections::HashMap;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};

use super::pool;
use crate::describe::{Pooling, Shape};
use crate::error::{Fault, Result};
use crate::weights::Weights;

/// A model in f32.
pub(crate) struct Reference {
    model: BertModel,
    width: usize,
    positions: usize,
    tokens: u32,
}

impl Reference {
    /// Reads a model.
    ///
    /// # Errors
    /// If a tensor is missing, or `config.json` asks for what candle cannot do.
    pub(crate) fn load(shape: &Shape, weights: &mut dyn Weights) -> Result<Self> {
        let mut tensors = HashMap::new();
        for (name, dimensions) in names(shape) {
            let values = weights.tensor(&name, &dimensions)?;
            let tensor =
                Tensor::from_vec(values, dimensions, &Device::Cpu).map_err(|e| failed(&e))?;
            tensors.insert(name, tensor);
        }
        let builder = VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu);
        let mut value = serde_json::json!({
            "hidden_dropout_prob": 0.0,
            "initializer_range": 0.02,
            "pad_token_id": 0,
            "model_type": "bert",
        });
        let shaped = serde_json::to_value(shape).unwrap_or_default();
        if let (Some(into), Some(from)) = (value.as_object_mut(), shaped.as_object()) {
            into.extend(from.clone());
        }
        let config: Config = serde_json::from_value(value)
            .map_err(|error| Fault::Model.because(format!("config.json: {error}")))?;
        Ok(Self {
            model: BertModel::load(builder, &config).map_err(|error| failed(&error))?,
            width: shape.hidden_size,
            positions: shape.max_position_embeddings,
            tokens: shape.vocab_size as u32,
        })
    }

    /// The pooled vector of one sequence.
    ///
    /// # Errors
    /// If candle fails.
    pub(crate) fn encode(&self, ids: &[u32], pooling: Pooling) -> Result<Vec<f32>> {
        let ids: Vec<u32> = ids
            .iter()
            .take(self.positions)
            .map(|&id| id.min(self.tokens - 1))
            .collect();
        let hidden = || {
            let ids = Tensor::new(ids.as_slice(), &Device::Cpu)?.unsqueeze(0)?;
            let kinds = ids.zeros_like()?;
            let hidden = self.model.forward(&ids, &kinds, None)?;
            hidden.flatten_all()?.to_vec1::<f32>()
        };
        Ok(pool(
            &hidden().map_err(|error| failed(&error))?,
            self.width,
            pooling,
        ))
    }
}

fn failed(error: &candle_core::Error) -> crate::Error {
    Fault::Model.because(format!("candle: {error}"))
}

/// Every tensor of a BERT, with its shape.
fn names(shape: &Shape) -> Vec<(String, Vec<usize>)> {
    let (width, wide) = (shape.hidden_size, shape.intermediate_size);
    let table = |name: &str, rows| {
        (
            format!("embeddings.{name}_embeddings.weight"),
            vec![rows, width],
        )
    };
    let mut all = vec![
        table("word", shape.vocab_size),
        table("position", shape.max_position_embeddings),
        table("token_type", shape.type_vocab_size),
        ("embeddings.LayerNorm.weight".to_owned(), vec![width]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![width]),
    ];
    for layer in 0..shape.num_hidden_layers {
        for (part, dimensions) in [
            ("attention.self.query", vec![width, width]),
            ("attention.self.key", vec![width, width]),
            ("attention.self.value", vec![width, width]),
            ("attention.output.dense", vec![width, width]),
            ("attention.output.LayerNorm", vec![width]),
            ("intermediate.dense", vec![wide, width]),
            ("output.dense", vec![width, wide]),
            ("output.LayerNorm", vec![width]),
        ] {
            let bias = vec![dimensions[0]];
            let name = format!("encoder.layer.{layer}.{part}");
            all.push((format!("{name}.weight"), dimensions));
            all.push((format!("{name}.bias"), bias));
        }
    }
    all
}
