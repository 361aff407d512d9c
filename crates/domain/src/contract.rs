//! The contract of one run, as it was resolved when the run was made. Later edits do not reach it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::named::named;

pub use crate::extract_json::{ExtractJson, UnknownExtractFrom};

/// Source of the contract.
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

named! {
    /// How the model is held to the contract.
    #[derive(Default)]
    pub enum Strategy {
        /// The best strategy that the endpoint supports.
        #[default]
        Auto,
        /// Structured output of the provider.
        Native,
        /// A submit tool.
        Tool,
        /// Instructions only.
        Prompt,
    }
}

/// Whether damaged JSON is repaired before validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValidationMode {
    /// No repairs.
    #[default]
    Strict,
    /// Lossless repairs only.
    Lenient,
}

/// What happens to a conforming value found in prose.
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
    /// Whether this is the default, which is not sent to runners.
    fn is_accept(&self) -> bool {
        *self == Self::Accept
    }
}

/// What happens if no answer conforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = OnContractFailure)]
pub enum OnFailure {
    /// The run fails.
    #[default]
    Fail,
    /// A person is asked to correct the closest answer.
    Ask,
}

impl OnFailure {
    fn is_fail(&self) -> bool {
        *self == Self::Fail
    }
}

/// A rule that a schema cannot express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// A CEL expression over `output` and `input`.
    pub rule: String,
    /// Message if the rule is false.
    pub message: String,
}

/// Contract options; omitted ones use the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Maximum retries, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 10)]
    pub max_retries: Option<u32>,
    /// Whether the value may be inside a code fence or prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract_json: Option<ExtractJson>,
    /// What happens to a value found in prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<Embedded>,
    /// Whether any text around the value is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_json_only: Option<bool>,
    /// Whether damaged JSON is repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_mode: Option<ValidationMode>,
    /// Strategy to enforce the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// What happens if no answer conforms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFailure>,
}

/// More retries than this have never helped a model, and each costs a call.
pub const MOST_RETRIES: u32 = 10;

/// An effective contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Source.
    pub origin: Origin,
    /// The schema.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// Name of the registered schema, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_name: Option<String>,
    /// SHA-256 of the schema.
    pub schema_hash: String,
    /// Invariants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<Invariant>,
    /// Maximum retries.
    pub max_retries: u32,
    /// Where the value may be besides alone.
    pub extract_json: ExtractJson,
    /// What happens to a value found in prose.
    #[serde(default, skip_serializing_if = "Embedded::is_accept")]
    pub embedded: Embedded,
    /// Whether any text around the value is an error.
    pub strict_json_only: bool,
    /// Whether damaged JSON is repaired.
    pub validation_mode: ValidationMode,
    /// Strategy to enforce the contract.
    pub strategy: Strategy,
    /// What happens if no answer conforms.
    #[serde(default, skip_serializing_if = "OnFailure::is_fail")]
    pub on_failure: OnFailure,
}
