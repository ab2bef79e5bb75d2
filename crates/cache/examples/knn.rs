//! Times of finding the nearest vectors, in milliseconds, and what part of the nearest is found; run by
//! `cargo xtask bench knn`.
//!
//! `knn times FOLDER` reads lines and answers each with one. `open ROWSxDIMENSION` makes vectors in
//! clusters, from a seed, and an index of them, and writes both them and the queries to FOLDER as
//! little-endian f32, for others to search: the answer is the time of making the index. `query NUMBER`
//! searches for a query: the answer is the times of our index on one thread and on all, of
//! sqlite-vec, of a plain scan and of reading the vectors once, and then the rows that were found.
//!
//! `knn recall CACHE` searches a real cache, and prints lines of words that end in a number.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Instant;

use concord_cache::{
    Cache, CandidateStore as _, ChunkRow, Fate, FileRow, Identity, NoteFacts, NoteRows,
    PackedQuery, Scope, SharedCache, Snapshot,
};
use multiversion::multiversion;

const K: u32 = 30;
const QUERIES: usize = 64;
const CHUNKS_A_NOTE: usize = 100;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [word, folder] if word == "times" => times(Path::new(folder)),
        [word, cache] if word == "recall" => recall(Path::new(cache)),
        _ => Err("knn times FOLDER, or knn recall CACHE".into()),
    }
}

