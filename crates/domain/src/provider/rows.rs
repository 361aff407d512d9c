//! The rows of the table.

use super::Capability::{AnswerSchema, ForcedTools, SchemaWithTools, StrictTools, TemperatureWithReasoning};
use super::{BuiltInProvider, Capability, ChatQuirks, Dialect, ProviderKind, SigningVariables, TakesFiles};
use crate::file::IMAGES;

/// All that OpenAI supports.
const ALL: &[Capability] =
    &[AnswerSchema, StrictTools, ForcedTools, SchemaWithTools, TemperatureWithReasoning];

/// What a server with a Chat Completions API is expected to support.
const CHAT: &[Capability] = &[AnswerSchema, ForcedTools, TemperatureWithReasoning];

const IMAGES_AND_PDFS: TakesFiles = TakesFiles { images: IMAGES, pdfs: true };

const IMAGES_ALONE: TakesFiles = TakesFiles { images: IMAGES, pdfs: false };

const NO_FILES: TakesFiles = TakesFiles { images: &[], pdfs: false };

/// A server with a Chat Completions API; the other rows of such servers say what is different.
const COMPATIBLE: BuiltInProvider = BuiltInProvider {
    name: "openai-compatible",
    dialect: Dialect::Chat(&ChatQuirks::COMPATIBLE),
    api: "Chat Completions, as offered by many servers",
    schema_profile: "openai",
    base_url: None,
    base_url_variable: None,
    key_variable: None,
    token_variable: None,
    signing: None,
    capabilities: CHAT,
    // Whether a model sees images is for the model to say.
    files: IMAGES_ALONE,
    trace_name: "openai",
};

/// A service with a Chat Completions API.
const HOSTED: BuiltInProvider = BuiltInProvider { api: "Chat Completions", ..COMPATIBLE };

