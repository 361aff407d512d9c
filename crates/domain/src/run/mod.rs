//! Runs: one unit of work in a session.
//!
//! `pending → claimed → running → completed | failed | stopped`, with `stopping` on the way to
//! stopped. A run that needs its children or a person is `waiting` or `input_required`, without a
//! runner, and is `pending` again when it can continue. The changes are in [`change`]: each takes
//! the run and its session and returns their next state, with the events to write and the callback
//! to a parent. A store loads, calls the change and writes the result, in one transaction; it
//! decides nothing. Which change leads from which status to which is listed in [`transitions`].

pub mod change;
mod failure;
pub mod transitions;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use failure::{Failure, FailureType, Unmet};

use crate::attempt::{Repair, ValueSource};
use crate::audit::RequestedBy;
use crate::contract::Strategy;
use crate::demands::Demands;
use crate::id::{LeaseId, RunId, RunnerId, SessionId};
use crate::named::named;
use crate::session::ExecutionMode;
use crate::usage::Usage;

named! {
    /// Status of a run.
    #[schema(as = RunStatus)]
    pub enum Status {
        /// Waiting for a runner.
        Pending,
        /// A runner claimed the run.
        Claimed,
        /// A runner is executing it.
        Running,
        /// Waiting for its children. No runner holds it.
        Waiting,
        /// Waiting for a person. No runner holds it.
        InputRequired,
        /// A stop was requested; the runner has not confirmed it yet.
        Stopping,
        /// Completed with a valid result.
        Completed,
        /// Failed with an error.
        Failed,
        /// Stopped.
        Stopped,
    }
}

impl Status {
    /// Whether it is over.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Stopped)
    }

    /// Whether it waits for something other than a runner.
    pub fn is_suspended(self) -> bool {
        matches!(self, Self::Waiting | Self::InputRequired)
    }
}

named! {
    /// Whether a run starts or resumes a session.
    pub enum Kind {
        /// Start a session.
        StartSession,
        /// Resume a session.
        ResumeSession,
    }
}

/// A runner's right to report on a run, for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub id: LeaseId,
    pub runner_id: RunnerId,
    pub expires_at: Timestamp,
}

/// What a runner shows to prove that it holds a run. The attempt number fences late writers: each delivery has its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub run_id: RunId,
    pub runner_id: RunnerId,
    pub lease_id: LeaseId,
    pub attempt: u32,
}

/// One unit of work, without its documents: those are in [`Assignment`] and [`Outcome`].
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: RunId,
    pub session_id: SessionId,
    /// Whether it started or resumed the session.
    pub kind: Kind,
    pub agent_name: String,
    pub status: Status,
    /// How the caller receives the result.
    pub execution_mode: ExecutionMode,
    pub demands: Demands,
    /// Priority; higher runs first.
    pub priority: i32,
    /// Number of deliveries to a runner.
    pub attempt: u32,
    /// How often a runner was lost with it.
    pub losses: u32,
    /// Retries: reported by the runner at the end, or counted by the coordinator for executors
    /// that it holds to the contract itself.
    pub retry_count: u32,
    /// The runner that executes it.
    pub lease: Option<Lease>,
    /// The error, if it failed.
    pub failure: Option<Failure>,
    /// Who requested it, if known.
    pub requested_by: Option<RequestedBy>,
    pub usage: Usage,
    pub created_at: Timestamp,
    /// Since when it waits, or waited, for a runner.
    pub queued_at: Timestamp,
    /// Time of the last claim by a runner.
    pub claimed_at: Option<Timestamp>,
    /// When its last holder started to work.
    pub started_at: Option<Timestamp>,
    /// Until when it may wait for children or people, from the first time that it did.
    pub waits_until: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
}

impl Run {
    /// A run that waits for a runner from now on. Nothing is demanded, and nothing has happened to it yet.
    pub fn waiting(id: RunId, session_id: SessionId, kind: Kind, agent_name: String, now: Timestamp) -> Self {
        Self {
            id,
            session_id,
            kind,
            agent_name,
            status: Status::Pending,
            execution_mode: ExecutionMode::default(),
            demands: Demands::default(),
            priority: 0,
            attempt: 0,
            losses: 0,
            retry_count: 0,
            lease: None,
            failure: None,
            requested_by: None,
            usage: Usage::default(),
            created_at: now,
            queued_at: now,
            claimed_at: None,
            started_at: None,
            waits_until: None,
            finished_at: None,
        }
    }

    /// The run, with the retries that a runner reports.
    #[must_use]
    pub fn asked_again(self, retries: u32) -> Self {
        Self { retry_count: self.retry_count.max(retries), ..self }
    }
}

/// What a runner needs to do the work, as JSON texts. Fixed when the run is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The blueprint, as it was then.
    pub blueprint: String,
    pub parameters: String,
    /// The contract in force: [`crate::contract::Contract`].
    pub contract: Option<String>,
    pub model: Option<String>,
    /// Project folder, if the caller set one.
    pub project_dir: Option<String>,
    /// The prompt of a coordinator's own re-prompt, in the place of the parameters.
    pub retry_prompt: Option<String>,
    /// What invariants see as `input`, as JSON text, where that is not the parameters: on a resume it is what the session
    /// was started with, and the prompt.
    pub input: Option<String>,
    /// The trace that the run belongs to, as a W3C `traceparent`.
    pub traceparent: Option<String>,
}

impl Assignment {
    /// How large the documents are.
    pub fn bytes(&self) -> usize {
        let Self { blueprint, parameters, contract, retry_prompt, input, .. } = self;
        let optional = [contract, retry_prompt, input].into_iter().flatten();
        blueprint.len() + parameters.len() + optional.map(String::len).sum::<usize>()
    }
}

/// What a completed run has to show. Exactly one of `result_text` and `result_data` is set.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The text answer of an agent without a contract.
    pub result_text: Option<String>,
    /// The conforming value, as JSON text.
    pub result_data: Option<String>,
    /// The text that contained the value.
    pub raw: Option<String>,
    /// How the result was validated.
    pub validation: Option<Validation>,
}

/// How a result was validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// Always true: an invalid value is never a result.
    pub valid: bool,
    /// Name of the schema, if any.
    pub schema_name: Option<String>,
    /// SHA-256 of the schema.
    pub schema_hash: String,
    /// Number of retries.
    pub retry_count: u32,
    /// Strategy of the accepted attempt.
    pub strategy: Strategy,
    /// Repairs.
    pub repairs: Vec<Repair>,
    /// Where the value was found in the answer. Absent if the runner did not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ValueSource>,
    /// Number of attempts, including those without an answer.
    pub attempts: u32,
}
