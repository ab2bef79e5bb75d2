//! The parity suite: cases, and what puts them to every runtime.

pub mod bench;
pub mod case;
pub mod generate;
pub mod golden;
pub mod hand;
pub mod report;
pub mod runtime;
pub mod serve;
pub mod suite;
