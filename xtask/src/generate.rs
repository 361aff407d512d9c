//! Writes the files that are made from code: `dashboard/openapi.json`, which the dashboard's types come from.
//!
//! The coordinator's own test writes it, so that this tool does not have to build the coordinator for every other task.

use std::process::Command;

use anyhow::Context as _;

/// Whether all files were written.
pub(crate) fn run() -> anyhow::Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "accord-coordinator",
        "--lib",
        "the_file_of_the_dashboard_is_current",
    ];
    let status = Command::new(cargo)
        .args(arguments)
        .env("ACCORD_WRITE_OPENAPI", "1")
        .status()
        .context("cargo cannot be started")?;
    Ok(status.success())
}
