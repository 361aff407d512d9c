//! The API of each dialect.

use accord_domain::provider::Dialect;

use super::Wire;
use super::anthropic::Anthropic;
use super::bedrock::Bedrock;
use super::cohere::Cohere;
use super::gemini::Gemini;
use super::ollama::Ollama;
use super::responses::Responses;

/// The implementation of an API. A new one is a folder here and an arm.
pub(in crate::llm) fn wire(dialect: Dialect) -> &'static dyn Wire {
    match dialect {
        Dialect::AnthropicMessages => &Anthropic,
        Dialect::OpenAiResponses => &Responses,
        Dialect::Chat(quirks) => quirks,
        Dialect::Gemini => &Gemini,
        Dialect::BedrockConverse => &Bedrock,
        Dialect::Cohere => &Cohere,
        Dialect::Ollama => &Ollama,
    }
}
