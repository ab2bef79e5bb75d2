//! The digest: what two runtimes compare instead of two rankings.
//!
//! ```text
//! digest = SHA-256( "concord-ranking" ‖ version ‖ 0 ‖ S(bundle) ‖ S(profile) ‖ S(ranking) )
//! S(x)   = SHA-256( canonical bytes of x )
//! ```
//!
//! The canonical bytes are postcard's published wire format: fields in the order of declaration,
//! lengths before lists and strings, f64 as its eight bytes. Each part is hashed on its own so
//! that a bundle is hashed once for many profiles. A ranking is hashed with its own `digest` empty.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::bundle::Bundle;
use crate::profile::Profile;
use crate::ranking::Ranking;

/// The hash of one part.
pub(crate) type Sum = [u8; 32];

/// The hash of a value's canonical bytes.
pub(crate) fn sum(value: &impl Serialize) -> Sum {
    let bytes = postcard::to_stdvec(value).expect("the wire shapes are plain data");
    Sha256::digest(&bytes).into()
}

pub(crate) fn digest(bundle: Sum, profile: &Profile, ranking: &Ranking) -> String {
    let mut bare = ranking.clone();
    bare.digest.clear();
    let mut hasher = Sha256::new();
    hasher.update(b"concord-ranking");
    hasher.update(ranking.version.as_bytes());
    hasher.update([0]);
    hasher.update(bundle);
    hasher.update(sum(profile));
    hasher.update(sum(&bare));
    let sum: Sum = hasher.finalize().into();
    hex(&sum)
}

/// The digest that a ranking of this bundle under this profile ought to bear.
#[must_use]
pub fn digest_of(bundle: &Bundle, profile: &Profile, ranking: &Ranking) -> String {
    digest(sum(bundle), profile, ranking)
}

/// The digest of what was made from a ranking for somebody to write from.
pub(crate) fn of_pack(ranking: &Ranking, context: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(b"concord-pack");
    hasher.update(ranking.digest.as_bytes());
    hasher.update([0]);
    hasher.update(context.as_bytes());
    let sum: Sum = hasher.finalize().into();
    hex(&sum)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(nibble)]));
        }
    }
    text
}
