//! `_domains.yaml`: which domains a vault has, and the numbers that its owner chose for them.
//!
//! A domain names its `folder` (its own name, if it says nothing), or is `legacy: true` and takes
//! everything outside the others' folders. Its numbers are laid over the profile `vault`; `profile`
//! in its entry lays any others over those. An unknown key is refused by its name.

use std::collections::BTreeMap;

use concord_cache::sync::Territory;
use concord_core::Profile;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Domain, REVIEW_QUEUE, TAXONOMY};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    legacy: bool,
    folder: Option<String>,
    embedding: Option<String>,
    /// Where the gateway asks for it, if a process of its own serves it.
    url: Option<String>,
    decay: Option<Decay>,
    lexical: Option<Lexical>,
    /// Further keys of a profile.
    profile: Option<Value>,
    /// Pages inside the domain: below its folder, or below the vault's for the legacy domain.
    taxonomy: Option<String>,
    review_queue: Option<String>,
    // Read by nobody; here only so that it is no unknown key.
    #[serde(rename = "embedding_dim")]
    _embedding_dim: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decay {
    mode: Option<Value>,
    ladder: Option<Value>,
    kind_overrides: Option<Value>,
    recency_boost_days: Option<Value>,
    recency_boost_amount: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lexical {
    weight: Option<Value>,
}

/// The domains of a registry, by name.
pub(super) fn read(text: &str) -> Result<Vec<Domain>, String> {
    let entries: BTreeMap<String, Entry> =
        serde_norway::from_str(text).map_err(|e| e.to_string())?;
    if entries.is_empty() {
        return Err("names no domain; delete the file to make the vault one domain".to_owned());
    }
    let legacy: Vec<&String> = entries
        .iter()
        .filter(|(_, e)| e.legacy)
        .map(|(name, _)| name)
        .collect();
    if let [first, second, ..] = legacy[..] {
        return Err(format!(
            "`{first}` and `{second}` are both `legacy: true`; only one domain can be"
        ));
    }
    let folders: BTreeMap<&str, String> = entries
        .iter()
        .filter(|(_, entry)| !entry.legacy)
        .map(|(name, entry)| {
            let folder = entry.folder.as_deref().unwrap_or(name).trim_matches('/');
            (name.as_str(), folder.to_owned())
        })
        .collect();
    for (name, folder) in &folders {
        if folder.is_empty() || folder.split('/').any(|part| part == "..") {
            return Err(format!("{name}.folder: must be a folder inside the vault"));
        }
    }
    entries
        .iter()
        .map(|(name, entry)| {
            if name.is_empty()
                || !name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            {
                return Err(format!(
                    "{name}: a domain's name is made of letters, digits, `-` and `_`"
                ));
            }
            let territory = match folders.get(name.as_str()) {
                Some(folder) => Territory {
                    folders: vec![folder.clone()],
                    except: inside(folder, &folders),
                },
                None => Territory {
                    folders: Vec::new(),
                    except: folders.values().cloned().collect(),
                },
            };
            let page = |key: &str, given: &Option<String>, usual: &str| {
                let given = given.as_deref().unwrap_or(usual);
                if !is_page(given) {
                    return Err(format!(
                        "{name}.{key}: must be a markdown file inside the domain"
                    ));
                }
                Ok(match folders.get(name.as_str()) {
                    Some(folder) => format!("{folder}/{given}"),
                    None => given.to_owned(),
                })
            };
            Ok(Domain {
                taxonomy: page("taxonomy", &entry.taxonomy, TAXONOMY)?,
                review_queue: page("review_queue", &entry.review_queue, REVIEW_QUEUE)?,
                name: name.clone(),
                territory,
                profile: entry.profile(name).map_err(|e| format!("{name}: {e}"))?,
                model: entry.embedding.clone(),
                url: entry.url.clone(),
            })
        })
        .collect()
}

/// Whether a path leads to a markdown file below where it is seen from.
fn is_page(path: &str) -> bool {
    let parts = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    parts && !path.contains('\\') && path.to_ascii_lowercase().ends_with(".md")
}

/// Folders of other domains that lie inside this one's.
fn inside(folder: &str, folders: &BTreeMap<&str, String>) -> Vec<String> {
    let prefix = format!("{folder}/");
    folders
        .values()
        .filter(|other| other.starts_with(&prefix))
        .cloned()
        .collect()
}

impl Entry {
    /// `vault` for this domain, with the owner's numbers.
    fn profile(&self, domain: &str) -> Result<Profile, concord_core::Error> {
        let mut patch = json!({ "extends": "vault" });
        let mut set = |section: &str, key: &str, value: Option<&Value>| {
            if let Some(value) = value {
                patch[section][key] = value.clone();
            }
        };
        if let Some(decay) = &self.decay {
            set("decay", "mode", decay.mode.as_ref());
            set("decay", "ladder", decay.ladder.as_ref());
            set("decay", "kind_overrides", decay.kind_overrides.as_ref());
            set("recency", "days", decay.recency_boost_days.as_ref());
            set("recency", "amount", decay.recency_boost_amount.as_ref());
        }
        let lexical = self
            .lexical
            .as_ref()
            .and_then(|lexical| lexical.weight.as_ref());
        if let Some(weight) = lexical {
            patch["fuse"]["weights"]["lexical"] = weight.clone();
        }
        let chosen = Profile::from_patch(patch, domain)?;
        match &self.profile {
            None => Ok(chosen),
            Some(Value::String(name)) => Profile::from_patch(json!({ "extends": name }), domain),
            Some(further) => chosen.patched(further.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use concord_core::profile::DecayMode;

    use super::*;

    const SAMPLE: &str = include_str!("../../sample-vault/_domains.yaml");

    #[test]
    fn the_sample_registry_has_four_domains_with_their_owners_numbers() {
        let domains = read(SAMPLE).unwrap();
        let names: Vec<&str> = domains.iter().map(|domain| domain.name.as_str()).collect();
        assert_eq!(names, ["finance", "fitness", "learning", "nutrition"]);
        let finance = &domains[0];
        assert_eq!(
            finance.territory.except,
            ["fitness", "learning", "nutrition"]
        );
        assert_eq!(finance.profile.decay.mode, DecayMode::RankedGrouped);
        assert_eq!(finance.profile, Profile::vault("finance"));
        assert_eq!(domains[1].territory.folders, ["fitness"]);
        assert_eq!(domains[1].profile, Profile::vault("fitness"));
        assert_eq!(finance.taxonomy, "_taxonomy.md");
        assert_eq!(domains[1].review_queue, "fitness/_review-queue.md");
    }

    #[test]
    fn numbers_of_a_registry_become_numbers_of_a_profile() {
        let domains = read(
            "work:\n  folder: a/b/\n  lexical: { weight: 0.7 }\n  decay: { mode: half_life, recency_boost_days: 7 }\n  \
             profile: { limit: 5, graph: { alpha: 0.9 } }\ninner: { folder: a/b/c }\nplain: { profile: balanced }\n",
        )
        .unwrap();
        let [inner, plain, work] = &domains[..] else {
            panic!("{domains:?}")
        };
        assert_eq!(work.territory.except, ["a/b/c"]);
        assert_eq!(inner.territory.folders, ["a/b/c"]);
        assert_eq!((work.profile.limit, work.profile.graph.alpha), (5, 0.9));
        assert_eq!(work.profile.fuse.weights["lexical"], 0.7);
        assert_eq!(work.profile.decay.mode, DecayMode::HalfLife);
        assert_eq!(work.profile.recency.days, 7.0);
        assert_eq!(plain.profile, Profile::balanced());
    }

    #[test]
    fn what_a_registry_must_not_say_is_refused_by_name() {
        let check = |text: &str, part: &str| {
            let message = read(text).unwrap_err();
            assert!(message.contains(part), "{text:?}: {message}");
        };
        check("a: { legasy: true }", "legasy");
        check("a: { decay: { ladder: [] } }", "decay.ladder");
        check("a: { decay: { mode: sideways } }", "decay.mode");
        check("a: { lexical: { weight: -1 } }", "fuse.weights.lexical");
        check("a: { profile: { fusing: 1 } }", "fusing");
        check("a: { profile: nobody }", "nobody");
        check(
            "a: { legacy: true }\nb: { legacy: true }",
            "only one domain",
        );
        check("a: { folder: ../b }", "a.folder");
        check("a: { taxonomy: ../t.md }", "a.taxonomy");
        check("a: { review_queue: /etc/passwd }", "a.review_queue");
        check("a/b: {}", "a/b");
        check("{}", "names no domain");
        check("- a", "invalid type");
    }
}
