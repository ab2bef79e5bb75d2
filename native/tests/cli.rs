//! The real binary, run as a user runs it: what it answers, what it refuses, and how it ends.

/// What the tests stand on.
#[path = "cli/harness.rs"]
mod harness;

/// Bundles to lists, documents and receipts.
#[path = "cli/rank.rs"]
mod rank;
/// What is malformed is refused by file and key.
#[path = "cli/refuse.rs"]
mod refuse;
/// Receipts, computed again.
#[path = "cli/replay.rs"]
mod replay;
/// Profiles, schemas, help and versions.
#[path = "cli/show.rs"]
mod show;
/// Quotations, one and many.
#[path = "cli/verify.rs"]
mod verify;
