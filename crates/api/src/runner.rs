//! The runner protocol.
//!
//! A runner registers, asks for work, and reports. What it was handed is held under a lease, with an attempt number;
//! both go with every report, and a stale one is answered with `409 LeaseLost`.

use crate::endpoints::EndpointFact;
use crate::inputs::NewInput;
use accord_domain::attempt::Attempt;
use accord_domain::caller_tools::CallerTools;
use accord_domain::demands::Demands;
use accord_domain::event::Body;
use accord_domain::file::FileRef;
use accord_domain::id::{LeaseId, RunId, RunnerId, SessionId};
use accord_domain::run::{Failure, Kind, Opening, Status, Validation};
use accord_domain::runner::Profile;
use accord_domain::step::{self, Step};
use accord_domain::usage::Usage;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// Registration of a runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterRunner {
    /// Description sent by the runner.
    pub profile: Profile,
}

/// A registered runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RegisteredRunner {
    /// Id of the runner.
    pub runner_id: RunnerId,
    /// Duration of a lease.
    pub lease_seconds: u32,
    /// Minimum heartbeat interval.
    pub heartbeat_seconds: u32,
}

/// A runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunnerView {
    /// Id.
    pub runner_id: RunnerId,
    /// Description sent by the runner.
    pub profile: Profile,
    /// Whether it sent a heartbeat recently.
    pub alive: bool,
    /// Registration time.
    #[schema(value_type = String, format = DateTime)]
    pub registered_at: Timestamp,
    /// Time of the last heartbeat.
    #[schema(value_type = String, format = DateTime)]
    pub seen_at: Timestamp,
}

/// Request for runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRuns {
    /// The runner.
    pub runner_id: RunnerId,
    /// Page size.
    pub max: u32,
    /// Seconds to wait for the first run, 60 at most.
    #[serde(default)]
    pub wait_seconds: u32,
    /// Whether the work begins with the claim: the runs are `running`, and the runner does not report that they started.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub start: bool,
}

/// Claimed runs.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClaimedRuns {
    /// The claimed runs; empty if the wait time expired.
    pub runs: Vec<ClaimedRun>,
}

/// A run with everything needed to execute it.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClaimedRun {
    /// The run.
    pub run_id: RunId,
    /// Session.
    pub session_id: SessionId,
    /// The parent session.
    pub parent_session_id: Option<SessionId>,
    /// The lease.
    pub lease_id: LeaseId,
    /// Delivery number, from 1.
    pub attempt: u32,
    /// How long the lease holds.
    pub lease_seconds: u32,
    /// Whether it starts or resumes a session.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Agent name.
    pub agent_name: String,
    /// The blueprint at the time the run was created.
    #[schema(value_type = Object)]
    pub blueprint: Box<RawValue>,
    /// Parameters of the agent.
    #[schema(value_type = Object)]
    pub parameters: Box<RawValue>,
    /// The effective contract.
    #[schema(value_type = Option<Object>)]
    pub contract: Option<Box<RawValue>>,
    /// Whether the coordinator enforces the contract: then the answer is reported unvalidated.
    pub held_by_coordinator: bool,
    /// Retries by the coordinator.
    pub retry_count: u32,
    /// The prompt of a retry by the coordinator, instead of the parameters.
    pub retry_prompt: Option<String>,
    /// The conversation so far.
    #[schema(value_type = Option<Value>)]
    pub conversation: Option<Box<RawValue>>,
    /// Model override.
    pub model: Option<String>,
    /// Project folder, if the caller set one.
    pub project_dir: Option<String>,
    /// Known capabilities of the endpoints of the agent's models.
    pub facts: Vec<EndpointFact>,
    /// The `input` of invariants, if it differs from the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub input: Option<Box<RawValue>>,
    /// Usage of earlier deliveries: it counts against the agent's limits and the contract's retries.
    #[serde(default)]
    pub spent: Spent,
    /// Steps of earlier deliveries: the runner continues after them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The trace that the run belongs to, as a W3C `traceparent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Tools of the caller. A call of one is reported as an input with the purpose `tool_call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<CallerTools>,
    /// The conversation before the prompt, if the caller sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
    /// The files of the session so far, those of this run included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileRef>,
}

/// Usage of earlier deliveries of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Spent {
    /// Tokens and cost.
    pub usage: Usage,
    /// Answers that did not meet the contract although the model had been asked again for them. The first answer of a
    /// delivery is none of them: the next runner starts with the task and gets that answer again.
    pub retries: u32,
    /// Attempts with any outcome.
    #[serde(default)]
    pub attempts: u32,
    /// How long they worked. Time in the queue is not work, nor the silence after which a runner counts as lost.
    #[serde(default)]
    pub milliseconds: u64,
}

/// One observation of a capability of an endpoint. A run reports at most one for each endpoint, model and feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactReport {
    /// Endpoint: provider and URL.
    pub endpoint: String,
    /// Model.
    pub model: String,
    /// What: `native`, `tool`, `native_beside_tools`, `forced_tool`; with `#` and a schema's hash behind it, of this
    /// schema alone.
    pub feature: String,
    /// `works`, `refused` (the provider rejected the request) or `ignored` (it had no effect).
    pub verdict: String,
    /// Time.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// Proof of the lease, sent with every report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Holding {
    /// The runner.
    pub runner_id: RunnerId,
    /// The lease.
    pub lease_id: LeaseId,
    /// Delivery number.
    pub attempt: u32,
}

