//! Concord's text: from a note's bytes to what is stored and searched.
//!
//! Text in, values out: no I/O, no clock, no other crate of ours.
//!
//! ```text
//! text ─ scrub ─► parse ─┬─ facts (title, author, dates, tags, aliases, …) and problems
//!                        ├─ links ── resolve over the whole vault ─► edges
//!                        └─ chunks ─ sentences, heading context
//! query ─ lexical ─► MATCH expression
//! ```
//!
//! [`scrub`] comes first, so that all spans are in bytes of the text that is kept. [`parse`] walks
//! a note once; [`ParsedNote::chunks`] and [`ParsedNote::sentences`] only look at what it found.
//! Nothing here fails: what cannot be used is a [`Problem`], and the rest of the note goes on.

mod chunk;
mod date;
pub mod edit;
mod fold;
mod frontmatter;
pub mod lexical;
mod links;
mod listing;
mod markdown;
mod note;
mod outline;
mod quotations;
mod resolve;
mod review;
mod scrub;
mod section;
mod sentence;
mod taxonomy;
mod words;

pub use chunk::{Chunk, ChunkRules};
pub use date::first_moment;
pub use frontmatter::Problem;
pub use links::{EdgeKind, Link, Syntax};
pub use note::{ParsedNote, parse};
pub use outline::Heading;
pub use quotations::{DraftQuotation, quotations};
pub use resolve::{Edge, Edges, MAX_CANDIDATES, NoteNames, Resolution, Unresolved, VaultIndex};
pub use review::{ReviewEntry, ReviewQueue, review_queue};
pub use scrub::{PATTERN_NAMES, Scrubbed, scrub};
pub use sentence::{MAX_BYTES, MAX_SENTENCES, sentences};
pub use taxonomy::{Taxonomy, TaxonomyTag, taxonomy};
