//! The runner protocol.
//!
//! A runner registers, asks for work, and reports. What it was handed is held under a lease, with an attempt number;
//! both go with every report, and a stale one is answered with `409 LeaseLost`.

use accord_domain::attempt::Attempt;
use accord_domain::demands::Demands;
use accord_domain::event::Body;
use accord_domain::id::{LeaseId, RunId, RunnerId, SessionId};
use accord_domain::run::{Failure, Kind, Status, Validation};
use accord_domain::runner::Profile;
use accord_domain::usage::Usage;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A runner begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterRunner {
    /// What it says of itself.
    pub profile: Profile,
}

/// A runner is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RegisteredRunner {
    /// Its id from now on.
    pub runner_id: RunnerId,
    /// How long a lease holds.
    pub lease_seconds: u32,
    /// How often to be heard of, at least.
    pub heartbeat_seconds: u32,
}

/// A runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunnerView {
    /// Its id.
    pub runner_id: RunnerId,
    /// What it says of itself.
    pub profile: Profile,
    /// Whether it was heard of lately.
    pub alive: bool,
    /// Since when it is known.
    #[schema(value_type = String, format = DateTime)]
    pub registered_at: Timestamp,
    /// When it was last heard of.
    #[schema(value_type = String, format = DateTime)]
    pub seen_at: Timestamp,
}

/// A runner asks for work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRuns {
    /// Who asks.
    pub runner_id: RunnerId,
    /// Maximum number to return.
    pub max: u32,
    /// How long to wait for the first, 60 at most.
    #[serde(default)]
    pub wait_seconds: u32,
}

/// Work.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClaimedRuns {
    /// What was handed out; empty when the time is over.
    pub runs: Vec<ClaimedRun>,
}

/// One run, with all that it needs.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClaimedRun {
    /// The run.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Who started the session.
    pub parent_session_id: Option<SessionId>,
    /// The lease.
    pub lease_id: LeaseId,
    /// Which delivery, from 1.
    pub attempt: u32,
    /// How long the lease holds.
    pub lease_seconds: u32,
    /// Whether it begins the session.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Its agent.
    pub agent_name: String,
    /// The blueprint, as it was when the run was made.
    #[schema(value_type = Object)]
    pub blueprint: Box<RawValue>,
    /// The parameters.
    #[schema(value_type = Object)]
    pub parameters: Box<RawValue>,
    /// The contract in force.
    #[schema(value_type = Option<Object>)]
    pub contract: Option<Box<RawValue>>,
    /// Whether the coordinator holds the executor to the contract: then the answer is reported as it is.
    pub held_by_coordinator: bool,
    /// How often the coordinator asked again.
    pub retry_count: u32,
    /// What to ask, in the place of the parameters, where the coordinator asks again.
    pub retry_prompt: Option<String>,
    /// The conversation so far.
    #[schema(value_type = Option<Value>)]
    pub conversation: Option<Box<RawValue>>,
    /// Another model than the blueprint names.
    pub model: Option<String>,
    /// The folder to work in, where the caller named one.
    pub project_dir: Option<String>,
    /// What is known about endpoints of the agent's models.
    pub facts: Vec<FactReport>,
    /// What invariants see as `input`, where that is not the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub input: Option<Box<RawValue>>,
    /// What deliveries before this one have used: it counts against the agent's limits and the contract's retries.
    #[serde(default)]
    pub spent: Spent,
}

/// What earlier deliveries of a run have used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Spent {
    /// Tokens and money.
    pub usage: Usage,
    /// Answers that did not meet the contract although the model had been asked again for them. The first answer of a
    /// delivery is none of them: whoever takes the run next begins with the task, and gets that one once more.
    pub retries: u32,
    /// Attempts of any outcome, answered or not.
    #[serde(default)]
    pub attempts: u32,
    /// How long they worked. Time in the queue is not work, nor the silence after which a runner counts as lost.
    #[serde(default)]
    pub milliseconds: u64,
}

