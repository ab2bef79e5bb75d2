//! A model of bge-large's shape and the index of a vault of 50,000 passages, both out of a seed.
//!
//! The weights are noise, so an encoded question is near nothing in particular; the passages' vectors
//! are drawn around 200 centres. For times that makes no difference: the encoder computes what it
//! would compute, and the index searches as many vectors of the same length.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use concord_cache::{
    Cache, ChunkRow, Fate, FileRow, Identity, NoteFacts, NoteRows, SentenceVectors,
};
use concord_encode::Precision;
use concord_encode::hub::Located;
use concord_text::EdgeKind;
use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::Fallible;
use crate::text::Language;

/// The model's folder; its name says how a question is put, and whose shape it has.
pub(crate) const MODEL: &str = "noise-of-bge-large-en";

const NOTES: usize = 10_000;
const CHUNKS_A_NOTE: usize = 5;
const SENTENCES_A_CHUNK: usize = 9;
const LINKS_A_NOTE: usize = 4;
const QUESTIONS: usize = 40;

const LAYERS: usize = 24;
const WIDTH: usize = 1_024;
const WIDE: usize = 4_096;
const POSITIONS: usize = 512;

pub(crate) fn make(folder: &Path) -> Fallible<()> {
    let mut rng = Rng::with_seed(7);
    let language = Language::new(&mut rng);
    let model = folder.join(MODEL);
    fs::create_dir_all(&model)?;
    write_model(&model, &language, &mut rng)?;
    let encoder = concord_encode::open(&Located::folder(&model)?, Precision::Int8)?;
    let identity = Identity {
        model: Some(encoder.fingerprint().to_owned()),
        dimension: u32::try_from(encoder.dimension())?,
        chunker: "sections-2 600/80".to_owned(),
    };
    drop(encoder);
    let vault = folder.join("vault");
    fs::create_dir_all(vault.join(".concord"))?;
    let settings = json!({"model": model.canonicalize()?}).to_string();
    fs::write(vault.join("concord.yaml"), settings)?;
    let file = vault.join(".concord/default.db");
    if file.is_file() {
        fs::remove_file(&file)?;
    }
    write_index(folder, &file, &identity, &language, &mut rng)
}

fn write_index(
    folder: &Path,
    file: &Path,
    identity: &Identity,
    language: &Language,
    rng: &mut Rng,
) -> Fallible<()> {
    let centres: Vec<Vec<f32>> = (0..200).map(|_| unit(rng)).collect();
    let mut cache = Cache::writer(file, identity)?;
    let mut passages = BufWriter::new(File::create(folder.join("passages.txt"))?);
    let mut questions = String::new();
    let mut edges = Vec::new();
    for number in 0..NOTES {
        let path = path(number);
        let mut chunks = Vec::new();
        for place in 0..CHUNKS_A_NOTE {
            let chunk = chunk(language, &centres[rng.usize(..centres.len())], place, rng);
            writeln!(passages, "{}", chunk.text)?;
            if place == 0 && number % (NOTES / QUESTIONS) == 0 {
                questions += &language.question(&chunk.text, rng);
                questions.push('\n');
            }
            chunks.push(chunk);
        }
        for _ in 0..LINKS_A_NOTE {
            // Early notes are cited more than late ones, as in any library.
            let latest = rng.usize(..NOTES);
            let target = rng.usize(..=latest);
            let kind = if rng.bool() {
                EdgeKind::Citation
            } else {
                EdgeKind::Wikilink
            };
            edges.push((path.clone(), self::path(target), kind));
        }
        let day = 86_400 * i64::try_from(number)?;
        let note = NoteRows {
            facts: NoteFacts {
                title: format!("Note {number}"),
                author: Some(format!("Author {}", number % 300)),
                published_at: Some(900_000_000 + day),
                modified_at: Some(900_000_000 + day),
                path: path.clone(),
                ..NoteFacts::default()
            },
            chunks,
            links: Vec::new(),
        };
        let row = FileRow {
            path,
            size: 0,
            modified_ns: 0,
            hash: [0; 32],
            fate: Fate::Indexed,
        };
        cache.put_note(&note, &row)?;
    }
    edges.sort();
    edges.dedup();
    cache.put_edges(&edges, 0)?;
    cache.checkpoint()?;
    passages.flush()?;
    Ok(fs::write(folder.join("questions.txt"), questions)?)
}

fn path(number: usize) -> String {
    format!("folder {:02}/note {number:05}.md", number % 100)
}

