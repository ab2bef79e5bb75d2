//! The digest: what two runtimes compare instead of two rankings.
//!
//! ```text
//! digest = SHA-256( "concord-ranking" ‖ version ‖ 0 ‖ S(bundle) ‖ S(profile) ‖ S(ranking) )
//! S(x)   = SHA-256( canonical bytes of x )
//! ```
//!
//! The canonical bytes are postcard's published wire format: fields in the order of declaration,
//! lengths before lists and strings, f64 as its eight bytes; a passage's text as the 32 bytes of its
//! own SHA-256 ([`Text`](crate::Text)), so that a passage is hashed once for many questions. Each part
//! is hashed on its own so that a bundle is hashed once for many profiles. A ranking is hashed with its
//! own `digest` empty.

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
    let hashed = postcard::serialize_with_flavor(value, Hashed::new());
    hashed.expect("the wire shapes are plain data")
}

/// Canonical bytes on their way into their hash, which nobody needs all at once.
struct Hashed {
    hasher: Sha256,
    /// The first so many are not hashed yet.
    waiting: [u8; Self::ENOUGH],
    count: usize,
}

impl Hashed {
    const ENOUGH: usize = 4 << 10;

    fn new() -> Self {
        Self {
            hasher: Sha256::new(),
            waiting: [0; Self::ENOUGH],
            count: 0,
        }
    }

    fn hash_what_waits(&mut self) {
        self.hasher.update(&self.waiting[..self.count]);
        self.count = 0;
    }
}

impl Flavor for Hashed {
    type Output = Sum;

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if self.count + bytes.len() > Self::ENOUGH {
            self.hash_what_waits();
        }
        match self.waiting[self.count..].get_mut(..bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.count += bytes.len();
            }
            None => self.hasher.update(bytes),
        }
        Ok(())
    }

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        if self.count == Self::ENOUGH {
            self.hash_what_waits();
        }
        self.waiting[self.count] = byte;
        self.count += 1;
        Ok(())
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
