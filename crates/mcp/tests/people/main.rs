//! Runs that need a person, with the client of `rmcp`: over stdio by requests during the call (2025-11-25), and over
//! streamable HTTP by results that ask (2026-07-28). The coordinator is a real one; its agents
//! fail, and have a person correct the result.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something is missing"
)]

mod asking;
mod support;
mod tasks;
