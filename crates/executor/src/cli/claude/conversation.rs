//! What is kept of a conversation between runs.

use serde_json::{Value, json};

use crate::session::OpenError;

use super::totals::Totals;

/// Says whose conversation it is.
const HELD_BY: &str = "claude-code";

/// A conversation that Claude Code keeps, and what it has used so far: its figures count the whole conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversation {
    pub(super) session_id: String,
    pub(super) totals: Totals,
}

impl Conversation {
    pub(super) fn read(value: Value) -> Result<Self, OpenError> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let id = text("session_id").filter(|id| is_id(id)).filter(|_| text("held_by") == Some(HELD_BY));
        let Some(id) = id else {
            let text = "the conversation of this session was not created by Claude Code and cannot be continued by it; start a new session";
            return Err(OpenError::Settings(text.to_owned()));
        };
        Ok(Self { session_id: id.to_owned(), totals: Totals::read(value.get("used")) })
    }

    pub(super) fn write(&self) -> Value {
        json!({"held_by": HELD_BY, "session_id": self.session_id, "used": self.totals.write()})
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
    fn one_of_somebody_else_is_refused() {
        for value in [json!({"messages": []}), json!({"held_by": "codex", "session_id": "a"}), json!(null)] {
            let error = Conversation::read(value).unwrap_err().to_string();
            assert!(error.contains("was not created by Claude Code"), "{error}");
        }
        assert!(Conversation::read(json!({"held_by": "claude-code", "session_id": "--x"})).is_err());
    }
}
