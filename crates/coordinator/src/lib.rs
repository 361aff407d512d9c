//! The server: stores, queues, streams, calls back.
//!
//! [`App`] is what the use cases work with, over a store ([`accord_store::Store`]); [`Coordinator`] serves one, [`Background`]
//! keeps it going. No state in memory is needed after a crash.
//!
//! # Where to look
//!
//! - `server`, `connections`: listening, and ending. `outstanding` bounds what is answered and not read.
//! - `http/`: thin, a file for each subject: extract, one call of `app/`, body. `http/routes` lists every route with who may
//!   use it, `http/openapi` describes them.
//! - `app/`: the use cases, a file for each subject; nothing in it knows of HTTP. `app/definitions` keeps
//!   agents and workflows, `app/catalog` compiles agents, `app/workflows` checks and runs graphs.
//! - `hub`: wakes whoever waits: claims, streams of events, waits for an end.
//! - `background/`: reconcilers, which do what is due, also after silent deaths.
//! - `error`, `metrics`, `settings`, `outside` (clock, ids): what all of them use.
//!
//! # The way of a request
//!
//! `POST /runs` passes `http/door`, which asks `http/auth` whether the caller may do that. `http/runs` reads the body and calls
//! `app/runs/create`: agent, parameters and contract are checked, and one transaction of the store writes the run. The store's
//! notice goes through `background/notices` to the `hub`, which wakes a runner's claim (`app/claims`) and the readers of events
//! (`app/events`). The runner reports (`app/reports`) and ends the run (`app/runs/finish`): nothing becomes a result that does
//! not pass `app/runs/gate`. Where a parent waits for it, a reconciler tells it (`app/callbacks`).
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
mod outstanding;
mod server;
mod settings;
mod work;

pub use accord_workflow::file_schema as workflow_file_schema;
pub use app::{App, Guest, GuestAnswer, GuestBody, new_key, refuse_open_bind};
pub use background::Background;
pub use error::Error;
pub use http::{agent_file_schema, router};
pub use outside::{Embedder, Outside, System};
pub use server::Coordinator;
pub use settings::{Enforcement, Queue, Settings};
