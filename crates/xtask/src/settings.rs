//! `wasm-pack.toml`: how the wasm crate becomes a package.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The file's name, at the root of the checkout.
pub(crate) const FILE: &str = "wasm-pack.toml";

/// wasm-opt arguments under which a float operation may yield other bits than the
/// WebAssembly specification says, and with them a ranking other than the native one.
const CHANGES_FLOATS: [&str; 6] = [
    "--fast-math",
    "-ffm",
    "--enable-relaxed-simd",
    "--enable-fp16",
    "--all-features",
    "-all",
];

/// What `wasm-pack.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// The crate to build.
    #[serde(rename = "crate")]
    pub(crate) crate_name: String,
    /// The cargo profile to build it with.
    pub(crate) profile: String,
    /// The name in each package.json.
    pub(crate) package_name: String,
    /// Where the package goes, below the root.
    pub(crate) out_dir: PathBuf,
    /// The most that module and JavaScript may take, gzipped.
    pub(crate) gzip_limit: u64,
    /// The folder below `out_dir` for each kind of JavaScript.
    pub(crate) targets: BTreeMap<Target, PathBuf>,
    /// The optimiser.
    pub(crate) wasm_opt: WasmOpt,
}

/// What kind of JavaScript goes with the module.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Target {
    /// An ES module that fetches the .wasm file when it is told to.
    Web,
    /// A CommonJS module that reads the .wasm file as it is loaded.
    Nodejs,
}

/// How the optimiser is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WasmOpt {
    /// Its arguments, besides the names of the files.
    pub(crate) arguments: Vec<String>,
}

impl Settings {
    /// Reads the file of this checkout.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join(FILE))
            .with_context(|| format!("{FILE} cannot be read"))?;
        Self::parse(&text).with_context(|| format!("{FILE} is not right"))
    }

    /// What cargo and wasm-bindgen call the files they make, without their ends.
    pub(crate) fn stem(&self) -> String {
        self.crate_name.replace('-', "_")
    }

    fn parse(text: &str) -> Result<Self> {
        let settings: Self = toml::from_str(text)?;
        ensure!(
            settings.targets.contains_key(&Target::Web),
            "`targets` has no `web`, whose size gzip-limit is about"
        );
        for folder in std::iter::once(&settings.out_dir).chain(settings.targets.values()) {
            // These folders are emptied before they are written.
            ensure!(
                folder.components().next().is_some()
                    && folder
                        .components()
                        .all(|part| matches!(part, Component::Normal(_))),
                "`{}` must be a folder below the root, without `.` or `..`",
                folder.display()
            );
        }
        for argument in &settings.wasm_opt.arguments {
            ensure!(
                !CHANGES_FLOATS.contains(&argument.as_str()),
                "wasm-opt's `{argument}` can change the bits of a float, and with them the ranking"
            );
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMITTED: &str = include_str!("../../../wasm-pack.toml");

    #[test]
    fn the_committed_file_is_right() {
        Settings::parse(COMMITTED).unwrap();
    }

    #[test]
    fn the_committed_file_says_who_reads_it() {
        let first = COMMITTED.lines().next().unwrap();
        assert!(first.contains("cargo xtask") && first.contains("wasm-pack itself reads no"));
    }

    #[test]
    fn what_would_break_the_package_is_refused() {
        let check = |from: &str, to: &str| {
            assert!(
                COMMITTED.contains(from),
                "the case replaces nothing: {from}"
            );
            let error = Settings::parse(&COMMITTED.replace(from, to)).expect_err(to);
            error.to_string()
        };
        assert!(check("gzip-limit =", "gzip_limit =").contains("gzip_limit"));
        assert!(check("nodejs = ", "deno = ").contains("deno"));
        assert!(check("\"-O3\"", "\"--fast-math\"").contains("bits of a float"));
        assert!(check("\"-O3\"", "\"--enable-relaxed-simd\"").contains("bits of a float"));
        assert!(check("\"web/pkg\"", "\"../pkg\"").contains("below the root"));
        assert!(check("\"web/pkg\"", "\"\"").contains("below the root"));
    }
}
