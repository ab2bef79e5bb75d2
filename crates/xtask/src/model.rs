//! `cargo xtask model`: makes the model that the binary carries, and says from what.
//!
//! The packing is `concord-encode`'s, run as its example `pack` without the feature `embedded`:
//! that feature needs the very file that is being made.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::package::sha256;
use crate::process::{self, relative, say};
use crate::workspace::Workspace;

const NAME: &str = "bge-small-en-v1.5";
/// What the hub calls it.
pub(crate) const HUB_NAME: &str = "BAAI/bge-small-en-v1.5";
const INPUTS: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// The licence that BAAI gives the weights, as its repository FlagEmbedding has it.
const LICENCE: &str = "\
MIT License

Copyright (c) 2022 staoxiao

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the \"Software\"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
";

/// Packs a folder, or a model of the hub, into `crates/encode/assets`.
pub(crate) fn make(workspace: &Workspace, from: Option<&Path>, hub: &str) -> Result<()> {
    let source = match from {
        None => hub.into(),
        Some(from) => {
            for input in INPUTS {
                ensure!(
                    from.join(input).is_file(),
                    "{} has no {input}: give a folder with {HUB_NAME} as the hub has it",
                    from.display()
                );
            }
            fs::canonicalize(from)?
        }
    };
    let assets = workspace.root.join("crates/encode/assets");
    fs::create_dir_all(&assets)?;
    let file = assets.join(format!("{NAME}.q8"));
    let folder = process::read(
        workspace
            .cargo([
                "run",
                "--release",
                "--quiet",
                "--package=concord-encode",
                "--no-default-features",
                "--example=pack",
                "--",
            ])
            .arg(source)
            .arg(NAME)
            .arg(&file),
    )
    .context("the model cannot be packed")?;
    let provenance = provenance(Path::new(&folder), &file)?;
    fs::write(assets.join("PROVENANCE.md"), provenance)?;
    say(format!(
        "{}: {} bytes",
        relative(&file, &workspace.root),
        fs::metadata(&file)?.len()
    ));
    Ok(())
}

fn provenance(from: &Path, file: &Path) -> Result<String> {
    let mut rows = String::new();
    for (role, path) in INPUTS
        .iter()
        .map(|input| ("source", from.join(input)))
        .chain([("made", file.to_owned())])
    {
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (length, hash) = (bytes.len(), sha256(&bytes));
        rows += &format!("| {role} | `{name}` | {length} | `{hash}` |\n");
    }
    Ok(format!(
        "# Where `{NAME}.q8` comes from\n\n\
         Written by `cargo xtask model`; do not edit.\n\n\
         The encoder {HUB_NAME} of the Beijing Academy of Artificial Intelligence (BAAI), from \
         the Hugging Face hub, in 8 bits: linear layers one scale an output channel, the token \
         table one scale a row, everything else f32. The tokenizer is kept as its vocabulary. \
         The format is described in `crates/encode/src/asset`.\n\n\
         | | file | bytes | SHA-256 |\n|---|---|---|---|\n{rows}\n\
         Make it again: `cargo xtask model`, which fetches the source files, or with `--from FOLDER` \
         takes them from a folder. The same source gives the same bytes.\n\n\
         The weights are under the MIT licence:\n\n```text\n{LICENCE}```\n"
    ))
}
