//! Runs of workflows.
//!
//! Any coordinator may advance a workflow run: it is loaded, the next step is decided, and the next state is
//! written together with the runs that it starts. Each change raises its version, and is written only on the version
//! that was loaded. So of two concurrent advances one succeeds, and nothing is started twice.

use accord_domain::event::Body;
use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::input::InputSummary;
use accord_domain::workflow::{Status, WorkflowRun};
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::page::{Page, PageRequest};
use crate::runs::{Idempotency, Submission};
use crate::search::{Count, Search, Summaries};

/// The state of one node or of a part of it, as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    pub node: String,
    pub body: String,
}

/// A workflow run to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWorkflowRun {
    /// The run, in version 0.
    pub run: WorkflowRun,
    /// The graph that is run, as JSON text. Fixed when the run is created.
    pub definition: String,
    /// The state that does not belong to a node, as JSON text.
    pub head: String,
    pub input: InputSummary,
}

/// The documents of a workflow run, as JSON texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowDocuments {
    pub run: WorkflowRun,
    pub definition: String,
    /// The state that does not belong to a node.
    pub head: String,
    /// The nodes that something has happened to, by their ids.
    pub nodes: Vec<NodeRecord>,
    /// Not handled yet.
    pub asked: Option<WorkflowRequest>,
    /// How often coordinators have died of it since it last made progress.
    pub deaths: u32,
}

/// A workflow run that something has happened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueWorkflowRun {
    pub id: WorkflowRunId,
    /// How often coordinators have died of it since it last made progress.
    pub deaths: u32,
}

/// A request to a workflow run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkflowRequest {
    Begin,
    Stop,
    /// It ended without a result, and is to be resumed.
    Resume,
}

impl WorkflowRequest {
    /// Its name in a column.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Stop => "stop",
            Self::Resume => "resume",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        match name {
            "begin" => Some(Self::Begin),
            "stop" => Some(Self::Stop),
            "resume" => Some(Self::Resume),
            _ => None,
        }
    }
}

/// A run that does a task of a workflow run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskRun {
    /// A run of an agent.
    Run(RunId),
    /// A run of another workflow.
    Workflow(WorkflowRunId),
}

/// A workflow run as it will be, and all that is to be written with it.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowAdvance {
    /// The run. Its version is one more than that which was loaded.
    pub run: WorkflowRun,
    /// The state that does not belong to a node.
    pub head: String,
    pub nodes: Vec<NodeRecord>,
    pub events: Vec<Body>,
    /// Runs of agents that begin to work for it.
    pub starts: Vec<Submission>,
    /// Runs of other workflows that begin to work for it.
    pub children: Vec<NewWorkflowRun>,
    /// Those whose end has been taken into account.
    pub taken: Vec<TaskRun>,
}

/// Which workflow runs to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkflowRunFilter {
    pub status: Option<Status>,
    pub workflow_name: Option<String>,
    /// Those made at this time or later.
    pub since: Option<Timestamp>,
    /// Those made before this time.
    pub until: Option<Timestamp>,
    /// Those that have these words.
    pub search: Option<Search>,
}

#[async_trait]
pub trait WorkflowRunStore: Send + Sync {
    /// Writes a workflow run, which is asked to begin. Some text: the idempotency key was used before, and this was the
    /// answer; nothing is written then.
    async fn submit_workflow_run(
        &self,
        run: NewWorkflowRun,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError>;

    /// Writes the next state and everything that goes with it, if the run has not changed meanwhile
    /// ([`StoreError::Changed`]). This also clears the pending request and the mark of the
    /// coordinator's work.
    async fn advance_workflow_run(&self, advance: WorkflowAdvance) -> Result<(), StoreError>;

    /// Requests a stop. A finished run stays as it is.
    async fn stop_workflow_run(&self, id: &WorkflowRunId, now: Timestamp) -> Result<WorkflowRun, StoreError>;

    /// One workflow run, whole.
    async fn workflow_documents(&self, id: &WorkflowRunId) -> Result<WorkflowDocuments, StoreError>;

    /// Workflow runs, newest first.
    async fn workflow_runs(
        &self,
        filter: &WorkflowRunFilter,
        page: &PageRequest,
    ) -> Result<Page<WorkflowRun>, StoreError>;

    /// How many workflow runs a list has, of which no more than `most` are looked at; with a search, the newest.
    async fn count_workflow_runs(&self, filter: &WorkflowRunFilter, most: u32) -> Result<Count, StoreError>;

    /// The previews of the inputs of these workflow runs.
    async fn workflow_previews(
        &self,
        runs: &[WorkflowRunId],
    ) -> Result<Summaries<WorkflowRunId, String>, StoreError>;

    /// Unfinished workflow runs with a request, that are about to end, or with a task run
    /// that has finished.
    async fn due_workflow_runs(&self, limit: u32) -> Result<Vec<DueWorkflowRun>, StoreError>;

    /// The task runs of a workflow run that have finished or are gone.
    async fn finished_task_runs(&self, id: &WorkflowRunId) -> Result<Vec<TaskRun>, StoreError>;

    /// Removes a finished workflow run with its nodes and events ([`StoreError::AtWork`]: it has
    /// not finished, or the run of another workflow has not processed its end). Its agent runs
    /// stay.
    async fn remove_workflow_run(&self, id: &WorkflowRunId) -> Result<(), StoreError>;

    /// Whether a run works for a workflow run, which has not taken its end into account.
    async fn is_task_run(&self, run_id: &RunId) -> Result<bool, StoreError>;
}
