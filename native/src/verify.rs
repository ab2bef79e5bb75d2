//! `concord verify`: quotations against the texts that they cite, one by hand or a stream.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use concord_core::cite::{self, CitationCheck, CitationReason, MIN_CHARACTERS, Quotation};
use concord_core::{Error, Fault};
use serde::Serialize;

use crate::Outcome;
use crate::failure::Failure;
use crate::input::{BYTE_ORDER_MARK, Source};
use crate::output::{self, BAD, FAINT, GOOD, STRONG, counted, plain};

/// Check quotations against the text that they cite.
///
/// With --jsonl, each line `{"quote": …, "chunk": …}` of the input is answered by one line
/// `{"citation_verified": …, "citation_reason": …, "spans": [[start, end], …]}` of output, in
/// order. Spans are bytes of the chunk in UTF-8, one for each fragment of the quotation. Reasons
/// are match, no_quote, no_chunk_text, too_short and not_found.
///
/// A line that is no quotation does not stop the rest: it is answered by
/// `{"error": {"code", "key", "message", "line"}}`, so that the n-th line of output still answers
/// the n-th of input, and reported on standard error. So is a blank line, unless only blank
/// lines follow: those at the end count for nothing. A line may
/// hold 16 MiB.
///
/// Exit code 0 if every line could be read, whatever was verified; 2 if one could not.
#[derive(clap::Args)]
#[command(
    override_usage = "concord verify --jsonl [FILE]\n       concord verify --quote <TEXT> --chunk <FILE> [--json]"
)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["jsonl", "quote"]))]
pub(crate) struct Args {
    /// Check every line of this file; without a file, or with `-`, of standard input
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        conflicts_with = "json"
    )]
    jsonl: Option<PathBuf>,
    /// Check this one quotation
    #[arg(
        long,
        value_name = "TEXT",
        requires = "chunk",
        allow_hyphen_values = true
    )]
    quote: Option<String>,
    /// The text that it cites; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "quote")]
    chunk: Option<PathBuf>,
    /// Print the outcome of the one check as a line of JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    match (&args.jsonl, &args.quote, &args.chunk) {
        (Some(lines), _, _) => check_lines(&Source::new(lines)),
        (None, Some(quote), Some(chunk)) => check_one(quote, chunk, args.json),
        _ => Err(Failure::Input(
            "verify: --jsonl, or --quote and --chunk".into(),
        )),
    }
}

fn check_one(quote: &str, chunk: &Path, json: bool) -> Result<Outcome, Failure> {
    let text = Source::new(chunk).text(Fault::Quotation)?;
    let quotation = Quotation {
        quote: Some(quote.to_owned()),
        chunk: Some(text),
    };
    let check = cite::verify(&quotation);
    if json {
        output::print_verbatim(&output::json_line(&check))?;
    } else {
        output::print(&in_words(
            &check,
            quotation.chunk.as_deref().unwrap_or_default(),
        ))?;
    }
    Ok(Outcome::Done)
}

fn in_words(check: &CitationCheck, chunk: &str) -> String {
    let reason = check.citation_reason.name();
    let why = match check.citation_reason {
        CitationReason::Match => "every word of it is in the chunk".to_owned(),
        CitationReason::NoQuote => "nothing is quoted".to_owned(),
        CitationReason::NoChunkText => "the chunk has no text".to_owned(),
        CitationReason::TooShort => {
            format!("no part of it has {MIN_CHARACTERS} characters, so a match would mean little")
        }
        CitationReason::NotFound => "it is not in the chunk".to_owned(),
    };
    let (style, verdict) = if check.citation_verified {
        (GOOD, "verified")
    } else {
        (BAD, "not verified")
    };
    let mut text = String::new();
    let _ = writeln!(text, "{style}{verdict}{style:#}  {reason}: {why}");
    for &(start, end) in &check.spans {
        let (before, passage, after) = in_context(chunk, start as usize, end as usize);
        let (before, passage, after) = (plain(&before), plain(passage), plain(&after));
        let _ = writeln!(text, "\n  {FAINT}bytes {start} to {end}{FAINT:#}");
        let _ = writeln!(text, "  {before}»{STRONG}{passage}{STRONG:#}«{after}");
    }
    text
}

/// A passage, with what stands before and after it in its paragraph, as far as the eye goes.
fn in_context(text: &str, start: usize, end: usize) -> (String, &str, String) {
    const SIGHT: usize = 60;
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = after.split('\n').next().unwrap_or_default();
    let cut = before.char_indices().rev().nth(SIGHT - 1);
    let before = match cut {
        Some((at, _)) if at > 0 => format!("…{}", &before[at..]),
        _ => before.to_owned(),
    };
    let after = match after.char_indices().nth(SIGHT) {
        Some((at, _)) => format!("{}…", &after[..at]),
        None => after.to_owned(),
    };
    (before, text.get(start..end).unwrap_or_default(), after)
}

/// A line longer than this is refused and skipped: memory stays bounded whatever comes in.
const LONGEST_LINE: usize = 16 << 20;

/// What is answered to a line that is no quotation.
#[derive(Serialize)]
struct Refusal<'a> {
    error: RefusedLine<'a>,
}

#[derive(Serialize)]
struct RefusedLine<'a> {
    code: &'a str,
    key: &'a str,
    message: &'a str,
    line: u64,
}

