//! From what people write to a complete profile: patches, and the range of every number.

use serde_json::Value;

use super::{NAMES, Profile, WalkPolicy};
use crate::error::{Error, Fault};
use crate::score::without_sign_of_zero;

/// The keys of a profile.
const SECTIONS: [&str; 14] = [
    "name",
    "limit",
    "retrieve",
    "fuse",
    "decay",
    "graph",
    "recency",
    "signals",
    "cross",
    "diversity",
    "small_corpus",
    "budget",
    "excerpt",
    "traverse",
];

impl Profile {
    /// Lays a patch over the default that its key `extends` names (`balanced` if none).
    ///
    /// # Errors
    /// If the result is no profile; the error names the key.
    pub fn from_patch(patch: Value, domain: &str) -> Result<Self, Error> {
        let Value::Object(mut keys) = patch else {
            return Err(Fault::Profile.at("", "must be an object of keys and values"));
        };
        let base = match keys.remove("extends") {
            None if SECTIONS.iter().all(|&section| keys.contains_key(section)) => {
                return Self::from_value(&Value::Object(keys));
            }
            None => Self::balanced(),
            Some(Value::String(name)) => Self::named(&name, domain).ok_or_else(|| {
                let known = NAMES.join("`, `");
                let message = format!("there is no profile `{name}`; there are `{known}`");
                Fault::Profile.at("extends", message)
            })?,
            Some(_) => return Err(Fault::Profile.at("extends", "must be a profile's name")),
        };
        base.patched(Value::Object(keys))
    }

    /// Lays a patch over this profile.
    ///
    /// # Errors
    /// If the result is no profile; the error names the key.
    pub fn patched(&self, patch: Value) -> Result<Self, Error> {
        let mut whole =
            serde_json::to_value(self).map_err(|e| Fault::Profile.at("", e.to_string()))?;
        merge(&mut whole, patch);
        Self::from_value(&whole)
    }

