//! Agents: what a blueprint says. One document in files, over the API, and in what a runner is handed.
//!
//! The types say which fields there are. Whether schemas compile and rules parse is for those who can compile them.

mod executor;
mod mcp_server;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use executor::{Cli, Command, Executor, External, Llm, ProcessArguments, Replay};
pub use mcp_server::{McpServer, Unfilled, fill};

use crate::contract::{Invariant, Options};
use crate::demands::Demands;
use crate::usage::Usage;

/// Who decides: a model or a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// A model decides.
    #[default]
    Autonomous,
    /// A command computes.
    Procedural,
}

/// Where an agent lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// In a file of the project.
    File,
    /// In the store.
    Store,
}

/// Bounds on one run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Model requests in one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Tokens in all, read and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens_total: Option<u64>,
    /// Money in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    /// Time in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

impl Limits {
    /// Why another turn may not be paid for, in words; none where it may.
    pub fn exhausted(&self, used: &Usage) -> Option<String> {
        let tokens = used.input_tokens.saturating_add(used.output_tokens);
        if let Some(most) = self.max_tokens_total.filter(|most| tokens >= *most) {
            return Some(format!(
                "{tokens} tokens are used and limits.max_tokens_total is {most}; raise it, or ask for less"
            ));
        }
        let cost = used.cost_usd.unwrap_or_default();
        let most = self.max_cost_usd.filter(|most| cost >= *most)?;
        Some(format!("{cost:.4} USD are spent and limits.max_cost_usd is {most}; raise it, or ask for less"))
    }
}

/// What to do while a model provider is away: it cannot be reached, answers with a server error, or is overloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retry {
    /// For how many seconds a request is made again, counted from its first failure; 0 fails the run at once. The runner's
    /// `retry.for_seconds` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 86400)]
    pub for_seconds: Option<u32>,
    /// How many times a request is made at most, the first included. The runner's `retry.max_attempts` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_attempts: Option<u32>,
}

impl Retry {
    /// A day. A provider that is away for longer is away.
    pub const MOST_SECONDS: u32 = 24 * 60 * 60;
}

/// A blueprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Blueprint {
    /// Its name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Who decides.
    #[serde(default, rename = "type")]
    pub kind: Type,
    /// What does the work.
    pub executor: Executor,
    /// Stronger models, in order, for when the contract is not met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escalate_to: Vec<String>,
    /// What the model is told first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Built-in tools that it may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// MCP servers by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// Bounds on one run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// What to do while a model provider is away.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: Retry,
    /// Labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What it asks of a runner.
    #[serde(default, skip_serializing_if = "is_default")]
    pub demands: Demands,
    /// The input contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters_schema: Option<Value>,
    /// The output contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub output_schema: Option<Value>,
    /// The output contract where nobody else sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub default_output_schema: Option<Value>,
    /// Options of the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_output_schema_options: Option<Options>,
    /// Options of `output_schema`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema_options: Option<Options>,
    /// Rules that a schema cannot say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<Invariant>,
    /// Inputs with the right output for each, shown to the model before the real input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// When examples are sent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub send_examples: SendExamples,
}

/// An input and the right output for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Parameters that conform to `parameters_schema`; without one, `{"prompt": "…"}`.
    pub input: Value,
    /// A value that conforms to the output schema.
    pub output: Value,
}

/// When examples are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SendExamples {
    /// With the strategy `prompt` only.
    #[default]
    Prompt,
    /// With every strategy.
    Always,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
