//! The receipt: a ranking with all it depends on, so that anyone can compute it again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bundle::Bundle;
use crate::error::{Error, Fault};
use crate::prepared::Prepared;
use crate::profile::Profile;
use crate::ranking::Ranking;

/// A ranking with its bundle and profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Receipt {
    /// What was ranked.
    pub bundle: Bundle,
    /// By which numbers.
    pub profile: Profile,
    /// What came out.
    pub ranking: Ranking,
}

/// What came of computing a receipt again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Replay {
    /// Every bit is the same.
    pub same: bool,
    /// The digest on the receipt.
    pub recorded: String,
    /// The digest computed here.
    pub recomputed: String,
    /// The first difference; none if there is none.
    pub difference: Option<Difference>,
}

/// A place at which two rankings differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Difference {
    /// Where, e.g. `items[2].score`.
    pub key: String,
    /// What the receipt says there; a number with its bits.
    pub recorded: String,
    /// What was computed.
    pub recomputed: String,
}

impl Receipt {
    /// Reads and checks a receipt.
    ///
    /// # Errors
    /// If the text is no receipt; the error names the key.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let mut receipt: Self = Fault::Receipt.read(json)?;
        let within = |part: &str, error: Error| {
            let key = format!("{part}.{}", error.key);
            Fault::Receipt.at(key, error.message)
        };
        receipt.bundle.check().map_err(|e| within("bundle", e))?;
        receipt.profile.settle().map_err(|e| within("profile", e))?;
        Ok(receipt)
    }

    /// Computes the ranking again and compares it bit for bit.
    ///
    /// # Errors
    /// If the receipt's bundle or profile cannot be ranked.
    pub fn replay(self) -> Result<Replay, Error> {
        let recorded = self.ranking;
        let recomputed = Prepared::new(self.bundle)?.rank(&self.profile)?;
        let difference = first_difference(&recorded, &recomputed);
        Ok(Replay {
            same: difference.is_none(),
            recorded: recorded.digest,
            recomputed: recomputed.digest,
            difference,
        })
    }
}

/// The keys of a ranking, in the order in which a difference is looked for: the digest always
/// differs when anything does and explains nothing.
const KEYS: [&str; 8] = [
    "version",
    "candidates",
    "scale",
    "graph",
    "small_corpus",
    "items",
    "dropped",
    "digest",
];

/// The first place at which two rankings differ.
fn first_difference(recorded: &Ranking, recomputed: &Ranking) -> Option<Difference> {
    let as_value =
        |ranking: &Ranking| serde_json::to_value(ranking).expect("a ranking is plain data");
    let (recorded, recomputed) = (as_value(recorded), as_value(recomputed));
    KEYS.iter()
        .find_map(|&key| differ(key, &recorded[key], &recomputed[key]))
}

fn differ(key: &str, recorded: &Value, recomputed: &Value) -> Option<Difference> {
    let below = |name: &str| format!("{key}.{name}");
    match (recorded, recomputed) {
        (Value::Object(a), Value::Object(b)) => a
            .iter()
            .find_map(|(name, a)| differ(&below(name), a, b.get(name).unwrap_or(&Value::Null))),
        (Value::Array(a), Value::Array(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            let inside =
                |(i, (a, b)): (usize, (&Value, &Value))| differ(&format!("{key}[{i}]"), a, b);
            pairs
                .map(inside)
                .find(Option::is_some)
                .flatten()
                .or_else(|| {
                    (a.len() != b.len()).then(|| Difference {
                        key: below("length"),
                        recorded: a.len().to_string(),
                        recomputed: b.len().to_string(),
                    })
                })
        }
        (a, b) if a == b => None,
        (a, b) => Some(Difference {
            key: key.to_owned(),
            recorded: shown(a),
            recomputed: shown(b),
        }),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => {
            let bits = number.as_f64().unwrap_or_default().to_bits();
            format!("{number} (bits {bits:016x})")
        }
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
        value => value.to_string(),
    }
}
