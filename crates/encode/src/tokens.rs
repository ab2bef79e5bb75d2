//! Text into token ids, cut at the model's window.

use std::path::Path;

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{AddedToken, ModelWrapper, Tokenizer, TruncationParams};

use crate::error::{Error, Fault, Result};

/// A tokenizer that cuts at a window and never pads.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    special: bool,
}

/// A text's ids.
pub(crate) struct Ids {
    /// The ids, at most as many as the window holds.
    pub(crate) ids: Vec<u32>,
    /// Whether there were more.
    pub(crate) truncated: bool,
}

impl Tokens {
    /// A model's own `tokenizer.json`. With `special`, the marks of the sequence's start and end
    /// are added, and count towards the window.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn open(path: &Path, window: usize, special: bool) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
        let tokenizer =
            Tokenizer::from_bytes(bytes).map_err(|error| Error::content(path, error))?;
        Self::with_window(tokenizer, window, special)
    }

    /// BERT's uncased WordPiece over a vocabulary, one token a line, the line's number its id.
    ///
    /// # Errors
    /// If the vocabulary has not the marks that BERT needs.
    pub(crate) fn uncased(vocabulary: &str, window: usize) -> Result<Self> {
        let broken = |what: String| Fault::Files.because(format!("the vocabulary: {what}"));
        let ids = vocabulary
            .lines()
            .zip(0_u32..)
            .map(|(token, id)| (token.to_owned(), id))
            .collect::<Vec<_>>();
        let id_of = |mark: &str| {
            ids.iter()
                .find(|(token, _)| token == mark)
                .map(|(_, id)| (mark.to_owned(), *id))
                .ok_or_else(|| broken(format!("no {mark}")))
        };
        let (start, end) = (id_of("[CLS]")?, id_of("[SEP]")?);
        let model = WordPiece::builder()
            .vocab(ids.into_iter().collect::<ahash::AHashMap<_, _>>())
            .unk_token("[UNK]".to_owned())
            .build()
            .map_err(|error| broken(error.to_string()))?;
        let mut tokenizer = Tokenizer::new(model);
        tokenizer
            .with_normalizer(Some(BertNormalizer::new(true, true, None, true)))
            .map_err(|error| broken(error.to_string()))?;
        tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
        tokenizer.with_post_processor(Some(BertProcessing::new(end, start)));
        tokenizer
            .add_special_tokens(
                ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
                    .map(|mark| AddedToken::from(mark, true)),
            )
            .map_err(|error| broken(error.to_string()))?;
        Self::with_window(tokenizer, window, true)
    }

    fn with_window(mut tokenizer: Tokenizer, window: usize, special: bool) -> Result<Self> {
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(TruncationParams {
                max_length: window,
                ..TruncationParams::default()
            }))
            .map_err(|error| Fault::Files.because(format!("the tokenizer: {error}")))?;
        Ok(Self { tokenizer, special })
    }

    /// A text's ids.
    ///
    /// # Errors
    /// If the tokenizer refuses the text.
    pub(crate) fn ids(&self, text: &str) -> Result<Ids> {
        let encoding = self
            .tokenizer
            .encode_fast(text, self.special)
            .map_err(|error| Fault::Files.because(format!("the tokenizer: {error}")))?;
        Ok(Ids {
            ids: encoding.get_ids().to_vec(),
            truncated: !encoding.get_overflowing().is_empty(),
        })
    }

    /// The id that stands for every unknown word, where the model has one.
    pub(crate) fn unknown(&self) -> Option<u32> {
        let mark = match self.tokenizer.get_model() {
            ModelWrapper::WordPiece(model) => Some(model.unk_token.clone()),
            ModelWrapper::WordLevel(model) => Some(model.unk_token.clone()),
            ModelWrapper::BPE(model) => model.unk_token.clone(),
            ModelWrapper::Unigram(_) => {
                let whole = serde_json::to_value(&self.tokenizer).ok()?;
                return Some(whole["model"]["unk_id"].as_u64()? as u32);
            }
        };
        self.tokenizer.token_to_id(&mark?)
    }

    /// All tokens by id, gaps left empty.
    pub(crate) fn vocabulary(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        for (token, id) in self.tokenizer.get_vocab(true) {
            let id = id as usize;
            if tokens.len() <= id {
                tokens.resize(id + 1, String::new());
            }
            tokens[id] = token;
        }
        tokens
    }
}
