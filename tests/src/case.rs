//! A case: what every runtime is asked, and the form in which answers are compared.
//!
//! Inputs are JSON, because that is what every runtime can read, malformed ones included. An
//! answer is flattened into lines `key value`, numbers as the 16 hex digits of their bits, so that
//! equal text means equal bits and the first line that differs names the field.

use concord_core::cite::{self, Quotation};
use concord_core::profile::WalkPolicy;
use concord_core::traverse::World;
use concord_core::{Bundle, Error, Fault, Prepared, Profile, Receipt};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// What every runtime is asked. Parts that are null are not asked.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// The promise that it keeps.
    pub name: String,
    /// To be ranked, and its graph to be measured.
    pub bundle: Value,
    /// Under this patch.
    pub profile: Value,
    /// To be verified.
    pub quotations: Value,
    /// To be walked through: `{ world, policy }`.
    pub walk: Value,
    /// A receipt to be computed again, besides the one that the bundle yields.
    pub receipt: Value,
}

impl Case {
    /// A case that asks nothing yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            bundle: Value::Null,
            profile: Value::Null,
            quotations: Value::Null,
            walk: Value::Null,
            receipt: Value::Null,
        }
    }

    /// What the native core answers. `tests/js/answer.mjs` does the same through the package.
    #[must_use]
    pub fn answer(&self) -> Value {
        let mut answer = json!({});
        if !self.bundle.is_null() {
            let (ranking, graph, replay) = self.rank();
            answer["ranking"] = ranking;
            answer["graph"] = graph;
            answer["replay"] = replay;
        }
        if !self.quotations.is_null() {
            answer["citations"] = outcome(self.verify());
        }
        if !self.walk.is_null() {
            answer["walk"] = outcome(self.traverse());
        }
        if !self.receipt.is_null() {
            let receipt = Receipt::from_json(&self.receipt.to_string());
            answer["receipt"] = outcome(receipt.and_then(Receipt::replay));
        }
        answer
    }

    fn rank(&self) -> (Value, Value, Value) {
        let bundle = Bundle::from_json(&self.bundle.to_string());
        let prepared = match bundle.and_then(Prepared::new) {
            Ok(prepared) => prepared,
            Err(error) => return (refusal(&error), Value::Null, Value::Null),
        };
        let patch = match &self.profile {
            Value::Null => json!({}),
            patch => patch.clone(),
        };
        let profile = match Profile::from_patch(patch, &prepared.bundle().domain) {
            Ok(profile) => profile,
            Err(error) => return (refusal(&error), Value::Null, Value::Null),
        };
        let ranking = prepared.rank(&profile);
        let graph = outcome(prepared.graph(&profile));
        let receipt = json!({
            "bundle": self.bundle,
            "profile": profile,
            "ranking": ranking.as_ref().ok(),
        });
        let replay = Receipt::from_json(&receipt.to_string()).and_then(Receipt::replay);
        (outcome(ranking), graph, outcome(replay))
    }

    fn verify(&self) -> Result<Value, Error> {
        let quotations: Vec<Quotation> = Fault::Quotation.read(&self.quotations.to_string())?;
        let mut checks = cite::verify_many(&quotations);
        for (check, quotation) in checks.iter_mut().zip(&quotations) {
            let chunk = quotation.chunk.as_deref().unwrap_or_default();
            check.spans = cite::utf16_spans(chunk, &check.spans);
        }
        Ok(json!(checks))
    }

    fn traverse(&self) -> Result<Value, Error> {
        let world: World = Fault::Walk.read(&self.walk["world"].to_string())?;
        let policy: WalkPolicy = Fault::Walk.read(&self.walk["policy"].to_string())?;
        Ok(json!(world.walk(&policy)?))
    }
}

fn outcome(result: Result<impl Serialize, Error>) -> Value {
    match result {
        Ok(value) => json!(value),
        Err(error) => refusal(&error),
    }
}

/// Code and key must agree everywhere; the wording of a message may follow the runtime.
fn refusal(error: &Error) -> Value {
    json!({ "refused": { "code": error.fault.code(), "key": error.key } })
}

/// An answer as lines `key value`, in the order of the keys.
#[must_use]
pub fn flatten(answer: &Value) -> String {
    let mut lines = String::new();
    flatten_into("", answer, &mut lines);
    lines
}

fn flatten_into(key: &str, value: &Value, lines: &mut String) {
    let shown = match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if key.is_empty() { "" } else { "." };
                flatten_into(&format!("{key}{dot}{name}"), value, lines);
            }
            return;
        }
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                flatten_into(&format!("{key}[{i}]"), value, lines);
            }
            format!("list of {}", list.len())
        }
        Value::Number(number) => {
            let bits = number.as_f64().unwrap_or(f64::NAN).to_bits();
            format!("{bits:016x}")
        }
        other => other.to_string(),
    };
    lines.push_str(key);
    lines.push(' ');
    lines.push_str(&shown);
    lines.push('\n');
}

/// The SHA-256 of a flattened answer, in hex.
#[must_use]
pub fn digest(flat: &str) -> String {
    let sum = Sha256::digest(flat.as_bytes());
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first line that differs: its key, and what stands there on either side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The field.
    pub key: String,
    /// What it ought to be.
    pub expected: String,
    /// What it is.
    pub found: String,
}

/// Compares two flattened answers.
#[must_use]
pub fn first_mismatch(expected: &str, found: &str) -> Option<Mismatch> {
    let mut expected = expected.lines();
    let mut found = found.lines();
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return None,
            (a, b) if a == b => {}
            (a, b) => {
                let split = |line: Option<&str>| {
                    let line = line.unwrap_or_default();
                    let (key, value) = line.split_once(' ').unwrap_or((line, ""));
                    (key.to_owned(), value.to_owned())
                };
                let (expected, found) = (split(a), split(b));
                let key = if a.is_some() { expected.0 } else { found.0 };
                return Some(Mismatch {
                    key,
                    expected: expected.1,
                    found: found.1,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_changed_bit_is_reported_with_its_field() {
        let answer = |score: f64| flatten(&json!({ "items": [{ "rank": 1, "score": score }] }));
        let next = f64::from_bits(0.1_f64.to_bits() + 1);
        let mismatch = first_mismatch(&answer(0.1), &answer(next)).expect("they differ");
        assert_eq!(mismatch.key, "items[0].score");
        assert_eq!(mismatch.expected, "3fb999999999999a");
        assert_eq!(mismatch.found, "3fb999999999999b");
        assert_eq!(first_mismatch(&answer(0.1), &answer(0.1)), None);
        assert_ne!(digest(&answer(0.1)), digest(&answer(next)));
    }
}