/// One thing learnt about an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactReport {
    /// Who: provider and address.
    pub endpoint: String,
    /// With which model.
    pub model: String,
    /// What: `native`, `tool`, `native_beside_tools`, `forced_tool`; with `#` and a schema's hash behind it, of this
    /// schema alone.
    pub feature: String,
    /// `works`, `refused` or `ignored`.
    pub verdict: String,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// What a runner shows with every report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Holding {
    /// The runner.
    pub runner_id: RunnerId,
    /// The lease.
    pub lease_id: LeaseId,
    /// Which delivery.
    pub attempt: u32,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportEvents {
    /// Who tells.
    pub holding: Holding,
    /// What: `message`, `tool.started`, `tool.finished` and `request.repeated` only; the rest is the coordinator's to say.
    pub events: Vec<Body>,
}

/// Answers that were judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportAttempts {
    /// Who tells.
    pub holding: Holding,
    /// The answers.
    pub attempts: Vec<Attempt>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishStatus {
    /// With a result.
    Completed,
    /// With an error.
    Failed,
    /// As it was told.
    Stopped,
    /// With an answer that nobody has judged: only where the coordinator holds the contract.
    Answered,
    /// Not at all: the runner shuts down and gives it back.
    Released,
}

/// An answer that nobody has judged.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldAnswer {
    /// The text.
    pub text: String,
    /// A structured value beside it.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    pub structured: Option<Box<RawValue>>,
    /// Whether it was cut off.
    #[serde(default)]
    pub truncated: bool,
    /// The model that answered.
    #[serde(default)]
    pub model: String,
    /// How long it took.
    #[serde(default)]
    pub duration_ms: u64,
}

/// The end of a run.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FinishRun {
    /// Who tells.
    pub holding: Holding,
    /// How it ended.
    pub status: FinishStatus,
    /// The text, where there is no contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_text: Option<String>,
    /// The conforming value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub result_data: Option<Box<RawValue>>,
    /// The text that the value was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// How the result was validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The answer that is to be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<HeldAnswer>,
    /// What the run used in all, or this answer.
    #[serde(default)]
    pub usage: Usage,
    /// How often the model was asked again, where the run failed.
    #[serde(default)]
    pub retry_count: u32,
    /// The conversation; none leaves the session's as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub conversation: Option<Box<RawValue>>,
    /// What every later run of the session must demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Demands>,
    /// What was learnt about endpoints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactReport>,
    /// Whether this was reported before and not answered. The coordinator that was told then may have died of it, so it is
    /// handled with care.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// The run after a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FinishedRun {
    /// The run.
    pub run_id: RunId,
    /// Where it stands.
    pub status: Status,
}

/// A run that a runner believes to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldRun {
    /// The run.
    pub run_id: RunId,
    /// The lease.
    pub lease_id: LeaseId,
    /// Which delivery.
    pub attempt: u32,
}

/// A runner is alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// Who.
    pub runner_id: RunnerId,
    /// What it holds.
    pub runs: Vec<HeldRun>,
    /// How long to wait for a stop, so that one is heard of at once; 30 at most.
    #[serde(default)]
    pub wait_seconds: u32,
    /// How many of its runs wait for children, as far as it knows; none, where it has room for more. Given, the answer comes
    /// as soon as there are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
}

/// What to do with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunDirective {
    /// Go on: the lease is renewed.
    Continue,
    /// Stop it and report.
    Stop,
    /// Drop it: it is somebody else's now, or over.
    Lost,
}

/// What to do with one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunInstruction {
    /// The run.
    pub run_id: RunId,
    /// What to do.
    pub directive: RunDirective,
}

/// What a runner is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct HeartbeatAnswer {
    /// One for each run that was named.
    pub runs: Vec<RunInstruction>,
    /// How many of the runs wait for children, where that was asked. They do not use the runner meanwhile: it may take as
    /// many more, so that the children are not left waiting for their parents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
}
