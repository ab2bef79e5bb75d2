//! What can be asked over HTTP, as values: one table says how a request is read, checked and
//! answered, and how it is described to others, so that the two cannot part ways.
//!
//! An operation computes and does no I/O but the cache's, so it is a plain function; the edge
//! ([`super::edge`]) runs it on a thread of its own.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::http::Method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::refusal::{Code, Refusal};

/// A query longer than this is no question.
pub(crate) const LONGEST_QUERY: usize = 8 << 10;

/// How many items can be asked for.
pub(crate) const MOST_ITEMS: u32 = 200;

/// Something that can be asked.
pub(crate) struct Operation<S> {
    pub(crate) method: Method,
    /// Below the part of the address that names the surface; `{*path}` is a note's path.
    pub(crate) path: &'static str,
    /// What it does, in a line.
    pub(crate) about: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// JSON Schema of the body, if it has one.
    pub(crate) body: Option<fn() -> Value>,
    /// JSON Schema of the answer.
    pub(crate) answer: fn() -> Value,
    /// Whether something is changed by it, which takes the token.
    pub(crate) writes: bool,
    pub(crate) run: fn(&S, &Asked) -> Result<Reply, Refusal>,
}

/// A parameter of the address.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) shape: Shape,
}

/// What a parameter can hold.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// Any text that is not too long; required or not.
    Text { required: bool },
    /// Texts; the parameter may stand several times.
    Texts,
    /// A whole number in a range.
    Count { least: u32, most: u32 },
    /// `1` or `true`, `0` or `false`.
    Flag,
    /// A day, `YYYY-MM-DD`.
    Day,
    /// One of some words.
    Choice(&'static [&'static str]),
}

impl Shape {
    fn schema(self) -> Value {
        match self {
            Self::Text { .. } => json!({ "type": "string", "maxLength": LONGEST_QUERY }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Count { least, most } => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            Self::Flag => json!({ "type": "boolean" }),
            Self::Day => json!({ "type": "string", "format": "date" }),
            Self::Choice(words) => json!({ "type": "string", "enum": words }),
        }
    }

    fn check(self, name: &str, value: &str) -> Result<(), Refusal> {
        let bad = |message: String| Err(Refusal::at(name, message));
        if value.len() > LONGEST_QUERY {
            let refusal = Refusal::new(
                Code::TooLarge,
                format!("must not be longer than {LONGEST_QUERY} bytes"),
            );
            return Err(Refusal {
                key: Some(name.to_owned()),
                ..refusal
            });
        }
        match self {
            Self::Text { .. } | Self::Texts => Ok(()),
            Self::Count { least, most } => match value.parse::<u32>() {
                Ok(count) if (least..=most).contains(&count) => Ok(()),
                _ => bad(format!("must be a whole number from {least} to {most}")),
            },
            Self::Flag => match value {
                "1" | "0" | "true" | "false" => Ok(()),
                _ => bad("must be 1 or 0".to_owned()),
            },
            Self::Day => concord_text::first_moment(value)
                .map(drop)
                .map_or_else(|| bad("must be a day, YYYY-MM-DD".to_owned()), Ok),
            Self::Choice(words) if words.contains(&value) => Ok(()),
            Self::Choice(words) => bad(format!("must be one of {}", words.join(", "))),
        }
    }
}

impl Parameter {
    /// As OpenAPI describes it.
    pub(crate) fn described(&self) -> Value {
        json!({
            "name": self.name,
            "in": "query",
            "description": self.about,
            "required": matches!(self.shape, Shape::Text { required: true }),
            "schema": self.shape.schema(),
        })
    }
}

/// A request that was read and checked.
#[derive(Default)]
pub(crate) struct Asked {
    given: BTreeMap<&'static str, Vec<String>>,
    /// The note's path, where the operation takes one.
    pub(crate) path: Option<String>,
    pub(crate) body: Bytes,
    /// What the asker says who it is, for processes that are asked on its behalf.
    pub(crate) authorization: Option<String>,
    /// Whether that is the service's token.
    pub(crate) has_token: bool,
}

impl Asked {
    /// Reads the query part of an address by an operation's parameters.
    pub(crate) fn read(
        query: Option<&str>,
        parameters: &'static [Parameter],
    ) -> Result<Self, Refusal> {
        let mut given: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let Some(parameter) = parameters.iter().find(|known| known.name == name) else {
                let known: Vec<&str> = parameters.iter().map(|known| known.name).collect();
                let known = known.join(", ");
                return Err(Refusal::at(
                    &name,
                    format!("no such parameter; there are {known}"),
                ));
            };
            // An empty field of a form was not filled in.
            if value.is_empty() {
                continue;
            }
            parameter.shape.check(parameter.name, &value)?;
            let values = given.entry(parameter.name).or_default();
            if !values.is_empty() && !matches!(parameter.shape, Shape::Texts) {
                return Err(Refusal::at(&name, "must not stand there twice"));
            }
            values.push(value.into_owned());
        }
        for parameter in parameters {
            let required = matches!(parameter.shape, Shape::Text { required: true });
            if required && !given.contains_key(parameter.name) {
                return Err(Refusal::at(parameter.name, "must not be empty"));
            }
        }
        Ok(Self {
            given,
            ..Self::default()
        })
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.texts(name).first().map(String::as_str)
    }

