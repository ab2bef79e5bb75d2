//! `concord compose`: evidence packs for a file of questions.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Instant;

use concord_core::{Error, Fault, Seconds};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::partial::Partial;
use super::{Asked, Composed, Terms, Wish, draft, in_parallel, packs};
use crate::Outcome;
use crate::collection::Collection;
use crate::failure::Failure;
use crate::input::{BYTE_ORDER_MARK, Source};
use crate::llm::{LlmArgs, Usage, Writer};
use crate::opened::Asking;
use crate::output::{self, counted};
use crate::rx::{Desk, Store};

/// No list of questions comes near this.
const LARGEST: u64 = 1 << 30;

/// So many questions are worked on together.
const BLOCK: usize = 64;

/// Compose evidence packs for many questions.
///
/// Each line `{"question": …, "id"?: …, "scope"?: {folder, tags, kind, author, since, before,
/// files}}` of the input is answered by one line of output, in order: the passages with their
/// excerpts, a numbered context block to write from, what each number cites, and a digest. A line
/// that is no question is answered by `{"error": {"code", "key", "message", "line"}}`, reported on
/// standard error, and does not stop the rest; the exit code is then 2.
///
/// An unchanged vault gives the same bytes: ages are counted from when its newest note was changed,
/// unless --now says otherwise. A run can be ended at any moment; the same command goes on where it
/// ended, or begins anew if questions, index or profile are others. The output appears under its
/// name when it is complete.
///
/// Nothing leaves this machine, unless --draft asks a model to write: it is then sent each question
/// with its passages. Every quotation of a draft is checked, and told as it is.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The questions, one a line; `-` is standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// Where the packs go; without it, to standard output, and an ended run cannot be gone on with
    #[arg(long = "out", value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    asking: Asking,
    /// How many passages at most, instead of the profile's limit
    #[arg(short, long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=200))]
    k: Option<u32>,
    /// How many tokens of passages at most, instead of the profile's budget; 4000 if that has none
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// The moment that ages are counted from
    #[arg(long, value_name = "YYYY-MM-DD|SECONDS", value_parser = moment)]
    now: Option<Seconds>,
    /// Have a model write a draft from each pack: questions and passages are sent to it
    #[arg(long)]
    draft: bool,
    /// Save each draft as a recommendation
    #[arg(long, requires = "draft")]
    save: bool,
    /// How many drafts are written at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    parallel: u8,
    #[command(flatten)]
    llm: LlmArgs,
}

fn moment(text: &str) -> Result<Seconds, String> {
    let day = concord_text::first_moment(text);
    #[expect(
        clippy::cast_precision_loss,
        reason = "days of years that people write"
    )]
    let seconds = day.map(|day| day as f64).or_else(|| text.parse().ok());
    let seconds = seconds.and_then(|seconds| Seconds::try_from(seconds).ok());
    seconds.ok_or_else(|| "must be a day, YYYY-MM-DD, or a moment in unix seconds".to_owned())
}

