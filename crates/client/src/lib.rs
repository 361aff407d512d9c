//! Typed HTTP client of the coordinator.
//!
//! One method per route. The client does not retry: the caller decides that, with the help of
//! [`ClientError`]. The one exception is the stream of events, which reconnects and continues after
//! the last event that was read.
//!
//! `examples/typed_result.rs` starts a run and reads its result into a struct, including unfinished and failed runs.
//!
//! The client deliberately follows no redirects (the key would be sent to another server), and
//! never shows the key in errors or debug output.

#![warn(missing_docs)]

mod agents;
mod client;
mod error;
mod events;
mod files;
mod http;
mod inputs;
mod operations;
mod runner;
mod runs;
mod schemas;
mod sessions;
mod workflows;

/// The types of the API, so that users need no other crate.
pub use accord_api as api;
pub use client::{ApiKey, Client};
pub use error::ClientError;
pub use events::{EventFilter, EventStream};
