//! The least that a sync can do: walk a folder as sync does and ask for every note's size and time.
//! `cargo xtask bench sync` runs it beside `concord index`.

#![allow(clippy::print_stdout, reason = "it prints what it counted")]

use ignore::WalkBuilder;

fn main() {
    let folder = std::env::args_os().nth(1).expect("a folder");
    let walk = WalkBuilder::new(folder)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .build();
    let notes = walk
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|it| it == "md"))
        .filter_map(|entry| entry.metadata().ok())
        .filter(|metadata| metadata.modified().is_ok());
    println!("{}", notes.count());
}
