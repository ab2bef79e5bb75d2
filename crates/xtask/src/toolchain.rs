//! Which compiler builds for wasm32, and where its standard library comes from.
//!
//! In this order: the active compiler, if it has the wasm32 library; the same, once rustup
//! has added it; Debian's compiler, whose library is then built from Debian's source. The
//! last way needs no download from the Rust project, which some machines cannot reach.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, anyhow, ensure};

use crate::apt;
use crate::process::{self, say};

/// The target triple of the package.
pub(crate) const WASM32: &str = "wasm32-unknown-unknown";

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "rust-web-src", "lld"];

/// rustup's download is some 30 MB; a machine that cannot reach it must not wait for ever.
const RUSTUP_LIMIT: Duration = Duration::from_secs(180);

/// A compiler with which the package can be built.
#[derive(Debug)]
pub(crate) struct Toolchain {
    /// The compiler.
    pub(crate) compiler: Compiler,
    /// Where its wasm32 standard library comes from.
    pub(crate) library: Library,
}

/// Where a wasm32 standard library comes from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// It is installed.
    Installed,
    /// Cargo builds it along with the package (`-Zbuild-std`).
    FromSource,
}

/// A rustc, and what it says about itself.
#[derive(Debug)]
pub(crate) struct Compiler {
    /// The program itself, no proxy that might choose another.
    pub(crate) rustc: PathBuf,
    /// Where its libraries are.
    pub(crate) sysroot: PathBuf,
    /// The commit it was built from.
    pub(crate) commit: String,
    version: String,
}

impl Toolchain {
    /// Finds one, or sets one up, and says which.
    pub(crate) fn find() -> Result<Self> {
        let active = Compiler::active()?;
        if active.has_wasm32()? {
            return Ok(active.with_installed_library());
        }
        let no_rustup = match add_with_rustup() {
            Ok(()) if active.has_wasm32()? => return Ok(active.with_installed_library()),
            Ok(()) => format!(
                "rustup added it to a toolchain other than {}",
                active.version
            ),
            Err(error) => format!("{error:#}"),
        };
        say(format!(
            "wasm32 standard library: not installed, and rustup cannot add it ({no_rustup})"
        ));
        debian().map_err(|no_debian| {
            anyhow!(
                "this machine has no Rust standard library for {WASM32}, and none could be set up.\n\
                 By rustup: {no_rustup}.\n\
                 By Debian's packages: {no_debian:#}.\n\
                 Do one of these, and try again:\n  \
                 rustup target add {WASM32}\n  \
                 apt-get install {}",
                DEBIAN_PACKAGES.join(" ")
            )
        })
    }
}

impl Compiler {
    /// The compiler that cargo would take.
    fn active() -> Result<Self> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let sysroot = process::read(Command::new(&rustc).args(["--print", "sysroot"]))
            .context("no Rust compiler")?;
        // Behind rustup's proxy stands the compiler of the active toolchain.
        let behind = Path::new(&sysroot)
            .join("bin")
            .join(format!("rustc{}", env::consts::EXE_SUFFIX));
        Self::ask(if behind.is_file() {
            behind
        } else {
            rustc.into()
        })
    }

    fn ask(rustc: PathBuf) -> Result<Self> {
        let sysroot = process::read(Command::new(&rustc).args(["--print", "sysroot"]))?;
        let verbose = process::read(Command::new(&rustc).arg("-vV"))?;
        let commit = verbose
            .lines()
            .find_map(|line| line.strip_prefix("commit-hash: "))
            .unwrap_or("unknown");
        Ok(Self {
            sysroot: sysroot.into(),
            commit: commit.to_owned(),
            version: verbose.lines().next().unwrap_or("rustc").to_owned(),
            rustc,
        })
    }

    fn has_wasm32(&self) -> Result<bool> {
        let folder = process::read(Command::new(&self.rustc).args([
            "--print",
            "target-libdir",
            "--target",
            WASM32,
        ]))?;
        // The folder alone proves nothing: rustc names it whether it is there or not.
        let Ok(files) = fs::read_dir(folder) else {
            return Ok(false);
        };
        Ok(files.flatten().any(|file| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        }))
    }

    fn with_installed_library(self) -> Toolchain {
        say(format!(
            "wasm32 standard library: installed with {}",
            self.version
        ));
        Toolchain {
            compiler: self,
            library: Library::Installed,
        }
    }

    /// Where `-Zbuild-std` looks for the library's source.
    pub(crate) fn library_source(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust")
    }
}

fn add_with_rustup() -> Result<()> {
    ensure!(
        process::on_path(&["rustup"]).is_some(),
        "rustup is not on the PATH"
    );
    say(format!(
        "wasm32 standard library: not installed; rustup target add {WASM32}"
    ));
    process::run_within(
        RUSTUP_LIMIT,
        Command::new("rustup")
            .args(["target", "add", WASM32])
            // Its error is enough; a backtrace would bury ours.
            .env("RUST_BACKTRACE", "0"),
    )
}

fn debian() -> Result<Toolchain> {
    let toolchain = match debian_installed() {
        Ok(toolchain) => toolchain,
        Err(missing) => {
            apt::install(&DEBIAN_PACKAGES).with_context(|| format!("{missing:#}"))?;
            debian_installed()?
        }
    };
    say(format!(
        "wasm32 standard library: building it from Debian's rust-web-src with -Zbuild-std and {}",
        toolchain.compiler.version
    ));
    Ok(toolchain)
}

fn debian_installed() -> Result<Toolchain> {
    ensure!(
        Path::new(DEBIAN_RUSTC).is_file(),
        "{DEBIAN_RUSTC} is not there"
    );
    let compiler = Compiler::ask(DEBIAN_RUSTC.into())?;
    let source = compiler.library_source();
    ensure!(
        source.join("library/std/Cargo.toml").is_file(),
        "the library's source is not in {}",
        source.display()
    );
    ensure!(
        process::on_path(&["wasm-ld"]).is_some(),
        "wasm-ld is not on the PATH"
    );
    Ok(Toolchain {
        compiler,
        library: Library::FromSource,
    })
}
