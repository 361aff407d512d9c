//! The registry of output schemas.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::agents::LoweringReport;
use crate::problem::Problem;

/// A schema to be registered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSchema {
    /// Its name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// What it is for. Where nothing is said, what was said of the same schema before stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// A registered schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SchemaView {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// SHA-256 of the schema; also the `ETag`.
    pub hash: String,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When its description last changed.
    #[schema(value_type = String, format = DateTime)]
    pub modified_at: Timestamp,
    /// Who refers to it by its name.
    #[serde(default)]
    pub used_by: SchemaUsers,
}

/// Who refers to a registered schema. While somebody does, it is not deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SchemaUsers {
    /// Agents, by name.
    pub agents: Vec<String>,
    /// Workflows of which a node does, or an agent that stands in them.
    pub workflows: Vec<String>,
}

impl SchemaUsers {
    /// Whether nobody does.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.workflows.is_empty()
    }
}

/// A schema to be checked, and something to be judged by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateSchema {
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// A model's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Or a value; null is one.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub value: Option<Value>,
    /// How much may be mended.
    #[serde(default)]
    pub mode: accord_domain::contract::ValidationMode,
}

/// What is there is a value, null too.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ValidateSchemaAnswer {
    /// Whether it is a valid JSON Schema.
    pub valid: bool,
    /// Where it is not.
    pub problems: Vec<Problem>,
    /// SHA-256 of the schema.
    pub hash: Option<String>,
    /// What the linter says.
    #[schema(value_type = Vec<Object>)]
    pub lint: Vec<Value>,
    /// What each provider takes of it, and what only the judge enforces.
    #[serde(default)]
    pub lowering: Vec<LoweringReport>,
    /// The verdict on the text or value: the same shape that `accord check` prints.
    #[schema(value_type = Option<Object>)]
    pub verdict: Option<Value>,
}

/// Examples to make a schema from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InferSchema {
    /// The examples, at least one.
    #[schema(value_type = Vec<Value>, min_items = 1)]
    pub examples: Vec<Value>,
    /// Whether members that no example has are refused.
    #[serde(default)]
    pub closed: bool,
}

/// A schema that all examples conform to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct InferSchemaAnswer {
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_a_value_and_nothing_is_none() {
        for (document, value) in [
            (json!({"schema": true, "mode": "strict"}), None),
            (json!({"schema": true, "value": null, "mode": "strict"}), Some(Value::Null)),
        ] {
            let request: ValidateSchema = serde_json::from_value(document.clone()).unwrap();
            assert_eq!(request.value, value);
            assert_eq!(serde_json::to_value(request).unwrap(), document);
        }
    }
}
