//! Typed HTTP client of the coordinator.
//!
//! One method a route. Nothing is repeated here: whether a call may be sent again is the caller's to say, and
//! [`ClientError`] tells what it needs to know for that. The one exception is the stream of events, which reconnects
//! and goes on behind the last event that was read.
//!
//! Absent on purpose: redirects (the key would go where nobody sent it), and the key in any error or debug output.

mod agents;
mod client;
mod error;
mod events;
mod http;
mod operations;
mod runner;
mod runs;
mod schemas;
mod sessions;
mod workflows;

pub use client::{ApiKey, Client};
pub use error::ClientError;
pub use events::{EventFilter, EventStream};
