//! The numbers that cross the wire: [`Score`] and [`Seconds`].
//!
//! A `Score` is finite, is never −0.0 and is totally ordered, so that sorting by it needs no
//! excuse and comparing it by bits is the same as comparing it by value. `Score::new` is the
//! only door for computed values, deserialisation the only one for received values.
//!
//! −0.0 is folded into 0.0 because JavaScript's `JSON.stringify(-0)` is `"0"`: a sign that does
//! not survive a round trip must not be able to change a digest.

use std::cmp::Ordering;
use std::fmt;

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::{self, Deserialize, Deserializer, Visitor};

/// The numbers of a bundle stay within ± this bound ([`crate::Bundle::check`]), so that no
/// sum, product or difference of the few that a ranking combines can leave the finite range.
pub const SCORE_LIMIT: f64 = 1e12;

/// A finite number, never −0.0, totally ordered.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(into = "f64")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Score(f64);

impl Score {
    /// Nothing.
    pub const ZERO: Self = Self(0.0);
    /// One.
    pub const ONE: Self = Self(1.0);

    /// The door for computed values.
    ///
    /// # Panics
    /// On a number that is not finite: every input was bounded at the door, so that would be a
    /// mistake in this crate and not in anybody's data.
    #[must_use]
    pub fn new(value: f64) -> Self {
        assert!(value.is_finite(), "a score left the finite range: {value}");
        Self(without_sign_of_zero(value))
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// −0.0 becomes 0.0, everything else stays.
pub(crate) fn without_sign_of_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

impl Eq for Score {}

impl Ord for Score {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    fn cmp(&self, other: &Self) -> Ordering {
        // With NaN and −0.0 excluded, the total order of IEEE 754 is the order of the numbers.
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl From<Score> for f64 {
    fn from(score: Score) -> Self {
        score.0
    }
}

impl TryFrom<f64> for Score {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value.is_finite() {
            Ok(Self(without_sign_of_zero(value)))
        } else {
            Err(format!("must be a finite number, found {value}"))
        }
    }
}

/// A moment, in whole unix seconds; negative before 1970.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(into = "f64")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Seconds(f64);

/// Years −9999 to 9999 and some more; far inside what f64 holds exactly.
const SECONDS_LIMIT: f64 = 4e11;

/// Seconds in a day; leap seconds are not in unix time.
pub(crate) const DAY: f64 = 86_400.0;

impl Seconds {
    /// The number itself: whole, and exact as an f64.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// How many days lie between `self` and the later moment `now`; negative if it is not later.
    pub(crate) fn days_before(self, now: Self) -> f64 {
        (now.0 - self.0) / DAY
    }

    /// The calendar quarter in UTC, counted from year 0: consecutive quarters are consecutive
    /// numbers, so the newest is the greatest.
    pub(crate) fn quarter(self) -> i64 {
        let (year, month, _) = self.civil();
        year * 4 + (month - 1) / 3
    }

    /// The day in UTC: year, month and day of the month.
    pub(crate) fn civil(self) -> (i64, i64, i64) {
        #[expect(clippy::cast_possible_truncation, reason = "bounded by SECONDS_LIMIT")]
        let days = (self.0 / DAY).floor() as i64;
        // Days since 1 March of year 0: leap days then fall at the end of a year, and the month
        // follows from the day of the year by one linear formula (the civil-from-days method).
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let (month, carry) = if month_from_march < 10 {
            (month_from_march + 3, 0)
        } else {
            (month_from_march - 9, 1)
        };
        let year = year_of_era + era * 400 + carry;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        (year, month, day)
    }
}

impl From<Seconds> for f64 {
    fn from(seconds: Seconds) -> Self {
        seconds.0
    }
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        let whole = value.is_finite() && value.fract() == 0.0;
        if whole && (-SECONDS_LIMIT..=SECONDS_LIMIT).contains(&value) {
            Ok(Self(without_sign_of_zero(value)))
        } else {
            Err(format!(
                "must be a moment in whole unix seconds, found {value}"
            ))
        }
    }
}

impl From<u32> for Seconds {
    fn from(value: u32) -> Self {
        Self(f64::from(value))
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_f64(Number(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_f64(Number(PhantomData))
    }
}

/// Refuses a number while the reader still stands at it, so that the error has its place;
/// `#[serde(try_from)]` would only refuse it once the reader has moved on.
struct Number<T>(PhantomData<T>);

impl<T: TryFrom<f64, Error = String>> Visitor<'_> for Number<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a finite number")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        T::try_from(value).map_err(E::custom)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "as a JSON number is read for any f64"
    )]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "as a JSON number is read for any f64"
    )]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_zero_is_folded_at_both_doors() {
        assert_eq!(Score::new(-0.0).get().to_bits(), 0);
        assert_eq!(Score::try_from(-0.0).unwrap().get().to_bits(), 0);
        assert_eq!(Seconds::try_from(-0.0).unwrap().get().to_bits(), 0);
    }

    #[test]
    fn non_finite_and_out_of_range_numbers_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Score::try_from(bad).is_err(), "{bad}");
            assert!(Seconds::try_from(bad).is_err(), "{bad}");
        }
        for bad in [0.5, 1e13, -1e13] {
            assert!(Seconds::try_from(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_moment_falls_on_its_day() {
        let check = |seconds: f64, expected: (i64, i64, i64)| {
            let found = Seconds::try_from(seconds).unwrap().civil();
            assert_eq!(found, expected, "{seconds}");
        };
        check(0.0, (1970, 1, 1));
        check(-1.0, (1969, 12, 31));
        check(951_782_400.0, (2000, 2, 29));
        check(951_868_800.0, (2000, 3, 1));
        check(1_767_225_599.0, (2025, 12, 31));
        check(4_107_542_400.0, (2100, 3, 1));
    }

    #[test]
    fn a_moment_falls_into_its_calendar_quarter() {
        let check = |seconds: f64, year: i64, quarter: i64| {
            let found = Seconds::try_from(seconds).unwrap().quarter();
            assert_eq!(found, year * 4 + quarter - 1, "{seconds}");
        };
        check(0.0, 1970, 1);
        check(-1.0, 1969, 4);
        check(951_782_400.0, 2000, 1); // 29 February 2000
        check(954_547_199.0, 2000, 1); // 31 March 2000, 23:59:59
        check(954_547_200.0, 2000, 2); // 1 April 2000
        check(1_798_761_599.0, 2026, 4); // 31 December 2026, 23:59:59
        check(1_798_761_600.0, 2027, 1);
        check(-2_208_988_800.0, 1900, 1);
        check(-62_167_219_200.0, 0, 1);
    }
}
