//! Dates in frontmatter, as unix seconds.
//!
//! Accepted: `2026-03-05` (also with `/`, and without leading zeros), `2026-03`, `2026` (their
//! first day), a date with a time (`T` or a space between), with or without an offset. What names
//! no zone is taken as UTC: a note must mean the same instant on every machine. What is valid
//! *until* a date is valid to the end of it, so [`Edge::Last`] gives the last second of the day,
//! month or year. Bare numbers other than years (`20260305`, `1772668800`) are refused: no one can
//! tell which of the two they are meant to be.

use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp, tz::TimeZone};

/// Which end of a date is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    First,
    Last,
}

/// The first moment of the date that a text names, in unix seconds.
#[must_use]
pub fn first_moment(text: &str) -> Option<i64> {
    seconds(text, Edge::First)
}

/// The instant that a text names.
pub(crate) fn seconds(text: &str, edge: Edge) -> Option<i64> {
    let text = text.trim();
    if let Some((first, after)) = period(text) {
        let start = utc(first)?;
        return match edge {
            Edge::First => Some(start),
            Edge::Last => Some(utc(after)? - 1),
        };
    }
    // A parser of ISO 8601 would take `20260305`.
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // As static site generators write it: `2026-03-05 12:30:00 -0400`.
    let mut joined = text
        .replace(" +", "+")
        .replace(" -", "-")
        .replace(" Z", "Z");
    // Some write the hours of an offset with one digit.
    let sign = joined.len().saturating_sub(2);
    if joined.contains(':')
        && joined.is_char_boundary(sign)
        && joined[sign..].starts_with(['+', '-'])
    {
        joined.insert(sign + 1, '0');
    }
    if let Ok(instant) = joined.parse::<Timestamp>() {
        return Some(instant.as_second());
    }
    let local: DateTime = joined.parse().ok()?;
    let zoned = local.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second())
}

/// The first day of a year, month or day, and the first day after it.
fn period(text: &str) -> Option<(Date, Date)> {
    let mut parts = text.splitn(3, ['-', '/']);
    let mut number = |digits: std::ops::RangeInclusive<usize>| match parts.next() {
        None => Some(None),
        Some(part) => {
            let plain = part.bytes().all(|byte| byte.is_ascii_digit());
            let fits = plain && digits.contains(&part.len());
            fits.then(|| part.parse::<i16>().ok())
        }
    };
    let year = number(4..=4)??;
    let month = number(1..=2)?;
    let day = number(1..=2)?;
    let step = match (month, day) {
        (None, _) => Span::new().years(1),
        (_, None) => Span::new().months(1),
        _ => Span::new().days(1),
    };
    let month = i8::try_from(month.unwrap_or(1)).ok()?;
    let day = i8::try_from(day.unwrap_or(1)).ok()?;
    let first = Date::new(year, month, day).ok()?;
    Some((first, first.checked_add(step).ok()?))
}

fn utc(date: Date) -> Option<i64> {
    let midnight = date.to_zoned(TimeZone::UTC).ok()?;
    Some(midnight.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        let check = |text: &str, expected| {
            assert_eq!(seconds(text, Edge::First), expected, "{text:?}");
        };
        check("1970-01-02", Some(86_400));
        check(" 1970-01-02 ", Some(86_400));
        check("1970/1/2", Some(86_400));
        check("1970-02", Some(31 * 86_400));
        check("1971", Some(365 * 86_400));
        check("1970-01-01T00:00:10Z", Some(10));
        check("1970-01-01T00:00:10+00:00", Some(10));
        check("1970-01-01 02:00:00 +0200", Some(0));
        check("1970-01-01T02:00:00-04:00", Some(6 * 3600));
        check("1970-01-01 02:00:00 +2", Some(0));
        check("1970-01-01 12:30", Some(45_000));
        check("1970-01-01T00:00:10.9", Some(10));
        check("1969-12-31", Some(-86_400));
        for refused in [
            "",
            "soon",
            "2026-13-01",
            "2026-02-30",
            "20260305",
            "1772668800",
            "05.03.2026",
            "2026-",
            "9999-99",
            "2026-Q3",
        ] {
            check(refused, None);
        }
    }

    #[test]
    fn until_a_date_is_to_its_end() {
        let check = |text: &str, expected| {
            assert_eq!(seconds(text, Edge::Last), Some(expected), "{text:?}");
        };
        check("1970-01-01", 86_399);
        check("1970-01", 31 * 86_400 - 1);
        check("1970", 365 * 86_400 - 1);
        check("1970-01-01T00:00:10Z", 10);
    }
}
