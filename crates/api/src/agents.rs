//! Agents.

use accord_domain::agent::{Source, Type};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::problem::Problem;

/// An agent in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AgentSummary {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Who decides.
    #[serde(rename = "type")]
    pub kind: Type,
    /// What does the work; empty where that cannot be read.
    pub executor_type: String,
    /// Its model, where it names one.
    pub model: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Where it lives.
    pub source: Source,
    /// Whether it can be used.
    pub valid: bool,
    /// Whether it has an input contract of its own.
    pub has_parameters_schema: bool,
    /// Whether it has an output contract.
    pub has_output_schema: bool,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AgentView {
    /// The summary.
    pub summary: AgentSummary,
    /// The blueprint, as it was given.
    #[schema(value_type = Object)]
    pub blueprint: Value,
    /// A hash of the blueprint; also the `ETag`.
    pub hash: String,
    /// The file that it lives in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// When it was made, where known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub created_at: Option<Timestamp>,
    /// When it last changed, where known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub modified_at: Option<Timestamp>,
}

/// Both contracts of an agent, and what becomes of them at each provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AgentContract {
    /// Its name.
    pub agent_name: String,
    /// The input contract in force.
    #[schema(value_type = Object)]
    pub parameters_schema: Value,
    /// The output contract, if there is one.
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Whether it is only a default that callers may replace.
    pub is_default: bool,
    /// How often the model is asked again.
    pub max_retries: Option<u32>,
    /// What the linter says about the output schema.
    #[schema(value_type = Vec<Object>)]
    pub lint: Vec<Value>,
    /// What each provider takes of it.
    pub lowering: Vec<LoweringReport>,
}

/// What one provider takes of a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LoweringReport {
    /// The provider's profile.
    pub profile: String,
    /// The schema as it is sent; none where it cannot be.
    #[schema(value_type = Option<Object>)]
    pub schema: Option<Value>,
    /// Why it cannot be sent.
    pub refusal: Option<String>,
    /// What only the judge enforces.
    #[schema(value_type = Vec<Object>)]
    pub losses: Vec<Value>,
}

/// The verdict on a blueprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ValidateAgentAnswer {
    /// Whether it can be used.
    pub valid: bool,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}
