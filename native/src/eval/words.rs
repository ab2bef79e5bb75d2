//! An evaluation as text for a terminal.

use std::fmt::Write as _;

use super::Report;
use super::measure::{MAIN, MEASURES};
use super::tune::Proposal;
use super::verdict::{Change, Comparison, Moved, StageVerdict, Verdict};
use crate::output::{FAINT, STRONG, counted, plain};

/// So many questions are named on each side of a layer.
const NAMED: usize = 3;

/// A question is cut to so many characters.
const LONGEST: usize = 72;

/// Everything that was found.
pub(super) fn told(report: &Report) -> String {
    let mut text = String::new();
    for verdict in &report.verdicts {
        tell(&mut text, verdict);
    }
    for comparison in &report.comparisons {
        compare(&mut text, comparison);
    }
    if let Some(proposal) = &report.proposal {
        propose(&mut text, proposal);
    }
    text
}

fn tell(text: &mut String, verdict: &Verdict) {
    let model = verdict.model.as_deref().unwrap_or("words alone");
    let model = model.split(':').next().unwrap_or(model);
    let _ = writeln!(
        text,
        "{STRONG}{}{STRONG:#}  {FAINT}{}, {}, {}, profile {}{FAINT:#}\n",
        plain(&verdict.name),
        counted(verdict.questions, "question"),
        counted(verdict.notes as usize, "note"),
        plain(model),
        plain(&verdict.profile),
    );
    let _ = write!(
        text,
        "  {:<20}{:>9} {:<15}",
        "",
        MEASURES[MAIN].name(),
        "95 % interval"
    );
    for (at, measure) in MEASURES.iter().enumerate() {
        if at != MAIN {
            let _ = write!(text, "{:>11}", measure.name());
        }
    }
    text.push('\n');
    for stage in &verdict.stages {
        row(
            text,
            &stage.title,
            stage,
            stage.key == verdict.stages[verdict.stages.len() - 1].key,
        );
    }
    text.push('\n');
    for stage in &verdict.stages {
        if let Some(change) = &stage.change {
            let _ = writeln!(
                text,
                "  {STRONG}{}{STRONG:#}  {}",
                stage.title,
                changed(change)
            );
            named(text, change);
        }
    }
    if !verdict.categories.is_empty() {
        let _ = writeln!(
            text,
            "\n  {:<20}{:>10}{:>9}",
            "category",
            "questions",
            MEASURES[MAIN].name()
        );
        for category in &verdict.categories {
            let mean = category.figures[&MEASURES[MAIN].name()].mean;
            let name = plain(&category.name).to_string();
            let _ = writeln!(text, "  {name:<20}{:>10}{mean:>9.3}", category.questions);
        }
    }
    text.push('\n');
}

fn row(text: &mut String, title: &str, stage: &StageVerdict, is_last: bool) {
    let main = stage.figures[&MEASURES[MAIN].name()];
    let style = if is_last {
        STRONG
    } else {
        anstyle::Style::new()
    };
    let interval = format!("{:.3} – {:.3}", main.low, main.high);
    let _ = write!(
        text,
        "  {style}{title:<20}{:>9.4}{style:#} {FAINT}{interval:<15}{FAINT:#}",
        main.mean
    );
    for (at, measure) in MEASURES.iter().enumerate() {
        if at != MAIN {
            let _ = write!(text, "{:>11.3}", stage.figures[&measure.name()].mean);
        }
    }
    text.push('\n');
}

/// What a layer did, in a line.
pub(super) fn changed(change: &Change) -> String {
    if change.helped.is_empty() && change.hurt.is_empty() {
        return format!("against {}: helped none, hurt none", change.against);
    }
    let difference = &change.difference;
    let sure = if difference.is_significant() {
        ""
    } else {
        ", which may be chance"
    };
    format!(
        "{:+.4} ({:+.4} … {:+.4}) against {}{sure}: helped {}, hurt {}, left {}",
        difference.mean,
        difference.low,
        difference.high,
        change.against,
        change.helped.len(),
        change.hurt.len(),
        change.unchanged,
    )
}

fn named(text: &mut String, change: &Change) {
    for (sign, moved) in [("▲", &change.helped), ("▼", &change.hurt)] {
        for moved in moved.iter().take(NAMED) {
            let _ = writeln!(text, "      {FAINT}{sign} {}{FAINT:#}", one(moved));
        }
    }
}

fn one(moved: &Moved) -> String {
    let mut query = plain(&moved.query).to_string();
    if query.chars().count() > LONGEST {
        query = query.chars().take(LONGEST).collect::<String>() + "…";
    }
    format!("{:.2} → {:.2}  {query}", moved.before, moved.after)
}

fn compare(text: &mut String, comparison: &Comparison) {
    let (first, second) = (
        plain(&comparison.first).to_string(),
        plain(&comparison.second).to_string(),
    );
    let width = first.chars().count().max(second.chars().count()).max(9) + 2;
    let _ = writeln!(
        text,
        "{STRONG}{}{STRONG:#}  {first} against {second}, {}\n",
        plain(&comparison.name),
        counted(comparison.questions, "question"),
    );
    let _ = writeln!(
        text,
        "  {:<12}{first:>width$}{second:>width$}  difference",
        ""
    );
    for compared in &comparison.measures {
        let difference = &compared.difference;
        let sure = if difference.is_significant() || difference.low == difference.high {
            ""
        } else {
            "  may be chance"
        };
        let _ = writeln!(
            text,
            "  {:<12}{:>width$.4}{:>width$.4}  {:+.4} ({:+.4} … {:+.4}, p {:.3}){FAINT}{sure}{FAINT:#}",
            compared.measure,
            compared.first,
            compared.second,
            difference.mean,
            difference.low,
            difference.high,
            difference.p,
        );
    }
    let change = &comparison.change;
    let _ = writeln!(
        text,
        "\n  {first} is better on {}, worse on {}, equal on {}",
        counted(change.helped.len(), "question"),
        change.hurt.len(),
        change.unchanged
    );
    named(text, change);
    text.push('\n');
}

fn propose(text: &mut String, proposal: &Proposal) {
    let _ = writeln!(
        text,
        "{STRONG}Proposal{STRONG:#}  {FAINT}from {} in {} folds, {} profiles tried{FAINT:#}\n",
        counted(proposal.questions, "question"),
        proposal.folds,
        proposal.tried
    );
    let said = [
        ("chosen on", proposal.training),
        ("not chosen on", proposal.held_out),
    ];
    for (what, gain) in said {
        let _ = writeln!(
            text,
            "  on questions it was {what:<14}{:+.4} ({:+.4} … {:+.4})",
            gain.mean, gain.low, gain.high
        );
    }
    for number in &proposal.numbers {
        let _ = writeln!(
            text,
            "    {:<26}{} → {}",
            number.key, number.from, number.to
        );
    }
    let _ = writeln!(text, "\n  {}", proposal.conclusion());
}
