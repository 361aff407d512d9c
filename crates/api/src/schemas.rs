//! The registry of output schemas.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::agents::LoweringReport;
use crate::problem::Problem;

/// Request to register a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSchema {
    /// Name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Description. If omitted, the existing description is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// A registered schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SchemaView {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// SHA-256 of the schema; also the `ETag`.
    pub hash: String,
    /// Creation time.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Time of the last change of the description.
    #[schema(value_type = String, format = DateTime)]
    pub modified_at: Timestamp,
    /// Agents and workflows that reference it by name.
    #[serde(default)]
    pub used_by: SchemaUsers,
}

/// References to a registered schema. A referenced schema cannot be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SchemaUsers {
    /// Agents, by name.
    pub agents: Vec<String>,
    /// Workflows with a node or an inline agent that references it.
    pub workflows: Vec<String>,
}

impl SchemaUsers {
    /// Whether there are no references.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.workflows.is_empty()
    }
}

/// Request to validate a schema, and optionally a value against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateSchema {
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// Text of a model's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Or a JSON value, including null.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub value: Option<Value>,
    /// Whether damaged JSON is repaired.
    #[serde(default)]
    pub mode: accord_domain::contract::ValidationMode,
}

/// Reads a present value, including `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Result of the validation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ValidateSchemaAnswer {
    /// Whether it is a valid JSON Schema.
    pub valid: bool,
    /// Where it is invalid, and why.
    pub problems: Vec<Problem>,
    /// SHA-256 of the schema.
    pub hash: Option<String>,
    /// Lint findings.
    #[schema(value_type = Vec<Object>)]
    pub lint: Vec<Value>,
    /// The schema as sent to each provider, and the parts that only Accord's validation enforces.
    #[serde(default)]
    pub lowering: Vec<LoweringReport>,
    /// Result for the text or value, in the format of `accord check`.
    #[schema(value_type = Option<Object>)]
    pub verdict: Option<Value>,
}

/// Request to infer a schema from examples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InferSchema {
    /// The examples, at least one.
    #[schema(value_type = Vec<Value>, min_items = 1)]
    pub examples: Vec<Value>,
    /// Whether properties that are in no example are rejected.
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
    fn null_is_a_value_and_absent_is_none() {
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
