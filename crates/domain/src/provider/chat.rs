//! How servers with a Chat Completions API differ from OpenAI's.

/// The differences of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatQuirks {
    /// What the limit of output tokens is called.
    pub max_tokens_field: &'static str,
    /// How a call of the submit tool is forced.
    pub forced_tool: ForcedTool,
    /// How reasoning is switched.
    pub reasoning: ReasoningField,
    /// Whether token counts of a stream have to be asked for. Where they always come, some servers reject the field.
    pub asks_for_usage: bool,
    /// Whether ids of calls must have nine letters or digits.
    pub short_call_ids: bool,
    /// The header of the key, if it is not a bearer token.
    pub key_header: Option<&'static str>,
    /// What the address in the environment variable lacks.
    pub base_path: &'static str,
}

/// How a call of the submit tool is forced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedTool {
    Named,
    /// By this word, which asks for a call of any tool.
    Word(&'static str),
}

/// How reasoning is switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningField {
    /// `reasoning_effort`, only if it is on.
    Effort,
    /// `reasoning`, an object with the effort or the budget.
    Object,
    /// `thinking`, on or off. Off is sent explicitly, because such servers reason by default.
    Thinking,
}

impl ChatQuirks {
    /// OpenAI itself.
    pub(super) const OPENAI: Self = Self {
        max_tokens_field: "max_completion_tokens",
        forced_tool: ForcedTool::Named,
        reasoning: ReasoningField::Effort,
        asks_for_usage: true,
        short_call_ids: false,
        key_header: None,
        base_path: "",
    };

    /// Servers that follow it, by its older names.
    pub(super) const COMPATIBLE: Self = Self { max_tokens_field: "max_tokens", ..Self::OPENAI };

    pub(super) const AZURE: Self =
        Self { key_header: Some("api-key"), base_path: "/openai/v1", ..Self::OPENAI };

    /// Unknown fields are rejected there.
    pub(super) const MISTRAL: Self = Self { asks_for_usage: false, short_call_ids: true, ..Self::COMPATIBLE };

    pub(super) const DEEPSEEK: Self = Self { reasoning: ReasoningField::Thinking, ..Self::COMPATIBLE };

    pub(super) const GROQ: Self = Self { max_tokens_field: "max_completion_tokens", ..Self::COMPATIBLE };

    pub(super) const OPENROUTER: Self = Self { reasoning: ReasoningField::Object, ..Self::COMPATIBLE };

    /// LM Studio and llama.cpp take only words.
    pub(super) const LOCAL: Self = Self { forced_tool: ForcedTool::Word("required"), ..Self::COMPATIBLE };
}
