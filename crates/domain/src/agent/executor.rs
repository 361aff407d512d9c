//! What does an agent's work, and its settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

use crate::provider::ProviderKind;

/// Executor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Executor {
    /// A model provider.
    Llm(Llm),
    /// The Claude Code CLI.
    ClaudeCode(Cli),
    /// The Codex CLI.
    Codex(Cli),
    /// An agent that speaks the Agent Client Protocol.
    Acp(Acp),
    /// A command.
    Process(Command),
    /// A program that implements the executor protocol.
    External(External),
    /// A person.
    Human(Human),
    /// A recording.
    Replay(Replay),
}

impl Executor {
    pub fn executor_kind(&self) -> ExecutorKind {
        match self {
            Self::Llm(_) => ExecutorKind::Llm,
            Self::ClaudeCode(_) => ExecutorKind::ClaudeCode,
            Self::Codex(_) => ExecutorKind::Codex,
            Self::Acp(_) => ExecutorKind::Acp,
            Self::Process(_) => ExecutorKind::Process,
            Self::External(_) => ExecutorKind::External,
            Self::Human(_) => ExecutorKind::Human,
            Self::Replay(_) => ExecutorKind::Replay,
        }
    }

    /// The name of the type, as it is written.
    pub fn kind(&self) -> &'static str {
        self.executor_kind().name()
    }

    /// The model that it names.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Llm(settings) => Some(&settings.model),
            Self::ClaudeCode(settings) | Self::Codex(settings) => settings.model.as_deref(),
            Self::Acp(settings) => settings.model.as_deref(),
            Self::Process(_) | Self::External(_) | Self::Human(_) | Self::Replay(_) => None,
        }
    }
}

/// An executor without its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutorKind {
    /// A model provider.
    Llm,
    /// The Claude Code CLI.
    ClaudeCode,
    /// The Codex CLI.
    Codex,
    /// An agent that speaks the Agent Client Protocol.
    Acp,
    /// A command.
    Process,
    /// A program that implements the executor protocol.
    External,
    /// A person.
    Human,
    /// A recording.
    Replay,
}

/// A row of the table of executors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInExecutor {
    /// The `type` in agent files.
    pub name: &'static str,
    /// What does the work, in words.
    pub title: &'static str,
    /// The subset of JSON Schema that it enforces, if that does not depend on its settings.
    pub schema_profile: Option<&'static str>,
}

impl ExecutorKind {
    /// Every executor, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Llm,
        Self::ClaudeCode,
        Self::Codex,
        Self::Acp,
        Self::Process,
        Self::External,
        Self::Human,
        Self::Replay,
    ];

    /// The facts about it.
    pub fn row(self) -> &'static BuiltInExecutor {
        match self {
            Self::Llm => {
                &BuiltInExecutor { name: "llm", title: "a model of a provider", schema_profile: None }
            }
            Self::ClaudeCode => &BuiltInExecutor {
                name: "claude-code",
                title: "the Claude Code CLI",
                schema_profile: Some("claude-code"),
            },
            Self::Codex => {
                &BuiltInExecutor { name: "codex", title: "the Codex CLI", schema_profile: Some("openai") }
            }
            Self::Acp => {
                &BuiltInExecutor { name: "acp", title: "an agent that speaks ACP", schema_profile: None }
            }
            Self::Process => &BuiltInExecutor { name: "process", title: "a command", schema_profile: None },
            Self::External => {
                &BuiltInExecutor { name: "external", title: "your own program", schema_profile: None }
            }
            Self::Human => &BuiltInExecutor { name: "human", title: "a person", schema_profile: None },
            Self::Replay => &BuiltInExecutor { name: "replay", title: "a recording", schema_profile: None },
        }
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }
}

/// A person who does the work: there are no settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Human {}

/// Settings of a model provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Llm {
    /// A built-in provider, a configured name, or `tier`.
    #[schema(schema_with = provider_schema)]
    pub provider: String,
    /// The model; the name of a configured tier, if the provider is `tier`.
    pub model: String,
    /// Base URL, if it differs from the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Maximum output tokens of one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Reasoning: `off`, `low`, `medium`, `high`, true (medium), false (off), or a number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub reasoning: Option<Value>,
    /// Timeout of one turn in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Subset of JSON Schema that the server enforces, if it differs from its API's default: `openai`, `anthropic`,
    /// `ollama` or `llama.cpp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_profile: Option<String>,
}

/// The description lists the table of providers.
fn provider_schema() -> Object {
    let names: Vec<String> = ProviderKind::ALL.iter().map(|kind| format!("`{}`", kind.name())).collect();
    let description = format!("{}, a configured name, or `tier`.", names.join(", "));
    ObjectBuilder::new().schema_type(Type::String).description(Some(description)).build()
}

/// The provider that stands for a named tier; the model is the tier's name.
pub const TIER: &str = "tier";

/// A fallback model: a model of the agent's own provider, or settings for another provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Fallback {
    /// A model of the agent's own provider.
    Model(String),
    /// A model with its provider, or a tier.
    Llm(Box<Llm>),
}

impl Fallback {
    /// The model that it names.
    pub fn model(&self) -> &str {
        match self {
            Self::Model(model) => model,
            Self::Llm(settings) => &settings.model,
        }
    }
}

/// Settings of an agent CLI.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cli {
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Executable, if not the one on the PATH.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Additional arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Additional environment variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Allowed tools of the CLI itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Timeout of one turn in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// Settings of an agent that speaks the Agent Client Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Acp {
    /// The agent and its arguments, for example `[gemini, --acp]`.
    pub command: Vec<String>,
    /// The model, if not the agent's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the agent logs in: the id of one of its methods. Not required if it is logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_method: Option<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Tools that the agent may use when it asks for permission: their names or kinds (`read`, `edit`, `delete`, `move`,
    /// `search`, `execute`, `think`, `fetch`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Timeout of one turn in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// Arguments of a command: a list, or how parameters are passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum ProcessArguments {
    /// `json`, `flags` or `both`.
    Mode(String),
    /// A list of arguments.
    List(Vec<String>),
}

/// Settings of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The executable.
    pub command: String,
    /// Its arguments, or `json`, `flags` or `both`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<ProcessArguments>,
    /// How parameters are passed: `json` (on stdin), `flags` or `both`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters_as: Option<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Working folder, inside the project folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// Timeout in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// Settings of a program that implements the executor protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct External {
    /// The executable.
    pub command: String,
    /// Arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Working folder, inside the project folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// Timeout of one turn in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// False for a program that cannot be re-prompted in the same session: then the coordinator enforces its contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reprompt: Option<bool>,
}

/// Settings of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The file, inside the project folder.
    pub cassette: String,
    /// `exact` or `order`.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
}
