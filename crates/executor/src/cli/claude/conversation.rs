//! What is kept of a conversation between runs.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::session::OpenError;

use super::totals::Totals;

const HELD_BY: &str = "claude-code";

/// A conversation that Claude Code keeps, and what it has used so far: its figures count the whole conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversation {
    pub(super) session_id: String,
    pub(super) totals: Totals,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    held_by: String,
    session_id: String,
    #[serde(default)]
    used: Totals,
}

impl Conversation {
    pub(super) fn read(value: Value) -> Result<Self, OpenError> {
        match serde_json::from_value(value) {
            Ok(Stored { held_by, session_id, used }) if held_by == HELD_BY && is_id(&session_id) => {
                Ok(Self { session_id, totals: used })
            }
            _ => {
                let text = "the conversation of this session was not created by Claude Code and cannot be continued by it; start a new session";
                Err(OpenError::Settings(text.to_owned()))
            }
        }
    }

    pub(super) fn write(&self) -> Value {
        let (session_id, used) = (self.session_id.clone(), self.totals);
        json!(Stored { held_by: HELD_BY.to_owned(), session_id, used })
    }
}

/// Whether a text can be passed as an id argument.
pub(super) fn is_id(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.len() <= 100
        && text.chars().all(|each| each.is_ascii_alphanumeric() || each == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_comes_back() {
        let totals = Totals { input_tokens: 10, output_tokens: 5, cost_usd: 0.25 };
        let conversation = Conversation { session_id: "ab-1".to_owned(), totals };
        assert_eq!(Conversation::read(conversation.write()).unwrap(), conversation);
    }

    #[test]
    fn rejects_conversations_of_other_executors() {
        for value in [json!({"messages": []}), json!({"held_by": "codex", "session_id": "a"}), json!(null)] {
            let error = Conversation::read(value).unwrap_err().to_string();
            assert!(error.contains("was not created by Claude Code"), "{error}");
        }
        assert!(Conversation::read(json!({"held_by": "claude-code", "session_id": "--x"})).is_err());
    }
}
