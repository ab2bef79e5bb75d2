//! The core: native beside the same code as WebAssembly; and how large the package is.

use anyhow::{Context, Result};
use serde_json::Value;

use super::row::Row;
use crate::node;
use crate::package::Package;
use crate::settings::Settings;
use crate::workspace::Workspace;
use crate::{parity, wasm};

/// Candidates and edges for which a slider has to keep up.
const USUAL: &str = "200/2000";
/// Milliseconds of a frame at 60 Hz.
const FRAME: f64 = 1e3 / 60.0;
const SLOWER_THAN_NATIVE: f64 = 2.5;

/// Of all that is measured, what the report shows.
const SHOWN: [&str; 6] = [
    "step 60/200",
    "step 200/2000",
    "step 1000/2000",
    "step 1000/20000",
    "whole 200/2000",
    "verify 600 words",
];

pub(crate) fn run(workspace: &Workspace) -> Result<Vec<Row>> {
    wasm::build(workspace)?;
    let mut rows = times(&parity::bench(workspace)?)?;
    rows.push(size(workspace)?);
    Ok(rows)
}

/// Rows from `{"native": {"step 60/200": 0.1, …}, "node": {…}}`.
fn times(measured: &Value) -> Result<Vec<Row>> {
    let runtimes = measured.as_object().context("not a measurement")?;
    let time = |runtime: &str, row: &str| {
        let time = measured[runtime][row].as_f64();
        time.with_context(|| format!("no time of {runtime} for `{row}`"))
    };
    let mut rows = Vec::new();
    for shown in SHOWN {
        let native = time("native", shown)?;
        for runtime in runtimes.keys().filter(|name| *name != "native") {
            let ours = time(runtime, shown)?;
            let row = Row::alone("core", format!("{shown}, wasm in {runtime}"), "ms", ours);
            let row = row.beside("native", native);
            rows.push(if shown.ends_with(USUAL) {
                row.at_most(SLOWER_THAN_NATIVE)
            } else {
                row
            });
            if shown == "step 200/2000" {
                let frame = format!("{shown}, wasm in {runtime}, a slider's step");
                rows.push(
                    Row::alone("core", frame, "ms", ours)
                        .beside("frame at 60 Hz", FRAME)
                        .at_most(1.0),
                );
            }
        }
    }
    Ok(rows)
}

fn size(workspace: &Workspace) -> Result<Row> {
    let settings = Settings::read(&workspace.root)?;
    let package = Package::at(workspace.root.join(&settings.out_dir), &settings);
    let [module, javascript] = package.sizes(&node::node()?)?;
    let bytes = (module.gzip + javascript.gzip) as f64;
    Ok(Row::alone("core", "browser package, gzipped", "KB", bytes / 1024.0).at_most(300.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_is_compared_with_native() {
        let of = |time: f64| -> Value {
            SHOWN
                .iter()
                .map(|row| ((*row).to_owned(), Value::from(time)))
                .collect()
        };
        let measured =
            serde_json::json!({"native": of(1.0), "node": of(2.0), "chromium": of(20.0)});
        let rows = times(&measured).expect("rows");
        assert_eq!(rows.len(), 2 * (SHOWN.len() + 1));
        let met = |name: &str| {
            let row = rows.iter().find(|row| row.row == name).expect("a row");
            row.is_met()
        };
        assert_eq!(met("step 200/2000, wasm in node"), Some(true));
        assert_eq!(met("step 200/2000, wasm in chromium"), Some(false));
        assert_eq!(
            met("step 200/2000, wasm in chromium, a slider's step"),
            Some(false)
        );
        assert_eq!(met("step 60/200, wasm in chromium"), None);
        assert!(times(&serde_json::json!({"native": {}, "node": {}})).is_err());
    }
}
