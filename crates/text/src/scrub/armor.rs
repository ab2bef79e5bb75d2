//! Secrets that span lines: private keys in PEM, OpenSSH and PGP armour, whole or cut off.
//!
//! By hand and not by a regular expression: from each `-----BEGIN … PRIVATE KEY-----` on, lines are
//! taken as long as they can be part of a key, up to and with the closing line if it is there. A
//! key that breaks off is gone as far as it goes, and a text that only *mentions* the opening line
//! stays. Each line is looked at once, whatever the text.

use std::borrow::Cow;
use std::ops::Range;

use super::Scrubbed;

pub(super) const NAMES: [&str; 2] = ["private-key", "pgp-private-key"];

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

pub(super) fn scrub(scrubbed: &mut Scrubbed<'_>) {
    let mut kept = String::new();
    let mut counts = [0; 2];
    let text = &*scrubbed.text;
    let (mut copied, mut from) = (0, 0);
    while let Some(at) = text[from..].find(BEGIN) {
        let start = from + at;
        from = start + BEGIN.len();
        let Some((kind, header)) = header(text, from) else {
            continue;
        };
        from = header;
        if let Some(end) = key_end(text, header) {
            kept.push_str(&text[copied..start]);
            kept.push_str("[REDACTED:");
            kept.push_str(NAMES[kind]);
            kept.push(']');
            counts[kind] += 1;
            (copied, from) = (end, end);
        }
    }
    if copied > 0 {
        kept.push_str(&text[copied..]);
        scrubbed.text = Cow::Owned(kept);
        let fired = NAMES
            .into_iter()
            .zip(counts)
            .filter(|&(_, count)| count > 0);
        scrubbed.fired.extend(fired);
    }
}

/// Which kind of key opens at `at`, behind `-----BEGIN `, and where its header ends.
fn header(text: &str, at: usize) -> Option<(usize, usize)> {
    let length = text[at..]
        .bytes()
        .take(64)
        .take_while(|byte| *byte != b'-')
        .count();
    let title = &text[at..at + length];
    let end = at + length + "-----".len();
    let closed = text[at + length..].starts_with("-----");
    if !closed || !title.bytes().all(is_title) {
        return None;
    }
    if title == "PGP PRIVATE KEY BLOCK" {
        Some((1, end))
    } else {
        title.ends_with("PRIVATE KEY").then_some((0, end))
    }
}

/// Where the key ends that follows a header; none if no key follows.
fn key_end(text: &str, header: usize) -> Option<usize> {
    let mut at = header;
    let mut end = None;
    let mut full_line = false;
    for line in text[header..].split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        if let Some(closed) = closing(text, &span) {
            // A header and nothing but its closing line is a template; a key on one line has its
            // line breaks escaped.
            let inside = text[header..closed].split(|c: char| !is_data(c));
            let is_key = end.is_some() || inside.into_iter().any(|run| run.len() >= 32);
            return is_key.then_some(closed);
        }
        let content = bare(line);
        if content.is_empty() {
            continue;
        }
        let is_header = content.split_once(": ").is_some_and(|(name, _)| {
            !name.is_empty()
                && name.len() < 24
                && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-')
        });
        let data = content.chars().all(|c| is_data(c) || c == '\\');
        if data
            && (content.len() >= 16
                || full_line
                || content.ends_with('=')
                || content.starts_with('='))
        {
            full_line = content.len() >= 48;
            end = Some(span.start + line.trim_end().len());
        } else if is_header && end.is_none() {
            // `Proc-Type: 4,ENCRYPTED`, `Version: …`: before the data only.
        } else {
            break;
        }
    }
    end
}

/// The end of the closing line's dashes, if one is in this line.
fn closing(text: &str, line: &Range<usize>) -> Option<usize> {
    let at = line.start + text[line.clone()].find(END)? + END.len();
    let title = text[at..line.end]
        .bytes()
        .take_while(|&byte| is_title(byte))
        .count();
    let rest = &text[at + title..line.end];
    if rest.trim_end().is_empty() {
        Some(at + title)
    } else {
        rest.starts_with("-----")
            .then_some(at + title + "-----".len())
    }
}

fn is_title(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
}

fn is_data(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '=')
}

/// A line without what quotations, comments, lists and string literals put around it.
fn bare(line: &str) -> &str {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "\"'`,>#*|;".contains(c));
    let line = line.trim_start_matches("\\n").trim_end_matches("\\n");
    line.trim_end_matches("\\")
}
