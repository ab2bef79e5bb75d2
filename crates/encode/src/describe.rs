//! What a model's own files say about how to use it.
//!
//! | what | where it is read | without it |
//! |---|---|---|
//! | layers, widths, vocabulary | `config.json` | refused |
//! | pooling | `1_Pooling/config.json` | the rule for bge below, else the mean |
//! | window | `sentence_bert_config.json`, at most the positions of `config.json` | the positions, at most 512 |
//! | query prefix | `config_sentence_transformers.json`: `prompts.query` | the rule below |
//!
//! The rule, for folders that carry the weights and nothing else: a model whose name contains
//! `bge` takes the first token's vector and, if its name says that it is English, BAAI's query
//! prefix; any other takes the mean over the tokens and no prefix. The name is the folder's, or
//! the one in `config.json` where the folder's does not tell. Vectors are always L2-normalised:
//! a model that leaves them long means the dot product to be the cosine's stand-in.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Fault, Result};

/// BAAI's query prefix of the English bge models.
pub(crate) const BGE_PREFIX: &str = "Represent this sentence for searching relevant passages: ";

/// No model that we know profits from more, and positions beyond are rarely trained.
const LARGEST_WINDOW: usize = 512;

/// `config.json` of a BERT.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(crate) struct Shape {
    /// Width of a token's vector.
    pub(crate) hidden_size: usize,
    /// Layers.
    pub(crate) num_hidden_layers: usize,
    /// Heads in a layer.
    pub(crate) num_attention_heads: usize,
    /// Width between the two linear layers that follow attention.
    pub(crate) intermediate_size: usize,
    /// Tokens known.
    pub(crate) vocab_size: usize,
    /// Positions known.
    pub(crate) max_position_embeddings: usize,
    /// Kinds of token; ours are all of the first.
    pub(crate) type_vocab_size: usize,
    /// The activation between those two.
    pub(crate) hidden_act: String,
    /// Keeps layer normalisation from dividing by zero.
    pub(crate) layer_norm_eps: f64,
}

/// How a text's vector comes from its tokens' vectors.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pooling {
    /// The first token's.
    Cls,
    /// The mean of all.
    Mean,
}

/// How to use a BERT.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) pooling: Pooling,
    /// The longest text, in tokens with both marks.
    pub(crate) window: usize,
    pub(crate) query_prefix: String,
}

