//! A packed BERT in one file, to be used where it lies.
//!
//! ```text
//! "CONCORD8"  version: u32  header's length: u32  header: JSON
//! then, each beginning at a multiple of 64 and little-endian:
//!   vocabulary, one token a line
//!   tokens: i8 rows, f32 scales      positions: f32      norm: f32 gain, bias
//!   each layer: qkv, out, norm, up, down, norm
//!     a linear layer: i8 panels, f32 scales (a channel each, filled up), f32 bias
//! ```
//!
//! The header says the shape, and the shape says how long every part is. The weights are not
//! copied on loading; what is small is.

#[cfg(feature = "embedded")]
mod read;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bert::{Fused, Linear, Norm};
use crate::describe::Description;
use crate::error::{Fault, Result};
use crate::tokens::Tokens;
use crate::weights::{WeightsFile, sha256};

#[cfg(feature = "embedded")]
pub(crate) use read::{identity, read};

const MAGIC: &[u8; 8] = b"CONCORD8";
const VERSION: u32 = 1;
const ALIGN: usize = 64;

/// Texts on which the tokenizer of the asset must agree with the model's own.
const SAMPLES: [&str; 4] = [
    "Hello, World! It's 3.14 naïve café",
    "中央银行 ЦБ ß ﬁ 👩‍👧 \u{200b}x\u{0000}y [MASK] [SEP]",
    "",
    "supercalifragilisticexpialidocious C++ _rrf_fuse",
];

#[derive(Deserialize, Serialize)]
struct Header {
    description: Description,
    weights_sha256: String,
    vocabulary_bytes: usize,
}

/// Packs a model's folder; the same folder gives the same bytes.
///
/// # Errors
/// If the folder does not hold a BERT that can be run in 8 bits with the uncased tokenizer.
pub fn write(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let description = Description::read(folder, name)?;
    if !Fused::can_run(&description.shape) {
        return Err(Fault::Model.because(format!(
            "{}: this BERT cannot be run in 8 bits",
            folder.display()
        )));
    }
    let vocabulary = vocabulary(folder, &description)?;
    let path = folder.join("model.safetensors");
    let model = Fused::pack(&description.shape, &mut WeightsFile::open(&path)?)?;
    let header = Header {
        description,
        weights_sha256: sha256(&path)?,
        vocabulary_bytes: vocabulary.len(),
    };
    let header = serde_json::to_vec(&header)
        .map_err(|error| Fault::Machine.because(format!("the header: {error}")))?;

    let mut out = Writer(MAGIC.to_vec());
    out.0.extend(VERSION.to_le_bytes());
    out.0.extend((header.len() as u32).to_le_bytes());
    out.0.extend(header);
    out.bytes(vocabulary.as_bytes());
    out.bytes(bytemuck::cast_slice(&model.tokens.rows));
    out.floats(&model.tokens.scales);
    out.floats(&model.positions);
    out.norm(&model.norm);
    for layer in &model.layers {
        out.linear(&layer.qkv);
        out.linear(&layer.out);
        out.norm(&layer.attention_norm);
        out.linear(&layer.up);
        out.linear(&layer.down);
        out.norm(&layer.norm);
    }
    Ok(out.0)
}

/// The tokens in the order of their ids; refuses a tokenizer that is more than a vocabulary.
fn vocabulary(folder: &Path, description: &Description) -> Result<String> {
    let path = folder.join("tokenizer.json");
    let own = Tokens::open(&path, description.window, true)?;
    let vocabulary = own.vocabulary().join("\n");
    let ours = Tokens::uncased(&vocabulary, description.window)?;
    for sample in SAMPLES {
        if own.ids(sample)?.ids != ours.ids(sample)?.ids {
            return Err(Fault::Model.because(format!(
                "{}: not BERT's uncased tokenizer ({sample:?} differs); only that can be packed",
                path.display()
            )));
        }
    }
    Ok(vocabulary)
}

struct Writer(Vec<u8>);

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.resize(self.0.len().next_multiple_of(ALIGN), 0);
        self.0.extend_from_slice(bytes);
    }

    fn floats(&mut self, values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.bytes(&bytes);
    }

    fn norm(&mut self, norm: &Norm) {
        self.floats(&norm.gain);
        self.floats(&norm.bias);
    }

    fn linear(&mut self, linear: &Linear) {
        self.bytes(bytemuck::cast_slice(&linear.weights));
        self.floats(&linear.scales);
        self.floats(&linear.bias);
    }
}
