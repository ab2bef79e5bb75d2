//! A text that many hold and that is hashed once.
//!
//! A passage stands in the bundles of many questions, and its text is most of what a bundle's digest
//! covers. So a digest takes a text by its own hash, and whoever keeps passages keeps that too. For
//! people and for JSON it is a string like any other.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A text that many hold and that is hashed once.
#[derive(Clone, Default)]
pub struct Text(Arc<Whole>);

#[derive(Default)]
struct Whole {
    text: String,
    sum: OnceLock<[u8; 32]>,
}

impl Text {
    /// SHA-256 of its bytes.
    #[must_use]
    pub fn sum(&self) -> &[u8; 32] {
        let hashed = || Sha256::digest(self.0.text.as_bytes()).into();
        self.0.sum.get_or_init(hashed)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Arc::new(Whole {
            text,
            sum: OnceLock::new(),
        }))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

/// As itself where people may read it, and by its hash in the canonical bytes of a digest, which are
/// the only form here that nobody reads.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(self)
        } else {
            self.sum().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}
