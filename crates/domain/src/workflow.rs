//! Runs of workflows, as far as everybody knows them. What a run does next is for the engine to say.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::audit::RequestedBy;
use crate::event::Body;
use crate::id::{RunId, SessionId, WorkflowRunId};
use crate::quarantine::{self, Item};

/// Where a workflow run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkflowStatus)]
pub enum Status {
    /// Nodes wait, or are at work.
    Running,
    /// It is about to end: nothing more is started, and what is at work is stopped.
    Stopping,
    /// It has an output.
    Completed,
    /// It failed, and says why.
    Failed,
    /// It was stopped.
    Stopped,
}

impl Status {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }

    /// Whether it is over.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Stopped)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Where a node of a run, or one task of a node, stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// It waits for others.
    #[default]
    Waiting,
    /// It is at work.
    Running,
    /// It has an output.
    Completed,
    /// It failed, and says why.
    Failed,
    /// No way led to it.
    Skipped,
    /// It was stopped.
    Stopped,
}

impl NodeStatus {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Stopped => "stopped",
        }
    }

    /// Whether nothing more will happen to it.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

impl fmt::Display for NodeStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why a node or a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowFault)]
pub struct Fault {
    /// Which kind: that of the run's failure, or the engine's own.
    #[serde(rename = "type")]
    pub kind: String,
    /// What happened, for people.
    pub message: String,
}

impl Fault {
    /// A fault of this kind.
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into() }
    }
}

/// What does the work of a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Worker {
    /// A run of an agent.
    Run {
        /// The run.
        run_id: RunId,
        /// Its session.
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
    /// Its id.
    pub id: WorkflowRunId,
    /// The workflow's name.
    pub workflow_name: String,
    /// Where it stands.
    pub status: Status,
    /// Counts its changes: who changes it says which version it has seen.
    pub version: u64,
    /// The workflow run that it is a part of.
    pub parent: Option<WorkflowRunId>,
    /// How many workflow runs are around it.
    pub depth: u32,
    /// Who asked for it, or for the one that it is a part of, where that is known.
    pub requested_by: Option<RequestedBy>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
    /// Why it was ended without a step of its own: poisoned, or stopped while no coordinator was running. Its documents are not read
    /// any more then, because that may be what coordinators die of.
    pub failure: Option<Fault>,
}

/// The kind of fault of a workflow run that coordinators died of.
pub const POISONED: &str = "poisoned";

/// The kind of fault of a workflow run that was stopped while no coordinator was running.
const STOPPED: &str = "stopped";

impl WorkflowRun {
    /// Whether coordinators died of it.
    pub fn is_poisoned(&self) -> bool {
        self.status == Status::Failed && self.failure.as_ref().is_some_and(|failure| failure.kind == POISONED)
    }

    /// The run, poisoned; none where it is over. What works for it goes on: a retry takes the results into account.
    pub fn poisoned(&self, now: Timestamp) -> Option<Self> {
        let message = quarantine::message(&Item::new(quarantine::Kind::WorkflowStep, &self.id));
        self.ended(Status::Failed, Fault::new(POISONED, message), now)
    }

    /// The run, stopped without a step of its own; none where it is over.
    pub fn stopped_at_once(&self, now: Timestamp) -> Option<Self> {
        self.ended(Status::Stopped, Fault::new(STOPPED, "stopped while no coordinator was running"), now)
    }

    /// A poisoned run, as it was before; none where it is not poisoned.
    pub fn retried(&self, now: Timestamp) -> Option<Self> {
        self.is_poisoned().then(|| Self {
            status: Status::Running,
            version: self.version + 1,
            updated_at: now,
            finished_at: None,
            failure: None,
            ..self.clone()
        })
    }

    fn ended(&self, status: Status, failure: Fault, now: Timestamp) -> Option<Self> {
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
