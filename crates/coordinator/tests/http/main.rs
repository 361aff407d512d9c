//! The coordinator over HTTP, with a real store and a clock that the tests move.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test ends where something is missing, and says where"
)]

mod again;
mod budget;
mod callbacks;
mod caller_contract;
mod config;
mod contracts;
mod create;
mod effects;
mod events;
mod fencing;
mod files;
mod gate;
mod held;
mod inputs;
mod last_reports;
mod metrics;
mod openai;
mod openapi;
mod pages;
mod quarantine;
mod ready;
mod repeats;
mod requested_by;
mod resuming;
mod run_tokens;
mod runners;
mod sessions;
mod shapes;
mod support;
mod unmatched;
mod wait;
mod waiting;
mod workflows;
