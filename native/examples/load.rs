//! Asks a running service; run by `cargo xtask bench search`.
//!
//! `load ADDRESS PID REQUESTS DOMAIN [TOKEN] < questions` reads a question a line and prints lines
//! `name figure`, times in milliseconds:
//!
//! - one client: a whole `answer`, as the client waits for it, beside what the encoder took of it
//!   (`encode`, as the answer's own `Server-Timing` says), and the median of their ratios (`ratio`);
//!   and an answer to what was not asked before (`first`). An encoder of the client's own, asked in
//!   turns, would push the service's model and vectors out of the processor's cache each time, which no
//!   client does;
//! - sixteen clients (`clients-…`): answers, failures, answers a second, median, 99th percentile;
//! - the service's memory when a quarter of that was done, and at its end, in megabytes, where the
//!   system says: what many clients need at once is there by then, and what grows on shows;
//! - with a token: one client while the index is brought in step (`reload-…`), beside the same client
//!   while nothing else happens (`idle-…`).

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const CLIENTS: usize = 16;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, pid, requests, domain, token @ ..] = &arguments[..] else {
        return Err("load ADDRESS PID REQUESTS DOMAIN [TOKEN] < questions".into());
    };
    let requests: usize = requests.parse()?;
    let questions: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let paths: Vec<String> = questions
        .iter()
        .map(|question| {
            let query: String = form_urlencoded::byte_serialize(question.as_bytes()).collect();
            format!("{address}/v1/vault/search?k=10&domain={domain}&q={query}")
        })
        .collect();
    let agent = ureq::Agent::new_with_defaults();
    let ask = |path: &str| -> Result<usize, ureq::Error> {
        Ok(agent.get(path).call()?.body_mut().read_to_vec()?.len())
    };
    let mut out = std::io::stdout().lock();

    let (mut whole, mut alone, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = Vec::new();
    for round in 0..=ROUNDS {
        for path in &paths {
            let started = Instant::now();
            let mut answer = agent.get(path).call()?;
            answer.body_mut().read_to_vec()?;
            let answered = started.elapsed();
            let encoded = step(answer.headers(), "encode").ok_or("the answer has no timings")?;
            if round == 0 {
                first.push(answered);
            } else {
                whole.push(answered);
                alone.push(encoded);
                ratios.push(answered.as_secs_f64() / encoded.as_secs_f64());
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    writeln!(out, "answer {}", ms(at(&mut whole, 0.5)))?;
    writeln!(out, "encode {}", ms(at(&mut alone, 0.5)))?;
    writeln!(out, "ratio {:.3}", ratios[ratios.len() / 2])?;
    writeln!(out, "first {}", ms(at(&mut first, 0.5)))?;

    let before = OnceLock::new();
    let next = AtomicUsize::new(0);
    let failures = AtomicUsize::new(0);
    let started = Instant::now();
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut times = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= requests {
                            return times;
                        }
                        if number == requests / 4 {
                            before.get_or_init(|| resident(pid));
                        }
                        let started = Instant::now();
                        if ask(&paths[number % paths.len()]).is_err() {
                            failures.fetch_add(1, Ordering::Relaxed);
                        }
                        times.push(started.elapsed());
                    }
                })
            })
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap_or_default())
            .collect()
    });
    let rate = requests as f64 / started.elapsed().as_secs_f64();
    let failures = failures.into_inner();
    writeln!(out, "clients-answers {requests}")?;
    writeln!(out, "clients-failed {failures}")?;
    writeln!(out, "clients-rate {rate:.0}")?;
    writeln!(out, "clients-median {}", ms(at(&mut times, 0.5)))?;
    writeln!(out, "clients-p99 {}", ms(at(&mut times, 0.99)))?;
    if let (Some(Some(before)), Some(after)) = (before.into_inner(), resident(pid)) {
        writeln!(out, "memory-before {before}\nmemory-after {after}")?;
    }
    if let [token] = token {
        let idle = one_client(&paths, &ask, |asked| asked >= 500);
        let reload = format!("{address}/v1/vault/reload?domain={domain}");
        let reloaded = AtomicBool::new(false);
        let (busy, report) = thread::scope(|scope| {
            let reload = scope.spawn(|| {
                let config = ureq::Agent::config_builder().timeout_global(None).build();
                let request = config.new_agent().post(&reload);
                let request = request.header("authorization", format!("Bearer {token}"));
                let report = request
                    .send_empty()
                    .and_then(|mut answer| answer.body_mut().read_to_string());
                reloaded.store(true, Ordering::Relaxed);
                report
            });
            let busy = one_client(&paths, &ask, |_| reloaded.load(Ordering::Relaxed));
            (busy, reload.join())
        });
        let report = report.map_err(|_| "the reload panicked")??;
        let report: serde_json::Value = serde_json::from_str(&report)?;
        writeln!(out, "reload-notes {}", report["indexed"])?;
        writeln!(out, "reload-seconds {}", report["seconds"])?;
        for (name, (mut times, failed)) in [("idle", idle), ("reload", busy)] {
            writeln!(out, "{name}-answers {}", times.len())?;
            writeln!(out, "{name}-failed {failed}")?;
            writeln!(out, "{name}-median {}", ms(at(&mut times, 0.5)))?;
            writeln!(out, "{name}-p99 {}", ms(at(&mut times, 0.99)))?;
        }
    }
    Ok(())
}

/// How long a step of an answer took, as it says itself.
fn step(headers: &ureq::http::HeaderMap, name: &str) -> Option<Duration> {
    let steps = headers.get_all("server-timing").iter();
    let mut steps = steps.filter_map(|value| {
        value.to_str().ok()?.split(", ").find_map(|step| {
            let milliseconds = step.strip_prefix(name)?.strip_prefix(";dur=")?;
            milliseconds.parse::<f64>().ok()
        })
    });
    Some(Duration::from_secs_f64(steps.next()? / 1e3))
}

/// Asks one question after the other until told to end: how long each took, and how many failed.
fn one_client(
    paths: &[String],
    ask: &impl Fn(&str) -> Result<usize, ureq::Error>,
    enough: impl Fn(usize) -> bool,
) -> (Vec<Duration>, usize) {
    let (mut times, mut failed) = (Vec::new(), 0);
    while !enough(times.len()) {
        let started = Instant::now();
        failed += usize::from(ask(&paths[times.len() % paths.len()]).is_err());
        times.push(started.elapsed());
    }
    (times, failed)
}

fn at(times: &mut [Duration], part: f64) -> Duration {
    times.sort_unstable();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the list"
    )]
    let place = ((times.len().saturating_sub(1)) as f64 * part) as usize;
    times.get(place).copied().unwrap_or_default()
}

fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// Megabytes that a process holds, where the system says.
fn resident(pid: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes / 1024)
}
