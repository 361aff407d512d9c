//! Events, in the one order that everybody sees.

use accord_domain::event::Event;
use accord_domain::id::{EventId, RunId, SessionId, WorkflowRunId};
use async_trait::async_trait;
use tokio::sync::broadcast;

use crate::error::StoreError;

/// The most bytes of bodies in a page that does not ask for fewer. Few events have more than a kilobyte, but the one of a
/// result is as large as the result.
pub const MOST_EVENT_BYTES: usize = 4 * 1024 * 1024;

/// How much is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventLimit {
    /// At most this many events.
    pub events: u32,
    /// None after the one with which their bodies have reached this many bytes.
    pub bytes: usize,
}

impl EventLimit {
    /// At most this many events, with [`MOST_EVENT_BYTES`].
    pub const fn of(events: u32) -> Self {
        Self { events, bytes: MOST_EVENT_BYTES }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventFilter {
    pub session_id: Option<SessionId>,
    pub run_id: Option<RunId>,
    /// Those of this workflow run.
    pub workflow_run_id: Option<WorkflowRunId>,
    /// Those of these kinds; all, where empty.
    pub kinds: Vec<String>,
}

/// Something was written. A hint for waiting callers: it may be lost or come twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A run waits for a runner.
    Queued,
    Events {
        /// In this session.
        session_id: SessionId,
        /// In this run.
        run_id: Option<RunId>,
    },
    /// A run is over, waits for its runner to stop, or waits without one: callers and reconcilers may look.
    Changed {
        run_id: RunId,
        /// Whether it is over.
        over: bool,
    },
    /// Events of a workflow run were written.
    WorkflowEvents { workflow_run_id: WorkflowRunId },
    /// A workflow run was made, was asked to stop, or is over: callers and reconcilers may look.
    WorkflowChanged { workflow_run_id: WorkflowRunId },
}

pub type Notices = broadcast::Receiver<Notice>;

#[async_trait]
pub trait EventStore: Send + Sync {
    /// Events after this id, in order. Once an event has been seen, none with a smaller id appears. They end after
    /// the one that reaches [`EventLimit::bytes`]: fewer events than the limit need not be all.
    async fn events(
        &self,
        filter: &EventFilter,
        after: EventId,
        limit: EventLimit,
    ) -> Result<Vec<Event>, StoreError>;

    /// The newest event's id. All events up to it are visible.
    async fn last_event(&self) -> Result<EventId, StoreError>;

    /// What is written from now on, by this process and by others on the same database.
    fn notices(&self) -> Notices;
}
