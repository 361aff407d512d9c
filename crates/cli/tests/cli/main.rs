//! The binary from outside: arguments, files and streams in; stdout, stderr and exit code out.
//!
//! The engine's messages are tested with the engine. These tests only check what the command line
//! adds to them.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod check;
mod conformance;
mod explain;
mod infer;
mod jsonl;
mod lint;
mod lower;
mod memory;
mod project;
mod providers;
mod review;
mod schema_check;
mod schema_of;
mod support;
mod templates;
mod types;
mod usage;
mod validate;
