//! The nearest vectors, exactly, without looking at most of them.
//!
//! In memory there are two bytes a number ([`codes`]). The first of all rows bound every cosine from
//! above, the second of the few best bound theirs closely. Rows are then looked at in float32, best
//! bound first, until no bound that is left reaches the k-th best cosine found: what is returned is
//! what a look at every vector would return.
//!
//! An index is a superset of what a snapshot of its cache holds, since a number is never given to
//! another chunk. A row that a snapshot no longer has is not found when it is looked up, and that is
//! all. Searching needs no lock: who adds rows makes a new index, which shares all full blocks
//! with the old one.
//!
//! It knows no SQL: whoever asks, fetches.

mod codes;
pub(crate) mod scan;

use std::sync::Arc;

pub use codes::PackedQuery;
use codes::Row;

use crate::search::Hit;
use crate::store::Candidate;

/// Rows of a block. Adding a row copies at most one block that is not full.
const BLOCK: usize = 1_024;
/// Below so many bytes of codes, a second thread costs more than it saves.
const BYTES_A_THREAD: usize = 4 << 20;
/// So many rows are looked at before the bound is compared again.
const AT_A_TIME: usize = 16;

/// The codes of all vectors of a cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    dimension: usize,
    /// All full but the last.
    blocks: Vec<Arc<Block>>,
    rows: usize,
    /// Everything up to this number is in it.
    last: i64,
}

/// Rows by ascending number.
#[derive(Clone, Debug, Default)]
struct Block {
    ids: Vec<i64>,
    rows: Vec<Row>,
    codes: Vec<i8>,
    fine: Vec<i8>,
}

/// A passage whose cosine is known.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) score: f64,
    pub(crate) passage: Arc<Candidate>,
}

impl Scored {
    /// Best first, equal ones by note and place.
    pub(crate) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let (one, two) = (&self.passage, &other.passage);
        let by_score = other.score.total_cmp(&self.score);
        by_score
            .then_with(|| one.note.cmp(&two.note))
            .then_with(|| one.ordinal.cmp(&two.ordinal))
    }

    pub(crate) fn hit(&self) -> Hit {
        Hit {
            chunk: self.passage.id,
            score: self.score,
        }
    }
}

/// No row's cosine is greater than its bound.
#[derive(Clone, Copy, Debug)]
struct Bound {
    upper: f32,
    row: u32,
    /// What its codes gave.
    dot: i32,
}

impl Index {
    pub(crate) fn new(dimension: u32) -> Self {
        Self {
            dimension: dimension as usize,
            ..Self::default()
        }
    }

    /// How many rows it has, dead ones among them.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Every chunk up to this number is in it, if it has a vector.
    pub(crate) fn last(&self) -> i64 {
        self.last
    }

