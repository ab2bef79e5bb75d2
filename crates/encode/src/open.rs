//! A model's folder, whatever kind of model it holds.

use crate::Encoder;
use crate::bert::Bert;
use crate::describe::model_type;
use crate::error::Result;
use crate::hub::Located;
use crate::static_model::StaticModel;

/// The precision of a BERT's arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Weights and activations in 8 bits, several times faster. A model that cannot be run so is
    /// run in f32, and its fingerprint says so.
    #[default]
    Int8,
    /// f32 throughout, by candle.
    F32,
}

/// Opens a folder with `config.json`, `tokenizer.json` and `model.safetensors`. Precision matters
/// to BERTs alone.
///
/// # Errors
/// If a file is missing or damaged, or the model is of a kind that cannot be run.
pub fn open(model: &Located, precision: Precision) -> Result<Box<dyn Encoder>> {
    let Located { folder, name } = model;
    Ok(match model_type(folder)?.as_deref() {
        Some("model2vec") => Box::new(StaticModel::open(folder, name)?),
        _ => Box::new(Bert::open(folder, name, precision)?),
    })
}
