//! The contracts of an agent: its schemas and invariants, and the hash that names them.

use accord_contract::{Invariants, Schema, contract_hash};
use serde_json::{Value, json};

/// An output schema of a blueprint.
#[derive(Debug, Clone)]
pub enum DeclaredSchema {
    /// The schema, compiled.
    Inline(Schema),
    /// The name of a registered schema.
    Named(String),
}

/// The contracts of a blueprint, compiled.
#[derive(Debug, Clone, Default)]
pub struct Contracts {
    /// `parameters_schema`.
    pub parameters: Option<Schema>,
    /// `output_schema`.
    pub output: Option<DeclaredSchema>,
    /// `default_output_schema`.
    pub default_output: Option<DeclaredSchema>,
    /// `invariants`.
    pub invariants: Invariants,
}

/// The hash of both schemas of an agent, by which callers name the contract that they were written for.
pub fn agent_contract_hash(parameters: Option<&Schema>, output: Option<&Schema>) -> String {
    let output = output.map(Schema::document);
    match parameters {
        Some(schema) => contract_hash(schema.document(), output),
        None => contract_hash(&implicit_parameters(), output),
    }
}

/// The input schema of an agent without `parameters_schema`.
pub fn implicit_parameters() -> Value {
    json!({
        "type": "object",
        "required": ["prompt"],
        "properties": {"prompt": {"type": "string", "minLength": 1}},
        "additionalProperties": false,
    })
}
