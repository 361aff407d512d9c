//! What is wrong with a document, and where.

use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It cannot be used.
    Error,
    /// It can, and something is likely to go wrong.
    Warning,
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// How bad.
    pub severity: Severity,
    /// Where in the document, as people write it: `$.output_schema.type`.
    pub path: String,
    /// What is wrong, and what to do.
    pub message: String,
    /// The file, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}