#[derive(Deserialize)]
struct Kind {
    model_type: Option<String>,
    #[serde(rename = "_name_or_path", default)]
    origin: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn absolute() -> String {
    "absolute".to_owned()
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

#[derive(Deserialize)]
struct WindowFile {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct PromptsFile {
    #[serde(default)]
    prompts: std::collections::BTreeMap<String, String>,
}

/// `model_type` of a model's `config.json`.
pub(crate) fn model_type(folder: &Path) -> Result<Option<String>> {
    Ok(required::<Kind>(folder, "config.json")?.model_type)
}

impl Description {
    /// Reads a model's folder.
    ///
    /// # Errors
    /// If `config.json` is missing or damaged, or describes something other than a BERT.
    pub(crate) fn read(folder: &Path, name: &str) -> Result<Self> {
        let kind: Kind = required(folder, "config.json")?;
        if kind.model_type.as_deref() != Some("bert") || kind.position_embedding_type != "absolute"
        {
            return Err(Fault::Model.because(format!(
                "{}: a model of type `{}` with {} positions; BERT with absolute positions \
                 (bge, MiniLM, e5, gte) and model2vec can be used",
                folder.display(),
                kind.model_type.as_deref().unwrap_or("unknown"),
                kind.position_embedding_type
            )));
        }
        let shape: Shape = required(folder, "config.json")?;
        if shape.hidden_size == 0
            || shape.num_attention_heads == 0
            || shape.intermediate_size == 0
            || !shape.hidden_size.is_multiple_of(shape.num_attention_heads)
        {
            return Err(Error::content(
                &folder.join("config.json"),
                "widths of zero, or heads that do not divide the hidden size",
            ));
        }
        let known = format!("{name} {}", kind.origin).to_lowercase();
        let bge = known.contains("bge");
        let pooling = match optional::<PoolingFile>(folder, "1_Pooling/config.json")? {
            Some(file) if file.pooling_mode_cls_token => Pooling::Cls,
            Some(file) if file.pooling_mode_mean_tokens => Pooling::Mean,
            Some(_) => {
                return Err(Fault::Model.because(format!(
                    "{}: neither the first token's vector nor the mean is asked for, and no \
                     other pooling can be used",
                    folder.join("1_Pooling/config.json").display()
                )));
            }
            None if bge => Pooling::Cls,
            None => Pooling::Mean,
        };
        let positions = shape.max_position_embeddings.min(LARGEST_WINDOW);
        let window = optional::<WindowFile>(folder, "sentence_bert_config.json")?
            .and_then(|file| file.max_seq_length)
            .map_or(positions, |length| length.min(positions));
        let query_prefix = optional::<PromptsFile>(folder, "config_sentence_transformers.json")?
            .and_then(|mut file| file.prompts.remove("query"))
            .unwrap_or_else(|| {
                if bge && known.contains("-en") {
                    BGE_PREFIX.to_owned()
                } else {
                    String::new()
                }
            });
        Ok(Self {
            name: name.to_owned(),
            shape,
            pooling,
            window,
            query_prefix,
        })
    }
}

/// A JSON file that every model has.
pub(crate) fn required<T: DeserializeOwned>(folder: &Path, file: &str) -> Result<T> {
    optional(folder, file)?.ok_or_else(|| {
        Fault::Files.because(format!(
            "{}: no `{file}`; a model's folder has config.json, tokenizer.json and \
             model.safetensors",
            folder.display()
        ))
    })
}

fn optional<T: DeserializeOwned>(folder: &Path, file: &str) -> Result<Option<T>> {
    let path = folder.join(file);
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Error::content(&path, error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(&path, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = r#"{"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 10,
        "max_position_embeddings": 512, "type_vocab_size": 2, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12}"#;

    fn described(name: &str, files: &[(&str, &str)]) -> Result<Description> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("1_Pooling")).expect("a folder");
        for (file, content) in files {
            std::fs::write(folder.path().join(file), content).expect("a file");
        }
        Description::read(folder.path(), name)
    }

    #[test]
    fn a_bare_bge_takes_the_first_token_and_the_prefix() {
        let bge = described("bge-base-en-v1.5", &[("config.json", CONFIG)]).expect("a model");
        assert_eq!(
            (bge.pooling, bge.query_prefix.as_str(), bge.window),
            (Pooling::Cls, BGE_PREFIX, 512)
        );
        let other = described("all-MiniLM-L6-v2", &[("config.json", CONFIG)]).expect("a model");
        assert_eq!(
            (other.pooling, other.query_prefix.as_str()),
            (Pooling::Mean, "")
        );
    }

    #[test]
    fn the_models_own_files_win() {
        let model = described(
            "bge-small-en",
            &[
                ("config.json", CONFIG),
                (
                    "1_Pooling/config.json",
                    r#"{"pooling_mode_mean_tokens": true}"#,
                ),
                ("sentence_bert_config.json", r#"{"max_seq_length": 256}"#),
                (
                    "config_sentence_transformers.json",
                    r#"{"prompts": {"query": "query: "}}"#,
                ),
            ],
        )
        .expect("a model");
        assert_eq!(
            (model.pooling, model.window, model.query_prefix.as_str()),
            (Pooling::Mean, 256, "query: ")
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_name() {
        fn fault(name: &str, files: &[(&str, &str)]) -> Error {
            described(name, files).expect_err("refused")
        }
        assert!(fault("x", &[]).message.contains("no `config.json`"));
        let llama = fault("x", &[("config.json", r#"{"model_type": "llama"}"#)]);
        assert_eq!(llama.fault, Fault::Model);
        assert!(llama.message.contains("`llama`"));
        let damaged = fault("x", &[("config.json", "{")]);
        assert_eq!(damaged.fault, Fault::Files);
        let heads = CONFIG.replace(r#""num_attention_heads": 2"#, r#""num_attention_heads": 3"#);
        assert!(
            fault("x", &[("config.json", &heads)])
                .message
                .contains("heads")
        );
        let last = [
            ("config.json", CONFIG),
            (
                "1_Pooling/config.json",
                r#"{"pooling_mode_lasttoken": true}"#,
            ),
        ];
        assert!(fault("x", &last).message.contains("no other pooling"));
    }
}
