//! The tools of Accord over MCP, and the protocol itself.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something is missing"
)]

mod asking;
mod protocol;
mod support;
mod tasks;
