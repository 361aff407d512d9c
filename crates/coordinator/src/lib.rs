//! The server: stores, queues, streams, calls back.
//!
//! `http/` is thin: extract, one call of `app/`, body. `app/` holds the use cases and knows nothing of HTTP. `hub` wakes
//! whoever waits. `background/` keeps things going after silent deaths. No state in memory is needed after a crash.
//!
//! Absent on purpose: executors and runners (they speak the runner protocol, over loopback too), and retries of model
//! answers, except for executors that cannot be asked again in place.

mod app;
mod background;
mod connections;
mod error;
mod http;
mod hub;
mod metrics;
mod outside;
mod server;
mod settings;

pub use app::{App, Guest, GuestAnswer, GuestBody, agents_in, new_key, refuse_open_bind};
pub use background::Background;
pub use error::Error;
pub use http::router;
pub use outside::{Embedder, Outside, System};
pub use server::Coordinator;
pub use settings::{Enforcement, Queue, Settings};
