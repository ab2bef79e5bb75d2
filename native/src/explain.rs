//! How a score came about, in words and in numbers that add up.
//!
//! A column of rounded numbers rarely adds up to its rounded total. Here it does: each part is
//! shown as the step that the rounded running total takes, which is within one unit of its last
//! digit. The exact numbers stand in `--json`.

use std::fmt;

use anstyle::Style;
use concord_core::profile::{FuseMethod, GraphMode, Profile, Relevance};
use concord_core::ranking::{CrossTrace, DecayRule, DecayTrace, Item, LegShare, LinkState, Term};
use concord_core::{Ranking, Score};

use crate::output::{FAINT, STRONG, plain};

/// Writes the parts of an item's score, one a line.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    item: &Item,
    ranking: &Ranking,
    profile: &Profile,
) -> fmt::Result {
    let trace = &item.trace;

    let mut fused = Column::default();
    for share in &trace.legs {
        let words = leg(share, item.chunk, profile);
        fused.part(&share.leg, words, share.contribution.get());
    }
    fused.write(f, "fused", "", trace.fused)?;

    let weight = short(trace.decay.weight.get());
    let words = decay(&trace.decay, profile);
    row(f, "×", &weight, "decay", &words, Style::new())?;
    row(f, "=", &shown(trace.decayed.get()), "decayed", "", STRONG)?;

    let mut blended = Column::default();
    let meaning = match profile.graph.relevance {
        Relevance::Fused => {
            let (low, high) = (ranking.scale.low.get(), ranking.scale.high.get());
            format!("  decayed, as a part of {low:.6} … {high:.6}")
        }
        Relevance::Cosine => "  cosine to the query".into(),
    };
    let term = |term: &Term| format!("{:.6} × {}", term.value.get(), short(term.weight.get()));
    blended.part(
        "relevance",
        term(&trace.relevance) + &meaning,
        trace.relevance.product(),
    );
    match links(trace.links, ranking, profile) {
        Some(why) => blended.part("links", why, 0.0),
        None => {
            blended.part(
                "PageRank",
                term(&trace.page_rank),
                trace.page_rank.product(),
            );
        }
    }
    if matches!(trace.links, LinkState::Cited | LinkState::Uncited) {
        let by = if ranking.graph.by_degree {
            "  by degree"
        } else {
            ""
        };
        let words = term(&trace.centrality) + by;
        blended.part("centrality", words, trace.centrality.product());
    }
    let words = if profile.recency.amount == 0.0 {
        "off by profile".into()
    } else if trace.recency == Score::ZERO {
        format!("not changed in the last {} days", profile.recency.days)
    } else {
        format!("changed in the last {} days", profile.recency.days)
    };
    blended.part("recency", words, trace.recency.get());
    for signal in &trace.signals {
        let words = term(&signal.term) + "  signal";
        blended.part(&signal.name, words, signal.term.product());
    }

    match &trace.cross {
        None => blended.write(f, "score", "", item.score),
        Some(cross) => {
            let rank = format!("rank {} by this", trace.blended_rank);
            blended.write(f, "blended", &rank, trace.blended)?;
            crossed(cross).write(f, "score", "", item.score)
        }
    }?;
    if trace.scored_rank != item.rank {
        let words = format!("rank {} before others were dropped", trace.scored_rank);
        row(f, "", "", "", &words, FAINT)?;
    }
    Ok(())
}

/// What a leg gave, and for what.
fn leg(share: &LegShare, shown_chunk: u32, profile: &Profile) -> String {
    let LegShare {
        rank, raw, weight, ..
    } = share;
    let (raw, weight, k) = (short(raw.get()), short(weight.get()), short(profile.fuse.k));
    let how = match profile.fuse.method {
        FuseMethod::Rrf => format!("{weight} / ({k} + {rank})  rank {rank}, own score {raw}"),
        FuseMethod::Convex => {
            format!("{weight} × own score, scaled to 0 … 1  rank {rank}, own score {raw}")
        }
    };
    if share.chunk == shown_chunk {
        how
    } else {
        format!("{how}, for the note's chunk {}", share.chunk)
    }
}

/// Why a note weighs what it weighs.
fn decay(trace: &DecayTrace, profile: &Profile) -> String {
    let group = trace.group.as_deref().unwrap_or_default();
    let place = match trace.position {
        Some(0) => "newest".to_owned(),
        Some(position) => format!("no. {} from the newest", u64::from(position) + 1),
        None => "one".to_owned(),
    };
    let half_life = profile.decay.half_life_days;
    match trace.rule {
        DecayRule::Off => "age does not weigh".into(),
        DecayRule::Evergreen => "evergreen".into(),
        DecayRule::NoAuthor => "no author, so it stands alone".into(),
        DecayRule::Ladder => format!("ladder: {place} of the notes by {group}"),
        DecayRule::NewestQuarter => format!("of the newest quarter in {group} ({place})"),
        DecayRule::OlderQuarter => format!("of an older quarter in {group} ({place})"),
        DecayRule::HalfLife => format!("half of it goes every {half_life} days"),
        DecayRule::Undated => "no date, so it has no age".into(),
        DecayRule::ValidityWindow => "by what is left of its validity".into(),
    }
}

