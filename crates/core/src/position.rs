//! From a place in a JSON text to the key that stands there, e.g. `legs[0].hits[2].score`.
//!
//! serde_json tells line and column of an error, people want the key. Tracking keys while reading
//! (as the crate serde_path_to_error does) slows every reading down and, instantiated for every
//! shape, made up a quarter of the browser package; finding the key afterwards, from the text
//! before the error, costs nothing until there is one.

/// An object or list that is open at the place.
enum Open {
    Object {
        key: Option<String>,
        awaits_key: bool,
    },
    List {
        index: usize,
        begun: bool,
    },
}

/// The key at a line and column (from 1, in bytes) as serde_json counts them: just behind the value
/// or key at fault, or behind the bracket that ends what lacks something.
pub(crate) fn key_at(json: &str, line: usize, column: usize) -> String {
    let mut before = 0;
    for line in json.split_inclusive('\n').take(line.saturating_sub(1)) {
        before += line.len();
    }
    let end = (before + column).min(json.len());
    let bytes = &json.as_bytes()[..end];

    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b':' => {}
            b'}' | b']' => {
                open.pop();
            }
            b',' => match open.last_mut() {
                Some(Open::Object { key, awaits_key }) => (*key, *awaits_key) = (None, true),
                Some(Open::List { index, begun }) => (*index, *begun) = (*index + 1, false),
                None => {}
            },
            b'"' => {
                let start = at - 1;
                at = end_of_string(bytes, at);
                if let Some(Open::Object {
                    key,
                    awaits_key: awaits_key @ true,
                }) = open.last_mut()
                {
                    let quoted = json.get(start..at).unwrap_or_default();
                    *key = serde_json::from_str(quoted).ok();
                    *awaits_key = false;
                } else {
                    begin_element(&mut open);
                }
            }
            b'{' | b'[' => {
                begin_element(&mut open);
                open.push(match byte {
                    b'{' => Open::Object {
                        key: None,
                        awaits_key: true,
                    },
                    _ => Open::List {
                        index: 0,
                        begun: false,
                    },
                });
            }
            _ => begin_element(&mut open),
        }
    }
    path(&open)
}

/// The place behind the closing quote of a string whose first character is at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn begin_element(open: &mut [Open]) {
    if let Some(Open::List { begun, .. }) = open.last_mut() {
        *begun = true;
    }
}

fn path(open: &[Open]) -> String {
    let mut path = String::new();
    for part in open {
        match part {
            Open::Object { key: Some(key), .. } => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            Open::List { index, begun: true } => path += &format!("[{index}]"),
            _ => {}
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::key_at;
    use crate::{Score, Seconds};

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Outer {
        name: String,
        list: Vec<Inner>,
        pair: (f64, f64),
        when: Option<Seconds>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Inner {
        count: u32,
        score: Score,
    }

    #[test]
    fn an_error_is_placed_at_its_key() {
        let check = |json: &str, expected: &str| {
            let error = serde_json::from_str::<Outer>(json).unwrap_err();
            let found = key_at(json, error.line(), error.column());
            assert_eq!(found, expected, "{json}: {error}");
        };
        check(r#"{"name": 1}"#, "name");
        check(r#"{"name": {"a": 1}}"#, "name");
        check(r#"{"name": ["a"]}"#, "name");
        check(r#"{"name": null, "list": []}"#, "name");
        check(
            "{\"name\": \"x\",\n \"list\": [\n  {\"count\": -1, \"score\": 0}]}",
            "list[0].count",
        );
        check(
            r#"{"list": [{"count": 1, "score": 0}, {"count": 1.5}]}"#,
            "list[1].count",
        );
        // The last field of its object, and a number that only the type refuses.
        check(
            r#"{"list": [{"count": 1, "score": 1e999}]}"#,
            "list[0].score",
        );
        check(r#"{"when": 0.5}"#, "when");
        check(r#"{"when": 0.5, "name": ""}"#, "when");
        // What lacks a field is named, and what has one too many.
        check(r#"{"list": [{"count": 1}, 2]}"#, "list[0]");
        check(r#"{"name": "", "list": [], "when": null}"#, "");
        check(r#"{"list": [{"count": 1, "extra": 2}]}"#, "list[0].extra");
        check(r#"{"list": [{"count": 1, "count": 2}]}"#, "list[0].count");
        check(r#"{"pair": [1]}"#, "pair");
        check(r#"{"pair": [1, "2"]}"#, "pair[1]");
        check(r#"{"pair": [1, 2, 3]}"#, "pair[2]");
        // Keys and values that hold what looks like structure.
        check(r#"{"name": "{[,\"}", "a.b\"c": 1}"#, "a.b\"c");
        check(r#"{"name": "\\", "list": 7}"#, "list");
        // Text that ends or breaks off.
        check(r#"{"list": [{"count": 1, "sco"#, "list[0]");
        check(r#"{"list": [{"count": 1, "score": "#, "list[0].score");
        check("", "");
        check("[", "");
        check("7", "");
    }
}
