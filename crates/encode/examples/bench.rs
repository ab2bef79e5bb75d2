//! Times the 8-bit engine; run by `cargo xtask bench encode`, which asks for one row at a time so
//! that what else the machine does meets both opponents.
//!
//! In: lines `shape input threads`, for a shape of 12 × 384 (`small`, as bge-small) or 24 × 1024
//! (`large`, as bge-large) and an input of sequences × tokens, `1x16`. Out, a line each: the
//! median milliseconds of as many rounds as fit into half a second, three at least, and the least
//! that this machine could take (see [`Roof`]).

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use concord_encode::bert::Bert;
use concord_encode::roof::Roof;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let (mut models, mut roofs) = (BTreeMap::new(), BTreeMap::new());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let [shape, input, threads] = line.split(' ').collect::<Vec<_>>()[..] else {
            return Err(format!("not a row: {line:?}").into());
        };
        let (layers, width, heads) = match shape {
            "small" => (12, 384, 12),
            "large" => (24, 1024, 16),
            _ => return Err(format!("no such shape: {shape}").into()),
        };
        let (count, tokens) = input.split_once('x').ok_or("no x in the input")?;
        let (count, tokens): (usize, u32) = (count.parse()?, tokens.parse()?);
        let threads: usize = threads.parse()?;
        let model = match models.remove(shape) {
            Some(model) => model,
            None => Bert::meaningless(layers, width, heads)?,
        }
        .with_threads(threads);
        let ids: Vec<u32> = (0..tokens).map(|i| 5 + i * 7 % 900).collect();
        let sequences = vec![ids; count];
        let took = median(|| model.encode_ids(&sequences).map(black_box).map(drop))?;
        models.insert(shape.to_owned(), model);
        let weights = 12 * layers * width * width;
        // The best of all times that it was measured: a busy machine only seems to have a lower roof.
        let roof = roofs
            .entry((shape.to_owned(), threads))
            .and_modify(|roof: &mut Roof| {
                let again = Roof::measure(threads, weights);
                roof.products = roof.products.max(again.products);
                roof.bytes = roof.bytes.max(again.bytes);
            })
            .or_insert_with(|| Roof::measure(threads, weights));
        // Of the last layer, every token needs keys and values; the first alone needs the rest.
        let rest = 10 * width * width;
        let products = count * (tokens as usize * (weights - rest) + rest);
        let [took, least] = [took, roof.least(products, weights)].map(|t| t.as_secs_f64() * 1e3);
        writeln!(out, "{took:.3} {least:.3}")?;
        out.flush()?;
    }
    Ok(())
}

fn median<E>(mut round: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    round()?;
    let mut times = Vec::new();
    let started = Instant::now();
    while times.len() < 3 || (started.elapsed() < Duration::from_millis(500) && times.len() < 200) {
        let start = Instant::now();
        round()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
