//! The built-in model providers, one row each.
//!
//! The executor, the checks of agent files, `accord doctor`, the OpenAPI document, the dashboard and the guide read this
//! table. A provider with a supported API is a row; a new API is also a folder in `executor/src/llm/wire`.

use serde::{Deserialize, Serialize};

use Capability::{ForcedTools, SchemaWithTools, StrictTools, TemperatureWithReasoning};

/// A built-in provider; the kind of a configured one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProviderKind {
    /// Anthropic.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// OpenAI by its Responses API.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI by its Chat Completions API.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// Any other server with a Chat Completions API.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    /// Ollama.
    #[serde(rename = "ollama")]
    Ollama,
}

/// An API that the `llm` executor implements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic Messages.
    AnthropicMessages,
    /// OpenAI Responses.
    OpenAiResponses,
    /// OpenAI Chat Completions.
    OpenAiChat,
    /// Chat Completions of other servers, which use older field names.
    CompatibleChat,
    /// Ollama's chat API.
    Ollama,
}

/// A feature that some providers lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Arguments of a tool can be forced to follow its schema.
    StrictTools,
    /// A call of a tool can be forced.
    ForcedTools,
    /// A schema for the answer can be sent together with tools.
    SchemaWithTools,
    /// A temperature can be set for a model that reasons.
    TemperatureWithReasoning,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInProvider {
    /// Name in agent files and in the configuration.
    pub name: &'static str,
    /// Its API.
    pub dialect: Dialect,
    /// The API in words.
    pub api: &'static str,
    /// The subset of JSON Schema that it enforces, a name of `contract/src/lower/profiles.toml`.
    pub schema_profile: &'static str,
    /// Default address.
    pub base_url: Option<&'static str>,
    /// Environment variable with another address.
    pub base_url_variable: Option<&'static str>,
    /// Environment variable with the key. Without one, no key is needed.
    pub key_variable: Option<&'static str>,
    /// Environment variable with a bearer token, used if there is no key.
    pub token_variable: Option<&'static str>,
    /// What it supports.
    pub capabilities: &'static [Capability],
}

impl ProviderKind {
    /// Every provider, in the order in which they are listed.
    pub const ALL: [Self; 5] =
        [Self::Anthropic, Self::OpenAi, Self::OpenAiChat, Self::OpenAiCompatible, Self::Ollama];

    /// The facts about it.
    pub fn row(self) -> &'static BuiltInProvider {
        match self {
            Self::Anthropic => &BuiltInProvider {
                name: "anthropic",
                dialect: Dialect::AnthropicMessages,
                api: "Messages",
                schema_profile: "anthropic",
                base_url: Some("https://api.anthropic.com"),
                base_url_variable: Some("ANTHROPIC_BASE_URL"),
                key_variable: Some("ANTHROPIC_API_KEY"),
                token_variable: Some("ANTHROPIC_AUTH_TOKEN"),
                capabilities: &[StrictTools, ForcedTools, SchemaWithTools],
            },
            Self::OpenAi => &BuiltInProvider {
                name: "openai",
                dialect: Dialect::OpenAiResponses,
                api: "Responses",
                schema_profile: "openai",
                base_url: Some("https://api.openai.com/v1"),
                base_url_variable: Some("OPENAI_BASE_URL"),
                key_variable: Some("OPENAI_API_KEY"),
                token_variable: None,
                capabilities: &[StrictTools, ForcedTools, SchemaWithTools, TemperatureWithReasoning],
            },
            Self::OpenAiChat => &BuiltInProvider {
                name: "openai-chat",
                dialect: Dialect::OpenAiChat,
                api: "Chat Completions",
                schema_profile: "openai",
                base_url: Some("https://api.openai.com/v1"),
                base_url_variable: Some("OPENAI_BASE_URL"),
                key_variable: Some("OPENAI_API_KEY"),
                token_variable: None,
                capabilities: &[StrictTools, ForcedTools, SchemaWithTools, TemperatureWithReasoning],
            },
            Self::OpenAiCompatible => &BuiltInProvider {
                name: "openai-compatible",
                dialect: Dialect::CompatibleChat,
                api: "Chat Completions, as offered by vLLM, llama.cpp and others",
                schema_profile: "openai",
                base_url: None,
                base_url_variable: None,
                key_variable: None,
                token_variable: None,
                capabilities: &[ForcedTools, TemperatureWithReasoning],
            },
            Self::Ollama => &BuiltInProvider {
                name: "ollama",
                dialect: Dialect::Ollama,
                api: "Ollama",
                schema_profile: "ollama",
                base_url: Some("http://127.0.0.1:11434"),
                base_url_variable: Some("OLLAMA_HOST"),
                key_variable: None,
                token_variable: None,
                capabilities: &[TemperatureWithReasoning],
            },
        }
    }

    /// The provider with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it supports a feature.
    pub fn supports(self, capability: Capability) -> bool {
        self.row().capabilities.contains(&capability)
    }

    /// Whether it is a server that users run themselves, which needs no key.
    pub fn is_self_hosted(self) -> bool {
        self.row().key_variable.is_none()
    }

    /// The address of the public service, which requires a key.
    pub fn public_base_url(self) -> Option<&'static str> {
        self.row().base_url.filter(|_| !self.is_self_hosted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_the_serialized_ones() {
        for kind in ProviderKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(ProviderKind::named(kind.name()), Some(kind));
        }
        assert_eq!(ProviderKind::named("lab"), None);
    }
}
