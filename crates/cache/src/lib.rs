//! A domain's cache: one SQLite file that answers dense and lexical queries.
//!
//! It stores what was read from a vault and finds candidates in it. It does not know HTTP,
//! encodes nothing, and nothing in it ranks: it returns ranked lists, facts and links,
//! and the core makes an answer of them.
//!
//! ```text
//! vault_file             what became of every file: size, time, hash, fate
//! vault_node             a row a note
//! vault_chunk            a row a chunk, text verbatim, embedding as float32 little-endian
//! vault_chunk_vec        sqlite-vec over the embeddings
//! vault_chunk_fts        FTS5 over text, section and heading context, content-synced by triggers
//! vault_sentence_vector  a row a chunk: the vectors of its sentences, once they were made
//! vault_link             links as they are written; vault_edge, as they resolve
//! ```
//!
//! [`sync`] keeps it in step with the vault's files. The file can always be made again from the
//! vault. One process writes (a lock beside the file says which), any number read, and no reader
//! waits for the writer (WAL).

mod blob;
mod cache;
mod check;
mod dump;
mod error;
mod extension;
mod facts;
mod knn;
mod links;
mod recall;
mod rows;
mod schema;
mod search;
mod sentences;
mod shared;
mod state;
mod store;
pub mod sync;
mod vector;
mod words;
mod write;

pub use cache::{Cache, Identity};
pub use check::{Finding, Repair};
pub use concord_text::{EdgeKind, Syntax};
pub use error::Error;
pub use knn::PackedQuery;
pub use rows::{ChunkRow, Edge, Fate, FileRow, LinkRow, NoteFacts, NoteRows};
pub use search::{Hit, Scope};
pub use sentences::SentenceVectors;
pub use shared::SharedCache;
pub use store::{Candidate, CandidateStore, Counts, Similarities, Snapshot, State, nearest_first};
pub use vector::Vector;
pub use words::ColumnWeights;
