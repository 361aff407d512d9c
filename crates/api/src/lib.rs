//! What goes over the wire: bodies, error names, paging. OpenAPI is made from these types.
//!
//! Bodies are snake_case JSON, unknown fields in requests are refused. Documents that are only passed on (blueprints,
//! results, conversations) are raw JSON: they are neither parsed nor changed on the way, so numbers stay as written.

#![warn(missing_docs)]

mod agents;
mod audit;
mod config;
mod endpoints;
mod error;
mod events;
mod health;
mod inputs;
mod keys;
mod page;
mod problem;
mod run_token;
mod runner;
mod runs;
mod schemas;
mod sessions;
mod stats;
mod workflows;

pub use accord_domain::agent::{Blueprint, Limits, Source, Type};
pub use accord_domain::attempt::{self, Attempt, ValueSource};
pub use accord_domain::audit::{Actor as AuditActor, RequestedBy};
pub use accord_domain::callback::HeldReason;
pub use accord_domain::comparison::{self, Contradiction};
pub use accord_domain::contract::{self, Contract, Embedded, ExtractJson, Origin, Strategy, ValidationMode};
pub use accord_domain::demands::Demands;
pub use accord_domain::event::{Body as EventBody, OutputChannel};
pub use accord_domain::evidence::{Evidence, Observed, Standing};
pub use accord_domain::id::{
    EventId, InputId, KeyId, LeaseId, RunId, RunnerId, SessionId, WorkId, WorkflowRunId,
};
pub use accord_domain::input_request::{self, InputRequest, Status as InputStatus, ToolUse};
pub use accord_domain::key::Role;
pub use accord_domain::run::{Failure, FailureType, Kind as RunKind, Status as RunStatus, Unmet, Validation};
pub use accord_domain::runner::Profile;
pub use accord_domain::session::{ExecutionMode, Status as SessionStatus};
pub use accord_domain::usage::Usage;
pub use accord_domain::workflow::{NodeStatus, Status as WorkflowStatus, Worker, WorkflowFailure};
pub use accord_domain::{agent, session, step};
pub use accord_json::{Checked, Limits as JsonLimits, Strict, read_kept, read_leniently, read_strictly};
pub use agents::{AgentContract, AgentSummary, AgentView, LoweringReport, ValidateAgentAnswer};
pub use audit::{AuditQuery, AuditView};
pub use config::{ServerConfig, ServerEnforcement, ServerLimits, StoreKind};
pub use endpoints::{EndpointFact, EndpointFilter, EndpointQuery, ForgottenFacts};
pub use error::{ErrorBody, ErrorName};
pub use events::{EventList, EventView};
pub use health::Health;
pub use inputs::{AnswerInput, InputLink, InputQuery, NewInput};
pub use keys::{CreateKey, CreatedKey, KeyView, MeView};
pub use page::{Page, PageQuery};
pub use problem::{Problem, Severity};
pub use run_token::{NotARunToken, RunToken};
pub use runner::{
    ClaimRuns, ClaimedRun, ClaimedRuns, FactReport, FinishRun, FinishStatus, FinishedRun, Heartbeat,
    HeartbeatAnswer, HeldAnswer, HeldRun, Holding, LastReport, NewStep, RegisterRunner, RegisteredRunner,
    ReportAttempts, ReportEvents, ReportedAttempts, RunDirective, RunInstruction, RunnerView, Spent,
};
pub use runs::{
    AttemptList, CreateRun, CreatedRun, ForkRun, RetryRun, RunQuery, RunResult, RunView, StepList, WaitQuery,
};
pub use schemas::{
    CreateSchema, InferSchema, InferSchemaAnswer, SchemaUsers, SchemaView, ValidateSchema,
    ValidateSchemaAnswer,
};
pub use sessions::{SessionQuery, SessionResult, SessionStatusView, SessionView, UndeliveredCallback};
pub use stats::{ErrorCount, QueueStats, SourceCounts, Stats, StatsQuery, StatsRow};
pub use workflows::{
    CreateWorkflowRun, CreatedWorkflowRun, QuarantineView, ValidateWorkflowAnswer, WorkflowEdgeView,
    WorkflowNodeView, WorkflowRunQuery, WorkflowRunSummary, WorkflowRunView, WorkflowSummary,
    WorkflowTaskView, WorkflowView,
};
