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

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::bundle::Bundle;
use crate::profile::Profile;
use crate::ranking::Ranking;

/// The hash of one part.
pub(crate) type Sum = [u8; 32];

/// The hash of a value's canonical bytes.
pub(crate) fn sum(value: &impl Serialize) -> Sum {
    let hashed = postcard::serialize_with_flavor(value, Hashed::default());
    hashed.expect("the wire shapes are plain data")
}

/// Canonical bytes on their way into their hash. A bundle has most of a megabyte of them, which
/// nobody needs at once.
#[derive(Default)]
struct Hashed {
    hasher: Sha256,
    /// Not hashed yet.
    waiting: Vec<u8>,
}

impl Hashed {
    const ENOUGH: usize = 4 << 10;

    fn hash_what_waits(&mut self) {
        self.hasher.update(&self.waiting);
        self.waiting.clear();
    }
}

impl Flavor for Hashed {
    type Output = Sum;

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if self.waiting.len() + bytes.len() > Self::ENOUGH {
            self.hash_what_waits();
        }
        if bytes.len() > Self::ENOUGH {
            self.hasher.update(bytes);
        } else {
            self.waiting.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn finalize(mut self) -> postcard::Result<Sum> {
        self.hash_what_waits();
        Ok(self.hasher.finalize().into())
    }
}

/// The digest of a ranking that has none yet.
pub(crate) fn digest(bundle: Sum, profile: &Profile, bare: &Ranking) -> String {
    let mut hasher = Sha256::new();
    hasher.update(b"concord-ranking");
    hasher.update(bare.version.as_bytes());
    hasher.update([0]);
    hasher.update(bundle);
    hasher.update(sum(profile));
    hasher.update(sum(bare));
    let sum: Sum = hasher.finalize().into();
    hex(&sum)
}

/// The digest that a ranking of this bundle under this profile ought to bear.
#[must_use]
pub fn digest_of(bundle: &Bundle, profile: &Profile, ranking: &Ranking) -> String {
    let mut bare = ranking.clone();
    bare.digest.clear();
    digest(sum(bundle), profile, &bare)
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
