//! Events.

use accord_domain::event::Body;
use accord_domain::id::{EventId, RunId, SessionId, WorkflowRunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An event. Numbers make this a shape to be read by way of [`serde_json::Value`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EventView {
    /// Its place in the order.
    pub id: EventId,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// In which session; null for what happens in a workflow run.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// In which run.
    #[serde(default)]
    pub run_id: Option<RunId>,
    /// In which workflow run, where it happens in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_run_id: Option<WorkflowRunId>,
    /// What.
    #[serde(flatten)]
    pub body: Body,
}

/// Events of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EventList {
    /// In order.
    pub items: Vec<EventView>,
    /// The cursor of the next page, if there is one.
    pub next_cursor: Option<String>,
}
