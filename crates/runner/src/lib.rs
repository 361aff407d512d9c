//! Claims runs, drives executors under the contract, reports.
//!
//! [`Runner`] holds the leases and the tasks; [`drive`] is the loop that every executor's answers go through. What to do
//! after an attempt is decided purely, in one table (`drive/step.rs`); the rest asks, judges and records.
//!
//! Absent on purpose: anything that parses or validates an answer (`contract` does), and anything that knows a provider
//! (`executor` does).

mod assignment;
mod backoff;
mod coordinator;
mod drive;
mod finish;
mod heartbeat;
mod leases;
mod limits;
mod paced;
mod recent;
mod report;
mod runner;
mod servers;
mod settings;
mod shutdown;
mod text;
mod work;

#[cfg(test)]
mod tests;

pub use assignment::{Assignment, AssignmentError, Known, Terms};
pub use coordinator::Coordinator;
pub use drive::{Budget, End, Observer, Outcome, drive};
pub use runner::{Runner, RunnerError};
pub use servers::Variables;
pub use settings::RunnerSettings;
pub use shutdown::Shutdown;