/// A passage near a centre, its sentences near the passage.
fn chunk(language: &Language, centre: &[f32], place: usize, rng: &mut Rng) -> ChunkRow {
    let (mut text, mut sentences) = (String::new(), Vec::new());
    for _ in 0..SENTENCES_A_CHUNK {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        text += &language.sentence(rng);
        sentences.push((start as u32, text.len() as u32));
    }
    let embedding = near(centre, rng);
    let vectors: Vec<Vec<f32>> = sentences.iter().map(|_| near(&embedding, rng)).collect();
    ChunkRow {
        section: format!("Section {place}"),
        heading_context: String::new(),
        text,
        page: None,
        embedding: Some(embedding),
        sentences,
        sentence_vectors: Some(SentenceVectors::pack(vectors)),
    }
}

fn near(centre: &[f32], rng: &mut Rng) -> Vec<f32> {
    let noise = unit(rng);
    normalised(
        centre
            .iter()
            .zip(&noise)
            .map(|(a, b)| a + 0.8 * b)
            .collect(),
    )
}

fn unit(rng: &mut Rng) -> Vec<f32> {
    // The sum of a few even draws is near enough to normal for directions to be even.
    normalised(
        (0..WIDTH)
            .map(|_| (0..3).map(|_| rng.f32() - 0.5).sum())
            .collect(),
    )
}

fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

/// `config.json`, `tokenizer.json` and `model.safetensors` of a BERT.
fn write_model(folder: &Path, language: &Language, rng: &mut Rng) -> Fallible<()> {
    let marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
    let asked = "represent sentence searching relevant passages how : ? .";
    let mut vocabulary = Map::new();
    for word in marks
        .into_iter()
        .chain(asked.split(' '))
        .chain(language.all())
    {
        let id = vocabulary.len();
        vocabulary.entry(word).or_insert_with(|| id.into());
    }
    let words = vocabulary.len();
    let mark = |(id, content): (usize, &str)| {
        json!({"id": id, "content": content, "special": true, "normalized": false,
               "single_word": false, "lstrip": false, "rstrip": false})
    };
    let tokenizer = json!({
        "version": "1.0",
        "added_tokens": marks.into_iter().enumerate().map(mark).collect::<Vec<Value>>(),
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocabulary},
    });
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string())?;
    let config = json!({
        "model_type": "bert", "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
        "num_attention_heads": 16, "intermediate_size": WIDE, "vocab_size": words,
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    });
    fs::write(folder.join("config.json"), config.to_string())?;
    write_weights(&folder.join("model.safetensors"), &tensors(words), rng)
}

/// Names and shapes.
fn tensors(words: usize) -> Vec<(String, Vec<usize>)> {
    let mut tensors = Vec::new();
    let mut tensor = |name: String, shape: &[usize]| tensors.push((name, shape.to_vec()));
    tensor(
        "embeddings.word_embeddings.weight".to_owned(),
        &[words, WIDTH],
    );
    tensor(
        "embeddings.position_embeddings.weight".to_owned(),
        &[POSITIONS, WIDTH],
    );
    tensor(
        "embeddings.token_type_embeddings.weight".to_owned(),
        &[2, WIDTH],
    );
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for (part, outputs, inputs) in [
            ("attention.self.query", WIDTH, WIDTH),
            ("attention.self.key", WIDTH, WIDTH),
            ("attention.self.value", WIDTH, WIDTH),
            ("attention.output.dense", WIDTH, WIDTH),
            ("intermediate.dense", WIDE, WIDTH),
            ("output.dense", WIDTH, WIDE),
        ] {
            tensor(name(&format!("{part}.weight")), &[outputs, inputs]);
            tensor(name(&format!("{part}.bias")), &[outputs]);
        }
        norms.extend([name("attention.output.LayerNorm"), name("output.LayerNorm")]);
    }
    for norm in norms {
        tensor(format!("{norm}.weight"), &[WIDTH]);
        tensor(format!("{norm}.bias"), &[WIDTH]);
    }
    tensors
}

/// In bfloat16: the upper half of an f32.
fn write_weights(file: &Path, tensors: &[(String, Vec<usize>)], rng: &mut Rng) -> Fallible<()> {
    let mut header = Map::new();
    let mut end = 0;
    for (name, shape) in tensors {
        let begin = end;
        end += 2 * shape.iter().product::<usize>();
        let about = json!({"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]});
        header.insert(name.clone(), about);
    }
    let header = Value::Object(header).to_string();
    let mut out = BufWriter::new(File::create(file)?);
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for (name, shape) in tensors {
        let offset = if name.ends_with("LayerNorm.weight") {
            1.0
        } else {
            0.0
        };
        for _ in 0..shape.iter().product::<usize>() {
            let number = offset + 0.07 * (rng.f32() - 0.5);
            out.write_all(&number.to_bits().to_le_bytes()[2..])?;
        }
    }
    Ok(out.flush()?)
}
