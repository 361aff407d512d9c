//! What was learned about endpoints.

use std::fmt;

use accord_domain::evidence::{Evidence, Standing};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What is known about one feature of an endpoint with one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EndpointFact {
    /// Endpoint: provider and URL.
    pub endpoint: String,
    /// Model.
    pub model: String,
    /// Feature: `native`, `tool`, `native_beside_tools` or `forced_tool`; followed by `#` and the hash of a schema, for this
    /// schema only.
    pub feature: String,
    /// Whether the strategy `auto` uses it.
    pub standing: Standing,
    /// Weight of good answers. A run counts 1, and half of that a day later.
    pub good: f64,
    /// Weight of bad answers, counted in the same way.
    pub bad: f64,
    /// Time of the last observation.
    #[schema(value_type = String, format = DateTime)]
    pub last_seen: Timestamp,
}

impl EndpointFact {
    /// The view of evidence at this time.
    pub fn new(endpoint: String, model: String, feature: String, evidence: Evidence, now: Timestamp) -> Self {
        let Evidence { good, bad, .. } = evidence.aged(now);
        Self { endpoint, model, feature, standing: evidence.standing(now), good, bad, last_seen: evidence.at }
    }
}

/// Filter for what was learned about endpoints. All conditions must match.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct EndpointFilter {
    /// Filter by endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Filter by model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Filter by feature, including what was learned for single schemas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
}

impl fmt::Display for EndpointFilter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("endpoint", &self.endpoint), ("model", &self.model), ("feature", &self.feature)];
        let parts = parts.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?)));
        let parts: Vec<String> = parts.collect();
        formatter.write_str(if parts.is_empty() { "all endpoints" } else { "" })?;
        formatter.write_str(&parts.join(", "))
    }
}

/// What was learned about endpoints: the filter of [`EndpointFilter`], and the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct EndpointQuery {
    /// Filter by endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Filter by model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Filter by feature, including what was learned for single schemas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// Page size, 500 at most; all if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ForgottenFacts {
    /// Number of removed entries.
    pub forgotten: u64,
    /// The filter in words, as in the audit log: `all endpoints`, or `model m, feature native`.
    pub matching: String,
}
