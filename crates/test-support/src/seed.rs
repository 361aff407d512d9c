//! The seed of tests that try a sample of many cases.

use std::process::Command;

/// The number in the variable, or one that changes with the commit, so that each commit tries other cases.
pub fn seed(variable: &str) -> u64 {
    let set = std::env::var(variable).ok().and_then(|seed| seed.parse().ok());
    set.or_else(of_the_commit).unwrap_or(1)
}

fn of_the_commit() -> Option<u64> {
    let git = Command::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(git.stdout).ok()?;
    u64::from_str_radix(commit.get(..8)?, 16).ok()
}
