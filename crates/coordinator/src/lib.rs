//! The server: stores, queues, streams, calls back.
//!
//! [`App`] holds the services over a store ([`accord_store::Store`]); [`Coordinator`] serves them, [`Background`] runs the
//! reconcilers. No state in memory is needed after a crash.
//!
//! # Where to look
//!
//! - `server`, `connections`: listening, and shutdown. `outstanding` limits responses that are not read.
//! - `http/`: thin, a file for each subject: extract, one call of a service, body. `http/routes` is the table of routes, from
//!   which the router, authorization, the audit log and `http/openapi` are made.
//! - `app/`: the services, a file or folder for each subject; nothing in it knows of HTTP. `app/mod` builds them.
//!   `app/definitions` keeps agents and workflows, `app/catalog` compiles agents, `app/workflows` checks and runs graphs.
//! - `hub`: wakes what waits: claims, streams of events, requests that wait for a run.
//! - `background/`: reconcilers, which do what is due, also after silent crashes.
//! - `error`, `metrics`, `settings`, `outside` (clock, ids): used by all of them.
//!
//! # The path of a request
//!
//! `POST /runs` goes through `http/middleware`, which authorizes it with `http/auth`. `http/runs` reads the body and calls
//! `app/runs/create`: agent, parameters and contract are checked, and one transaction of the store writes the run. The store's
//! notice goes through `background/notices` to the `hub`, which wakes a runner's claim (`app/claims`) and the followers of
//! events (`app/events`). The runner reports (`app/reports`) and finishes the run (`app/runs/finish`): nothing becomes a result
//! that does not pass `app/runs/gate`. If a parent waits for it, a reconciler calls it back (`app/callbacks`).
//!
//! Absent on purpose: executors and runners (they use the runner protocol, over loopback too), and retries of model answers,
//! except for executors that cannot be asked again in place.

mod app;
mod background;
mod bodies;
mod connections;
mod error;
mod http;
mod hub;
mod metrics;
mod outside;
mod outstanding;
mod server;
mod settings;
mod work;

pub use app::{App, AppOptions, Guest, GuestAnswer, GuestBody, new_key, refuse_open_bind};
pub use background::Background;
pub use error::Error;
pub use http::router;
pub use outside::{Embedder, Outside, System};
pub use server::Coordinator;
pub use settings::{Enforcement, Front, Queue, Settings};
