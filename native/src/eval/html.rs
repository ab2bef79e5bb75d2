//! The report as one page that needs nothing else: no script, no font, no request.
//!
//! It begins with what a newcomer can read: how good each way of searching is, and what each layer
//! adds. Questions and names are other people's text, and no part of the page's markup.

use std::fmt::Write as _;

use super::Report;
use super::chart::{self, Bar};
use super::measure::{MAIN, MEASURES};
use super::tune::Proposal;
use super::verdict::{Change, Comparison, Moved, StageVerdict, Verdict};
use crate::output::counted;

/// So many questions are listed on each side of a layer.
const LISTED: usize = 12;

const STYLE: &str = include_str!("report.css");

/// The whole page.
pub(super) fn page(report: &Report) -> String {
    let mut body = String::new();
    body.push_str(
        "<header><h1>What each layer adds</h1><p>Questions whose answers are known were asked, and the \
         answers compared with the judgments. <b>nDCG@10</b> says how well the first ten notes are \
         ordered: 1 is the best order there is, 0 is nothing useful. A whisker is the range in which the \
         figure would lie, 95 times out of 100, had other questions of the same kind been asked. Where \
         whiskers overlap widely, a difference may be chance.</p></header>",
    );
    for verdict in &report.verdicts {
        section(&mut body, verdict);
    }
    for comparison in &report.comparisons {
        compared(&mut body, comparison);
    }
    if let Some(proposal) = &report.proposal {
        proposed(&mut body, proposal);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Concord: what each layer adds</title><style>{STYLE}</style></head>\
         <body><main>{body}</main></body></html>\n"
    )
}

fn section(body: &mut String, verdict: &Verdict) {
    let model = verdict.model.as_deref().unwrap_or("words alone");
    let model = model.split(':').next().unwrap_or(model);
    let _ = write!(
        body,
        "<section><h2>{}</h2><p class=\"facts\">{} · {} · {} · profile {}</p>",
        escaped(&verdict.name),
        counted(verdict.questions, "question"),
        counted(verdict.notes as usize, "note"),
        escaped(model),
        escaped(&verdict.profile)
    );
    let last = verdict.stages.len().saturating_sub(1);
    let main = MEASURES[MAIN].name();
    let stages = verdict.stages.iter().enumerate().map(|(at, stage)| {
        let mean = stage.figures[&main];
        Bar {
            label: &stage.title,
            note: "",
            value: mean.mean,
            whisker: Some((mean.low, mean.high)),
            remark: stage.change.as_ref().map(remark).unwrap_or_default(),
            class: match (stage.is_leg, at == last) {
                (true, _) => "leg",
                (false, true) => "whole",
                (false, false) => "layer",
            },
        }
    });
    let stages: Vec<Bar<'_>> = stages.collect();
    let _ = write!(
        body,
        "<figure>{}<figcaption><span class=\"key leg\"></span>one way of searching by itself \
         <span class=\"key layer\"></span>a layer on top of the one above \
         <span class=\"key whole\"></span>the ranking as it is shown; beside a layer, what it changed and \
         <span class=\"up\">▲ questions helped</span>, <span class=\"down\">▼ hurt</span></figcaption></figure>",
        chart::bars(&format!("{main} of {}", verdict.name), &stages)
    );
    body.push_str("<dl>");
    for stage in &verdict.stages {
        let (title, meaning) = (escaped(&stage.title), escaped(&stage.meaning));
        let _ = write!(body, "<dt>{title}</dt><dd>{meaning}</dd>");
    }
    body.push_str("</dl>");
    figures(body, verdict);
    for stage in &verdict.stages {
        if let Some(change) = &stage.change {
            moved(body, stage, change);
        }
    }
    if !verdict.categories.is_empty() {
        let bars = verdict.categories.iter().map(|category| {
            let mean = category.figures[&main];
            Bar {
                label: &category.name,
                note: "",
                value: mean.mean,
                whisker: Some((mean.low, mean.high)),
                remark: counted(category.questions, "question"),
                class: "whole",
            }
        });
        let bars: Vec<Bar<'_>> = bars.collect();
        let chart = chart::bars("by category", &bars);
        let _ = write!(body, "<h3>By kind of question</h3><figure>{chart}</figure>");
    }
    body.push_str("</section>");
}

fn remark(change: &Change) -> String {
    let difference = change.difference.mean;
    format!(
        "{difference:+.3}  ▲{} ▼{}",
        change.helped.len(),
        change.hurt.len()
    )
}

