//! Builds again when the dashboard was built: its bundle becomes a part of the binary.

fn main() {
    println!("cargo:rerun-if-changed=../../dashboard/dist");
}