fn times(folder: &Path) -> Result<()> {
    let mut opened: Option<Opened> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match (line.split_once(' '), &opened) {
            (Some(("open", shape)), _) => {
                // One at a time: the vectors of the last one make room first.
                drop(opened.take());
                let new = Opened::new(shape, folder)?;
                println!("{:.3}", new.building);
                opened = Some(new);
            }
            (Some(("query", number)), Some(opened)) => opened.answer(number.parse()?)?,
            _ => return Err(format!("not a question: {line:?}").into()),
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// Vectors, and all ways of searching them.
struct Opened {
    queries: Vec<Vec<f32>>,
    matrix: Vec<f32>,
    /// With an index that is searched by one thread, and by all.
    alone: SharedCache,
    all: SharedCache,
    cache: Cache,
    /// Milliseconds that the index took.
    building: f64,
    _folder: tempfile::TempDir,
}

impl Opened {
    fn new(shape: &str, folder: &Path) -> Result<Self> {
        let (rows, dimension) = shape.split_once('x').ok_or("no x in the shape")?;
        let (rows, dimension): (usize, usize) = (rows.parse()?, dimension.parse()?);
        let mut rng = fastrand::Rng::with_seed(1);
        let centres: Vec<Vec<f32>> = (0..200).map(|_| unit(dimension, &mut rng)).collect();
        let mut near_centre = || {
            let centre = &centres[rng.usize(..centres.len())];
            let noise = unit(dimension, &mut rng);
            let sum = centre.iter().zip(&noise).map(|(a, b)| a + 0.8 * b);
            normalised(sum.collect())
        };
        let vectors: Vec<Vec<f32>> = (0..rows).map(|_| near_centre()).collect();
        let queries: Vec<Vec<f32>> = (0..QUERIES).map(|_| near_centre()).collect();
        let own = tempfile::tempdir()?;
        let file = own.path().join("bench.db");
        fill(&file, &vectors, dimension)?;
        let matrix = vectors.concat();
        drop(vectors);
        for (name, numbers) in [("vectors", &matrix), ("queries", &queries.concat())] {
            let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
            std::fs::write(folder.join(format!("{shape}.{name}")), bytes)?;
        }
        let began = Instant::now();
        let alone = SharedCache::open(&file)?.threads(1);
        alone.warm()?;
        let building = milliseconds(began);
        let all = SharedCache::open(&file)?;
        all.warm()?;
        Ok(Self {
            queries,
            matrix,
            alone,
            all,
            cache: Cache::reader(&file)?,
            building,
            _folder: own,
        })
    }

    /// Searches in every way for one query, in turns, so that all meet the same machine.
    fn answer(&self, number: usize) -> Result<()> {
        let query = self.queries.get(number).ok_or("no such query")?;
        let everything = Scope::default();
        let (alone, all) = (self.alone.snapshot()?, self.all.snapshot()?);
        let mut times = Vec::new();
        let mut time = |task: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let began = Instant::now();
            task()?;
            times.push(format!("{:.4}", milliseconds(began)));
            Ok(())
        };
        let mut found = [Vec::new(), Vec::new(), Vec::new()];
        time(&mut || {
            found[0] = alone.nearest(query, K, &everything)?;
            Ok(())
        })?;
        time(&mut || {
            found[1] = all.nearest(query, K, &everything)?;
            Ok(())
        })?;
        time(&mut || {
            found[2] = self.cache.nearest(query, K, &everything)?;
            Ok(())
        })?;
        time(&mut || {
            std::hint::black_box(flat(query, &self.matrix));
            Ok(())
        })?;
        time(&mut || {
            std::hint::black_box(sum(&self.matrix));
            Ok(())
        })?;
        if found[0] != found[1] || found[0] != found[2] {
            return Err("two ways of searching do not agree".into());
        }
        // Chunks are numbered from 1, in the order of the rows.
        let rows = found[0].iter().map(|hit| (hit.chunk - 1).to_string());
        println!(
            "{}",
            times.into_iter().chain(rows).collect::<Vec<_>>().join(" ")
        );
        Ok(())
    }
}

/// A cache with these vectors, and nothing to read.
fn fill(file: &Path, vectors: &[Vec<f32>], dimension: usize) -> Result<()> {
    let identity = Identity {
        model: Some("bench".to_owned()),
        dimension: u32::try_from(dimension)?,
        chunker: "none".to_owned(),
    };
    let mut cache = Cache::writer(file, &identity)?;
    for (number, some) in vectors.chunks(CHUNKS_A_NOTE).enumerate() {
        put(&mut cache, &format!("{number:06}.md"), some)?;
    }
    Ok(cache.checkpoint()?)
}

/// A note with a chunk a vector, each as long as a passage is.
fn put(cache: &mut Cache, path: &str, vectors: &[Vec<f32>]) -> Result<()> {
    let chunk = |vector: &Vec<f32>| ChunkRow {
        text: "word ".repeat(500),
        embedding: Some(vector.clone()),
        ..ChunkRow::default()
    };
    let note = NoteRows {
        facts: NoteFacts {
            path: path.to_owned(),
            ..NoteFacts::default()
        },
        chunks: vectors.iter().map(chunk).collect(),
        links: Vec::new(),
    };
    let row = FileRow {
        path: path.to_owned(),
        size: 0,
        modified_ns: 0,
        hash: [0; 32],
        fate: Fate::Indexed,
    };
    Ok(cache.put_note(&note, &row)?)
}

/// How many of the nearest are found, by queries near the cache's own vectors; and times.
fn recall(file: &Path) -> Result<()> {
    let reader = Cache::reader(file)?;
    let shared = SharedCache::open(file)?;
    shared.warm()?;
    let snapshot = shared.snapshot()?;
    let paths: Vec<String> = reader.notes()?.into_iter().map(|note| note.path).collect();
    let mut all: Vec<(i64, Vec<f32>)> = Vec::new();
    for path in &paths {
        let chunks = snapshot.chunks_of(path)?;
        let embeddings = snapshot.embeddings_of(path)?;
        all.extend(chunks.iter().map(|chunk| chunk.id).zip(embeddings));
    }
    let mut rng = fastrand::Rng::with_seed(2);
    let (mut found, mut wanted, mut times) = (0, 0, Vec::new());
    for _ in 0..1_000 {
        let (_, own) = &all[rng.usize(..all.len())];
        let noise = unit(own.len(), &mut rng);
        let query = normalised(own.iter().zip(&noise).map(|(a, b)| a + 0.5 * b).collect());
        let began = Instant::now();
        let hits = snapshot.nearest(&query, K, &Scope::default())?;
        times.push(milliseconds(began));
        let mut every: Vec<(f64, i64)> = all
            .iter()
            .map(|(id, it)| (exact(&query, it), *id))
            .collect();
        every.sort_by(|a, b| b.0.total_cmp(&a.0));
        every.truncate(K as usize);
        wanted += every.len();
        found += every
            .iter()
            .filter(|(_, id)| hits.iter().any(|hit| hit.chunk == *id))
            .count();
    }
    times.sort_by(f64::total_cmp);
    println!("vectors {}", all.len());
    println!("recall {:.4}", found as f64 / wanted as f64);
    println!("median {:.3}", times[times.len() / 2]);
    println!("p99 {:.3}", times[times.len() * 99 / 100]);
    facts(&*snapshot, &all, &mut rng)?;
    drop(snapshot);
    drop(shared);
    while_writing(file, &all)
}

/// Times of searching alone, and while another thread writes 2,000 notes to (a copy of) the cache.
fn while_writing(file: &Path, all: &[(i64, Vec<f32>)]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy.db");
    Cache::reader(file)?.checkpoint()?;
    std::fs::copy(file, &copy)?;
    let identity = Cache::reader(&copy)?.identity().clone();
    let shared = SharedCache::open(&copy)?;
    shared.warm()?;
    let search = |times: &mut Vec<f64>, round: usize| -> Result<()> {
        let began = Instant::now();
        let snapshot = shared.snapshot()?;
        snapshot.nearest(&all[round * 7 % all.len()].1, K, &Scope::default())?;
        times.push(milliseconds(began));
        Ok(())
    };
    let mut alone = Vec::new();
    for round in 0..2_000 {
        search(&mut alone, round)?;
    }
    let mut beside = Vec::new();
    let mut writer = Cache::writer(&copy, &identity)?;
    let vectors: Vec<Vec<f32>> = all.iter().map(|(_, vector)| vector.clone()).collect();
    std::thread::scope(|scope| -> Result<()> {
        let writing = scope.spawn(|| {
            for number in 0..2_000 {
                let four: Vec<Vec<f32>> = (0..4)
                    .map(|i| vectors[(number * 4 + i) % vectors.len()].clone())
                    .collect();
                // A quarter of them again and again, so that rows die.
                put(&mut writer, &format!("new-{}.md", number % 1_500), &four)
                    .map_err(|error| error.to_string())?;
            }
            std::result::Result::<(), String>::Ok(())
        });
        while !writing.is_finished() {
            let round = beside.len();
            search(&mut beside, round)?;
        }
        Ok(writing.join().map_err(|_| "the writer panicked")??)
    })?;
    for (name, mut times) in [("alone", alone), ("while-writing", beside)] {
        times.sort_by(f64::total_cmp);
        println!("{name}-searches {}", times.len());
        println!("{name}-median {:.3}", times[times.len() / 2]);
        println!("{name}-p99 {:.3}", times[times.len() * 99 / 100]);
    }
    Ok(())
}

/// Times of reading all facts of 60 candidates.
fn facts(snapshot: &dyn Snapshot, all: &[(i64, Vec<f32>)], rng: &mut fastrand::Rng) -> Result<()> {
    let mut measured = [const { Vec::new() }; 6];
    for _ in 0..200 {
        let query = &all[rng.usize(..all.len())].1;
        let hits = snapshot.nearest(query, 60, &Scope::default())?;
        let ids: Vec<i64> = hits.iter().map(|hit| hit.chunk).collect();

        let began = Instant::now();
        let candidates = snapshot.candidates(&ids)?;
        measured[0].push(milliseconds(began));

        let began = Instant::now();
        let packed = PackedQuery::new(query);
        for vectors in candidates
            .iter()
            .filter_map(|it| it.sentence_vectors.as_ref())
        {
            std::hint::black_box(vectors.cosines(&packed));
        }
        measured[1].push(milliseconds(began));

        let mut paths: Vec<&str> = candidates.iter().map(|it| it.note.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let began = Instant::now();
        snapshot.notes(&paths)?;
        measured[2].push(milliseconds(began));

        let began = Instant::now();
        let touching = snapshot.edges_touching(&paths)?;
        let mut touched: Vec<&str> = touching
            .iter()
            .flat_map(|(a, b, _)| [a.as_str(), b])
            .collect();
        touched.extend(paths);
        touched.sort_unstable();
        touched.dedup();
        measured[3].push(milliseconds(began));
        let began = Instant::now();
        snapshot.edges_among(&touched)?;
        measured[4].push(milliseconds(began));
        let began = Instant::now();
        snapshot.counts()?;
        measured[5].push(milliseconds(began));
    }
    let names = [
        "candidates",
        "sentence-cosines",
        "notes",
        "edges-touching",
        "edges-among",
        "counts",
    ];
    for (name, mut times) in names.into_iter().zip(measured) {
        times.sort_by(f64::total_cmp);
        println!("{name} {:.3}", times[times.len() / 2]);
    }
    Ok(())
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}

fn unit(dimension: usize, rng: &mut fastrand::Rng) -> Vec<f32> {
    // The sum of a few even draws is near enough to normal for directions to be even.
    let draw = |_| (0..6).map(|_| rng.f32() - 0.5).sum();
    normalised((0..dimension).map(draw).collect())
}

fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for number in &mut vector {
        *number /= length;
    }
    vector
}

fn exact(a: &[f32], b: &[f32]) -> f64 {
    let products = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
    products.sum()
}

/// What a good linear scan does: the dot product of every row, and the best of them.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2+fma"))]
fn flat(query: &[f32], matrix: &[f32]) -> Vec<(f32, usize)> {
    let mut best: Vec<(f32, usize)> = Vec::new();
    for (row, vector) in matrix.chunks_exact(query.len()).enumerate() {
        let mut lanes = [0.0_f32; 64];
        for (a, b) in query
            .as_chunks::<64>()
            .0
            .iter()
            .zip(vector.as_chunks::<64>().0)
        {
            for lane in 0..64 {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        let score = lanes.iter().sum();
        if best.len() < K as usize || score > best[best.len() - 1].0 {
            let place = best.partition_point(|&(other, _)| other >= score);
            best.insert(place, (score, row));
            best.truncate(K as usize);
        }
    }
    best
}

/// What has to be read, and as little else as can be.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
fn sum(matrix: &[f32]) -> u32 {
    let mut lanes = [0_u32; 64];
    for some in matrix.as_chunks::<64>().0 {
        for lane in 0..64 {
            lanes[lane] ^= some[lane].to_bits();
        }
    }
    lanes.into_iter().fold(0, |all, lane| all ^ lane)
}
