//! Requests for a person's input. They are written with the run that asks ([`crate::Suspend::inputs`],
//! [`crate::Submission::asks`]).

use accord_domain::id::{InputId, RunId, SessionId, WorkflowRunId};
use accord_domain::input_request::{InputRequest, Resolution, Status};
use accord_domain::run::Run;
use accord_domain::run::change::End;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::page::{Page, PageRequest};

/// Which requests to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputFilter {
    pub status: Option<Status>,
    pub run_id: Option<RunId>,
    pub session_id: Option<SessionId>,
    /// Those of this session, and of every session below it.
    pub root_session_id: Option<SessionId>,
    /// Those of everything that works for this workflow run now.
    pub workflow_run_id: Option<WorkflowRunId>,
}

/// The end of a request for input.
#[derive(Debug, Clone, PartialEq)]
pub struct CloseInput {
    pub input_id: InputId,
    pub resolution: Resolution,
    /// The end of the run, if this ends it. Otherwise the run continues when all its requests are closed.
    pub end: Option<End>,
    pub now: Timestamp,
}

/// A request that was closed, and its run.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedInput {
    pub request: InputRequest,
    pub run: Run,
}

#[async_trait]
pub trait InputStore: Send + Sync {
    async fn input(&self, input_id: &InputId) -> Result<InputRequest, StoreError>;

    /// Requests, newest first.
    async fn inputs(
        &self,
        filter: &InputFilter,
        page: &PageRequest,
    ) -> Result<Page<InputRequest>, StoreError>;

    /// Closes a request once: one that is closed already is [`StoreError::InputClosed`].
    async fn close_input(&self, close: CloseInput) -> Result<ClosedInput, StoreError>;

    /// Open requests whose deadline has passed.
    async fn due_inputs(&self, now: Timestamp, limit: u32) -> Result<Vec<InputRequest>, StoreError>;

    /// Sets the hash of the one-time link. An earlier link is no longer valid.
    async fn set_input_link(&self, input_id: &InputId, hash: &str) -> Result<(), StoreError>;

    /// The hash of the one-time link, if there is one.
    async fn input_link(&self, input_id: &InputId) -> Result<Option<String>, StoreError>;
}
