//! What is wrong with a document, and where.

use serde::{Deserialize, Serialize};

/// Severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The definition cannot be used.
    Error,
    /// The definition can be used, but is likely to cause problems.
    Warning,
}

/// An error or a warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// Severity.
    pub severity: Severity,
    /// Path in the document, for example `$.output_schema.type`.
    pub path: String,
    /// What is wrong, and how to fix it.
    pub message: String,
    /// The file, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}
