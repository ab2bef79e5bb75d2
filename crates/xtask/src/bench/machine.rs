//! What figures were taken on, and how much of it others had meanwhile.

use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::process;
use crate::workspace::Workspace;

/// Instructions that kernels are written for, here or by our peers.
const FEATURES: [&str; 10] = [
    "avx2",
    "fma",
    "avx_vnni",
    "avx512f",
    "avx512bw",
    "avx512_vnni",
    "amx_int8",
    "asimd",
    "asimddp",
    "i8mm",
];

/// A processor, as far as the system says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) features: Vec<String>,
}

impl Machine {
    pub(crate) fn here() -> Self {
        let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self::told(&told)
    }

    fn told(cpuinfo: &str) -> Self {
        let value = |key: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim())
        };
        let has: Vec<&str> = value("flags")
            .or_else(|| value("Features"))
            .unwrap_or_default()
            .split(' ')
            .collect();
        let features = FEATURES.iter().filter(|it| has.contains(it));
        Self {
            cpu: value("model name")
                .unwrap_or(std::env::consts::ARCH)
                .to_owned(),
            cores: available_parallelism().map_or(1, usize::from),
            features: features.map(|&it| it.to_owned()).collect(),
        }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            cpu,
            cores,
            features,
        } = self;
        write!(f, "{cpu}, {cores} cores, {}", features.join(" "))
    }
}

/// The commit that is checked out, with a `+` where files differ from it; `unknown` outside a
/// checkout. `history` is what a run itself writes and does not count.
pub(crate) fn commit(workspace: &Workspace, history: &str) -> String {
    let git = |arguments: &[&str]| {
        process::read(
            Command::new("git")
                .current_dir(&workspace.root)
                .args(arguments),
        )
    };
    let Ok(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).unwrap_or_default();
    let differs = changed.lines().any(|line| !line.ends_with(history));
    format!("{commit}{}", if differs { "+" } else { "" })
}

/// The moment, to the second, in UTC.
pub(crate) fn now() -> String {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second())
        .unwrap_or(now)
        .to_string()
}

/// How busy the machine is with others' work: what makes a figure one to take again.
pub(crate) struct Others {
    load: Option<f64>,
    began: Option<Ticks>,
}

/// Time of the processors, in the kernel's ticks.
#[derive(Clone, Copy)]
struct Ticks {
    all: u64,
    busy: u64,
    /// Of which by this process, and those that it started and waited for.
    own: u64,
}

impl Others {
    pub(crate) fn begin() -> Self {
        Self {
            load: load(),
            began: Ticks::now(),
        }
    }

    /// The load average when it began.
    pub(crate) fn load(&self) -> Option<f64> {
        self.load
    }

    /// The part of the processors that others had since. Only children that have ended are known to
    /// be ours.
    pub(crate) fn part(&self) -> Option<f64> {
        let (began, now) = (self.began?, Ticks::now()?);
        let all = now.all.checked_sub(began.all).filter(|&all| all > 0)?;
        let busy = (now.busy - began.busy).saturating_sub(now.own - began.own);
        Some((busy as f64 / all as f64 * 1e3).round() / 1e3)
    }
}

/// The load average of the last minute, where the system says.
fn load() -> Option<f64> {
    let told = fs::read_to_string("/proc/loadavg").ok()?;
    told.split(' ').next()?.parse().ok()
}

impl Ticks {
    fn now() -> Option<Self> {
        let told = fs::read_to_string("/proc/stat").ok()?;
        let line = told.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line.split_whitespace().flat_map(str::parse).collect();
        // user nice system idle iowait irq softirq steal; guests are counted as users already.
        let all = ticks.iter().take(8).sum();
        let idle: u64 = ticks.iter().skip(3).take(2).sum();
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        // The name, in parentheses, may hold anything.
        let (_, after) = own.rsplit_once(')')?;
        let own = after.split_whitespace().skip(11).take(4);
        Some(Self {
            all,
            busy: all - idle,
            own: own.flat_map(str::parse::<u64>).sum(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_its_processor_and_what_kernels_need() {
        let told = "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu avx2 avx512_vnni sse\n";
        let machine = Machine::told(told);
        assert_eq!(machine.cpu, "Some CPU");
        assert_eq!(machine.features, ["avx2", "avx512_vnni"]);
        assert_eq!(Machine::told("").cpu, std::env::consts::ARCH);
    }

    #[test]
    fn a_moment_is_told_in_utc_to_the_second() {
        let now = now();
        assert!(now.ends_with('Z') && !now.contains('.'), "{now}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_others_had_is_a_part_of_the_whole() {
        let others = Others::begin();
        std::thread::sleep(std::time::Duration::from_millis(60));
        let part = others.part().expect("Linux says");
        assert!((0.0..=1.0).contains(&part), "{part}");
    }
}
