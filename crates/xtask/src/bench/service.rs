//! The real service, running on a vault while it is asked.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use crate::process::say;

/// Ends with its owner.
pub(crate) struct Service {
    child: Child,
    /// `http://…`, without a slash at the end.
    pub(crate) address: String,
}

impl Service {
    /// Starts it, and waits until it serves.
    pub(crate) fn start(concord: &Path, vault: &Path) -> Result<Self> {
        let mut child = Command::new(concord)
            .args(["serve", "--port", "0"])
            .arg(vault)
            .env_remove("DOMAIN")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let address = address(&mut child);
        let mut service = Self {
            child,
            address: String::new(),
        };
        // Where it has none, it is ended here.
        service.address = address?;
        Ok(service)
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Megabytes that it holds, where the system says.
    pub(crate) fn resident(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes / 1024.0)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait()) {
            say(format!("the service did not end: {error}"));
        }
    }
}

/// Where a service that was just started says that it serves.
fn address(server: &mut Child) -> Result<String> {
    let told = BufReader::new(server.stderr.take().context("its notices")?);
    let mut lines = told.lines();
    let mut said = String::new();
    for line in lines.by_ref() {
        let line = line?;
        if let Some((_, rest)) = line.split_once(" at http://") {
            let address = rest.split('/').next().unwrap_or(rest);
            let address = format!("http://{address}");
            // What it says later must not fill the pipe.
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(address);
        }
        said += &line;
        said.push('\n');
    }
    anyhow::bail!("the service ended before it served: {}", said.trim())
}
