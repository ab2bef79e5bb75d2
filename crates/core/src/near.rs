//! Where an altered quotation comes from: the part of a text that takes the fewest edits to become it.
//!
//! ```text
//! distance = min over parts p of normal(text) of edits(normal(quote), p),   offered if ≤ bound
//! bound    = min(a fifth of the quotation's characters, 40)
//! ```
//!
//! An edit inserts, deletes or replaces a character of the normal form. What stands between the
//! fragments of an elided quotation is free, as it is before the first and after the last. A near
//! find is an offer to a reader and nothing more: it never verifies anything.
//!
//! A fifth leaves a changed figure, a swapped word or a slip of the pen in a line; of two unrelated
//! sentences of English, one is more than half of its characters away from the other. The
//! absolute bound keeps a long quotation from straying by a whole sentence of its own.
//!
//! Sellers' algorithm, a column a character of the text, each cut off where it can no longer come
//! within the bound (Ukkonen), so that a column costs about as many steps as there may be edits and not as
//! the quotation has characters. (`triple_accel` counts bytes, so that `ü` for `u` is two edits,
//! and `rapidfuzz` does not say where the part stands.)

use crate::cite::{self, MIN_CHARACTERS};
use crate::graph::dense;
use crate::normal::Normal;

/// An edit for every so many characters.
const CHARACTERS_PER_EDIT: u32 = 5;

/// And never more than this.
const MOST_EDITS: u32 = 40;

/// A quotation that was found nowhere as it stands.
pub struct Sought {
    fragments: Vec<Vec<char>>,
    bound: u32,
}

/// Where it may come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// How many edits lead from the quotation to what stands there.
    pub distance: u32,
    /// `[start, end]` of each fragment in the text as it was given, in bytes. A fragment that is
    /// not there at all has none.
    pub spans: Vec<(u32, u32)>,
}

/// Cost in the upper half, in the lower half where the part begins: the least of several is the
/// cheapest and, among those, the longest, so that a changed first letter is part of it.
type Cell = u64;

const EDIT: Cell = 1 << 32;

/// More than any bound.
const FAR: Cell = Cell::MAX >> 1;

fn cell(cost: u32, start: u32) -> Cell {
    (u64::from(cost) << 32) | u64::from(start)
}

fn cost(cell: Cell) -> u32 {
    u32::try_from(cell >> 32).unwrap_or(u32::MAX)
}

fn start(cell: Cell) -> u32 {
    (cell & u64::from(u32::MAX)) as u32
}

impl Sought {
    /// None if the quotation is too short to be looked for, as it would be to be verified.
    #[must_use]
    pub fn new(quote: &str) -> Option<Self> {
        let quote = Normal::of(quote).text;
        let fragments: Vec<Vec<char>> = cite::fragments(&quote)
            .into_iter()
            .map(|fragment| fragment.chars().collect())
            .collect();
        let mut characters = 0;
        let mut longest = 0;
        for fragment in &fragments {
            characters += fragment.len();
            longest = longest.max(fragment.len());
        }
        (longest >= MIN_CHARACTERS).then(|| Self {
            fragments,
            bound: (dense(characters) / CHARACTERS_PER_EDIT).min(MOST_EDITS),
        })
    }

    /// How far away a find may be.
    #[must_use]
    pub fn bound(&self) -> u32 {
        self.bound
    }

    /// The part of a text that is nearest to the quotation, if any is near; the first of several.
    #[must_use]
    pub fn nearest_in(&self, text: &str) -> Option<Near> {
        let normal = Normal::of(text);
        let characters: Vec<char> = normal.text.chars().collect();
        // What it costs to have found all fragments so far by each place, and where the last of
        // them then ends.
        let mut before: Vec<(u32, u32)> = (0..=dense(characters.len())).map(|j| (0, j)).collect();
        let mut passes = Vec::with_capacity(self.fragments.len());
        for fragment in &self.fragments {
            let ends = align(fragment, &characters, &before, self.bound);
            let mut best = (u32::MAX, 0);
            let mut reached = Vec::with_capacity(ends.len());
            for (&end, j) in ends.iter().zip(0..) {
                if cost(end) < best.0 {
                    best = (cost(end), j);
                }
                reached.push(best);
            }
            passes.push((ends, before));
            before = reached;
        }
        let &(distance, mut end) = before.last()?;
        if distance > self.bound {
            return None;
        }

        // A changed last letter is part of it too.
        if let Some((ends, _)) = passes.last() {
            let is_longer = |end: u32| ends.get(end as usize + 1) == Some(&ends[end as usize]);
            while is_longer(end) {
                end += 1;
            }
        }

        let bytes: Vec<usize> = normal
            .text
            .char_indices()
            .map(|(at, _)| at)
            .chain([normal.text.len()])
            .collect();
        let mut spans = Vec::with_capacity(passes.len());
        for (ends, before) in passes.iter().rev() {
            let from = start(ends[end as usize]);
            if from < end {
                spans.push(normal.original(bytes[from as usize], bytes[end as usize]));
            }
            (_, end) = before[from as usize];
        }
        spans.reverse();
        Some(Near { distance, spans })
    }
}

