//! `cargo xtask wasm`: the browser package.

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::compile::{self, Site};
use crate::node;
use crate::package::{Package, Tools, sha256};
use crate::process::{relative, say};
use crate::settings::{self, Settings};
use crate::toolchain::Toolchain;
use crate::workspace::Workspace;

/// Builds the package where `wasm-pack.toml` wants it, or leaves it as it is where nothing
/// that it is made from has changed.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let settings = Settings::read(&workspace.root)?;
    let tools = tools(workspace)?;
    let toolchain = Toolchain::find()?;
    let site = Site::usual(workspace)?;
    let module = compile::compile(&toolchain, &settings, &site)?;

    let package = Package::at(workspace.root.join(&settings.out_dir), &settings);
    let made_from = ingredients(workspace, &module)?;
    let record = site.target.join("package.sha256");
    if is_current(&record, &made_from, &package) {
        say("wasm package: nothing it is made from has changed");
    } else {
        say("wasm package: wasm-bindgen, then wasm-opt");
        let version = workspace.version_of(&settings.crate_name)?;
        package.write(&module, version, &settings, &tools)?;
        fs::write(&record, made_from + &package.checksums()?)?;
    }
    report(workspace, &package, &settings, &tools.node)
}

/// What turns a module into a package.
pub(crate) fn tools(workspace: &Workspace) -> Result<Tools> {
    Ok(Tools {
        node: node::node()?,
        wasm_opt: node::wasm_opt(workspace)?,
    })
}

/// One line on all that decides the package: the module, how it is to be treated, and the
/// programs that treat it (the optimiser by its lock file, wasm-bindgen as part of ourselves).
fn ingredients(workspace: &Workspace, module: &Path) -> Result<String> {
    let ourselves = env::current_exe().context("where is this program?")?;
    let mut line = String::from("#");
    for file in [
        module,
        &workspace.root.join("Cargo.toml"),
        &workspace.root.join(settings::FILE),
        &workspace.root.join("web/package-lock.json"),
        &ourselves,
    ] {
        let bytes = fs::read(file).with_context(|| format!("{} is gone", file.display()))?;
        line += " ";
        line += &sha256(&bytes);
    }
    Ok(line + "\n")
}

/// Whether the package on disk is, byte for byte, the one that was made from the same.
fn is_current(record: &Path, made_from: &str, package: &Package) -> bool {
    match (fs::read_to_string(record), package.checksums()) {
        (Ok(record), Ok(checksums)) => record == format!("{made_from}{checksums}"),
        _ => false,
    }
}

fn report(
    workspace: &Workspace,
    package: &Package,
    settings: &Settings,
    node: &Path,
) -> Result<()> {
    let [module, javascript] = package.sizes(node)?;
    let gzip = module.gzip + javascript.gzip;
    let limit = settings.gzip_limit;
    say(format!(
        "wasm package: {}, sha256 {}",
        relative(&package.folder, &workspace.root),
        sha256(&fs::read(package.module())?)
    ));
    say(format!(
        "wasm package: module {} bytes, {} gzipped; JavaScript {}, {}; together {gzip} of {limit} gzipped ({} %)",
        module.raw,
        module.gzip,
        javascript.raw,
        javascript.gzip,
        gzip * 100 / limit.max(1)
    ));
    if gzip > limit {
        bail!(
            "the package takes {gzip} bytes gzipped, {} more than gzip-limit in {} allows: \
             make it smaller, or raise the limit with a reason",
            gzip - limit,
            settings::FILE
        );
    }
    Ok(())
}
