//! Has the page embedded anew when it was built anew.

fn main() {
    println!("cargo::rerun-if-changed=../web/dist");
}