/// Events to report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportEvents {
    /// Proof of the lease.
    pub holding: Holding,
    /// Events: only `message`, `output.delta`, `tool.started`, `tool.finished` and `request.repeated`.
    pub events: Vec<Body>,
    /// Steps that were done. They are saved when this is answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<NewStep>,
}

/// A step to save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStep {
    /// Number within the run; a number that is already saved is ignored.
    pub number: u32,
    /// What was done.
    pub body: step::Body,
}

/// Answer to reported attempts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReportedAttempts {
    /// Whether children of the run have to report back, so that the last attempt is not a failure: the runner reports the status
    /// `waiting`.
    pub waiting: bool,
}

/// Attempts to report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportAttempts {
    /// Proof of the lease.
    pub holding: Holding,
    /// Validated attempts.
    pub attempts: Vec<Attempt>,
    /// Number of the step with the verdict on the last of them. It is saved together with the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Events that happened before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Body>,
    /// Steps that were done before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<NewStep>,
}

/// What happened at last in a run that has ended. It is saved together with the end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LastReport {
    /// Events: only `message`, `output.delta`, `tool.started`, `tool.finished` and `request.repeated`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Body>,
    /// Steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<NewStep>,
    /// Validated attempts. Answers that do not conform are reported before the end: the response says whether the run waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    /// Number of the step with the verdict on the last attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

/// Outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishStatus {
    /// Completed with a result.
    Completed,
    /// Failed with an error.
    Failed,
    /// Stopped on request.
    Stopped,
    /// An unvalidated answer: only if the coordinator enforces the contract.
    Answered,
    /// Waits for its children: only if the response to the last attempt says so.
    Waiting,
    /// Waits for a person who answers `inputs`.
    InputRequired,
    /// Returned to the queue, because the runner shuts down.
    Released,
}

/// An unvalidated answer.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldAnswer {
    /// The text.
    pub text: String,
    /// A structured value, if the executor returned one.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    pub structured: Option<Box<RawValue>>,
    /// Whether the answer was truncated.
    #[serde(default)]
    pub truncated: bool,
    /// The model that answered.
    #[serde(default)]
    pub model: String,
    /// Duration.
    #[serde(default)]
    pub duration_ms: u64,
}

/// Report that a run finished.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FinishRun {
    /// Proof of the lease.
    pub holding: Holding,
    /// Outcome.
    pub status: FinishStatus,
    /// The text result of an agent without a contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_text: Option<String>,
    /// The validated value. `null` is a value; only an omitted field is none.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub result_data: Option<Box<RawValue>>,
    /// The text that contained the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// How the result was validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// The error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// What happened since the last report, with the status `completed`, `failed` or `stopped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<LastReport>,
    /// The answer to validate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<HeldAnswer>,
    /// What a person is asked, with the status `input_required`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<NewInput>,
    /// Usage of the whole run, or of this answer.
    #[serde(default)]
    pub usage: Usage,
    /// Retries, if the run failed.
    #[serde(default)]
    pub retry_count: u32,
    /// The conversation; if omitted, the session's is unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub conversation: Option<Box<RawValue>>,
    /// Runner requirements of every later run of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Demands>,
    /// Capabilities of endpoints learned in this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactReport>,
    /// Whether this was reported before without a response. The coordinator may have crashed on it, so it is
    /// handled with care.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// Reads a present value, including `null`. By default serde treats `null` as a missing value.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// State of a run after a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FinishedRun {
    /// The run.
    pub run_id: RunId,
    /// Status.
    pub status: Status,
}

/// A run that the runner holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldRun {
    /// The run.
    pub run_id: RunId,
    /// The lease.
    pub lease_id: LeaseId,
    /// Delivery number.
    pub attempt: u32,
}

/// Heartbeat of a runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// The runner.
    pub runner_id: RunnerId,
    /// The runs it holds.
    pub runs: Vec<HeldRun>,
    /// Seconds to wait for a stop request, 30 at most.
    #[serde(default)]
    pub wait_seconds: u32,
    /// How many of its runs wait for children, as far as it knows; omitted if it has free capacity. If set, the response comes
    /// as soon as the number changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
}

/// Instruction for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunDirective {
    /// Continue: the lease is renewed.
    Continue,
    /// Stop the run and report.
    Stop,
    /// Abandon the run: another runner has it, or it has finished.
    Lost,
}

/// Instruction for one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunInstruction {
    /// The run.
    pub run_id: RunId,
    /// The instruction.
    pub directive: RunDirective,
}

/// Response to a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct HeartbeatAnswer {
    /// One instruction for each reported run.
    pub runs: Vec<RunInstruction>,
    /// How many of the runs wait for children, if requested. They do not occupy the runner: it can take as
    /// many more runs, so that children do not wait for their parents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
}
