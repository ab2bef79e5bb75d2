//! A safetensors file, read one tensor at a time: a model of 1.3 GB never stands in memory whole.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, Metadata};
use sha2::{Digest, Sha256};

use crate::error::{Error, Fault, Result};

/// Where a model's tensors come from.
pub(crate) trait Weights {
    /// A tensor of this shape, as f32. The name is the one without the architecture's prefix.
    ///
    /// # Errors
    /// If there is none, or it has another shape or an unknown type.
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>>;
}

/// An open safetensors file.
pub(crate) struct WeightsFile {
    path: PathBuf,
    file: File,
    metadata: Metadata,
    /// Where the tensors begin.
    start: u64,
}

impl WeightsFile {
    /// Reads the header.
    ///
    /// # Errors
    /// If the file cannot be read, or its header is damaged.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let io = |error: std::io::Error| Error::io(path, &error);
        let mut file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut length = [0; 8];
        file.read_exact(&mut length)
            .map_err(|_| Error::content(path, "not a safetensors file"))?;
        let length = u64::from_le_bytes(length);
        if length > size.saturating_sub(8) {
            return Err(Error::content(path, "cut off within its header"));
        }
        let mut header = vec![0; length as usize];
        file.read_exact(&mut header).map_err(io)?;
        let metadata: Metadata =
            serde_json::from_slice(&header).map_err(|error| Error::content(path, error))?;
        let start = 8 + length;
        if start + metadata.data_len() as u64 > size {
            return Err(Error::content(path, "cut off before its end"));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            metadata,
            start,
        })
    }

    /// The names of all tensors.
    pub(crate) fn names(&self) -> Vec<String> {
        self.metadata.tensors().into_keys().collect()
    }

    /// The shape of a tensor.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        Some(self.metadata.info(name)?.shape.clone())
    }

    /// A tensor as f32, whatever its shape.
    pub(crate) fn read(&mut self, name: &str) -> Result<Vec<f32>> {
        let info = self
            .metadata
            .info(name)
            .ok_or_else(|| Error::content(&self.path, format!("no tensor `{name}`")))?;
        let (from, to) = info.data_offsets;
        let dtype = info.dtype;
        let mut bytes = vec![0; to - from];
        self.file
            .seek(SeekFrom::Start(self.start + from as u64))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|error| Error::io(&self.path, &error))?;
        floats(dtype, &bytes).ok_or_else(|| {
            Fault::Model.because(format!(
                "{}: tensor `{name}` is {dtype:?}; f64, f32, f16 and bf16 can be read",
                self.path.display()
            ))
        })
    }
}

/// Checkpoints with a head of their own (sequence classification, masked language model) put
/// their architecture's name before the names of the encoder.
impl Weights for WeightsFile {
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let prefixed = format!("bert.{name}");
        let name = if self.metadata.info(name).is_none() && self.metadata.info(&prefixed).is_some()
        {
            &prefixed
        } else {
            name
        };
        match self.shape(name) {
            Some(found) if found != shape => Err(Error::content(
                &self.path,
                format!("tensor `{name}` is {found:?}, and config.json asks for {shape:?}"),
            )),
            _ => self.read(name),
        }
    }
}

fn floats(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    fn each<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> f32) -> Vec<f32> {
        let (words, _) = bytes.as_chunks::<N>();
        words.iter().map(|&word| read(word)).collect()
    }
    Some(match dtype {
        Dtype::F64 => each(bytes, |word| f64::from_le_bytes(word) as f32),
        Dtype::F32 => each(bytes, f32::from_le_bytes),
        Dtype::F16 => each(bytes, |word| half::f16::from_le_bytes(word).to_f32()),
        Dtype::BF16 => each(bytes, |word| half::bf16::from_le_bytes(word).to_f32()),
        _ => return None,
    })
}

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn sha256(path: &Path) -> Result<String> {
    let io = |error: std::io::Error| Error::io(path, &error);
    let mut file = File::open(path).map_err(io)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(io)? {
            0 => return Ok(hex(&digest.finalize())),
            count => digest.update(&buffer[..count]),
        }
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
