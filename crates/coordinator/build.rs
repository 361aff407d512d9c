//! Builds again when the dashboard was built: its bundle becomes a part of the binary.

#![expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

fn main() {
    println!("cargo:rerun-if-changed=../../dashboard/dist");
}