/// For every place of the text: the least cost of having found the fragment just before it, and
/// where it then begins. `before` says what it costs to begin at each place.
fn align(fragment: &[char], text: &[char], before: &[(u32, u32)], bound: u32) -> Vec<Cell> {
    let begin = |place: usize| match before[place].0 {
        cost if cost > bound => FAR,
        cost => cell(cost, dense(place)),
    };
    let within = |cell: Cell| cost(cell) <= bound;
    let mut column = vec![FAR; fragment.len() + 1];
    column[0] = begin(0);
    let mut last = within(column[0]).then_some(0);
    for i in 1..column.len() {
        if last == Some(i - 1) && within(column[i - 1] + EDIT) {
            column[i] = column[i - 1] + EDIT;
            last = Some(i);
        }
    }
    // `last` is the last row within the bound; all rows after it are far.
    let whole = |column: &[Cell], last: Option<usize>| match last {
        Some(last) if last == fragment.len() => column[last],
        _ => FAR,
    };
    let mut ends = Vec::with_capacity(text.len() + 1);
    ends.push(whole(&column, last));
    for (&character, place) in text.iter().zip(1..) {
        let rows = last.map_or(0, |last| (last + 1).min(fragment.len()));
        let mut diagonal = column[0];
        column[0] = begin(place);
        last = within(column[0]).then_some(0);
        for i in 1..=rows {
            let left = column[i];
            let replaced = if fragment[i - 1] == character {
                diagonal
            } else {
                diagonal + EDIT
            };
            let least = replaced.min(left + EDIT).min(column[i - 1] + EDIT);
            diagonal = left;
            column[i] = if within(least) { least } else { FAR };
            if within(least) {
                last = Some(i);
            }
        }
        // What can be reached from the last row by dropping the rest of the fragment.
        let mut i = rows + 1;
        while i <= fragment.len() && last == Some(i - 1) && within(column[i - 1] + EDIT) {
            column[i] = column[i - 1] + EDIT;
            last = Some(i);
            i += 1;
        }
        ends.push(whole(&column, last));
    }
    ends
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(quote: &str, text: &str) -> Option<(u32, Vec<String>)> {
        let found = Sought::new(quote)?.nearest_in(text)?;
        let part = |&(start, end): &(u32, u32)| text[start as usize..end as usize].to_owned();
        Some((found.distance, found.spans.iter().map(part).collect()))
    }

    #[test]
    fn an_altered_quotation_is_found_where_it_comes_from() {
        let check = |quote: &str, text: &str, expected: Option<(u32, &[&str])>| {
            let expected = expected.map(|(distance, parts)| {
                (
                    distance,
                    parts.iter().map(|&part| part.to_owned()).collect(),
                )
            });
            assert_eq!(near(quote, text), expected, "{quote}");
        };
        let text = "Freight was dear. Gross margin fell by 210 basis points, to 24.6 %. So it was.";
        check(
            "gross margin fell by 310 basis points",
            text,
            Some((1, &["Gross margin fell by 210 basis points"])),
        );
        check(
            "gross margins fell by 210 bases points",
            text,
            Some((2, &["Gross margin fell by 210 basis points"])),
        );
        check(
            "Gross margin fell by 210 basis points",
            text,
            Some((0, &["Gross margin fell by 210 basis points"])),
        );
        // Between fragments anything may stand; the fragments keep their order.
        check(
            "freight was clear … 210 basis points",
            text,
            Some((2, &["Freight was dear", "210 basis points"])),
        );
        check("210 basis points … freight was dear", text, None);
        check("nothing of the sort was ever said here", text, None);
        check("too short", text, None);
        check("gross margin fell by 310 basis points", "", None);
        // Characters count, not their bytes: an umlaut is one.
        check(
            "über die Brücke gehen",
            "Man soll uber die Brucke gehen.",
            Some((2, &["uber die Brucke gehen"])),
        );
        check(
            "ist die Brücke schon",
            "Das ist die Brücke schön.",
            Some((1, &["ist die Brücke schön"])),
        );
        check(
            "auf die Brücke gehem",
            "Man soll auf die Brücke gehen.",
            Some((1, &["auf die Brücke gehen"])),
        );
    }

    #[test]
    fn the_bound_is_a_fifth_and_never_more_than_forty() {
        let check = |length: usize, expected: Option<u32>| {
            let sought = Sought::new(&"x".repeat(length));
            assert_eq!(sought.map(|sought| sought.bound()), expected, "{length}");
        };
        check(11, None);
        check(12, Some(2));
        check(100, Some(20));
        check(5_000, Some(40));
    }

    /// Every cell of the plain table, for fragments one after another.
    fn plainly(fragments: &[Vec<char>], text: &[char]) -> u32 {
        let mut above: Vec<u32> = vec![0; text.len() + 1];
        for fragment in fragments {
            let mut row = above;
            for &wanted in fragment {
                let mut next = vec![row[0] + 1];
                for (j, &found) in text.iter().enumerate() {
                    let replaced = row[j] + u32::from(found != wanted);
                    next.push(replaced.min(row[j + 1] + 1).min(next[j] + 1));
                }
                row = next;
            }
            // What stands after a fragment is free.
            for j in 1..row.len() {
                row[j] = row[j].min(row[j - 1]);
            }
            above = row;
        }
        *above.last().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// A small alphabet, so that many parts are near, and quotations cut from the text as well
        /// as strange to it.
        #[test]
        fn the_distance_is_that_of_the_plain_table_and_the_part_has_it(
            text in "[abc ]{0,60}",
            strange in "[abc ]{12,30}",
            cut in (0_usize..60, 12_usize..40),
            gap in proptest::option::of(4_usize..20),
            edits in proptest::collection::vec((0_usize..40, "[abcd]{0,2}"), 0..6),
            is_cut in proptest::bool::ANY,
        ) {
            let characters: Vec<char> = text.chars().collect();
            let mut quote: Vec<char> = if is_cut {
                characters.iter().copied().skip(cut.0.min(characters.len())).take(cut.1).collect()
            } else {
                strange.chars().collect()
            };
            for (at, with) in edits {
                let at = at.min(quote.len());
                let end = (at + 1).min(quote.len());
                quote.splice(at..end, with.chars());
            }
            let mut quote: String = quote.into_iter().collect();
            if let Some(gap) = gap.filter(|&gap| gap < quote.len()) {
                quote.insert_str(gap, " … ");
            }
            let Some(sought) = Sought::new(&quote) else {
                return Ok(());
            };
            let normal: Vec<char> = Normal::of(&text).text.chars().collect();
            let expected = plainly(&sought.fragments, &normal);
            let found = sought.nearest_in(&text);
            prop_assert_eq!(
                found.as_ref().map(|near| near.distance),
                (expected <= sought.bound()).then_some(expected)
            );
            if let Some(near) = found
                && near.spans.len() == sought.fragments.len()
            {
                let mut all = 0;
                let mut free_from = 0;
                for (fragment, &(start, end)) in sought.fragments.iter().zip(&near.spans) {
                    prop_assert!(free_from <= start && start < end);
                    free_from = end;
                    let part = Normal::of(&text[start as usize..end as usize]).text;
                    all += edits_between(fragment, &part.chars().collect::<Vec<_>>());
                }
                // The ends of a part that are white space are lost when it is normalised alone.
                prop_assert!(all.abs_diff(near.distance) <= 2 * dense(near.spans.len()));
            }
        }
    }

    fn edits_between(one: &[char], other: &[char]) -> u32 {
        let mut row: Vec<u32> = (0..=dense(other.len())).collect();
        for (i, &a) in one.iter().enumerate() {
            let mut next = vec![dense(i) + 1];
            for (j, &b) in other.iter().enumerate() {
                let replaced = row[j] + u32::from(a != b);
                next.push(replaced.min(row[j + 1] + 1).min(next[j] + 1));
            }
            row = next;
        }
        *row.last().unwrap()
    }
}
