//! What does an agent's work, and its settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What does the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Executor {
    /// A model provider.
    Llm(Llm),
    /// The Claude Code CLI.
    ClaudeCode(Cli),
    /// The Codex CLI.
    Codex(Cli),
    /// A command that computes.
    Process(Command),
    /// A program that speaks the executor protocol.
    External(External),
    /// A recording.
    Replay(Replay),
}

impl Executor {
    /// The name of the type, as it is written.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Llm(_) => "llm",
            Self::ClaudeCode(_) => "claude-code",
            Self::Codex(_) => "codex",
            Self::Process(_) => "process",
            Self::External(_) => "external",
            Self::Replay(_) => "replay",
        }
    }

    /// The model that it names.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Llm(settings) => Some(&settings.model),
            Self::ClaudeCode(settings) | Self::Codex(settings) => settings.model.as_deref(),
            Self::Process(_) | Self::External(_) | Self::Replay(_) => None,
        }
    }
}

/// A model provider's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Llm {
    /// `anthropic`, `openai`, `openai-chat`, `openai-compatible`, `ollama`, or a configured name.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Another address than the provider's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The ceiling of one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How freely it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Reasoning: `off`, `low`, `medium`, `high`, true (medium), false (off), or a number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub reasoning: Option<Value>,
    /// How long one turn may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Which subset of JSON Schema the server enforces, where it is another than its dialect's: `openai`, `anthropic`,
    /// `ollama` or `llama.cpp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_profile: Option<String>,
}

/// The settings of an agent CLI.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cli {
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another executable than the one on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// More arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// More environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The CLI's own tools that it may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// How long one turn may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// A command's arguments: a list of its own, or how it gets the parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum ProcessArguments {
    /// `json`, `flags` or `both`.
    Mode(String),
    /// Arguments of its own.
    List(Vec<String>),
}

/// The settings of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The executable.
    pub command: String,
    /// Its arguments, or `json`, `flags` or `both`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<ProcessArguments>,
    /// How it gets the parameters: `json` (on stdin), `flags` or `both`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters_as: Option<String>,
    /// More environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Where it works, inside the project folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// How long it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// The settings of a program that speaks the executor protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct External {
    /// The executable.
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// More environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Where it works, inside the project folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// How long one turn may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// False for a program that cannot be asked again in place: then the coordinator holds it to its contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reprompt: Option<bool>,
}

/// The settings of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The file, inside the project folder.
    pub cassette: String,
    /// `exact` or `order`.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
}
