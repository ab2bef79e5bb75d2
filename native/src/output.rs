//! Writing: answers to standard output, notices to standard error, receipts to files.
//!
//! The text of notes is other people's, and no note may move the cursor, rename the window or
//! forge a line of ours. Where such text goes out for people it goes through [`plain`]; in JSON,
//! which has to stay true to the letter, what steers a terminal goes out as an escape.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::Source;

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Prints text for people, with colours where they are wanted.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| Failure::standard_output(&e))
}

/// Prints text as it is.
pub(crate) fn print_verbatim(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| Failure::standard_output(&e))
}

/// Prints a value as one JSON document.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print_verbatim(&json_document(value))
}

/// A value as a JSON document of several lines.
fn json_document(value: &impl Serialize) -> String {
    escaped(serde_json::to_string_pretty(value)) + "\n"
}

/// A value as a line of JSON.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    escaped(serde_json::to_string(value)) + "\n"
}

/// JSON escapes the control characters of ASCII by itself, but not DEL, those above it, and what
/// turns the direction of writing. They can only stand inside strings, so an escape is the same.
fn escaped(json: serde_json::Result<String>) -> String {
    let json = json.expect("the wire shapes are plain data");
    let must_go = |c: char| c != '\n' && steers(c);
    if !json.contains(must_go) {
        return json;
    }
    let mut text = String::with_capacity(json.len() + 64);
    for character in json.chars() {
        if must_go(character) {
            text.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            text.push(character);
        }
    }
    text
}

/// Says on standard error what went wrong.
pub(crate) fn complain(message: &str) {
    say(&format!("{BAD}concord{BAD:#}: {}", plain(message)));
}

/// Says something on standard error that is no part of the answer.
pub(crate) fn notice(message: &str) {
    say(&format!("{FAINT}concord: {}{FAINT:#}", plain(message)));
}

fn say(line: &str) {
    // Where standard error is closed there is nobody left to tell.
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Writes a value as JSON, whole or not at all: into a new file beside the old one, which then
/// takes its place.
pub(crate) fn write_file(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let target = Source::File(path.to_owned());
    let failed = |e: io::Error| Failure::file(&target, &e);
    let text = json_document(value);

    // A link keeps pointing to the file; a device or a pipe has no old content to spare, and a
    // file must not take its place.
    let resolved = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let special = fs::metadata(&resolved).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if special {
        return fs::write(&resolved, text).map_err(failed);
    }

    let Some(name) = resolved.file_name() else {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    };
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    let temporary = resolved.with_file_name(temporary_name);

    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())
                .and_then(|()| file.sync_all())
        })
        .and_then(|()| fs::rename(&temporary, &resolved));
    written.map_err(|e| {
        // What is left of it, if anything; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        failed(e)
    })
}

/// Text of others, harmless on a terminal: a tab or the end of a line becomes a space, and what
/// else steers a terminal becomes `\u{fffd}`.
pub(crate) fn plain(text: &str) -> Plain<'_> {
    Plain(text)
}

pub(crate) struct Plain<'a>(&'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for character in self.0.chars() {
            f.write_char(match character {
                '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
                character if steers(character) => char::REPLACEMENT_CHARACTER,
                character => character,
            })?;
        }
        Ok(())
    }
}

/// Whether a terminal takes it for a command, or it turns the direction of writing.
fn steers(character: char) -> bool {
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || character.is_control()
}

/// Lines of text that fit the terminal after an indent; one line where output is no terminal, so
/// that a sentence can be searched for.
pub(crate) fn wrapped(text: &str, indent: usize) -> Vec<Cow<'_, str>> {
    if io::stdout().is_terminal() {
        textwrap::wrap(text, textwrap::termwidth().saturating_sub(indent).max(20))
    } else {
        vec![text.into()]
    }
}

/// A unified diff, with what comes and what goes in colours.
pub(crate) fn coloured(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len() + 256);
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => GOOD,
            Some(b'-') => BAD,
            Some(b'@') => FAINT,
            _ => Style::new(),
        };
        text.push_str(&format!("{style}{}{style:#}\n", plain(line)));
    }
    text
}

/// `1 note`, `2 notes`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