/// Every measure of every stage.
fn figures(body: &mut String, verdict: &Verdict) {
    body.push_str("<div class=\"wide\"><table><thead><tr><th></th>");
    for measure in MEASURES {
        let _ = write!(body, "<th>{}</th>", measure.name());
    }
    body.push_str("</tr></thead><tbody>");
    for stage in &verdict.stages {
        let _ = write!(body, "<tr><th>{}</th>", escaped(&stage.title));
        for measure in MEASURES {
            let mean = stage.figures[&measure.name()];
            let _ = write!(
                body,
                "<td title=\"{:.3} – {:.3}\">{:.3}</td>",
                mean.low, mean.high, mean.mean
            );
        }
        body.push_str("</tr>");
    }
    body.push_str("</tbody></table></div>");
}

fn moved(body: &mut String, stage: &StageVerdict, change: &Change) {
    if change.helped.is_empty() && change.hurt.is_empty() {
        return;
    }
    let _ = write!(
        body,
        "<details><summary><b>{}</b> {}</summary>",
        escaped(&stage.title),
        escaped(&super::words::changed(change))
    );
    questions(body, change);
    body.push_str("</details>");
}

fn questions(body: &mut String, change: &Change) {
    body.push_str("<div class=\"wide\"><table class=\"moved\"><tbody>");
    for (class, sign, moved) in [("up", "▲", &change.helped), ("down", "▼", &change.hurt)] {
        for Moved {
            query,
            before,
            after,
            ..
        } in moved.iter().take(LISTED)
        {
            let _ = write!(
                body,
                "<tr><td class=\"{class}\">{sign}</td><td>{before:.2} → {after:.2}</td><td>{}</td></tr>",
                escaped(query)
            );
        }
        if moved.len() > LISTED {
            let more = moved.len() - LISTED;
            let _ = write!(
                body,
                "<tr><td class=\"{class}\">{sign}</td><td></td><td>and {more} more</td></tr>"
            );
        }
    }
    body.push_str("</tbody></table></div>");
}

fn compared(body: &mut String, comparison: &Comparison) {
    let (first, second) = (escaped(&comparison.first), escaped(&comparison.second));
    let _ = write!(
        body,
        "<section><h2>{}: {first} against {second}</h2><p class=\"facts\">{}</p><div class=\"wide\"><table>\
         <thead><tr><th></th><th>{first}</th><th>{second}</th><th>difference</th><th>95 % interval</th><th>p</th></tr>\
         </thead><tbody>",
        escaped(&comparison.name),
        counted(comparison.questions, "question")
    );
    for compared in &comparison.measures {
        let difference = &compared.difference;
        let class = match difference.is_significant() {
            true if difference.mean > 0.0 => "up",
            true => "down",
            false => "faint",
        };
        let _ = write!(
            body,
            "<tr><th>{}</th><td>{:.4}</td><td>{:.4}</td><td class=\"{class}\">{:+.4}</td><td>{:+.4} … {:+.4}</td><td>{:.3}</td></tr>",
            compared.measure,
            compared.first,
            compared.second,
            difference.mean,
            difference.low,
            difference.high,
            difference.p
        );
    }
    let change = &comparison.change;
    let _ = write!(
        body,
        "</tbody></table></div><details><summary>{first} is better on {}, worse on {}, equal on {}</summary>",
        counted(change.helped.len(), "question"),
        change.hurt.len(),
        change.unchanged
    );
    questions(body, change);
    body.push_str("</details></section>");
}

fn proposed(body: &mut String, proposal: &Proposal) {
    let _ = write!(
        body,
        "<section><h2>A proposal</h2><p>{}</p><p class=\"facts\">{} in {} folds · on questions it was chosen on \
         {:+.4} ({:+.4} … {:+.4}) · on questions it was not {:+.4} ({:+.4} … {:+.4})</p><table><tbody>",
        escaped(&proposal.conclusion()),
        counted(proposal.questions, "question"),
        proposal.folds,
        proposal.training.mean,
        proposal.training.low,
        proposal.training.high,
        proposal.held_out.mean,
        proposal.held_out.low,
        proposal.held_out.high
    );
    for number in &proposal.numbers {
        let key = escaped(&number.key);
        let _ = write!(
            body,
            "<tr><th>{key}</th><td>{} → {}</td></tr>",
            number.from, number.to
        );
    }
    body.push_str("</tbody></table></section>");
}

/// Text as text.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}
