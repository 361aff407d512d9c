//! The audit log.

use accord_domain::audit::Actor;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AuditView {
    /// When the change was made.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Who made it.
    pub actor: Actor,
    /// What was done, such as `key.created`.
    pub action: String,
    /// The id or the name of what was changed.
    pub object: Option<String>,
    /// The hash of the agent, workflow or schema after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The address that the request came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The addresses that the request has come by according to its header `X-Forwarded-For`. A client can make them up,
    /// unless it has to go through a proxy that sets the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forwarded_for: Option<String>,
}

/// Which entries of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Made at this time or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub since: Option<Timestamp>,
    /// Made by the key or run with this id, by a key of this name, or by this kind of actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// With this action, or about this kind of object: `key` finds every `key.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// At most so many; 50 where nothing is said, 500 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