pub(super) fn row(kind: ProviderKind) -> &'static BuiltInProvider {
    match kind {
        ProviderKind::Anthropic => &BuiltInProvider {
            name: "anthropic",
            dialect: Dialect::AnthropicMessages,
            api: "Messages",
            schema_profile: "anthropic",
            base_url: Some("https://api.anthropic.com"),
            base_url_variable: Some("ANTHROPIC_BASE_URL"),
            key_variable: Some("ANTHROPIC_API_KEY"),
            token_variable: Some("ANTHROPIC_AUTH_TOKEN"),
            signing: None,
            capabilities: &[AnswerSchema, StrictTools, ForcedTools, SchemaWithTools],
            files: IMAGES_AND_PDFS,
            trace_name: "anthropic",
        },
        ProviderKind::OpenAi => &BuiltInProvider {
            name: "openai",
            dialect: Dialect::OpenAiResponses,
            api: "Responses",
            base_url: Some("https://api.openai.com/v1"),
            base_url_variable: Some("OPENAI_BASE_URL"),
            key_variable: Some("OPENAI_API_KEY"),
            capabilities: ALL,
            files: IMAGES_AND_PDFS,
            ..HOSTED
        },
        ProviderKind::OpenAiChat => &BuiltInProvider {
            name: "openai-chat",
            dialect: Dialect::Chat(&ChatQuirks::OPENAI),
            base_url: Some("https://api.openai.com/v1"),
            base_url_variable: Some("OPENAI_BASE_URL"),
            key_variable: Some("OPENAI_API_KEY"),
            capabilities: ALL,
            files: IMAGES_AND_PDFS,
            ..HOSTED
        },
        ProviderKind::AzureOpenAi => &BuiltInProvider {
            name: "azure-openai",
            dialect: Dialect::Chat(&ChatQuirks::AZURE),
            api: "Chat Completions; the model is the name of the deployment",
            base_url_variable: Some("AZURE_OPENAI_ENDPOINT"),
            key_variable: Some("AZURE_OPENAI_API_KEY"),
            capabilities: ALL,
            trace_name: "azure.ai.openai",
            ..HOSTED
        },
        ProviderKind::Gemini => &BuiltInProvider {
            name: "gemini",
            dialect: Dialect::Gemini,
            api: "generateContent",
            schema_profile: "gemini",
            base_url: Some("https://generativelanguage.googleapis.com/v1beta"),
            base_url_variable: Some("GOOGLE_GEMINI_BASE_URL"),
            key_variable: Some("GEMINI_API_KEY"),
            files: TakesFiles { images: &["image/png", "image/jpeg", "image/webp"], pdfs: true },
            trace_name: "gcp.gemini",
            ..HOSTED
        },
        ProviderKind::Bedrock => &BuiltInProvider {
            name: "bedrock",
            dialect: Dialect::BedrockConverse,
            api: "Converse",
            schema_profile: "bedrock",
            base_url: Some("https://bedrock-runtime.{region}.amazonaws.com"),
            base_url_variable: Some("AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
            key_variable: Some("AWS_BEARER_TOKEN_BEDROCK"),
            signing: Some(&SigningVariables {
                key_id: "AWS_ACCESS_KEY_ID",
                secret: "AWS_SECRET_ACCESS_KEY",
                session_token: "AWS_SESSION_TOKEN",
                region: &["AWS_REGION", "AWS_DEFAULT_REGION"],
            }),
            capabilities: &[AnswerSchema, StrictTools, ForcedTools],
            files: IMAGES_AND_PDFS,
            trace_name: "aws.bedrock",
            ..HOSTED
        },
        ProviderKind::Mistral => &BuiltInProvider {
            name: "mistral",
            dialect: Dialect::Chat(&ChatQuirks::MISTRAL),
            schema_profile: "mistral",
            base_url: Some("https://api.mistral.ai/v1"),
            key_variable: Some("MISTRAL_API_KEY"),
            trace_name: "mistral_ai",
            ..HOSTED
        },
        ProviderKind::Cohere => &BuiltInProvider {
            name: "cohere",
            dialect: Dialect::Cohere,
            api: "Chat, version 2",
            schema_profile: "cohere",
            base_url: Some("https://api.cohere.com"),
            base_url_variable: Some("CO_API_URL"),
            key_variable: Some("CO_API_KEY"),
            capabilities: &[AnswerSchema, StrictTools, ForcedTools, TemperatureWithReasoning],
            trace_name: "cohere",
            ..HOSTED
        },
        ProviderKind::Xai => &BuiltInProvider {
            name: "xai",
            dialect: Dialect::OpenAiResponses,
            api: "Responses",
            base_url: Some("https://api.x.ai/v1"),
            key_variable: Some("XAI_API_KEY"),
            capabilities: ALL,
            files: TakesFiles { images: &["image/png", "image/jpeg"], pdfs: false },
            trace_name: "x_ai",
            ..HOSTED
        },
        ProviderKind::DeepSeek => &BuiltInProvider {
            name: "deepseek",
            dialect: Dialect::Chat(&ChatQuirks::DEEPSEEK),
            schema_profile: "deepseek",
            base_url: Some("https://api.deepseek.com"),
            key_variable: Some("DEEPSEEK_API_KEY"),
            capabilities: &[ForcedTools, TemperatureWithReasoning],
            files: NO_FILES,
            trace_name: "deepseek",
            ..HOSTED
        },
        ProviderKind::Groq => &BuiltInProvider {
            name: "groq",
            dialect: Dialect::Chat(&ChatQuirks::GROQ),
            base_url: Some("https://api.groq.com/openai/v1"),
            key_variable: Some("GROQ_API_KEY"),
            trace_name: "groq",
            ..HOSTED
        },
        ProviderKind::OpenRouter => &BuiltInProvider {
            name: "openrouter",
            dialect: Dialect::Chat(&ChatQuirks::OPENROUTER),
            base_url: Some("https://openrouter.ai/api/v1"),
            key_variable: Some("OPENROUTER_API_KEY"),
            files: IMAGES_AND_PDFS,
            trace_name: "openrouter",
            ..HOSTED
        },
        ProviderKind::Venice => &BuiltInProvider {
            name: "venice",
            base_url: Some("https://api.venice.ai/api/v1"),
            key_variable: Some("VENICE_API_KEY"),
            trace_name: "venice",
            ..HOSTED
        },
        ProviderKind::Doubleword => &BuiltInProvider {
            name: "doubleword",
            base_url: Some("https://api.doubleword.ai/v1"),
            key_variable: Some("DOUBLEWORD_API_KEY"),
            schema_profile: "vllm",
            trace_name: "doubleword",
            ..HOSTED
        },
        ProviderKind::Vllm => &BuiltInProvider {
            name: "vllm",
            schema_profile: "vllm",
            base_url: Some("http://127.0.0.1:8000/v1"),
            token_variable: Some("VLLM_API_KEY"),
            trace_name: "vllm",
            ..HOSTED
        },
        ProviderKind::LmStudio => &BuiltInProvider {
            name: "lm-studio",
            dialect: Dialect::Chat(&ChatQuirks::LOCAL),
            schema_profile: "ollama",
            base_url: Some("http://127.0.0.1:1234/v1"),
            token_variable: Some("LM_API_TOKEN"),
            trace_name: "lm_studio",
            ..HOSTED
        },
        ProviderKind::LlamaCpp => &BuiltInProvider {
            name: "llama.cpp",
            dialect: Dialect::Chat(&ChatQuirks::LOCAL),
            schema_profile: "ollama",
            base_url: Some("http://127.0.0.1:8080/v1"),
            token_variable: Some("LLAMA_API_KEY"),
            trace_name: "llama_cpp",
            ..HOSTED
        },
        ProviderKind::MistralRs => &BuiltInProvider {
            name: "mistral.rs",
            schema_profile: "vllm",
            base_url: Some("http://127.0.0.1:1234/v1"),
            trace_name: "mistral_rs",
            ..HOSTED
        },
        ProviderKind::OpenAiCompatible => &COMPATIBLE,
        ProviderKind::Ollama => &BuiltInProvider {
            name: "ollama",
            dialect: Dialect::Ollama,
            api: "Ollama",
            schema_profile: "ollama",
            base_url: Some("http://127.0.0.1:11434"),
            base_url_variable: Some("OLLAMA_HOST"),
            capabilities: &[AnswerSchema, TemperatureWithReasoning],
            files: TakesFiles { images: &["image/png", "image/jpeg", "image/webp"], pdfs: false },
            trace_name: "ollama",
            ..COMPATIBLE
        },
    }
}