/// The questions of a file, each or what is wrong with it.
struct Questions {
    lines: Vec<Result<Wish, Error>>,
    /// Of the whole file.
    hash: String,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let source = Source::new(&args.input);
    let questions = Questions::read(&source)?;
    let mut bad = 0;
    for (line, place) in questions.lines.iter().zip(1_u64..) {
        if let Err(error) = line {
            bad += 1;
            output::complain(&format!("{source}: line {place}: {error}"));
        }
    }
    let writer = args.draft.then(|| args.llm.writer(None)).transpose()?;
    let collection = args.asking.collection()?;
    let profile = args.asking.profile_for(&collection)?;
    let terms = Terms::new(&collection, profile, args.k, args.max_tokens, args.now)?;
    let index = collection.state()?.mark;
    let basis = json!({
        "version": 1,
        "core": concord_core::VERSION,
        "questions": questions.hash,
        "index": index,
        "domain": collection.name,
        "profile": terms.profile,
        "now": terms.now,
        "draft": writer.as_ref().map(|writer| &writer.model),
    });
    let mut out = match &args.output {
        None => Sink::Standard,
        Some(file) => Sink::File(Partial::open(
            file,
            &output::json_line(&basis),
            |place, line| questions.answers(place, line),
        )?),
    };
    let kept = out.kept();
    if kept > 0 {
        let (kept, of) = (kept, questions.lines.len());
        output::notice(&format!(
            "going on after {kept} of {of}, where an earlier run ended"
        ));
    }
    collection.warm();
    let mut run = Run {
        args,
        collection: &collection,
        terms: &terms,
        writer: writer.as_ref(),
        usage: Usage::default(),
        drafts: 0,
    };
    let bar = Bar::new(questions.lines.len(), kept);
    // Blocks begin at the same questions in every run.
    let block = if run.writer.is_some() {
        usize::from(args.parallel)
    } else {
        BLOCK
    };
    let mut done = kept;
    while done < questions.lines.len() {
        let end = (done / block + 1) * block;
        let lines = &questions.lines[done..end.min(questions.lines.len())];
        let made = run.block(lines, done);
        let (text, stopped) = match made {
            Ok(text) => (text, None),
            Err((text, failure)) => (text, Some(failure)),
        };
        out.add(&text)?;
        if let Some(failure) = stopped {
            bar.end();
            output::notice("what was composed so far is kept; the same command goes on from there");
            return Err(failure);
        }
        done += lines.len();
        bar.show(done);
    }
    bar.end();
    if collection.state()?.mark != index {
        return Err(Failure::Busy(
            "the index changed meanwhile, and packs of two states are not mixed; run it again"
                .to_owned(),
        ));
    }
    out.finish()?;
    let made = counted(done - bad, "pack");
    let seconds = started.elapsed().as_secs_f64();
    output::notice(&format!("{made} in {seconds:.1} s"));
    if run.writer.is_some() {
        let drafts = counted(run.drafts, "draft");
        output::notice(&format!("{drafts}: {}", run.usage));
    }
    Ok(if bad == 0 {
        Outcome::Done
    } else {
        let bad = counted(bad, "line");
        output::notice(&format!("{bad} could not be read"));
        Outcome::PartlyRefused
    })
}

struct Run<'a> {
    args: &'a Args,
    collection: &'a Collection,
    terms: &'a Terms,
    writer: Option<&'a Writer>,
    usage: Usage,
    drafts: usize,
}

impl Run<'_> {
    /// The lines of output for some lines of input. If the run must end, what is there before that.
    fn block(
        &mut self,
        lines: &[Result<Wish, Error>],
        before: usize,
    ) -> Result<String, (String, Failure)> {
        let wishes: Vec<&Wish> = lines.iter().flatten().collect();
        let made = packs(self.collection, &wishes, self.terms);
        let made = made.map_err(|refusal| (String::new(), refusal.into()))?;
        let drafts: Vec<Option<Result<draft::Draft, draft::Stopped>>> = match self.writer {
            None => made.iter().map(|_| None).collect(),
            Some(writer) => in_parallel(made.len(), usize::from(self.args.parallel), |i| {
                Some(draft::write(self.collection, writer, &made[i]))
            }),
        };
        let mut composed = made.into_iter().zip(drafts);
        let mut text = String::new();
        for (line, place) in lines.iter().zip(before + 1..) {
            if let Err(error) = line {
                text += &refused(error, place);
                continue;
            }
            let Some((pack, draft)) = composed.next() else {
                break;
            };
            let draft = match draft.transpose() {
                Ok(draft) => draft,
                Err(draft::Stopped::Model(trouble)) => {
                    return Err((text, Failure::Machine(trouble.to_string())));
                }
                Err(draft::Stopped::Vault(refusal)) => return Err((text, refusal.into())),
            };
            let mut composed = Composed { pack, draft };
            match self.count_and_save(&mut composed) {
                Ok(()) => text += &output::json_line(&composed),
                Err(failure) => return Err((text, failure)),
            }
        }
        Ok(text)
    }

    fn count_and_save(&mut self, composed: &mut Composed) -> Result<(), Failure> {
        let Some(draft) = &mut composed.draft else {
            return Ok(());
        };
        self.usage.add(draft.usage);
        self.drafts += usize::from(draft.text.is_some());
        if let (true, Some(new)) = (self.args.save, draft.recommendation(&composed.pack)) {
            let desk = Desk {
                store: Store::of(self.args.asking.vault()),
                witnesses: self.collection,
            };
            draft.recommendation = Some(desk.take_in(&composed.pack.domain, new)?.id);
        }
        Ok(())
    }
}

/// What is answered to a line that is no question.
fn refused(error: &Error, line: usize) -> String {
    output::json_line(&json!({ "error": {
        "code": error.fault.code(),
        "key": error.key,
        "message": error.message,
        "line": line,
    } }))
}

