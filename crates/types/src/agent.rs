//! What types are written for.

use serde_json::Value;

/// An agent to write types for.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its description, or an empty string.
    pub description: String,
    /// The hash of both schemas, as the coordinator computes it.
    pub contract_hash: String,
    /// The schema of its input.
    pub input: Value,
    /// The schema of its output; without one, the output is a text.
    pub output: Option<Value>,
}
