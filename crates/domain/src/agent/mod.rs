//! Agents: what a blueprint says. One document in files, over the API, and in what a runner is handed.
//!
//! The types say which fields there are. Whether schemas compile and rules parse is checked elsewhere.

mod executor;
mod mcp_server;
mod tools;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use executor::{
    Acp, BuiltInExecutor, Cli, Command, Executor, ExecutorKind, External, Fallback, Human, Llm,
    ProcessArguments, Replay, TIER,
};
pub use mcp_server::{McpServer, Unfilled, fill};
pub use tools::{
    ACP_KINDS, BUILT_IN_TOOLS, CODEX_ALLOWED, CODEX_TOOLS, KnownTools, ToolPattern, ToolRules, UnknownTool,
    folded, rule_tool,
};

use crate::contract::{Invariant, Options};
use crate::demands::Demands;
use crate::usage::Usage;

/// Agent type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Driven by a model.
    #[default]
    Autonomous,
    /// A command.
    Procedural,
}

/// Where an agent is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A file of the project.
    File,
    /// The database.
    Store,
}

/// Limits of one run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Maximum model requests in one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Maximum total tokens, input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens_total: Option<u64>,
    /// Maximum total cost in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    /// Maximum working time in seconds. Waiting for children or people does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Maximum time in seconds that a run waits for its children. Defaults to one hour, or longer if one of them asks a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<u64>,
    /// Time in seconds that a person has to answer a request for input. Defaults to one day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_seconds: Option<u64>,
}

impl Limits {
    /// An hour: long enough for any agent, short enough that a forgotten run ends on the same day.
    pub const DEFAULT_WAIT_SECONDS: u64 = 60 * 60;

    /// A day: an answer that has to survive the night.
    pub const DEFAULT_INPUT_SECONDS: u64 = 24 * 60 * 60;

    /// Why another turn would exceed the cost limit; `None` if it would not.
    pub fn exhausted(&self, used: &Usage) -> Option<String> {
        let tokens = used.input_tokens.saturating_add(used.output_tokens);
        if let Some(most) = self.max_tokens_total.filter(|most| tokens >= *most) {
            return Some(format!(
                "{tokens} tokens used, limits.max_tokens_total is {most}; raise it, or ask for less"
            ));
        }
        let cost = used.cost_usd.unwrap_or_default();
        let most = self.max_cost_usd.filter(|most| cost >= *most)?;
        Some(format!("{cost:.4} USD spent, limits.max_cost_usd is {most}; raise it, or ask for less"))
    }
}

/// Retries if a model provider is unreachable, overloaded or responds with a server error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retry {
    /// Seconds to retry a request, counted from its first failure; 0 fails the run immediately. Defaults to the runner's
    /// `retry.for_seconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 86400)]
    pub for_seconds: Option<u32>,
    /// Maximum number of attempts of a request, including the first. Defaults to the runner's `retry.max_attempts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_attempts: Option<u32>,
}

impl Retry {
    /// A day. A provider that is away for longer is away.
    pub const MOST_SECONDS: u32 = 24 * 60 * 60;
}

/// When a run that waits for its children continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Callback {
    /// Each time a child finishes.
    #[default]
    Each,
    /// When all children have finished.
    All,
}

/// What happens to the children of a run that fails or is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnParentEnd {
    /// They continue.
    #[default]
    Keep,
    /// They are stopped.
    Stop,
}

impl OnParentEnd {
    /// What a stored blueprint says. `None`: it cannot be read, and says nothing.
    pub fn of(blueprint: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Member {
            #[serde(default)]
            on_parent_end: OnParentEnd,
        }
        serde_json::from_str::<Member>(blueprint).ok().map(|member| member.on_parent_end)
    }
}

/// A tool that needs the approval of a person: its name, or a name with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Approval {
    // Every call of the tool. Not a doc comment: beside an inlined type it would become an object of its own in the API's description.
    Tool(#[schema(inline)] ToolPattern),
    /// Calls for which a rule is true.
    Rule(ApprovalRule),
}

/// A tool whose calls need approval if a rule is true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRule {
    /// The tool. A `*` at the end stands for any rest of the name.
    #[schema(value_type = String)]
    pub tool: ToolPattern,
    /// A CEL expression over `arguments`. A rule that cannot be evaluated counts as true.
    pub when: String,
}

impl Approval {
    pub fn tool(&self) -> &ToolPattern {
        match self {
            Self::Tool(tool) => tool,
            Self::Rule(rule) => &rule.tool,
        }
    }
}

/// What a tool may change, so that it is known whether a call that was interrupted can be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ToolEffect)]
pub enum Effect {
    /// Nothing.
    None,
    /// The same call twice does no more than once.
    Idempotent,
    /// Anything.
    Unknown,
}

/// Where a call of an MCP tool says in its `_meta` which call it is, the same each time that it is made. A tool whose own `_meta`
/// has it as `true` does a call with the same key once.
pub const IDEMPOTENCY_KEY: &str = "accord/idempotency-key";

/// Where an MCP error says in its data that the same request may do better later.
pub const MAY_PASS: &str = "accord/may-pass";

/// What happens if nobody answers a question or a request for approval in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnInputTimeout {
    /// The call is denied, and the run continues.
    #[default]
    Deny,
    /// The run fails with `input_timed_out`.
    Fail,
}

/// The definition of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Blueprint {
    /// Name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Agent type: `autonomous` or `procedural`.
    #[serde(default, rename = "type")]
    pub kind: Type,
    /// Executor.
    pub executor: Executor,
    /// Fallback models, in order, if the output does not conform, the model refuses, or its provider fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escalate_to: Vec<Fallback>,
    /// System prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Built-in tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Tools that need the approval of a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approve: Vec<Approval>,
    /// What happens if nobody answers a question or a request for approval in time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_input_timeout: OnInputTimeout,
    /// What tools may change, by name, if that is not known otherwise. A call that was interrupted is repeated only if its tool
    /// changes nothing or is idempotent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, Effect>)]
    pub effects: BTreeMap<ToolPattern, Effect>,
    /// MCP servers by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// Limits of one run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// Retries if a model provider is unavailable.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: Retry,
    /// When a run that waits for its children continues.
    #[serde(default, skip_serializing_if = "is_default")]
    pub callback: Callback,
    /// What happens to the children of a run that fails or is stopped.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_parent_end: OnParentEnd,
    /// Tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Runner requirements.
    #[serde(default, skip_serializing_if = "is_default")]
    pub demands: Demands,
    /// Input schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters_schema: Option<Value>,
    /// Output schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub output_schema: Option<Value>,
    /// Default output schema, if the caller sets none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub default_output_schema: Option<Value>,
    /// Options for `default_output_schema`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_output_schema_options: Option<Options>,
    /// Options for `output_schema`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema_options: Option<Options>,
    /// Rules that a schema cannot express.
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
