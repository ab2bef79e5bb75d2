//! Packs a BERT's folder into the one file that the binary carries; run by `cargo xtask model`.
//!
//! ```text
//! cargo run --release -p concord-encode --no-default-features --example pack -- FOLDER NAME FILE
//! ```

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, name, file] = arguments.as_slice() else {
        return Err("three arguments: the model's folder, its name, the file to write".into());
    };
    std::fs::write(file, concord_encode::write_asset(Path::new(folder), name)?)?;
    Ok(())
}
