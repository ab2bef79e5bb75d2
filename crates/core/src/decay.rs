//! Layer 2: how age weighs. `decayed = fused × weight`, one weight a note.
//!
//! * `off`: 1.
//! * `ranked_grouped`: notes are grouped by author and ordered by date, newest first, then by
//!   path; the weight is `ladder[position]`, its last value past its end. A note without author is
//!   a group of its own (1). A note of an overridden kind is grouped by the first folder below
//!   the kind's folder instead: the newest calendar quarter (UTC) present there weighs the first
//!   value, everything else the second.
//! * `half_life`: `2^(−age / half_life)`; 1 without a date.
//! * `validity_window`: a note that states when it ceases to hold weighs 1 until the last
//!   `fading_part` of its window, in which the weight falls linearly to 0; without a beginning
//!   it falls at once. A note that states nothing decays by `half_life`.
//!
//! The date is `published_at`, else `modified_at`; neither: last in the group. Evergreen notes
//! weigh 1 and take no position. (A sister system words the window as "full weight while more
//! than 75 % remains" and as "ramp-down in the last 25 %"; the second is continuous and is what
//! is built.)
//!
//! The kind's folder is the first folder of the path that bears the kind's name. A note that lies
//! directly in it, or outside it, is grouped with its own folder.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::bundle::Note;
use crate::math::exp2;
use crate::profile::{Decay, DecayMode};
use crate::ranking::{DecayRule, DecayTrace};
use crate::score::{Score, Seconds};

/// The weight of each note, among these notes.
#[must_use]
pub fn weigh(notes: &[&Note], now: Seconds, decay: &Decay) -> Vec<DecayTrace> {
    match decay.mode {
        DecayMode::Off => notes.iter().map(|_| plain(DecayRule::Off, 1.0)).collect(),
        DecayMode::RankedGrouped => ranked_grouped(notes, decay),
        DecayMode::HalfLife => each(notes, |note| half_life(note, now, decay)),
        DecayMode::ValidityWindow => each(notes, |note| {
            validity_window(note, now, decay).unwrap_or_else(|| half_life(note, now, decay))
        }),
    }
}

fn each(notes: &[&Note], weigh: impl Fn(&Note) -> DecayTrace) -> Vec<DecayTrace> {
    let evergreen_or = |&note: &&Note| {
        if note.evergreen {
            plain(DecayRule::Evergreen, 1.0)
        } else {
            weigh(note)
        }
    };
    notes.iter().map(evergreen_or).collect()
}

fn plain(rule: DecayRule, weight: f64) -> DecayTrace {
    DecayTrace {
        rule,
        group: None,
        position: None,
        weight: Score::new(weight),
    }
}

fn date(note: &Note) -> Option<Seconds> {
    note.published_at.or(note.modified_at)
}

fn half_life(note: &Note, now: Seconds, decay: &Decay) -> DecayTrace {
    let Some(date) = date(note) else {
        return plain(DecayRule::Undated, 1.0);
    };
    let age = date.days_before(now).max(0.0);
    plain(DecayRule::HalfLife, exp2(-(age / decay.half_life_days)))
}

fn validity_window(note: &Note, now: Seconds, decay: &Decay) -> Option<DecayTrace> {
    let until = note.valid_until?.get();
    let remaining = until - now.get();
    let window = note.valid_from.map_or(0.0, |from| until - from.get());
    let fading = decay.fading_part * window.max(0.0);
    let weight = if remaining <= 0.0 {
        0.0
    } else if remaining >= fading {
        1.0
    } else {
        remaining / fading
    };
    Some(plain(DecayRule::ValidityWindow, weight))
}

fn ranked_grouped(notes: &[&Note], decay: &Decay) -> Vec<DecayTrace> {
    let mut traces: Vec<DecayTrace> = notes
        .iter()
        .map(|note| {
            let alone = if note.evergreen {
                DecayRule::Evergreen
            } else {
                DecayRule::NoAuthor
            };
            plain(alone, 1.0)
        })
        .collect();

    // By kind and folder where the kind is overridden, else by no kind and author.
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for (i, note) in notes.iter().enumerate().filter(|(_, n)| !n.evergreen) {
        let kind = note.kind.as_deref();
        let group = match kind.filter(|&kind| decay.kind_overrides.contains_key(kind)) {
            Some(kind) => (Some(kind), folder_below(kind, &note.path)),
            None => match &note.author {
                Some(author) => (None, author.as_str()),
                None => continue,
            },
        };
        groups.entry(group).or_default().push(i);
    }

    for ((kind, name), mut members) in groups {
        members.sort_by_key(|&i| (Reverse(date(notes[i]).map(order)), notes[i].path.as_str()));
        let quarter = |i: usize| date(notes[i]).map(Seconds::quarter);
        let newest_quarter = members.iter().filter_map(|&i| quarter(i)).max();
        for (position, &i) in members.iter().enumerate() {
            let (rule, weight) = match kind {
                None => {
                    let step = position.min(decay.ladder.len() - 1);
                    (DecayRule::Ladder, decay.ladder[step])
                }
                Some(kind) => {
                    let (newest, older) = decay.kind_overrides[kind].group_by_path_prefix;
                    if newest_quarter.is_some() && quarter(i) == newest_quarter {
                        (DecayRule::NewestQuarter, newest)
                    } else {
                        (DecayRule::OlderQuarter, older)
                    }
                }
            };
            traces[i] = DecayTrace {
                rule,
                group: Some(kind.map_or(name.into(), |kind| format!("{kind}/{name}"))),
                position: u32::try_from(position).ok(),
                weight: Score::new(weight),
            };
        }
    }
    traces
}

/// Later is greater. Exact: a moment is a whole number within ± 4e11.
fn order(moment: Seconds) -> Score {
    Score::new(moment.get())
}

/// The folder that groups a note of an overridden kind.
fn folder_below<'a>(kind: &str, path: &'a str) -> &'a str {
    let own_folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut folders = own_folder.split('/');
    let below = folders.find(|&folder| folder == kind).and(folders.next());
    below.unwrap_or(own_folder)
}

#[cfg(test)]
mod tests {
    use super::folder_below;

    #[test]
    fn filings_are_grouped_by_the_first_folder_below_their_kind() {
        let check = |path, expected| assert_eq!(folder_below("Filings", path), expected, "{path}");
        check("Filings/AAPL/2026-Q3.md", "AAPL");
        check("finance/Filings/AAPL/10-Q/2026-Q3.md", "AAPL");
        check("Filings/Filings/x.md", "Filings");
        check("finance/Filings/loose.md", "finance/Filings");
        check("elsewhere/loose.md", "elsewhere");
        check("loose.md", "");
    }
}
