//! Reading: files or standard input, and the profile that `--profile` means.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use concord_core::profile::NAMES;
use concord_core::{Error, Fault, Profile};
use serde_json::Value as Json;
use serde_norway::Value as Yaml;

use crate::failure::Failure;

/// No bundle comes near this; what does is the wrong file, and would end in the memory's end.
const LARGEST: u64 = 1 << 30;

/// Where input comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// `-` is standard input; a file of that name is `./-`.
    pub(crate) fn new(argument: &Path) -> Self {
        if argument.as_os_str() == "-" {
            Self::Stdin
        } else {
            Self::File(argument.to_owned())
        }
    }

    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Failure> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin().lock()),
            Self::File(path) => Box::new(File::open(path).map_err(|e| Failure::file(self, &e))?),
        })
    }

    /// The whole text. `fault` says what it is meant to be.
    pub(crate) fn text(&self, fault: Fault) -> Result<String, Failure> {
        let refused = |message: String| Failure::refused(self, &fault.at("", message));
        let mut bytes = Vec::new();
        let mut reader = self.open()?.take(LARGEST + 1);
        let length = reader
            .read_to_end(&mut bytes)
            .map_err(|e| Failure::file(self, &e))?;
        if length as u64 > LARGEST {
            return Err(refused("must not be larger than 1 GiB".into()));
        }
        let mut text = String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            refused(format!("must be UTF-8, and byte {at} is not"))
        })?;
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        Ok(text)
    }
}

/// Some editors and shells put one before UTF-8; it is no part of any document.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The profile that an argument names or holds, for a domain.
pub(crate) fn profile(argument: &Path, domain: &str) -> Result<Profile, Failure> {
    let name = argument.to_str();
    if let Some(profile) = name.and_then(|name| Profile::named(name, domain)) {
        return Ok(profile);
    }
    if argument.as_os_str() != "-" && fs::exists(argument).is_ok_and(|exists| !exists) {
        let (argument, names) = (argument.display(), NAMES.join("`, `"));
        return Err(Failure::Input(format!(
            "{argument}: no such file, and no profile of that name; there are `{names}`"
        )));
    }
    let source = Source::new(argument);
    let text = source.text(Fault::Profile)?;
    let is_json = argument.extension().is_some_and(|ending| ending == "json");
    patch(&text, is_json)
        .and_then(|patch| Profile::from_patch(patch, domain))
        .map_err(|e| Failure::refused(source, &e))
}

/// Reads a patch: JSON if it is that, else YAML. (JSON is not quite a part of YAML: a tab, or an
/// emoji as two `\u` escapes, is fine in one and an error in the other.)
pub(crate) fn patch(text: &str, must_be_json: bool) -> Result<Json, Error> {
    // Through YAML's own value in both cases, since that one refuses a key that stands twice.
    let yaml: Yaml = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(e) if must_be_json => return Err(Fault::Profile.at("", e.to_string())),
        Err(_) => serde_norway::from_str(text).map_err(|e| Fault::Profile.at("", e.to_string()))?,
    };
    json_of(yaml, "")
}

/// YAML that JSON can hold too. What it cannot is refused here by its key: `.nan` would otherwise
/// become `null`, and `null` removes a key.
fn json_of(yaml: Yaml, key: &str) -> Result<Json, Error> {
    let refuse = |message: String| Err(Fault::Profile.at(key, message));
    match yaml {
        Yaml::Null => Ok(Json::Null),
        Yaml::Bool(value) => Ok(value.into()),
        Yaml::String(value) => Ok(value.into()),
        Yaml::Number(number) => match number.as_f64() {
            Some(value) if !value.is_finite() => {
                refuse(format!("must be a finite number, found {number}"))
            }
            _ => serde_json::to_value(number).or_else(|e| refuse(e.to_string())),
        },
        Yaml::Sequence(list) => {
            let items = list.into_iter().enumerate();
            let items = items.map(|(i, item)| json_of(item, &format!("{key}[{i}]")));
            items.collect::<Result<Vec<Json>, Error>>().map(Json::Array)
        }
        Yaml::Mapping(mapping) => {
            let mut object = serde_json::Map::new();
            for (name, value) in mapping {
                let Yaml::String(name) = name else {
                    return refuse("a key here is no text; put it in quotes".into());
                };
                let below = if key.is_empty() {
                    name.clone()
                } else {
                    format!("{key}.{name}")
                };
                object.insert(name, json_of(value, &below)?);
            }
            Ok(object.into())
        }
        Yaml::Tagged(tagged) => refuse(format!("the tag {} means nothing here", tagged.tag)),
    }
}
