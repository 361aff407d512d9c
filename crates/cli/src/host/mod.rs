//! The services of a process: a coordinator, a runner, or both, built from the configuration.
//!
//! This is the only place that names concrete stores and executors. Even in one process,
//! coordinator and runner communicate over loopback HTTP, so there is only one code path.

mod coordinator;
mod embedded;
mod embeddings;
mod executors;
mod files;
mod log;
mod mcp;
mod orphaned_runs;
mod runner;
mod sandbox_gaps;
mod start;
mod telemetry;

pub(crate) use coordinator::{Duty, Hosted, coordinator};
pub(crate) use embedded::{ANY_PORT, Embedded};
pub(crate) use executors::{
    executors, previewing_executors, providers, recording_executors, replaying_executors, tools,
};
pub(crate) use log::observed;
pub(crate) use runner::{Work, runner};
pub(crate) use sandbox_gaps::{Opening, openings, tell_of_openings};
pub(crate) use start::refusals;
