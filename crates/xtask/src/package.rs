//! From a module to a package: JavaScript and TypeScript halves, optimised, with a
//! package.json for each target.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::Bindgen;

use crate::node;
use crate::process;
use crate::settings::{Settings, Target};

/// The name of every file is that of the module, with another end.
pub(crate) struct Package {
    /// The folder that holds the folders of the targets.
    pub(crate) folder: PathBuf,
    /// The module's name, without its end.
    pub(crate) stem: String,
    web: PathBuf,
}

/// How large a part is.
pub(crate) struct Size {
    /// As it lies there.
    pub(crate) raw: u64,
    /// As it travels.
    pub(crate) gzip: u64,
}

/// The programs that take part.
pub(crate) struct Tools {
    /// Node.
    pub(crate) node: PathBuf,
    /// The optimiser, a Node script.
    pub(crate) wasm_opt: PathBuf,
}

#[derive(Serialize)]
struct PackageJson<'a> {
    name: &'a str,
    version: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    main: String,
    types: String,
}

impl Package {
    /// The package that `settings` put into `folder`, whether it is there or not.
    pub(crate) fn at(folder: PathBuf, settings: &Settings) -> Self {
        Self {
            web: folder.join(&settings.targets[&Target::Web]),
            stem: settings.stem(),
            folder,
        }
    }

    /// Writes the package, from nothing.
    pub(crate) fn write(
        &self,
        module: &Path,
        version: &str,
        settings: &Settings,
        tools: &Tools,
    ) -> Result<()> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)
                .with_context(|| format!("{} cannot be emptied", self.folder.display()))?;
        }
        for (&target, subfolder) in &settings.targets {
            let folder = self.folder.join(subfolder);
            self.bind(module, target, &folder)?;
            fs::write(
                folder.join("package.json"),
                self.package_json(target, version, settings)?,
            )?;
        }
        self.optimise(settings, tools)
    }

    /// Splits the module into what runs as WebAssembly and what runs as JavaScript.
    fn bind(&self, module: &Path, target: Target, folder: &Path) -> Result<()> {
        let mut bindgen = Bindgen::new();
        bindgen
            .input_path(module)
            .out_name(&self.stem)
            .typescript(true)
            .omit_default_module_path(false)
            // A trap leaves the instance unusable; this gives a fresh one.
            .reset_state_function(true)
            .remove_name_section(true)
            .remove_producers_section(true);
        match target {
            Target::Web => bindgen.web(true),
            Target::Nodejs => bindgen.nodejs(true),
        }
        .and_then(|bindgen| bindgen.generate(folder))
        .with_context(|| format!("wasm-bindgen cannot write the {target:?} package"))
    }

    /// Optimises one target's module and gives it to all: what is tested in Node must be
    /// what runs in a browser.
    fn optimise(&self, settings: &Settings, tools: &Tools) -> Result<()> {
        let module = self.module();
        let bound = fs::read(&module)?;
        for subfolder in settings.targets.values() {
            let other = self.folder.join(subfolder).join(self.module_name());
            ensure!(
                fs::read(&other)? == bound,
                "wasm-bindgen made another module for `{}` than for the web: the package \
                 promises one for all targets, so this must be looked into",
                subfolder.display()
            );
        }
        process::run(
            Command::new(&tools.node)
                .arg(&tools.wasm_opt)
                .args(&settings.wasm_opt.arguments)
                .arg("--output")
                .args([&module, &module]),
        )
        .context("wasm-opt cannot optimise the module")?;
        for subfolder in settings.targets.values() {
            let other = self.folder.join(subfolder).join(self.module_name());
            if other != module {
                fs::copy(&module, other)?;
            }
        }
        Ok(())
    }

    fn package_json(&self, target: Target, version: &str, settings: &Settings) -> Result<String> {
        let value = PackageJson {
            name: &settings.package_name,
            version,
            kind: match target {
                Target::Web => "module",
                Target::Nodejs => "commonjs",
            },
            main: format!("{}.js", self.stem),
            types: format!("{}.d.ts", self.stem),
        };
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }

    fn module_name(&self) -> String {
        format!("{}_bg.wasm", self.stem)
    }

    /// The module, in the web target's folder; the other targets hold the same.
    pub(crate) fn module(&self) -> PathBuf {
        self.web.join(self.module_name())
    }

    /// Module and JavaScript: what a browser downloads.
    pub(crate) fn sizes(&self, node: &Path) -> Result<[Size; 2]> {
        let files = [self.module(), self.web.join(format!("{}.js", self.stem))];
        let gzip = node::gzip_sizes(node, &files)?;
        let size = |index: usize| -> Result<Size> {
            Ok(Size {
                raw: fs::metadata(&files[index])?.len(),
                gzip: *gzip.get(index).context("node measured too few files")?,
            })
        };
        Ok([size(0)?, size(1)?])
    }

    /// Every file below the folder with its SHA-256, in `sha256sum`'s form, in order of name.
    pub(crate) fn checksums(&self) -> Result<String> {
        let mut files = Vec::new();
        list(&self.folder, &mut files)?;
        files.sort();
        let mut lines = String::new();
        for file in files {
            let name = file.strip_prefix(&self.folder)?;
            lines += &format!("{}  {}\n", sha256(&fs::read(&file)?), name.display());
        }
        Ok(lines)
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
