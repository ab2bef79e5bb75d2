//! `concord init`, `index`, `watch`, `status`, `doctor`, `tag`, `promote` and `rename` on real folders, run as a user runs them.

/// What the tests stand on.
#[path = "vault/harness.rs"]
mod harness;

/// A sample of every kind of credential.
#[path = "../../crates/text/tests/samples/credentials.rs"]
mod credentials;

/// What no note should be, and some are.
#[cfg(unix)]
#[path = "vault/bad_input.rs"]
mod bad_input;
/// `concord eval`: golden questions, and collections in BEIR's form.
#[path = "vault/eval.rs"]
mod eval;
/// Full disks, and files that must not be read or written.
#[cfg(unix)]
#[path = "vault/machine.rs"]
mod machine;
/// Tags promoted, renamed and taken back; killed half-way, and beside somebody else who writes.
#[path = "vault/order.rs"]
mod order;
/// The sample vault, indexed, looked at, damaged, killed and watched.
#[path = "vault/sample.rs"]
mod sample;
/// No credential is stored or said.
#[path = "vault/secrets.rs"]
mod secrets;
/// `concord init`, and what a vault's `concord.yaml` does to its index.
#[path = "vault/settings.rs"]
mod settings;
