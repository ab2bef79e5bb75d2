//! Packs a BERT into the one file that the binary carries; run by `cargo xtask model`. Prints the
//! folder that the model was read from.
//!
//! ```text
//! cargo run --release -p concord-encode --no-default-features --example pack -- FOLDER|HUB-NAME NAME FILE
//! ```

#![allow(clippy::print_stdout, reason = "it tells where the model lies")]

use std::error::Error;

use concord_encode::hub::Hub;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, name, file] = arguments.as_slice() else {
        return Err("three arguments: a folder or a hub's name, the model's name, the file".into());
    };
    let model = Hub::from_environment()?.resolve(source, &mut |_| ())?;
    std::fs::write(file, concord_encode::write_asset(&model.folder, name)?)?;
    println!("{}", model.folder.display());
    Ok(())
}
