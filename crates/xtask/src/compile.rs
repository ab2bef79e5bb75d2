//! From the wasm crate to a module: the same bytes from the same sources.
//!
//! The sources, Cargo.lock and the compiler decide; the names of folders, the home and the
//! environment do not. Two things see to that. Every folder that rustc would write into a
//! panic message gets a fixed name (`--remap-path-prefix`; cargo leaves that flag out of
//! the crate hashes, so symbols and their order stay the same too). And only such variables
//! reach cargo as say where things are or how to get at them.
//!
//! Cargo's `trim-paths` would do the first more simply, but is not stable.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::process;
use crate::settings::Settings;
use crate::toolchain::{Library, Toolchain, WASM32};
use crate::workspace::{self, Workspace};

/// The folders of one build. None of them may show in its result.
pub(crate) struct Site {
    /// The checkout.
    pub(crate) root: PathBuf,
    /// Where cargo keeps the sources of dependencies.
    pub(crate) cargo_home: PathBuf,
    /// Where this build keeps what it makes. Not the native builds' folder: another
    /// compiler would throw their work away, and they its.
    pub(crate) target: PathBuf,
}

impl Site {
    /// The folders that are used day by day.
    pub(crate) fn usual(workspace: &Workspace) -> Result<Self> {
        let cargo_home = match env::var_os("CARGO_HOME") {
            Some(folder) => PathBuf::from(folder),
            None => env::home_dir()
                .context("neither CARGO_HOME nor a home folder is set: where is cargo's?")?
                .join(".cargo"),
        };
        Ok(Self {
            root: workspace.root.clone(),
            cargo_home,
            target: workspace.target.join("wasm-build"),
        })
    }
}

/// Compiles the crate and gives the path of the module.
pub(crate) fn compile(toolchain: &Toolchain, settings: &Settings, site: &Site) -> Result<PathBuf> {
    let mut cargo = Command::new(workspace::cargo_program());
    for (name, _) in env::vars_os() {
        if may_change_the_result(&name) {
            cargo.env_remove(name);
        }
    }
    cargo
        .current_dir(&site.root)
        .args(["build", "--locked"])
        .args(["--package", &settings.crate_name])
        .args(["--profile", &settings.profile])
        .args(["--target", WASM32])
        .arg("--target-dir")
        .arg(&site.target)
        .env("CARGO_HOME", &site.cargo_home)
        .env("CARGO_ENCODED_RUSTFLAGS", remapping(toolchain, site)?)
        .env("RUSTC", &toolchain.compiler.rustc)
        .env("RUSTC_WRAPPER", "");
    if toolchain.library == Library::FromSource {
        cargo
            .arg("-Zbuild-std=std,panic_abort")
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld");
    }
    process::run(&mut cargo).context("the wasm crate does not compile")?;

    let module = site
        .target
        .join(WASM32)
        .join(&settings.profile)
        .join(settings.stem())
        .with_extension("wasm");
    ensure!(
        module.is_file(),
        "cargo made no {}: the crate `{}` must be a cdylib",
        module.display(),
        settings.crate_name
    );
    Ok(module)
}

/// Whether a variable could reach into the bytes (flags, profiles, wrappers, the libraries
/// that rustc itself loads), as opposed to saying where things are or how to get at them.
fn may_change_the_result(name: &OsStr) -> bool {
    const HARMLESS: [&str; 8] = [
        "CARGO_HOME",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTR",
        "CARGO_TERM_",
        "RUSTUP_",
        "RUST_BACKTRACE",
        "RUST_LOG",
    ];
    const SUSPECT: [&str; 4] = ["CARGO", "RUST", "LD_", "DYLD_"];
    let name = name.to_string_lossy();
    let starts_with_one_of = |prefixes: &[&str]| prefixes.iter().any(|it| name.starts_with(it));
    starts_with_one_of(&SUSPECT) && !starts_with_one_of(&HARMLESS)
}

/// The flags that give each folder its fixed name, in cargo's encoding.
///
/// Where folders lie in each other the last flag that fits wins, so the inner ones follow.
fn remapping(toolchain: &Toolchain, site: &Site) -> Result<OsString> {
    let mut names = vec![
        (site.root.clone(), "/concord".to_owned()),
        (site.target.clone(), "/target".to_owned()),
        (site.cargo_home.clone(), "/cargo".to_owned()),
    ];
    // The folder of a registry is called after where it was reached: a mirror's differs.
    for registry in registries(&site.cargo_home)? {
        names.push((registry, "/registry".to_owned()));
    }
    // As it is called in a library that came compiled.
    names.push((
        toolchain.compiler.library_source(),
        format!("/rustc/{}", toolchain.compiler.commit),
    ));

    let mut flags = OsString::new();
    for (folder, name) in names {
        if !flags.is_empty() {
            flags.push("\u{1f}");
        }
        flags.push("--remap-path-prefix=");
        flags.push(folder);
        flags.push("=");
        flags.push(name);
    }
    Ok(flags)
}

fn registries(cargo_home: &Path) -> Result<Vec<PathBuf>> {
    let folder = cargo_home.join("registry").join("src");
    let mut registries = fs::read_dir(&folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| {
            format!(
                "cargo keeps no sources in {}, though this program was built from some: \
                 is CARGO_HOME another than it was then?",
                folder.display()
            )
        })?
        .iter()
        .map(fs::DirEntry::path)
        .collect::<Vec<_>>();
    registries.sort();
    Ok(registries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_where_but_not_what() {
        for (name, stays) in [
            ("PATH", true),
            ("HOME", true),
            ("CARGO_HOME", true),
            ("CARGO_NET_OFFLINE", true),
            ("RUSTUP_TOOLCHAIN", true),
            ("RUSTFLAGS", false),
            ("CARGO_BUILD_RUSTFLAGS", false),
            ("CARGO_PROFILE_WASM_OPT_LEVEL", false),
            ("CARGO_TARGET_DIR", false),
            ("RUSTC_WRAPPER", false),
            ("RUSTC_BOOTSTRAP", false),
            ("LD_LIBRARY_PATH", false),
        ] {
            assert_eq!(!may_change_the_result(OsStr::new(name)), stays, "{name}");
        }
    }
}
