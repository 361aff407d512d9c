//! What is kept of a thread between runs.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::Usage;
use crate::session::OpenError;

const HELD_BY: &str = "codex";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conversation {
    pub(super) thread_id: String,
    /// The hash of the instructions that the model has: they are long, and only a change matters.
    pub(super) told: String,
    /// What the thread has used so far: Codex counts the whole of it.
    pub(super) totals: Totals,
    /// Whether anything was asked in it: a thread without a question is not kept.
    pub(super) begun: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
}

impl Totals {
    /// What was used since then. Codex knows no prices.
    pub(super) fn since(self, before: Self) -> Usage {
        Usage {
            input_tokens: self.input_tokens.saturating_sub(before.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(before.output_tokens),
            cost_usd: None,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    held_by: String,
    thread_id: String,
    #[serde(default)]
    told: String,
    #[serde(default)]
    used: Totals,
}

impl Conversation {
    pub(super) fn read(value: &Value) -> Result<Self, OpenError> {
        match Stored::deserialize(value) {
            Ok(Stored { held_by, thread_id, told, used }) if held_by == HELD_BY && is_id(&thread_id) => {
                Ok(Self { thread_id, told, totals: used, begun: true })
            }
            _ => {
                let text = "the conversation of this session was not created by Codex and cannot be continued by it; start a new session";
                Err(OpenError::Settings(text.to_owned()))
            }
        }
    }

    pub(super) fn write(&self) -> Value {
        let Self { thread_id, told, totals, .. } = self.clone();
        json!(Stored { held_by: HELD_BY.to_owned(), thread_id, told, used: totals })
    }
}

/// Whether a text can be passed as an id argument.
pub(super) fn is_id(text: &str) -> bool {
    let fits = |each: char| each.is_ascii_alphanumeric() || each == '-';
    !text.is_empty() && !text.starts_with('-') && text.len() <= 100 && text.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::super::super::instructions::hash;
    use super::*;

    #[test]
    fn a_conversation_comes_back() {
        let totals = Totals { input_tokens: 10, output_tokens: 5 };
        let ours =
            Conversation { thread_id: "01a1-b".to_owned(), told: hash("be short"), totals, begun: true };
        assert_eq!(Conversation::read(&ours.write()).unwrap(), ours);
        for other in [
            json!({"held_by": "claude-code", "thread_id": "a"}),
            json!({"held_by": "codex", "thread_id": "--last"}),
            json!([]),
        ] {
            let error = Conversation::read(&other).unwrap_err().to_string();
            assert!(error.contains("was not created by Codex"), "{error}");
        }
    }

    #[test]
    fn usage_is_the_difference_and_never_negative() {
        let totals = |input_tokens, output_tokens| Totals { input_tokens, output_tokens };
        let used = Usage { input_tokens: 5, output_tokens: 0, cost_usd: None };
        assert_eq!(totals(15, 3).since(totals(10, 4)), used);
    }
}