    /// Reads and checks a complete profile.
    ///
    /// # Errors
    /// If the value is no profile; the error names the key.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let mut profile: Self = Fault::Profile.read(&value.to_string())?;
        profile.settle()?;
        Ok(profile)
    }

    /// Checks every number against its range, and folds −0.0.
    ///
    /// # Errors
    /// At the first number that is out of range.
    pub fn settle(&mut self) -> Result<(), Error> {
        let weight = (0.0, 1e6);
        let part = (0.0, 1.0);

        count("limit", self.limit, 1, 10_000)?;

        let retrieve = &mut self.retrieve;
        count("retrieve.pool_min", retrieve.pool_min, 1, 100_000)?;
        count("retrieve.pool_per_item", retrieve.pool_per_item, 0, 1_000)?;
        count("retrieve.feedback", retrieve.feedback, 0, 100)?;
        number(
            "retrieve.feedback_weight",
            &mut retrieve.feedback_weight,
            (0.0, 100.0),
        )?;
        number(
            "retrieve.feedback_half",
            &mut retrieve.feedback_half,
            (1e-3, 2.0),
        )?;
        number("retrieve.text_weight", &mut retrieve.text_weight, weight)?;
        number(
            "retrieve.section_weight",
            &mut retrieve.section_weight,
            weight,
        )?;
        number(
            "retrieve.heading_weight",
            &mut retrieve.heading_weight,
            weight,
        )?;

        number("fuse.k", &mut self.fuse.k, weight)?;
        for (name, value) in &mut self.fuse.weights {
            number(&format!("fuse.weights.{name}"), value, weight)?;
        }
        number("fuse.other_weight", &mut self.fuse.other_weight, weight)?;

        let decay = &mut self.decay;
        if decay.ladder.is_empty() {
            return Err(Fault::Profile.at("decay.ladder", "must have at least one step"));
        }
        for (i, step) in decay.ladder.iter_mut().enumerate() {
            number(&format!("decay.ladder[{i}]"), step, part)?;
        }
        for (kind, rule) in &mut decay.kind_overrides {
            let key = format!("decay.kind_overrides.{kind}.group_by_path_prefix");
            number(&format!("{key}[0]"), &mut rule.group_by_path_prefix.0, part)?;
            number(&format!("{key}[1]"), &mut rule.group_by_path_prefix.1, part)?;
        }
        number(
            "decay.half_life_days",
            &mut decay.half_life_days,
            (1e-3, 1e6),
        )?;
        number("decay.fading_part", &mut decay.fading_part, part)?;

        let graph = &mut self.graph;
        number("graph.alpha", &mut graph.alpha, weight)?;
        number("graph.beta", &mut graph.beta, weight)?;
        number("graph.gamma", &mut graph.gamma, weight)?;
        number("graph.strength", &mut graph.strength, weight)?;
        number("graph.damping", &mut graph.damping, (0.0, 0.999))?;
        count("graph.rounds", graph.rounds, 1, 1_000)?;
        number("graph.tolerance", &mut graph.tolerance, part)?;

        number("recency.days", &mut self.recency.days, weight)?;
        number("recency.amount", &mut self.recency.amount, (-1e6, 1e6))?;
        for (name, value) in &mut self.signals {
            number(&format!("signals.{name}"), value, (-1e6, 1e6))?;
        }

        count("cross.top", self.cross.top, 1, 10_000)?;
        number("cross.weight", &mut self.cross.weight, part)?;
        number(
            "small_corpus.max_dropped",
            &mut self.small_corpus.max_dropped,
            part,
        )?;
        count(
            "budget.chars_per_token",
            self.budget.chars_per_token,
            1,
            100,
        )?;
        count("excerpt.sentences", self.excerpt.sentences, 0, 100)?;
        let diversity = &self.diversity;
        for (key, value) in [
            ("diversity.max_per_note", diversity.max_per_note),
            ("diversity.max_per_page", diversity.max_per_page),
        ] {
            count(key, value.unwrap_or(1), 1, 10_000)?;
        }

        self.traverse.fast.settle("traverse.fast")?;
        self.traverse.deep.settle("traverse.deep")
    }
}

impl WalkPolicy {
    fn settle(&mut self, key: &str) -> Result<(), Error> {
        count(&format!("{key}.beam_width"), self.beam_width, 1, 1_000)?;
        count(&format!("{key}.max_hops"), self.max_hops, 0, 32)?;
        count(&format!("{key}.seed_count"), self.seed_count, 1, 1_000)?;
        count(&format!("{key}.target_k"), self.target_k, 1, 10_000)?;
        if let Some(floor) = &mut self.quality_floor {
            number(&format!("{key}.quality_floor"), floor, (-1.0, 1.0))?;
        }
        let threshold = &mut self.prune_threshold;
        number(&format!("{key}.prune_threshold"), threshold, (-1.0, 1.0))
    }
}

fn number(key: &str, value: &mut f64, (low, high): (f64, f64)) -> Result<(), Error> {
    *value = without_sign_of_zero(*value);
    if (low..=high).contains(value) {
        Ok(())
    } else {
        let message = format!("must be between {low} and {high}, found {value}");
        Err(Fault::Profile.at(key, message))
    }
}

fn count(key: &str, value: u32, low: u32, high: u32) -> Result<(), Error> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        let message = format!("must be between {low} and {high}, found {value}");
        Err(Fault::Profile.at(key, message))
    }
}

/// JSON merge patch.
fn merge(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(&key);
                } else {
                    merge(target.entry(key).or_insert(Value::Null), value);
                }
            }
        }
        (target, patch) => *target = patch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_profile_is_taken_as_it_stands() {
        let mut profile = Profile::vault("finance");
        profile.fuse.weights.remove("lexical");
        let value = serde_json::to_value(&profile).unwrap();
        let keys: Vec<&str> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut sections = SECTIONS;
        sections.sort_unstable();
        assert_eq!(keys, sections);
        assert_eq!(Profile::from_patch(value, "").unwrap(), profile);
    }
}
