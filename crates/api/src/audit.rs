//! The audit log.

use accord_domain::audit::Actor;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AuditView {
    /// Time of the change.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The actor.
    pub actor: Actor,
    /// The action, such as `key.created`.
    pub action: String,
    /// Id or name of the changed object.
    pub object: Option<String>,
    /// Hash of the agent, workflow or schema after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Client address of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Addresses from the `X-Forwarded-For` header. A client can forge them,
    /// unless every request passes through a proxy that sets the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forwarded_for: Option<String>,
}

/// Filter for the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Filter by time: entries at or after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub since: Option<Timestamp>,
    /// Filter by actor: a key or run id, a key name, or an actor type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Filter by action or object type: `key` matches every `key.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Page size; 50 by default, 500 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