impl Questions {
    fn read(source: &Source) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::file(source, &error);
        let mut bytes = Vec::new();
        let mut reader = source.open()?.take(LARGEST + 1);
        let length = reader.read_to_end(&mut bytes).map_err(failed)?;
        if length as u64 > LARGEST {
            return Err(Failure::Input(format!(
                "{source}: must not be larger than 1 GiB"
            )));
        }
        let mut mark = [0; 4];
        let mark = BYTE_ORDER_MARK.encode_utf8(&mut mark).as_bytes();
        let text = bytes.strip_prefix(mark).unwrap_or(&bytes);
        // Blank lines at the end count for nothing.
        let text = text.trim_ascii_end();
        let lines = text.split(|&byte| byte == b'\n');
        let lines = lines.zip(1..).map(|(line, place)| question(line, place));
        Ok(Self {
            lines: if text.is_empty() {
                Vec::new()
            } else {
                lines.collect()
            },
            hash: blake3::hash(&bytes).to_hex().to_string(),
        })
    }

    /// Whether a line of output may be the answer to the question at that place, from 0.
    fn answers(&self, place: usize, line: &str) -> bool {
        let Ok(told) = serde_json::from_str::<Value>(line) else {
            return false;
        };
        match self.lines.get(place) {
            None => false,
            Some(Ok(wish)) => told["id"] == wish.id && told["question"] == wish.query,
            Some(Err(_)) => told["error"]["line"] == place + 1,
        }
    }
}

fn question(line: &[u8], place: usize) -> Result<Wish, Error> {
    let line = std::str::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to();
        Fault::Question.at("", format!("must be UTF-8, and byte {at} is not"))
    })?;
    let asked: Asked = Fault::Question.read(line).map_err(|mut error| {
        // The reader sees one line at a time and counts it as its first.
        error.message = error.message.replace(" at line 1 column ", " at column ");
        error
    })?;
    asked.checked(place)
}

enum Sink {
    Standard,
    File(Partial),
}

impl Sink {
    fn kept(&self) -> usize {
        match self {
            Self::Standard => 0,
            Self::File(partial) => partial.kept,
        }
    }

    fn add(&mut self, lines: &str) -> Result<(), Failure> {
        match self {
            Self::Standard => output::print_verbatim(lines),
            Self::File(partial) => partial.add(lines),
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Standard => Ok(()),
            Self::File(partial) => partial.finish(),
        }
    }
}

/// A progress bar on a terminal, a line every thousand questions elsewhere.
struct Bar(ProgressBar);

impl Bar {
    fn new(questions: usize, kept: usize) -> Self {
        let style =
            ProgressStyle::with_template("{bar:30} {pos}/{len} questions ({per_sec}, {eta})");
        let bar = ProgressBar::new(questions as u64);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(kept as u64);
        bar.reset_eta();
        Self(bar)
    }

    fn show(&self, done: usize) {
        let before = self.0.position() / 1_000;
        self.0.set_position(done as u64);
        if self.0.is_hidden() && done as u64 / 1_000 > before {
            let of = self.0.length().unwrap_or_default();
            output::notice(&format!("{done} of {of} questions"));
        }
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_question_is_refused_by_its_key() {
        let check = |line: &str, key: &str, part: &str| {
            let error = question(line.as_bytes(), 1).expect_err(line);
            assert_eq!(error.key, key, "{line}");
            assert!(error.message.contains(part), "{line}: {}", error.message);
        };
        check(r#"{"question": " "}"#, "question", "empty");
        check(r#"{"id": "a"}"#, "", "missing field `question`");
        check(r#"{"question": 7}"#, "question", "string");
        check(
            r#"{"question": "a", "quesion": "b"}"#,
            "quesion",
            "unknown field",
        );
        check(
            r#"{"question": "a", "scope": {"since": "soon"}}"#,
            "scope.since",
            "YYYY-MM-DD",
        );
        check(
            r#"{"question": "a", "scope": {"tag": "b"}}"#,
            "scope.tag",
            "unknown field",
        );
        check("", "", "EOF");
        check("what?", "", "column");
        let long = "a".repeat(crate::http::LONGEST_QUERY + 1);
        check(
            &format!(r#"{{"question": "{long}"}}"#),
            "question",
            "longer",
        );
        assert!(question(b"\xff", 1).is_err());
    }

    #[test]
    fn a_question_without_a_name_has_its_place() {
        let wish = question(br#"{"question": "a"}"#, 7).expect("a question");
        assert_eq!(wish.id, "7");
    }
}
