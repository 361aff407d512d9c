//! The built-in model providers, one row each.
//!
//! The executor, the checks of agent files, `accord doctor`, the OpenAPI document, the dashboard and the guide read this
//! table. A provider with a supported API is a row; a new API is also a folder in `executor/src/llm/wire`.

mod chat;
mod rows;

use serde::{Deserialize, Serialize};

pub use chat::{ChatQuirks, ForcedTool, ReasoningField};

/// A built-in provider; the kind of a configured one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProviderKind {
    #[serde(rename = "anthropic")]
    Anthropic,
    /// OpenAI by its Responses API.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI by its Chat Completions API.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    #[serde(rename = "azure-openai")]
    AzureOpenAi,
    #[serde(rename = "gemini")]
    Gemini,
    /// Amazon Bedrock by its Converse API.
    #[serde(rename = "bedrock")]
    Bedrock,
    #[serde(rename = "mistral")]
    Mistral,
    #[serde(rename = "cohere")]
    Cohere,
    #[serde(rename = "xai")]
    Xai,
    #[serde(rename = "deepseek")]
    DeepSeek,
    #[serde(rename = "groq")]
    Groq,
    #[serde(rename = "openrouter")]
    OpenRouter,
    #[serde(rename = "venice")]
    Venice,
    #[serde(rename = "doubleword")]
    Doubleword,
    #[serde(rename = "vllm")]
    Vllm,
    #[serde(rename = "lm-studio")]
    LmStudio,
    #[serde(rename = "llama.cpp")]
    LlamaCpp,
    #[serde(rename = "mistral.rs")]
    MistralRs,
    /// Any other server with a Chat Completions API.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    #[serde(rename = "ollama")]
    Ollama,
}

/// An API that the `llm` executor implements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    AnthropicMessages,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Chat Completions, of OpenAI or of servers that differ from it in these ways.
    Chat(&'static ChatQuirks),
    /// Gemini's `generateContent`.
    Gemini,
    /// Amazon Bedrock's Converse.
    BedrockConverse,
    /// Cohere's chat, version 2.
    Cohere,
    /// Ollama's chat API.
    Ollama,
}

/// A feature that some providers lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// A schema for the answer can be sent.
    AnswerSchema,
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
    /// Default address. [`REGION`] in it stands for the region of the signing credentials.
    pub base_url: Option<&'static str>,
    /// Environment variable with another address.
    pub base_url_variable: Option<&'static str>,
    /// Environment variable with the key. Without one, no key is needed.
    pub key_variable: Option<&'static str>,
    /// Environment variable with a bearer token, used if there is no key.
    pub token_variable: Option<&'static str>,
    /// Environment variables with credentials that sign each request, used if there is neither key nor token.
    pub signing: Option<&'static SigningVariables>,
    /// What it supports.
    pub capabilities: &'static [Capability],
    /// The files that it takes as they are.
    pub files: TakesFiles,
    /// Its name in traces, by the conventions of OpenTelemetry.
    pub trace_name: &'static str,
}

/// The files that a provider takes as they are. Text goes to every one, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakesFiles {
    /// The types of images.
    pub images: &'static [&'static str],
    /// Whether it takes PDFs. If not, their text is sent.
    pub pdfs: bool,
}

/// The variables of credentials that sign requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SigningVariables {
    pub key_id: &'static str,
    pub secret: &'static str,
    /// For temporary credentials.
    pub session_token: &'static str,
    /// The first one that is set counts.
    pub region: &'static [&'static str],
}

/// The place of the region in an address.
pub const REGION: &str = "{region}";

impl BuiltInProvider {
    /// The default address, if it is the same everywhere.
    pub fn fixed_base_url(&self) -> Option<&'static str> {
        self.base_url.filter(|address| !address.contains(REGION))
    }

    /// The variables that lead to an address, if there is no default one.
    pub fn address_variables(&self) -> Vec<&'static str> {
        let region =
            self.signing.filter(|_| self.base_url.is_some()).and_then(|signing| signing.region.first());
        match self.fixed_base_url() {
            Some(_) => Vec::new(),
            None => region.copied().into_iter().chain(self.base_url_variable).collect(),
        }
    }

    /// The variables of each kind of credentials, one of which is enough. Empty if none are needed.
    pub fn credentials(&self) -> Vec<Vec<&'static str>> {
        let Some(key) = self.key_variable else { return Vec::new() };
        let signing = self.signing.map(|signing| vec![signing.key_id, signing.secret]);
        [vec![key]].into_iter().chain(self.token_variable.map(|token| vec![token])).chain(signing).collect()
    }
}

impl ProviderKind {
    /// Every provider, in the order in which they are listed.
    pub const ALL: [Self; 20] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::OpenAiChat,
        Self::AzureOpenAi,
        Self::Gemini,
        Self::Bedrock,
        Self::Mistral,
        Self::Cohere,
        Self::Xai,
        Self::DeepSeek,
        Self::Groq,
        Self::OpenRouter,
        Self::Venice,
        Self::Doubleword,
        Self::Vllm,
        Self::LmStudio,
        Self::LlamaCpp,
        Self::MistralRs,
        Self::OpenAiCompatible,
        Self::Ollama,
    ];

    /// The facts about it.
    pub fn row(self) -> &'static BuiltInProvider {
        rows::row(self)
    }

    /// The provider with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

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
        self.row().fixed_base_url().filter(|_| !self.is_self_hosted())
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

    #[test]
    fn every_row_leads_to_an_address_and_to_credentials() {
        for row in ProviderKind::ALL.map(ProviderKind::row).iter().filter(|row| row.key_variable.is_some()) {
            let has_address = row.fixed_base_url().is_some() || !row.address_variables().is_empty();
            assert!(has_address, "{}", row.name);
        }
        let bedrock = ProviderKind::Bedrock.row();
        assert_eq!(
            bedrock.credentials(),
            [vec!["AWS_BEARER_TOKEN_BEDROCK"], vec!["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]]
        );
        assert_eq!(bedrock.address_variables(), ["AWS_REGION", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"]);
        assert_eq!(ProviderKind::AzureOpenAi.row().address_variables(), ["AZURE_OPENAI_ENDPOINT"]);
        assert!(ProviderKind::Vllm.row().credentials().is_empty());
    }
}
