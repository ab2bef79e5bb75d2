//! Finding a real browser, or installing one.

use std::path::PathBuf;
use std::{env, fmt};

use anyhow::{Context, Result, ensure};

use crate::apt;
use crate::process::{self, say};

/// A browser that parity is checked in.
#[derive(Clone, Copy)]
pub(crate) enum Browser {
    /// Chromium or Chrome: V8.
    Chromium,
    /// Firefox: SpiderMonkey.
    Firefox,
}

impl Browser {
    /// The program: named by the user, found, or installed.
    pub(crate) fn find(self) -> Result<PathBuf> {
        let variable = self.variable();
        if let Some(named) = env::var_os(variable) {
            let program = PathBuf::from(named);
            ensure!(
                program.is_file(),
                "{variable} names {}, where there is no program",
                program.display()
            );
            return Ok(program);
        }
        if let Some(program) = self.installed() {
            return Ok(program);
        }
        let advice = format!(
            "there is no {self} here, and parity must be checked in it: \
             install it, or set {variable} to the program"
        );
        say(format!("{self}: not installed"));
        apt::install(&[self.package()]).with_context(|| advice.clone())?;
        self.installed().context(advice)
    }

    fn installed(self) -> Option<PathBuf> {
        let (names, application): (&[&str], _) = match self {
            Self::Chromium => (
                &[
                    "chromium",
                    "chromium-browser",
                    "google-chrome",
                    "google-chrome-stable",
                    "chrome",
                ],
                [
                    "Chromium.app/Contents/MacOS/Chromium",
                    "Google Chrome.app/Contents/MacOS/Google Chrome",
                ],
            ),
            Self::Firefox => (
                &["firefox-esr", "firefox"],
                [
                    "Firefox.app/Contents/MacOS/firefox",
                    "Firefox Developer Edition.app/Contents/MacOS/firefox",
                ],
            ),
        };
        let of_all = Some(PathBuf::from("/Applications"));
        let of_user = env::home_dir().map(|home| home.join("Applications"));
        process::on_path(names).or_else(|| {
            [of_all, of_user]
                .into_iter()
                .flatten()
                .flat_map(|folder| application.map(|name| folder.join(name)))
                .find(|program| program.is_file())
        })
    }

    fn variable(self) -> &'static str {
        match self {
            Self::Chromium => "CONCORD_CHROMIUM",
            Self::Firefox => "CONCORD_FIREFOX",
        }
    }

    /// Debian's package.
    fn package(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox-esr",
        }
    }
}

impl fmt::Display for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
        })
    }
}
