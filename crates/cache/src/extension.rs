//! Puts sqlite-vec into every connection that this process opens.

#![allow(
    unsafe_code,
    reason = "an extension is a C function, and SQLite is told of it by pointer"
)]

use std::sync::OnceLock;

use rusqlite::auto_extension::{RawAutoExtension, register_auto_extension};
use rusqlite::ffi;

/// Registers it once.
pub(crate) fn register() -> rusqlite::Result<()> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    let done = DONE.get_or_init(|| {
        // SAFETY: `sqlite3_vec_init` is the extension's entry point and has the signature that
        // SQLite calls entry points with; the binding merely declares it without arguments. It is
        // linked statically, so the pointer stays valid for the life of the process.
        let registered = unsafe {
            let entry = sqlite_vec::sqlite3_vec_init as *const ();
            register_auto_extension(std::mem::transmute::<*const (), RawAutoExtension>(entry))
        };
        registered.map_err(|error| error.to_string())
    });
    done.clone().map_err(|message| {
        rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ERROR), Some(message))
    })
}
