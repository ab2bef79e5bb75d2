//! The history as a page: a small picture a row, the target as a line across it.
//!
//! Plain HTML and SVG, nothing fetched and nothing run, so that the file can be sent to anyone. Runs
//! follow one another at even distances. Ratios of different machines may be compared and times may
//! not, so each machine has a line of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::history::Entry;
use super::machine::Machine;
use super::row::{Row, Target, figure};

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 96.0;
/// Between the picture's edge and its first and last point.
const MARGIN: f64 = 8.0;
const COLOURS: usize = 6;

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Concord: how fast, how small</title>
<style>
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; --line: #8886; --good: #1a7f37; --bad: #c4321c }
@media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --bad: #ff7b6b } }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
h2 { border-bottom: 1px solid var(--line); margin-top: 2rem }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem }
figure { margin: 0 } figcaption { min-height: 2.8em } small { opacity: .75 }
svg { width: 100%; height: auto; border-left: 1px solid var(--line); border-bottom: 1px solid var(--line); overflow: visible }
polyline { fill: none; stroke-width: 1.5 } .target { stroke: currentColor; stroke-dasharray: 4 4; opacity: .5 }
.m0 { stroke: #3b7dd8; fill: #3b7dd8 } .m1 { stroke: #d8843b; fill: #d8843b } .m2 { stroke: #8a5bd0; fill: #8a5bd0 }
.m3 { stroke: #2f9e8f; fill: #2f9e8f } .m4 { stroke: #c2488b; fill: #c2488b } .m5 { stroke: #7d7d2b; fill: #7d7d2b }
.met { color: var(--good) } .missed { color: var(--bad) }
</style>
<h1>How fast, how small</h1>
"#;

/// The page.
pub(crate) fn page(history: &[Entry]) -> String {
    let runs: BTreeSet<&str> = history.iter().map(|entry| entry.at.as_str()).collect();
    let runs: Vec<&str> = runs.into_iter().collect();
    let mut machines: Vec<&Machine> = Vec::new();
    let mut pictures: BTreeMap<(&str, &str, &str), Vec<&Entry>> = BTreeMap::new();
    for entry in history {
        if !machines.contains(&&entry.machine) {
            machines.push(&entry.machine);
        }
        pictures.entry(entry.row.key()).or_default().push(entry);
    }
    let mut page = HEAD.to_owned();
    let _ = writeln!(
        page,
        "<p>{} runs. Each picture shows ours ÷ theirs where there is a peer, else our own figure; the broken \
         line is the target. A point tells its run when pointed at.</p>\n<ul>",
        runs.len()
    );
    for (number, machine) in machines.iter().enumerate() {
        let colour = number % COLOURS;
        let name = escaped(&machine.to_string());
        let _ = writeln!(
            page,
            "<li><svg viewBox='0 0 10 10' style='width:.8em;border:0'><circle class='m{colour}' cx='5' cy='5' r='4'/></svg> {name}</li>"
        );
    }
    page += "</ul>\n";
    let mut bench = "";
    for ((of, ..), entries) in &pictures {
        if *of != bench {
            page += if bench.is_empty() { "" } else { "</div>\n" };
            bench = of;
            let _ = writeln!(page, "<h2>{}</h2>\n<div class='grid'>", escaped(bench));
        }
        picture(&mut page, entries, &runs, &machines);
    }
    page += if bench.is_empty() { "" } else { "</div>\n" };
    page + "</html>\n"
}

fn picture(page: &mut String, entries: &[&Entry], runs: &[&str], machines: &[&Machine]) {
    let Some(latest) = entries.last() else {
        return;
    };
    let row = &latest.row;
    let target = row
        .target
        .map(|(Target::AtMost(it) | Target::AtLeast(it))| it);
    let greatest = entries
        .iter()
        .map(|entry| entry.row.judged())
        .chain(target)
        .fold(f64::MIN_POSITIVE, f64::max);
    let x = |at: &str| {
        let place = runs.iter().position(|run| *run == at).unwrap_or(0) as f64;
        let steps = (runs.len() - 1).max(1) as f64;
        MARGIN + place / steps * (WIDTH - 2.0 * MARGIN)
    };
    let y = |value: f64| HEIGHT - value.max(0.0) / (1.1 * greatest) * HEIGHT;
    let _ = writeln!(
        page,
        "<figure><figcaption>{}<br><small>{}</small></figcaption>\n\
         <svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img'>",
        escaped(&row.row),
        latest_in_words(row)
    );
    if let Some(target) = target {
        let y = y(target);
        let _ = writeln!(
            page,
            "<line class='target' x1='0' x2='{WIDTH}' y1='{y:.1}' y2='{y:.1}'/>"
        );
    }
    for (number, machine) in machines.iter().enumerate() {
        let colour = number % COLOURS;
        let own = entries.iter().filter(|entry| entry.machine == **machine);
        let mut line = String::new();
        let mut points = String::new();
        for entry in own {
            let (x, y) = (x(&entry.at), y(entry.row.judged()));
            let _ = write!(line, "{x:.1},{y:.1} ");
            let _ = writeln!(
                points,
                "<circle class='m{colour}' cx='{x:.1}' cy='{y:.1}' r='3'><title>{}</title></circle>",
                escaped(&told(entry))
            );
        }
        if !line.is_empty() {
            let _ = writeln!(
                page,
                "<polyline class='m{colour}' style='fill:none' points='{}'/>",
                line.trim_end()
            );
            *page += &points;
        }
    }
    *page += "</svg></figure>\n";
}

/// The latest figures, marked by whether they are as wanted.
fn latest_in_words(row: &Row) -> String {
    let mut words = format!("{} {}", figure(row.ours), row.unit);
    if let Some(peer) = &row.peer {
        let _ = write!(
            words,
            ", {} {}, ratio {:.2}",
            peer.name,
            figure(peer.figure),
            peer.ratio
        );
    }
    let words = escaped(&words);
    match (row.target, row.is_met()) {
        (Some(target), Some(true)) => format!("<span class='met'>✓ {target}</span> {words}"),
        (Some(target), _) => format!("<span class='missed'>✗ {target}</span> {words}"),
        (None, _) => words,
    }
}

fn told(entry: &Entry) -> String {
    let others = entry.others.map_or(String::new(), |part| {
        format!(", others had {:.0} % of the processors", 100.0 * part)
    });
    let row = &entry.row;
    let peer = row.peer.as_ref().map_or(String::new(), |peer| {
        format!(" beside {} {}", peer.name, figure(peer.figure))
    });
    format!(
        "{} at {}: {} {}{peer}{others}",
        entry.at,
        entry.commit,
        figure(row.ours),
        row.unit
    )
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '\'' => escaped += "&#39;",
            '"' => escaped += "&quot;",
            _ => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::history::sample;
    use super::*;

    #[test]
    fn every_run_is_a_point_of_its_rows_picture() {
        let history = [
            sample("2026-01-01T00:00:00Z", 30.0),
            sample("2026-01-02T00:00:00Z", 10.0),
        ];
        let page = page(&history);
        assert_eq!(page.matches("<figure>").count(), 1);
        assert_eq!(page.matches("<title>2026").count(), 2);
        assert_eq!(page.matches("class='target'").count(), 1);
        assert!(
            page.contains("<span class='met'>✓ ≤ 0.25</span> 10.0 ms, sqlite-vec 80.0, ratio 0.12")
        );
        assert!(page.contains("2 runs"));
    }

    #[test]
    fn no_name_is_markup() {
        let page = page(&[sample("2026-01-01T00:00:00Z", 30.0)]);
        assert!(page.contains("Some &lt;CPU&gt;") && !page.contains("<CPU>"));
    }

    #[test]
    fn a_machine_has_a_line_of_its_own() {
        let mut other = sample("2026-01-02T00:00:00Z", 10.0);
        other.machine.cores = 64;
        let page = page(&[sample("2026-01-01T00:00:00Z", 30.0), other]);
        assert_eq!(page.matches("<polyline").count(), 2);
    }

    #[test]
    fn without_a_run_there_is_a_page_all_the_same() {
        assert!(page(&[]).contains("0 runs"));
    }
}
