//! Typed HTTP client of the coordinator.
//!
//! One method per route. The client does not retry: the caller decides that, with the help of
//! [`ClientError`]. The one exception is the stream of events, which reconnects and continues after
//! the last event that was read.
//!
//! ```no_run
//! use accord_client::api::CreateRun;
//! use accord_client::{ApiKey, Client};
//!
//! #[derive(serde::Deserialize)]
//! struct Triage {
//!     category: String,
//!     urgency: String,
//! }
//!
//! # async fn triage() -> Result<Triage, Box<dyn std::error::Error>> {
//! let key = ApiKey::new("accord_…");
//! let client = Client::new("http://127.0.0.1:8765", Some(&key))?;
//! let request = CreateRun {
//!     agent_name: Some("ticket-triage".to_owned()),
//!     parameters: Some(serde_json::json!({"ticket": "Nobody can log in"})),
//!     ..CreateRun::default()
//! };
//! let run = client.create_run_and_wait(&request, 60, Some("ticket-4711")).await?;
//! let result = run.result.ok_or("the run failed or has not finished")?;
//! Ok(result.data()?)
//! # }
//! ```
//!
//! `examples/typed_result.rs` is the complete example, including unfinished and failed runs.
//!
//! The client deliberately follows no redirects (the key would be sent to another server), and
//! never shows the key in errors or debug output.

#![warn(missing_docs)]

mod agents;
mod client;
mod error;
mod events;
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