    /// Whether the other is the better one for whoever comes next: it reaches further, or as far
    /// with fewer dead rows.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        (self.last, other.rows) < (other.last, self.rows)
    }

    /// Adds a vector of a greater number than any before.
    pub(crate) fn push(&mut self, id: i64, vector: &[f32]) {
        if vector.len() != self.dimension {
            return;
        }
        let block = self.block_for_one_more();
        let row = Row::encode(vector, &mut block.codes, &mut block.fine);
        block.ids.push(id);
        block.rows.push(row);
    }

    fn block_for_one_more(&mut self) -> &mut Block {
        if self.rows.is_multiple_of(BLOCK) {
            self.blocks.push(Arc::default());
        }
        self.rows += 1;
        Arc::make_mut(self.blocks.last_mut().expect("one was pushed"))
    }

    /// Says that every chunk up to this number was added.
    pub(crate) fn complete_to(&mut self, last: i64) {
        self.last = last;
    }

    /// The index without the rows that are not among these numbers, which ascend.
    pub(crate) fn only(&self, alive: &[i64]) -> Self {
        let mut kept = Self {
            dimension: self.dimension,
            last: self.last,
            ..Self::default()
        };
        for row in self.rows_of(alive) {
            let (from, place) = self.locate(row);
            let to = kept.block_for_one_more();
            to.ids.push(from.ids[place]);
            to.rows.push(from.rows[place]);
            to.codes.extend_from_slice(self.row_of(&from.codes, place));
            to.fine.extend_from_slice(self.row_of(&from.fine, place));
        }
        kept
    }

    /// The best `k`, best first. `allowed` are the numbers that may be found, ascending; none for
    /// all. `fetch` looks up chunks, and leaves out those that are gone.
    pub(crate) fn nearest<E>(
        &self,
        vector: &[f32],
        k: usize,
        allowed: Option<&[i64]>,
        threads: usize,
        mut fetch: impl FnMut(&[i64], &mut Vec<Scored>) -> Result<(), E>,
    ) -> Result<Vec<Scored>, E> {
        let mut best: Vec<Scored> = Vec::new();
        if k == 0 {
            return Ok(best);
        }
        let query = PackedQuery::new(vector);
        let mut bounds = self.bounds(&query, allowed, threads);
        let mut left = &mut bounds[..];
        let mut stride = k.saturating_mul(4);
        // Those whose bound is close, greatest last.
        let mut close: Vec<Bound> = Vec::new();
        loop {
            let (next, rest) = best_first(left, stride);
            // No row that is left reaches more than this.
            let of_the_rest = match next.last() {
                Some(last) if !rest.is_empty() => last.upper,
                _ => f32::NEG_INFINITY,
            };
            close.extend(next.iter().map(|&bound| self.closer(&query, bound)));
            close.sort_unstable_by(|a, b| a.upper.total_cmp(&b.upper));
            let reaches = |upper: f32, best: &[Scored]| {
                best.len() < k || f64::from(upper) >= best[k - 1].score
            };
            loop {
                let comes_next = |it: &Bound| it.upper >= of_the_rest && reaches(it.upper, &best);
                let next = close.iter().rev().take(AT_A_TIME);
                let count = next.take_while(|it| comes_next(it)).count();
                let few = close.split_off(close.len() - count);
                if few.is_empty() {
                    break;
                }
                let few: Vec<i64> = few.iter().map(|it| self.id(it.row)).collect();
                fetch(&few, &mut best)?;
                best.sort_by(Scored::compare);
                best.truncate(k);
            }
            if rest.is_empty() || !reaches(of_the_rest, &best) {
                return Ok(best);
            }
            left = rest;
            stride = stride.saturating_mul(2);
        }
    }

    /// A row with a bound that is close.
    fn closer(&self, query: &PackedQuery, bound: Bound) -> Bound {
        let (block, place) = self.locate(bound.row);
        let mut fine = [0];
        scan::dots(&query.numbers, self.row_of(&block.fine, place), &mut fine);
        let upper = query.fine_upper(bound.dot, fine[0], block.rows[place]);
        Bound { upper, ..bound }
    }

    /// The codes of a row.
    fn row_of<'a>(&self, codes: &'a [i8], place: usize) -> &'a [i8] {
        &codes[place * self.dimension..][..self.dimension]
    }

    fn id(&self, row: u32) -> i64 {
        let (block, place) = self.locate(row);
        block.ids[place]
    }

    fn locate(&self, row: u32) -> (&Block, usize) {
        let row = row as usize;
        (&self.blocks[row / BLOCK], row % BLOCK)
    }

    /// The rows that have one of these numbers; both ascend.
    fn rows_of(&self, ids: &[i64]) -> Vec<u32> {
        let all = self.blocks.iter().flat_map(|block| &block.ids).zip(0..);
        let mut wanted = ids.iter().peekable();
        all.filter(|&(id, _)| {
            while wanted.next_if(|&it| it < id).is_some() {}
            wanted.peek() == Some(&id)
        })
        .map(|(_, row)| row)
        .collect()
    }

    fn bounds(&self, query: &PackedQuery, allowed: Option<&[i64]>, threads: usize) -> Vec<Bound> {
        let unknown = |row| Bound {
            upper: 0.0,
            row,
            dot: 0,
        };
        let mut bounds: Vec<Bound> = match allowed {
            Some(ids) => self.rows_of(ids).into_iter().map(unknown).collect(),
            None => (0..u32::try_from(self.rows).unwrap_or(u32::MAX))
                .map(unknown)
                .collect(),
        };
        let worth = bounds.len() * self.dimension / BYTES_A_THREAD;
        let threads = threads.min(worth).max(1);
        let part = bounds.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let mut parts = bounds.chunks_mut(part);
            let own = parts.next();
            for part in parts {
                scope.spawn(|| self.bound(query, part));
            }
            if let Some(own) = own {
                self.bound(query, own);
            }
        });
        bounds
    }

    /// Bounds of rows that ascend: runs of rows that follow one another are computed in one go.
    fn bound(&self, query: &PackedQuery, bounds: &mut [Bound]) {
        let mut dots = Vec::with_capacity(BLOCK);
        let follow =
            |a: &Bound, b: &Bound| a.row + 1 == b.row && !(b.row as usize).is_multiple_of(BLOCK);
        for run in bounds.chunk_by_mut(follow) {
            let (block, from) = self.locate(run[0].row);
            let codes = &block.codes[from * self.dimension..][..run.len() * self.dimension];
            dots.clear();
            dots.resize(run.len(), 0);
            scan::dots(&query.numbers, codes, &mut dots);
            for ((bound, &dot), &row) in run.iter_mut().zip(&dots).zip(&block.rows[from..]) {
                bound.upper = query.upper(dot, row);
                bound.dot = dot;
            }
        }
    }
}

/// The `count` greatest bounds in order, and the rest in none.
fn best_first(bounds: &mut [Bound], count: usize) -> (&mut [Bound], &mut [Bound]) {
    let descending = |a: &Bound, b: &Bound| b.upper.total_cmp(&a.upper);
    let count = count.min(bounds.len());
    if count < bounds.len() {
        bounds.select_nth_unstable_by(count, descending);
    }
    let (best, rest) = bounds.split_at_mut(count);
    best.sort_unstable_by(descending);
    (best, rest)
}
