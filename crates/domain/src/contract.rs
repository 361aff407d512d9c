//! The contract of one run, as it was resolved when the run was made. Later edits do not reach it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::extract_json::ExtractJson;

/// Who set the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The agent's `output_schema`.
    Blueprint,
    /// The caller, inline or by name.
    Caller,
    /// The agent's `default_output_schema`.
    Default,
}

/// How the model is held to the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The best that the endpoint takes.
    #[default]
    Auto,
    /// The provider's own schema field.
    Native,
    /// A submit tool.
    Tool,
    /// Instructions only.
    Prompt,
}

impl Strategy {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Tool => "tool",
            Self::Prompt => "prompt",
        }
    }
}

/// How much an answer may be mended before it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValidationMode {
    /// Not at all.
    #[default]
    Strict,
    /// Where nothing is lost and nothing invented.
    Lenient,
}

/// What happens to a conforming value that stands in prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Embedded {
    /// It is accepted.
    #[default]
    Accept,
    /// The model is shown the value and asked for it alone, which costs a retry. Only the answer to that is judged.
    Confirm,
}

impl Embedded {
    /// Whether this is the default. Runners that know no other need not be told.
    fn is_accept(&self) -> bool {
        *self == Self::Accept
    }
}

/// A rule that a schema cannot say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// A CEL expression over `output` and `input`.
    pub rule: String,
    /// What to say when it does not hold.
    pub message: String,
}

/// Options as people give them: what is absent comes from the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// How often a model is asked again, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 10)]
    pub max_retries: Option<u32>,
    /// Whether the value may stand in a fence or in prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract_json: Option<ExtractJson>,
    /// What happens to a value that stands in prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<Embedded>,
    /// Whether any text around the value is a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_json_only: Option<bool>,
    /// How much may be mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_mode: Option<ValidationMode>,
    /// How the model is held to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
}

/// More retries than this have never helped a model, and each costs a call.
pub const MOST_RETRIES: u32 = 10;

/// A contract in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Who set it.
    pub origin: Origin,
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// Its name, where it came from the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_name: Option<String>,
    /// SHA-256 of the schema.
    pub schema_hash: String,
    /// Rules beyond the schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<Invariant>,
    /// How often a model is asked again.
    pub max_retries: u32,
    /// Whether the value may stand in a fence or in prose.
    pub extract_json: ExtractJson,
    /// What happens to a value that stands in prose.
    #[serde(default, skip_serializing_if = "Embedded::is_accept")]
    pub embedded: Embedded,
    /// Whether any text around the value is a failure.
    pub strict_json_only: bool,
    /// How much may be mended.
    pub validation_mode: ValidationMode,
    /// How the model is held to it.
    pub strategy: Strategy,
}
