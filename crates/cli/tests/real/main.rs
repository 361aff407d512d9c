//! Installed agent CLIs, end to end: `accord up` in a folder, the real program run by it, and a
//! scripted model on loopback.
//!
//! `setup` in this folder installs the programs. If one is missing, its tests print that and pass,
//! unless `ACCORD_REAL=1` is set: then nothing may be skipped.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot set itself up has failed"
)]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod acp;
mod approvals;
mod claude;
mod claude_files;
mod codex;
mod session;
mod support;
