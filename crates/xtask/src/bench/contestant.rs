//! A program that answers a question with numbers, a line each.
//!
//! Contestants run at once and are asked in turn, so that what else the machine does meets all of
//! them; whoever is not asked waits for its input and takes no processor.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::say;

pub(crate) struct Contestant {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Contestant {
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} did not start", command.get_program().display()))?;
        let questions = child.stdin.take();
        let answers = child.stdout.take().context("no standard output")?;
        Ok(Self {
            child,
            questions,
            answers: BufReader::new(answers),
        })
    }

    /// Its numbers for a question.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Vec<f64>> {
        let questions = self.questions.as_mut().context("no standard input")?;
        writeln!(questions, "{question}").with_context(|| format!("asking for {question}"))?;
        questions.flush()?;
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer)?;
        ensure!(read > 0, "no answer for {question}");
        numbers(&answer).with_context(|| format!("the answer for {question}: {answer:?}"))
    }

    /// As many numbers as are expected.
    pub(crate) fn ask_for<const N: usize>(&mut self, question: &str) -> Result<[f64; N]> {
        let answer = self.ask(question)?;
        let count = answer.len();
        answer
            .try_into()
            .ok()
            .with_context(|| format!("{count} numbers for {question}, {N} are due"))
    }
}

impl Drop for Contestant {
    fn drop(&mut self) {
        // It ends with its input.
        self.questions = None;
        if let Err(error) = self.child.wait() {
            say(format!("a contestant did not end: {error}"));
        }
    }
}

fn numbers(line: &str) -> Result<Vec<f64>> {
    let numbers: Vec<f64> = line
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    ensure!(!numbers.is_empty(), "not a number");
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_numbers_and_nothing_else() {
        assert_eq!(numbers("2.50 9\n").expect("two"), [2.5, 9.0]);
        assert!(numbers("").is_err());
        assert!(numbers("2.5 nothing").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn whoever_is_asked_answers_line_by_line() {
        let mut echo = Contestant::start(Command::new("cat")).expect("cat");
        assert_eq!(echo.ask_for("1 2").expect("two"), [1.0, 2.0]);
        assert!(echo.ask_for::<1>("1 2").is_err());
    }
}
