//! The input of a turn.

use serde_json::Value;

use crate::answer::Usage;

/// One question to a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// The whole system prompt of this turn.
    pub system_prompt: String,
    /// What the user says. Where the message before ended in a call of the submit tool, this is the call's answer.
    pub prompt: String,
    /// How the answer is to be given.
    pub delivery: Delivery,
    /// Another model than the settings name.
    pub model: Option<String>,
    /// Another ceiling for the answer than the settings name.
    pub max_tokens: Option<u32>,
    /// What the turn may use.
    pub allowance: Allowance,
    /// Exchanges to show before the conversation. They are no part of it: every turn brings its own.
    pub examples: Vec<Example>,
    /// Whether to forget the earlier turns of this run. Not possible after tools were used, because their effects remain. A
    /// session that cannot forget continues.
    pub fresh: bool,
}

/// A question and the right answer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// What the user says.
    pub prompt: String,
    /// The answer, as JSON.
    pub answer: String,
}

/// The limits of a turn. Once they are used up, no more requests are made; an answer that is complete by then counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Allowance {
    /// Tokens, read and written. None: as many as it takes.
    pub tokens: Option<u64>,
    /// Money. None: as much as it takes.
    pub cost_usd: Option<f64>,
}

impl Allowance {
    /// Whether nothing is left.
    pub fn is_used_up(&self, used: &Usage) -> bool {
        let tokens = used.input_tokens.saturating_add(used.output_tokens);
        let cost = used.cost_usd.unwrap_or_default();
        self.tokens.is_some_and(|most| tokens >= most) || self.cost_usd.is_some_and(|most| cost >= most)
    }
}

/// How the answer is to be given.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Delivery {
    /// As text, with nothing but the prompt to guide it.
    #[default]
    Text,
    /// As text that is a JSON object, in the provider's own JSON mode.
    Object,
    /// As text, held to a schema by the provider.
    Native {
        /// A name for the format, for providers that want one.
        name: String,
        /// The schema, already lowered to what the provider takes.
        schema: Value,
    },
    /// By calling a tool.
    Tool {
        name: String,
        description: String,
        /// Its parameters, already lowered to what the provider takes.
        schema: Value,
        /// Whether the provider is to hold the arguments to the schema.
        strict: bool,
        /// Whether the model must call it now.
        force: bool,
    },
}
