//! What came out of a turn.

use serde::{Deserialize, Serialize};

/// The answer of the model at the end of a turn, not judged yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub text: String,
    /// What that message had said whenever it was cut off and went on within the turn, a text for each cut. They are not put
    /// together here: some models go on, and some begin once more.
    pub before: Vec<String>,
    /// The arguments of each call of the submit tool in the last message, as they were written: parsing them is the
    /// judge's work. More than one is possible, and so is something that is not JSON.
    pub submissions: Vec<String>,
    /// A value that a CLI or a program handed over as structured, apart from the text.
    pub structured: Option<serde_json::Value>,
    pub stop: Stop,
    /// What the whole turn used, tool steps and repeated requests included.
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: String,
}

impl Answer {
    /// A complete text without usage.
    pub fn of_text(text: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            before: Vec::new(),
            submissions: Vec::new(),
            structured: None,
            stop: Stop::Finished,
            usage: Usage::default(),
            model: model.into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    Finished,
    Submitted,
    /// The provider cut it off: too many tokens, or the context is full.
    Truncated,
    /// It called nothing but tools that there are not, however often it was told: their names. What it said beside is no
    /// answer, and is not in the text.
    Astray(String),
    /// It refused, with its words where it gave any.
    Refused(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// What it cost, where prices are known.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// What was used since it was this.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(before.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(before.output_tokens),
            cost_usd: self.cost_usd.map(|cost| cost - before.cost_usd.unwrap_or(0.0)),
        }
    }

    /// Adds what another step used.
    pub fn add(&mut self, other: Usage) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (left, right) => Some(left.unwrap_or(0.0) + right.unwrap_or(0.0)),
        };
    }
}
