//! Reading: the weights stay where they are, what is small is copied.

use super::{ALIGN, Header, MAGIC, VERSION};
use crate::bert::{Bert, Bytes, Fused, Layer, Linear, Norm, Table};
use crate::describe::Description;
use crate::error::{Fault, Result};
use crate::kernel::PANEL;
use crate::tokens::Tokens;

/// Opens a packed model where it lies.
///
/// # Errors
/// If it is damaged, or of another version.
pub(crate) fn read(bytes: &'static [u8]) -> Result<Bert> {
    let mut input = Reader { bytes, at: 0 };
    let header = input.header()?;
    let description = header.description;
    let shape = &description.shape;
    let (width, wide) = (shape.hidden_size, shape.intermediate_size);

    let vocabulary =
        std::str::from_utf8(input.aligned(header.vocabulary_bytes)?).map_err(|_| damaged())?;
    let tokens = Table {
        width,
        rows: input.weights(shape.vocab_size * width)?,
        scales: input.floats(shape.vocab_size)?,
    };
    let positions = input.floats(shape.max_position_embeddings * width)?;
    let norm = input.norm(width)?;
    let layers = (0..shape.num_hidden_layers)
        .map(|_| {
            Ok(Layer {
                qkv: input.linear(width, 3 * width)?,
                out: input.linear(width, width)?,
                attention_norm: input.norm(width)?,
                up: input.linear(width, wide)?,
                down: input.linear(wide, width)?,
                norm: input.norm(width)?,
            })
        })
        .collect::<Result<_>>()?;
    let model = Fused::new(shape, tokens, positions, norm, layers);
    let tokens = Tokens::uncased(vocabulary, description.window)?;
    Ok(Bert::packed(
        description,
        &header.weights_sha256,
        tokens,
        model,
    ))
}

/// The fingerprint and the dimension of a packed model, from its header alone.
///
/// # Errors
/// If that is damaged, or of another version.
pub(crate) fn identity(bytes: &'static [u8]) -> Result<(String, usize)> {
    let header = Reader { bytes, at: 0 }.header()?;
    let Description { name, shape, .. } = &header.description;
    let fingerprint = crate::bert::fingerprint(name, &header.weights_sha256, "int8");
    Ok((fingerprint, shape.hidden_size))
}

fn damaged() -> crate::Error {
    Fault::Files.because(
        "the packed model is damaged, or made by another version; make it again with \
         `cargo xtask model`",
    )
}

struct Reader {
    bytes: &'static [u8],
    at: usize,
}

impl Reader {
    fn header(&mut self) -> Result<Header> {
        let start = self.take(16)?;
        if &start[..8] != MAGIC || start[8..12] != VERSION.to_le_bytes() {
            return Err(damaged());
        }
        let length = u32::from_le_bytes([start[12], start[13], start[14], start[15]]);
        serde_json::from_slice(self.take(length as usize)?).map_err(|_| damaged())
    }

    fn take(&mut self, count: usize) -> Result<&'static [u8]> {
        let end = self.at.checked_add(count).ok_or_else(damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(damaged)?;
        self.at = end;
        Ok(taken)
    }

    fn aligned(&mut self, count: usize) -> Result<&'static [u8]> {
        self.at = self.at.next_multiple_of(ALIGN);
        self.take(count)
    }

    fn weights(&mut self, count: usize) -> Result<Bytes> {
        Ok(Bytes::Borrowed(bytemuck::cast_slice(self.aligned(count)?)))
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>> {
        let (words, _) = self.aligned(4 * count)?.as_chunks();
        Ok(words.iter().map(|&word| f32::from_le_bytes(word)).collect())
    }

    fn norm(&mut self, width: usize) -> Result<Norm> {
        Ok(Norm {
            gain: self.floats(width)?,
            bias: self.floats(width)?,
        })
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Result<Linear> {
        let padded = outputs.next_multiple_of(PANEL);
        let weights = self.weights(padded * inputs)?;
        let scales = self.floats(padded)?;
        let bias = self.floats(padded)?;
        Ok(Linear::packed(inputs, outputs, weights, scales, bias))
    }
}
