//! Events.

use accord_domain::event::Body;
use accord_domain::id::{EventId, RunId, SessionId};
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
    /// In which session.
    pub session_id: SessionId,
    /// In which run.
    #[serde(default)]
    pub run_id: Option<RunId>,
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
