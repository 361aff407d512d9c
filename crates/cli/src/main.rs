//! The accord binary.
fn main() {}
