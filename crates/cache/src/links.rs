//! All edges of a file, in memory: notes by number in the order of their paths, and of each note the
//! edges that leave it and those that reach it, side by side.
//!
//! A question looks at the edges of some hundred notes and their neighbours, which is thousands of
//! look-ups in SQLite. The edges are always written together, so they are read together too, once for
//! each writing.

use ahash::AHashMap;
use concord_text::EdgeKind;
use rusqlite::Connection;

use crate::facts::kind;

/// The edges as they were last written.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Ascending.
    paths: Vec<String>,
    numbers: AHashMap<String, u32>,
    from: Ends,
    to: Ends,
}

/// The other ends of each note's edges, ascending.
#[derive(Debug, Default)]
struct Ends {
    /// Where each note's begin, and where the last one's end.
    starts: Vec<usize>,
    ends: Vec<(u32, EdgeKind)>,
}

impl Ends {
    /// Of edges in order.
    fn new(notes: usize, edges: &[(u32, u32, EdgeKind)]) -> Self {
        let mut starts = Vec::with_capacity(notes + 1);
        let mut at = 0;
        for note in 0.. {
            starts.push(at);
            if starts.len() > notes {
                break;
            }
            at += edges[at..].partition_point(|&(one, ..)| one == note);
        }
        let ends = edges.iter().map(|&(_, other, kind)| (other, kind));
        Self {
            starts,
            ends: ends.collect(),
        }
    }

    fn of(&self, note: u32) -> &[(u32, EdgeKind)] {
        let note = note as usize;
        &self.ends[self.starts[note]..self.starts[note + 1]]
    }
}

impl Links {
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        // SQLite compares text as bytes, as Rust does.
        let mut notes = connection.prepare(
            "SELECT source FROM vault_edge UNION SELECT target FROM vault_edge ORDER BY 1",
        )?;
        let paths: Vec<String> = notes
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let numbers: AHashMap<String, u32> = paths.iter().cloned().zip(0..).collect();
        let mut statement = connection.prepare("SELECT source, kind, target FROM vault_edge")?;
        let mut rows = statement.query([])?;
        let mut edges = Vec::new();
        while let Some(row) = rows.next()? {
            let end = |column| Ok::<_, rusqlite::Error>(numbers[row.get_ref(column)?.as_str()?]);
            edges.push((end(0)?, end(2)?, kind(row)?));
        }
        edges.sort_unstable();
        let from = Ends::new(paths.len(), &edges);
        for (source, target, _) in &mut edges {
            std::mem::swap(source, target);
        }
        edges.sort_unstable();
        Ok(Self {
            to: Ends::new(paths.len(), &edges),
            from,
            paths,
            numbers,
        })
    }

    fn number(&self, path: &str) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    /// As [`Snapshot::neighbours`](crate::Snapshot::neighbours).
    pub(crate) fn neighbours(&self, paths: &[&str]) -> Vec<(String, u32)> {
        let own: Vec<u32> = paths.iter().filter_map(|path| self.number(path)).collect();
        let mut counts = vec![0_u32; self.paths.len()];
        for &note in &own {
            for &(other, _) in self.from.of(note).iter().chain(self.to.of(note)) {
                counts[other as usize] += 1;
            }
        }
        for note in own {
            counts[note as usize] = 0;
        }
        let counted = self.paths.iter().zip(counts);
        counted
            .filter(|&(_, count)| count > 0)
            .map(|(path, count)| (path.clone(), count))
            .collect()
    }

    /// As [`Snapshot::edges_among`](crate::Snapshot::edges_among).
    pub(crate) fn among(&self, paths: &[&str]) -> Vec<(u32, u32, EdgeKind)> {
        let numbers: Vec<Option<u32>> = paths.iter().map(|path| self.number(path)).collect();
        let mut places = vec![None; self.paths.len()];
        for (number, place) in numbers.iter().zip(0_u32..) {
            if let &Some(number) = number {
                places[number as usize] = Some(place);
            }
        }
        let mut edges = Vec::new();
        for (number, source) in numbers.iter().zip(0..) {
            let ends = number.map_or(&[][..], |number| self.from.of(number));
            for &(other, kind) in ends {
                edges.extend(places[other as usize].map(|target| (source, target, kind)));
            }
        }
        edges.sort_unstable();
        edges
    }
}