    pub(crate) fn texts(&self, name: &str) -> &[String] {
        self.given.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn count(&self, name: &str) -> Option<u32> {
        self.text(name).and_then(|count| count.parse().ok())
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.text(name), Some("1" | "true"))
    }

    /// The first moment of a day, in unix seconds.
    pub(crate) fn day(&self, name: &str) -> Option<i64> {
        self.text(name).and_then(concord_text::first_moment)
    }

    /// The body, as the shape that it must have.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_slice(&self.body).map_err(|error| Refusal::at("body", error.to_string()))
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) json: Vec<u8>,
    /// Milliseconds of each step, for `Server-Timing`.
    pub(crate) timings: Vec<(&'static str, f64)>,
}

impl Reply {
    pub(crate) fn json(value: &impl Serialize) -> Self {
        Self {
            json: serde_json::to_vec(value).expect("the wire shapes are plain data"),
            timings: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter {
            name: "q",
            about: "",
            shape: Shape::Text { required: true },
        },
        Parameter {
            name: "k",
            about: "",
            shape: Shape::Count {
                least: 1,
                most: 200,
            },
        },
        Parameter {
            name: "tag",
            about: "",
            shape: Shape::Texts,
        },
        Parameter {
            name: "since",
            about: "",
            shape: Shape::Day,
        },
        Parameter {
            name: "mode",
            about: "",
            shape: Shape::Choice(&["fast", "deep"]),
        },
        Parameter {
            name: "explain",
            about: "",
            shape: Shape::Flag,
        },
    ];

    #[test]
    fn a_request_is_read_by_its_table() {
        let asked = "q=%22a+b%22&k=10&tag=x&tag=y%2Fz&since=2026-01-02&mode=deep&explain=1";
        let asked = Asked::read(Some(asked), PARAMETERS).unwrap();
        assert_eq!(asked.text("q"), Some("\"a b\""));
        assert_eq!(asked.count("k"), Some(10));
        assert_eq!(asked.texts("tag"), ["x", "y/z"]);
        assert_eq!(asked.day("since"), Some(1_767_312_000));
        assert_eq!(
            (asked.text("mode"), asked.flag("explain")),
            (Some("deep"), true)
        );
    }

    #[test]
    fn what_the_table_does_not_allow_is_refused_by_its_name() {
        let check = |query: &str, key: &str, part: &str| {
            let refusal = Asked::read(Some(query), PARAMETERS).err().expect(query);
            assert_eq!(refusal.key.as_deref(), Some(key), "{query}");
            assert!(
                refusal.message.contains(part),
                "{query}: {}",
                refusal.message
            );
        };
        check("", "q", "must not be empty");
        check("q=", "q", "must not be empty");
        check("q=a&q=b", "q", "twice");
        check("q=a&kk=1", "kk", "there are q, k, tag");
        for k in [
            "0",
            "201",
            "1000000000",
            "-1",
            "1.5",
            "ten",
            "99999999999999999999",
        ] {
            check(&format!("q=a&k={k}"), "k", "from 1 to 200");
        }
        check("q=a&since=yesterday", "since", "YYYY-MM-DD");
        check("q=a&mode=sideways", "mode", "one of fast, deep");
        check("q=a&explain=perhaps", "explain", "1 or 0");
        check(
            &format!("q={}", "a".repeat(LONGEST_QUERY + 1)),
            "q",
            "longer",
        );
    }
}
