//! Runs of workflows, as the API shows them. The engine decides what a run does next.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::audit::RequestedBy;
use crate::event::Body;
use crate::id::{RunId, SessionId, WorkflowRunId};
use crate::named::named;
use crate::quarantine::{self, Item};

named! {
    /// Status of a workflow run.
    #[schema(as = WorkflowStatus)]
    pub enum Status {
        /// Nodes are waiting or running.
        Running,
        /// It is stopping: nothing more is started, and running nodes are stopped.
        Stopping,
        /// Completed with an output.
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
}

named! {
    /// Status of a node or of one of its tasks.
    #[derive(Default)]
    pub enum NodeStatus {
        /// Waiting for others.
        #[default]
        Waiting,
        /// Running.
        Running,
        /// Completed with an output.
        Completed,
        /// Failed with an error.
        Failed,
        /// Skipped: no active edge led to it.
        Skipped,
        /// Stopped.
        Stopped,
    }
}

impl NodeStatus {
    /// Whether nothing more will happen to it.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

/// Error of a node or a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowFault)]
pub struct WorkflowFailure {
    /// Error type, of the run or of the workflow engine.
    #[serde(rename = "type")]
    pub kind: String,
    /// Message.
    pub message: String,
}

impl WorkflowFailure {
    /// A failure of this kind.
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into() }
    }
}

/// What executes a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Worker {
    /// A run of an agent.
    Run {
        /// The run.
        run_id: RunId,
        /// Session.
        session_id: SessionId,
    },
    /// A run of another workflow.
    Workflow {
        /// That run.
        workflow_run_id: WorkflowRunId,
    },
}

/// A workflow run, without its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowRun {
    pub id: WorkflowRunId,
    pub workflow_name: String,
    pub status: Status,
    /// Counts the changes: a change names the version that it is based on.
    pub version: u64,
    pub parent: Option<WorkflowRunId>,
    /// How many workflow runs are around it.
    pub depth: u32,
    /// Who created it or its parent, if known.
    pub requested_by: Option<RequestedBy>,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// Why it was ended without a step of its own: poisoned, or stopped while no coordinator was running. Its documents are not read
    /// any more then, because that may be what coordinators die of.
    pub failure: Option<WorkflowFailure>,
}

/// The kind of failure of a workflow run that coordinators died of.
pub const POISONED: &str = "poisoned";

/// The kind of failure of a workflow run that was stopped while no coordinator was running.
const STOPPED: &str = "stopped";

impl WorkflowRun {
    /// Whether coordinators died of it.
    pub fn is_poisoned(&self) -> bool {
        self.status == Status::Failed && self.failure.as_ref().is_some_and(|failure| failure.kind == POISONED)
    }

    /// The run, poisoned; `None` if it has finished. Its task runs continue: a retry uses their results.
    pub fn poisoned(&self, now: Timestamp) -> Option<Self> {
        let message = quarantine::message(&Item::new(quarantine::Kind::WorkflowStep, &self.id));
        self.ended(Status::Failed, WorkflowFailure::new(POISONED, message), now)
    }

    /// The run, stopped without a step; `None` if it has finished.
    pub fn stopped_at_once(&self, now: Timestamp) -> Option<Self> {
        self.ended(
            Status::Stopped,
            WorkflowFailure::new(STOPPED, "stopped while no coordinator was running"),
            now,
        )
    }

    /// A run that failed or was stopped, running again; `None` if it has not ended so.
    pub fn retried(&self, now: Timestamp) -> Option<Self> {
        matches!(self.status, Status::Failed | Status::Stopped).then(|| Self {
            status: Status::Running,
            version: self.version + 1,
            updated_at: now,
            finished_at: None,
            failure: None,
            ..self.clone()
        })
    }

    fn ended(&self, status: Status, failure: WorkflowFailure, now: Timestamp) -> Option<Self> {
        (!self.status.is_over()).then(|| Self {
            status,
            version: self.version + 1,
            updated_at: now,
            finished_at: Some(now),
            failure: Some(failure),
            ..self.clone()
        })
    }

    /// What happened where it was ended without a step of its own.
    pub fn end_event(&self) -> Body {
        let error = self.failure.clone().filter(|_| self.status == Status::Failed);
        Body::WorkflowFinished { workflow_name: self.workflow_name.clone(), status: self.status, error }
    }
}
