//! Bars with whiskers, as SVG inside a page.
//!
//! Colours are the page's variables, so a chart follows its light and its dark. Every number in a
//! chart also stands beside its bar: nobody has to measure with a ruler.

use std::fmt::Write as _;

use super::html::escaped;

/// One bar.
pub(crate) struct Bar<'a> {
    pub(crate) label: &'a str,
    /// Below the label, fainter.
    pub(crate) note: &'a str,
    pub(crate) value: f64,
    /// The interval, where there is one.
    pub(crate) whisker: Option<(f64, f64)>,
    /// Behind the value: how it differs from what was before.
    pub(crate) remark: String,
    /// `leg`, `layer` or `whole`: which colour it has.
    pub(crate) class: &'static str,
}

const WIDTH: f64 = 860.0;
const LABELS: f64 = 250.0;
const REMARKS: f64 = 190.0;
const ROW: f64 = 46.0;
const THICK: f64 = 18.0;
const TOP: f64 = 6.0;
const AXIS: f64 = 26.0;

/// Horizontal bars from 0 to 1, below each other.
pub(crate) fn bars(title: &str, bars: &[Bar<'_>]) -> String {
    let height = TOP + ROW * bars.len() as f64 + AXIS;
    let plot = WIDTH - LABELS - REMARKS;
    let x = |value: f64| LABELS + plot * value.clamp(0.0, 1.0);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escaped(title)
    );
    let bottom = height - AXIS;
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let at = x(tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{at}\" x2=\"{at}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
             <text class=\"tick\" x=\"{at}\" y=\"{}\">{tick}</text>",
            bottom + 18.0
        );
    }
    for (row, bar) in bars.iter().enumerate() {
        let middle = TOP + ROW * (row as f64 + 0.5);
        let width = x(bar.value) - LABELS;
        let _ = write!(
            svg,
            "<g><title>{}: {:.4}</title>\
             <text class=\"label\" x=\"{}\" y=\"{}\">{}</text>\
             <rect class=\"{}\" x=\"{LABELS}\" y=\"{}\" width=\"{width:.1}\" height=\"{THICK}\" rx=\"3\"/>",
            escaped(bar.label),
            bar.value,
            LABELS - 12.0,
            middle + 5.0,
            escaped(bar.label),
            bar.class,
            middle - THICK / 2.0,
        );
        if let Some((low, high)) = bar.whisker {
            let (low, high) = (x(low), x(high));
            let (up, down) = (middle - 5.0, middle + 5.0);
            let _ = write!(
                svg,
                "<path class=\"whisker\" d=\"M{low:.1} {up}V{down}M{low:.1} {middle}H{high:.1}M{high:.1} {up}V{down}\"/>"
            );
        }
        let _ = write!(
            svg,
            "<text class=\"value\" x=\"{}\" y=\"{}\">{:.3}</text><text class=\"remark\" x=\"{}\" y=\"{}\">{}</text></g>",
            WIDTH - REMARKS + 14.0,
            middle + 5.0,
            bar.value,
            WIDTH - REMARKS + 68.0,
            middle + 5.0,
            escaped(&bar.remark),
        );
        if !bar.note.is_empty() {
            let _ = write!(
                svg,
                "<text class=\"note\" x=\"{}\" y=\"{}\">{}</text>",
                LABELS - 12.0,
                middle + 19.0,
                escaped(bar.note)
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_value_and_its_label_is_text() {
        let svg = bars(
            "t",
            &[Bar {
                label: "<b>&",
                note: "",
                value: 0.5,
                whisker: Some((0.4, 2.0)),
                remark: String::new(),
                class: "leg",
            }],
        );
        let half = (WIDTH - LABELS - REMARKS) / 2.0;
        assert!(svg.contains(&format!("width=\"{half:.1}\"")), "{svg}");
        assert!(
            svg.contains("&lt;b&gt;&amp;") && !svg.contains("<b>"),
            "{svg}"
        );
        // A whisker does not leave the chart.
        assert!(svg.contains(&format!("H{:.1}", WIDTH - REMARKS)), "{svg}");
    }
}
