//! Files and processes: tests that need a real system.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod acp;
mod asking;
mod claude;
mod codex;
mod command;
mod confinement;
mod external;
mod over_http;
mod process;
mod readable;
mod replay;
mod sandbox;
mod support;