/// Why links add nothing or only a part; none where both measures take part.
fn links(state: LinkState, ranking: &Ranking, profile: &Profile) -> Option<String> {
    let graph = &profile.graph;
    let folds = graph.mode == GraphMode::Weighted;
    let goes = |what: &str| {
        if folds {
            format!("; {what} counts for relevance instead")
        } else {
            String::new()
        }
    };
    match state {
        LinkState::Cited => None,
        LinkState::Uncited => Some(format!(
            "linked, but neither cites nor is cited{}",
            goes("PageRank's weight")
        )),
        LinkState::Unlinked => Some(format!("none{}", goes("their weight"))),
        LinkState::Inactive if graph.mode == GraphMode::Off => Some("off by profile".into()),
        LinkState::Inactive if ranking.graph.nodes == 0 => Some("the bundle has none".into()),
        LinkState::Inactive => {
            let (found, needed) = (ranking.graph.citations, graph.min_citations);
            let goes = goes("their weight");
            Some(format!("too few: {found} citations, {needed} needed{goes}"))
        }
    }
}

/// `low + (high − low) · (1 − weight) · blended + (high − low) · weight · crossed`
fn crossed(cross: &CrossTrace) -> Column {
    let (low, high) = (cross.window.low.get(), cross.window.high.get());
    let (width, weight) = (high - low, cross.weight.get());
    let (blended, crossed) = (cross.blended.get(), cross.crossed.get());
    let mut column = Column::default();
    let words = format!("the lowest of those re-ordered; the highest is {high:.6}");
    column.part("window", words, low);
    let words = format!("{blended:.6} × {} × {width:.6}", short(1.0 - weight));
    column.part("blended", words, width * (1.0 - weight) * blended);
    let logit = match cross.logit {
        Some(logit) => format!("logit {}, scaled", short(logit.get())),
        None => "no logit, so as blended".into(),
    };
    let words = format!("{crossed:.6} × {} × {width:.6}  {logit}", short(weight));
    column.part("cross", words, width * weight * crossed);
    column
}

/// Parts and their total, as a column that adds up.
#[derive(Default)]
struct Column(Vec<(String, String, f64)>);

impl Column {
    fn part(&mut self, label: &str, words: String, amount: f64) {
        self.0.push((label.to_owned(), words, amount));
    }

    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        label: &str,
        words: &str,
        total: Score,
    ) -> fmt::Result {
        let amounts: Vec<f64> = self.0.iter().map(|&(_, _, amount)| amount).collect();
        let amounts = shown_to_add_up(&amounts, total.get());
        for (i, ((label, words, _), amount)) in self.0.iter().zip(&amounts).enumerate() {
            let (sign, amount) = match amount.strip_prefix('-') {
                Some(amount) => ("-", amount),
                None if i == 0 => ("", amount.as_str()),
                None => ("+", amount.as_str()),
            };
            row(f, sign, amount, label, words, Style::new())?;
        }
        row(f, "=", &shown(total.get()), label, words, STRONG)
    }
}

fn row(
    f: &mut fmt::Formatter<'_>,
    sign: &str,
    amount: &str,
    label: &str,
    words: &str,
    style: Style,
) -> fmt::Result {
    let label = plain(label).to_string();
    let words = plain(words).to_string();
    let line = format!("{sign:>1} {amount:<8}  {label:<11}  {words}");
    writeln!(f, "   {style}{}{style:#}", line.trim_end())
}

fn shown(amount: f64) -> String {
    format!("{amount:.6}")
}

/// With no more decimals than it takes, and never more than six.
fn short(number: f64) -> String {
    let text = shown(number);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The amounts with six decimals, so that they add up to the total with six decimals. They are
/// taken to add up but for rounding; the last takes what that leaves.
fn shown_to_add_up(amounts: &[f64], total: f64) -> Vec<String> {
    const UNIT: f64 = 1e6;
    // Whole numbers are exact up to here. Beyond it no digit after the point means anything.
    let exact = |amount: &f64| amount.abs() < 9e15 / UNIT;
    if !exact(&total) || !amounts.iter().all(exact) {
        return amounts.iter().map(|&amount| shown(amount)).collect();
    }
    let mut running = 0.0;
    let mut shown_before = 0.0;
    let last = amounts.len().saturating_sub(1);
    let step = |(i, amount): (usize, &f64)| {
        running += amount;
        let so_far = if i == last { total } else { running };
        let units = (so_far * UNIT).round();
        let step = units - shown_before;
        shown_before = units;
        shown(step / UNIT)
    };
    amounts.iter().enumerate().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_adds_up_to_what_is_shown_as_the_total() {
        let check = |amounts: &[f64], expected: &[&str]| {
            let total = amounts.iter().fold(0.0, |sum, amount| sum + amount);
            assert_eq!(shown_to_add_up(amounts, total), expected, "{amounts:?}");
        };
        check(&[], &[]);
        check(&[0.5], &["0.500000"]);
        // Each rounds to 0.333333; three of them would be one short of the total.
        let third = 1.0 / 3.0;
        check(
            &[third, third, third],
            &["0.333333", "0.333334", "0.333333"],
        );
        check(&[0.2, -0.05], &["0.200000", "-0.050000"]);
        check(&[1e18, 0.1], &["1000000000000000000.000000", "0.100000"]);
    }
}
