//! Starting a runtime, and ending it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};
use tokio::process::{Child, Command};

/// Something that runs the wasm package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Node or Bun: a script.
    Script,
    /// Chromium and its kin.
    Chromium,
    /// Firefox.
    Firefox,
}

/// A runtime on this machine.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// What it is called in reports.
    pub name: &'static str,
    /// How it is started.
    pub kind: Kind,
    /// What is started.
    pub program: PathBuf,
}

/// A runtime at work. Its process, and its profile folder, go when this goes.
pub struct Running {
    /// The process.
    pub child: Child,
    _profile: Option<tempfile::TempDir>,
}

impl Runtime {
    /// Starts it on a page of the server (`/` or `/bench`); a script gets the same address.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(
        &self,
        base: &str,
        page: &str,
        package: &Path,
        tamper: Option<usize>,
    ) -> Result<Running> {
        let mut command = Command::new(&self.program);
        let mut address = format!("{base}{page}?runtime={}", self.name);
        if let Some(number) = tamper {
            address += &format!("&tamper={number}");
        }
        let profile = match self.kind {
            Kind::Script => None,
            _ => Some(
                tempfile::tempdir().context("cannot make a folder for the browser's profile")?,
            ),
        };
        let folder = profile
            .as_ref()
            .map(|profile| profile.path().to_owned())
            .unwrap_or_default();
        match self.kind {
            Kind::Script => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/script.mjs");
                command
                    .arg(script)
                    .arg(&address)
                    .arg(package.join("nodejs/concord_wasm.js"));
            }
            Kind::Chromium => {
                command
                    .args([
                        "--headless=new",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                    ])
                    .args([
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                    ])
                    .args([
                        "--disable-extensions",
                        "--disable-dev-shm-usage",
                        "--disable-background-timer-throttling",
                    ])
                    .args([
                        "--disable-renderer-backgrounding",
                        "--disable-backgrounding-occluded-windows",
                    ])
                    .arg(format!("--user-data-dir={}", folder.display()));
                if is_root() {
                    // Chromium's sandbox refuses to run as root, as in containers.
                    command.arg("--no-sandbox");
                }
                command.arg(&address);
            }
            Kind::Firefox => {
                quiet_firefox(&folder)?;
                command
                    .args(["--headless", "--no-remote", "--profile"])
                    .arg(&folder)
                    .arg(&address);
            }
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(if self.kind == Kind::Script {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {} ({})", self.name, self.program.display()))?;
        Ok(Running {
            child,
            _profile: profile,
        })
    }
}

impl Running {
    /// Ends it. A browser that has posted its answers would otherwise stay open.
    pub async fn end(mut self) {
        let _ = self.child.kill().await;
    }
}

/// No first-run pages, no updates, no calls home.
fn quiet_firefox(profile: &Path) -> Result<()> {
    let preferences = [
        ("browser.shell.checkDefaultBrowser", "false"),
        ("browser.startup.homepage_override.mstone", "\"ignore\""),
        ("datareporting.policy.dataSubmissionEnabled", "false"),
        ("toolkit.telemetry.reportingpolicy.firstRun", "false"),
        ("app.update.enabled", "false"),
        ("app.normandy.enabled", "false"),
        ("network.captive-portal-service.enabled", "false"),
        ("network.connectivity-service.enabled", "false"),
        ("browser.safebrowsing.malware.enabled", "false"),
        ("browser.safebrowsing.phishing.enabled", "false"),
        ("extensions.getAddons.cache.enabled", "false"),
        ("services.settings.server", "\"http://127.0.0.1:9\""),
    ];
    let line = |(key, value): &(&str, &str)| format!("user_pref(\"{key}\", {value});\n");
    let text: String = preferences.iter().map(line).collect();
    std::fs::write(profile.join("user.js"), text).context("cannot write the browser's preferences")
}

fn is_root() -> bool {
    std::env::var_os("USER").is_some_and(|user| user == "root")
        || std::fs::metadata("/proc/self").is_ok_and(|meta| {
            #[cfg(unix)]
            {
                std::os::unix::fs::MetadataExt::uid(&meta) == 0
            }
            #[cfg(not(unix))]
            {
                let _ = meta;
                false
            }
        })
}