/// How many lines came to what.
#[derive(Default)]
struct Tally {
    by_reason: [u64; 5],
    bad: u64,
}

const REASONS: [CitationReason; 5] = [
    CitationReason::Match,
    CitationReason::NotFound,
    CitationReason::TooShort,
    CitationReason::NoQuote,
    CitationReason::NoChunkText,
];

fn check_lines(source: &Source) -> Result<Outcome, Failure> {
    let mut lines = Lines::new(BufReader::new(source.open()?));
    let mut answers = Answers {
        source,
        out: io::BufWriter::new(io::stdout().lock()),
        tally: Tally::default(),
    };
    let mut blank_since = None;
    loop {
        // Whoever wrote a line and waits for its answer gets it before we wait for the next.
        if lines.would_wait() {
            answers.flush()?;
        }
        let Some((number, line)) = lines.next().map_err(|e| Failure::file(source, &e))? else {
            break;
        };
        if line.as_ref().is_ok_and(|line| is_blank(line)) {
            blank_since.get_or_insert(number);
            continue;
        }
        for blank in blank_since.take().unwrap_or(number)..number {
            answers.refuse(blank, "", "the line is blank")?;
        }
        match line.and_then(read) {
            Ok(quotation) => answers.check(&quotation)?,
            Err(error) => answers.refuse(number, &error.key, &error.message)?,
        }
    }
    answers.flush()?;
    output::notice(&answers.tally.in_words());
    Ok(if answers.tally.bad == 0 {
        Outcome::Done
    } else {
        Outcome::PartlyRefused
    })
}

struct Answers<'a, W> {
    source: &'a Source,
    out: W,
    tally: Tally,
}

impl<W: Write> Answers<'_, W> {
    fn check(&mut self, quotation: &Quotation) -> Result<(), Failure> {
        let check = cite::verify(quotation);
        let at = REASONS.iter().position(|&r| r == check.citation_reason);
        self.tally.by_reason[at.unwrap_or_default()] += 1;
        self.write(&check)
    }

    fn refuse(&mut self, line: u64, key: &str, message: &str) -> Result<(), Failure> {
        let error = Fault::Quotation.at(key, message);
        self.tally.bad += 1;
        self.write(&Refusal {
            error: RefusedLine {
                code: error.fault.code(),
                key,
                message,
                line,
            },
        })?;
        output::complain(&format!("{}: line {line}: {error}", self.source));
        Ok(())
    }

    fn write(&mut self, answer: &impl Serialize) -> Result<(), Failure> {
        let written = self.out.write_all(output::json_line(answer).as_bytes());
        written.map_err(|e| Failure::standard_output(&e))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|e| Failure::standard_output(&e))
    }
}

impl Tally {
    fn in_words(&self) -> String {
        let checked = self.by_reason.iter().sum::<u64>();
        let lines = usize::try_from(checked + self.bad).unwrap_or(usize::MAX);
        let mut words = counted(lines, "line");
        let mut separator = ": ";
        for (reason, &count) in REASONS.into_iter().zip(&self.by_reason) {
            if count > 0 {
                let _ = write!(words, "{separator}{count} {}", reason.name());
                separator = ", ";
            }
        }
        if self.bad > 0 {
            let _ = write!(words, "{separator}{} could not be read", self.bad);
        }
        words
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

fn read(line: Vec<u8>) -> Result<Quotation, Error> {
    let refuse = |message: String| Fault::Quotation.at("", message);
    let line = String::from_utf8(line).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        refuse(format!("must be UTF-8, and byte {at} is not"))
    })?;
    Fault::Quotation.read(&line).map_err(|mut error| {
        // The reader sees one line at a time and counts it as its first.
        error.message = error.message.replace(" at line 1 column ", " at column ");
        error
    })
}

/// A stream cut into lines of bounded length.
struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
}

impl<R: Read> Lines<R> {
    fn new(reader: BufReader<R>) -> Self {
        Self { reader, number: 0 }
    }

    /// Whether the next line, or its rest, has yet to come.
    fn would_wait(&self) -> bool {
        !self.reader.buffer().contains(&b'\n')
    }

    /// The next line without its end, and its number from 1; none at the end.
    #[expect(
        clippy::type_complexity,
        reason = "a line that is too long is still a line"
    )]
    fn next(&mut self) -> io::Result<Option<(u64, Result<Vec<u8>, Error>)>> {
        let mut line = Vec::new();
        let mut too_long = false;
        loop {
            let found = match self.reader.fill_buf() {
                Ok(found) => found,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if found.is_empty() {
                if line.is_empty() && !too_long {
                    return Ok(None);
                }
                break;
            }
            let end = found.iter().position(|&byte| byte == b'\n');
            let part = &found[..end.unwrap_or(found.len())];
            too_long |= line.len() + part.len() > LONGEST_LINE;
            if too_long {
                line.clear();
            } else {
                line.extend_from_slice(part);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        if self.number == 1 {
            let mut mark = [0; 4];
            let mark = BYTE_ORDER_MARK.encode_utf8(&mut mark).as_bytes();
            if line.starts_with(mark) {
                line.drain(..mark.len());
            }
        }
        let message = format!("must not be longer than {} MiB", LONGEST_LINE >> 20);
        let line = if too_long {
            Err(Fault::Quotation.at("", message))
        } else {
            Ok(line)
        };
        Ok(Some((self.number, line)))
    }
}
