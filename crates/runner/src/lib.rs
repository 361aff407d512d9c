//! Claims runs, drives executors under the contract, reports.
//!
//! [`Runner`] holds the leases and the tasks; [`drive`] is the loop that every executor's answers go through. What to do
//! after an attempt is decided purely, in one table (`drive/step.rs`); the rest asks, judges and records.
//!
//! # The way of a run
//!
//! 1. `runner` claims as many runs as there are free places, and `leases` and `heartbeat` keep them ours.
//! 2. `work` reads what was handed over ([`Assignment`]), opens a session of the right executor, drives it, and closes it.
//! 3. [`drive`] asks turn by turn within the [`Budget`] (`drive/turns.rs`). Under a contract, `drive/contracted.rs` puts the
//!    question in the words of a rung of the ladder (`offers`, `request`), has the answer judged (`reading`), and asks the
//!    table for the next step. Without one, `drive/free.rs` takes the text; `drive/single.rs` is for commands, and for
//!    answers that the coordinator judges.
//! 4. What happens meanwhile goes to the coordinator in batches (`report`), and the end until it is answered (`finish`).
//!
//! Absent on purpose: anything that parses or validates an answer (`contract` does), and anything that knows a provider
//! (`executor` does).

mod approvals;
mod assignment;
mod backoff;
mod coordinator;
mod delivery;
mod drive;
mod finish;
mod heartbeat;
mod leases;
mod limits;
mod metered;
mod paced;
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
pub use drive::{Budget, Observer, Outcome, RunEnd, drive};
pub use runner::{Runner, RunnerError};
pub use servers::Variables;
pub use settings::RunnerSettings;
pub use shutdown::Shutdown;
