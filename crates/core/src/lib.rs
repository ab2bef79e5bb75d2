//! Concord's core: all ranking, excerpts and citation checks.
//!
//! A pure function of `(bundle, profile)`: no clock, no files, no randomness, no environment. It
//! is compiled for the server and for the browser from the same source, and gives the same bits on
//! both; `clippy.toml` beside this crate bans what would break that, each with its reason.
//!
//! ```text
//! bundle ─ fuse ─ decay ─ graph ─ cross ─ shortlist ─ excerpt ─► ranking + trace + digest
//! ```
//!
//! Start at [`Prepared`]: check and index a bundle once, rank it under any number of
//! profiles. [`cite`] checks quotations, [`traverse`] walks the citation graph, [`Receipt`]
//! computes a recorded ranking again.

mod bundle;
pub mod cite;
mod community;
mod cross;
pub mod decay;
mod digest;
mod error;
mod excerpt;
pub mod feedback;
mod fuse;
pub mod graph;
mod math;
pub mod near;
mod normal;
pub mod pack;
mod places;
mod position;
mod prepared;
pub mod profile;
mod rank;
pub mod ranking;
mod receipt;
pub mod relevance;
mod score;
mod shortlist;
mod text;
pub mod traverse;

pub use bundle::{Bundle, Chunk, Corpus, Hit, Leg, Note, SCHEMA, Sentence, Subgraph};
pub use digest::digest_of;
pub use error::{Error, Fault};
pub use prepared::Prepared;
pub use profile::Profile;
pub use rank::VERSION;
pub use ranking::Ranking;
pub use receipt::{Difference, Receipt, Replay};
pub use score::{SCORE_LIMIT, Score, Seconds};
pub use text::Text;
