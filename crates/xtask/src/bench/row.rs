//! One line of the report: a figure of ours, mostly beside somebody else's, and what was wanted.

use serde::{Deserialize, Serialize};

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The part of the report: `encode`, `knn`, …
    pub(crate) bench: String,
    /// What was measured, and with what.
    pub(crate) row: String,
    /// What the figures are in.
    pub(crate) unit: String,
    /// Ours.
    pub(crate) ours: f64,
    /// Whoever did the same in the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) peer: Option<Peer>,
    /// What was wanted, of the ratio where there is a peer and of our figure where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<Target>,
    /// Whatever else a reader wants to know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
}

/// Somebody else's figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) figure: f64,
    /// Ours ÷ theirs: the median of the ratios of single rounds, where there were rounds.
    pub(crate) ratio: f64,
}

/// What was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Row {
    /// A figure of ours alone.
    pub(crate) fn alone(bench: &str, row: impl Into<String>, unit: &str, ours: f64) -> Self {
        Self {
            bench: bench.to_owned(),
            row: row.into(),
            unit: unit.to_owned(),
            ours,
            peer: None,
            target: None,
            note: String::new(),
        }
    }

    /// Ours beside a figure that belongs to all rounds at once.
    pub(crate) fn beside(mut self, peer: &str, figure: f64) -> Self {
        self.peer = Some(Peer {
            name: peer.to_owned(),
            figure,
            ratio: self.ours / figure,
        });
        self
    }

    /// Rounds of ours beside rounds of a peer, taken in turns: medians, and the median ratio. None
    /// if there was no round.
    pub(crate) fn in_turns(
        bench: &str,
        row: impl Into<String>,
        ours: &[f64],
        peer: &str,
        theirs: &[f64],
    ) -> Option<Self> {
        let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
        let mut made = Self::alone(bench, row, "ms", median(ours)?).beside(peer, median(theirs)?);
        if let (Some(peer), Some(ratio)) = (&mut made.peer, median(&ratios)) {
            peer.ratio = ratio;
        }
        Some(made)
    }

    /// The same, wanted to be no more than this.
    pub(crate) fn at_most(mut self, most: f64) -> Self {
        self.target = Some(Target::AtMost(most));
        self
    }

    /// The same, wanted to be no less than this.
    pub(crate) fn at_least(mut self, least: f64) -> Self {
        self.target = Some(Target::AtLeast(least));
        self
    }

    /// The same, with something to add.
    pub(crate) fn noting(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// What the target speaks of.
    pub(crate) fn judged(&self) -> f64 {
        self.peer.as_ref().map_or(self.ours, |peer| peer.ratio)
    }

    /// Whether it is as wanted; none where nothing was.
    pub(crate) fn is_met(&self) -> Option<bool> {
        Some(match self.target? {
            Target::AtMost(most) => self.judged() <= most,
            Target::AtLeast(least) => self.judged() >= least,
        })
    }

    /// How far it is from what was wanted: above 1 is behind, below 1 is ahead.
    pub(crate) fn distance(&self) -> Option<f64> {
        let distance = match self.target? {
            Target::AtMost(most) => self.judged() / most,
            Target::AtLeast(least) => least / self.judged(),
        };
        distance.is_finite().then_some(distance)
    }

    /// What makes two rows of different runs the same row.
    pub(crate) fn key(&self) -> (&str, &str, &str) {
        let peer = self.peer.as_ref().map_or("", |peer| peer.name.as_str());
        (&self.bench, &self.row, peer)
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "≤ {most}"),
            Self::AtLeast(least) => write!(f, "≥ {least}"),
        }
    }
}

/// The middle one.
pub(crate) fn median(figures: &[f64]) -> Option<f64> {
    quantile(figures, 0.5)
}

/// The figure below which this part of them lies.
pub(crate) fn quantile(figures: &[f64], part: f64) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * part).round() as usize).copied()
}

/// The report as a table.
pub(crate) fn table(rows: &[Row]) -> Vec<String> {
    // As wide as the heads at least.
    let widest = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0).max(5);
    let (bench, name) = (
        widest(|row| row.bench.chars().count()),
        widest(|row| row.row.chars().count()),
    );
    let peer = widest(|row| {
        row.peer
            .as_ref()
            .map_or(4, |peer| peer.name.chars().count())
    });
    let head = format!(
        "{:<bench$}  {:<name$}  {:>10} {:<7}  {:<peer$} {:>10}  {:>6}  {:>7}  met",
        "bench", "row", "ours", "", "peer", "theirs", "ratio", "target"
    );
    let mut lines = vec![head];
    for row in rows {
        let (who, figure, ratio) = match &row.peer {
            Some(peer) => (
                peer.name.as_str(),
                figure(peer.figure),
                format!("{:.2}", peer.ratio),
            ),
            None => ("", String::new(), String::new()),
        };
        let target = row
            .target
            .map_or(String::new(), |target| target.to_string());
        let met = match row.is_met() {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        let line = format!(
            "{:<bench$}  {:<name$}  {:>10} {:<7}  {who:<peer$} {figure:>10}  {ratio:>6}  {target:>7}  {met:<3}  {}",
            row.bench,
            row.row,
            self::figure(row.ours),
            row.unit,
            row.note
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// As many places as a reader can use.
pub(crate) fn figure(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.01 => format!("{number:.5}"),
        size if size < 1.0 => format!("{number:.4}"),
        size if size < 10.0 => format!("{number:.3}"),
        size if size < 1_000.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_the_rounds_own() {
        // The second round met a busy machine, and so did both.
        let row = Row::in_turns("knn", "x", &[1.0, 30.0, 1.1], "flat", &[2.0, 60.0, 2.2])
            .expect("rounds")
            .at_most(0.5);
        let peer = row.peer.as_ref().expect("a peer");
        assert_eq!((row.ours, peer.figure, peer.ratio), (1.1, 2.2, 0.5));
        assert_eq!(row.is_met(), Some(true));
        assert!(Row::in_turns("knn", "x", &[], "flat", &[]).is_none());
    }

    #[test]
    fn a_target_speaks_of_the_ratio_where_there_is_one() {
        let row = Row::alone("sync", "x", "ms", 30.0).at_most(2.0);
        assert_eq!((row.is_met(), row.distance()), (Some(false), Some(15.0)));
        let row = row.beside("stat", 20.0);
        assert_eq!((row.is_met(), row.distance()), (Some(true), Some(0.75)));
        let recall = Row::alone("knn", "recall", "", 0.5).at_least(1.0);
        assert_eq!(
            (recall.is_met(), recall.distance()),
            (Some(false), Some(2.0))
        );
        assert_eq!(Row::alone("x", "x", "ms", 1.0).is_met(), None);
    }

    #[test]
    fn a_quantile_is_one_of_the_figures() {
        let figures: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(quantile(&figures, 0.99), Some(99.0));
        assert_eq!(median(&figures), Some(50.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn the_table_says_what_was_missed() {
        let rows = [
            Row::alone("size", "package", "KB", 291.0).at_most(300.0),
            Row::alone("sync", "nothing changed", "ms", 30.0)
                .beside("stat walk", 10.0)
                .at_most(2.0)
                .noting("5000 notes"),
        ];
        let table = table(&rows);
        assert_eq!(table.len(), 3);
        assert!(table[1].contains("≤ 300") && table[1].ends_with("yes"));
        assert!(table[2].contains("3.00") && table[2].ends_with("NO   5000 notes"));
    }
}
