//! Agents.

use accord_domain::agent::{Source, Type};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::problem::Problem;

/// An agent in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AgentSummary {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Agent type: `autonomous` or `procedural`.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Executor type; empty if it cannot be read.
    pub executor_type: String,
    /// Model, if set.
    pub model: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Where it is defined: a file or the database.
    pub source: Source,
    /// Whether it is valid and can be used.
    pub valid: bool,
    /// Whether it has a `parameters_schema`.
    pub has_parameters_schema: bool,
    /// Whether it has an output schema.
    pub has_output_schema: bool,
    /// Errors and warnings.
    pub problems: Vec<Problem>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AgentView {
    /// The summary.
    pub summary: AgentSummary,
    /// The blueprint as submitted.
    #[schema(value_type = Object)]
    pub blueprint: Value,
    /// Hash of the blueprint; also the `ETag`.
    pub hash: String,
    /// Hash of the input and output schemas, for `Accord-Contract`; absent if the agent cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_hash: Option<String>,
    /// The file it is defined in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Creation time, if known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub created_at: Option<Timestamp>,
    /// Time of the last change, if known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub modified_at: Option<Timestamp>,
}

/// Input and output contract of an agent, and the schema each provider receives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AgentContract {
    /// Name.
    pub agent_name: String,
    /// Hash of the input and output schemas, for `Accord-Contract`.
    pub contract_hash: String,
    /// The effective input schema.
    #[schema(value_type = Object)]
    pub parameters_schema: Value,
    /// The output schema, if any.
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Whether it is a default that callers can override.
    pub is_default: bool,
    /// Maximum number of retries.
    pub max_retries: Option<u32>,
    /// Lint findings for the output schema.
    #[schema(value_type = Vec<Object>)]
    pub lint: Vec<Value>,
    /// The schema as sent to each provider.
    pub lowering: Vec<LoweringReport>,
}

/// The schema as sent to one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LoweringReport {
    /// Provider profile.
    pub profile: String,
    /// The schema as sent; null if it cannot be sent.
    #[schema(value_type = Option<Object>)]
    pub schema: Option<Value>,
    /// The reason it cannot be sent.
    pub refusal: Option<String>,
    /// Parts that only Accord's validation enforces.
    #[schema(value_type = Vec<Object>)]
    pub losses: Vec<Value>,
}

/// Result of validating a blueprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ValidateAgentAnswer {
    /// Whether it is valid and can be used.
    pub valid: bool,
    /// Errors and warnings.
    pub problems: Vec<Problem>,
}
