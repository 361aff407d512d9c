//! What is kept of a session between runs.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::session::OpenError;

const HELD_BY: &str = "acp";

/// The longest session id. Known ones have less than 50 characters.
const LONGEST_ID: usize = 1000;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversation {
    pub(super) session_id: String,
    /// The hash of the instructions that the model has; empty if it has none yet.
    pub(super) told: String,
    /// What the session has cost so far, where the agent says so: it counts the whole of it.
    pub(super) cost_usd: f64,
    /// Whether anything was asked in it: a session without a question is not kept.
    pub(super) begun: bool,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    held_by: String,
    session_id: String,
    #[serde(default)]
    told: String,
    #[serde(default)]
    cost_usd: f64,
}

impl Conversation {
    pub(super) fn new(session_id: String) -> Self {
        Self { session_id, told: String::new(), cost_usd: 0.0, begun: false }
    }

    pub(super) fn read(value: &Value) -> Result<Self, OpenError> {
        match Stored::deserialize(value) {
            Ok(Stored { held_by, session_id, told, cost_usd })
                if held_by == HELD_BY && is_id(&session_id) =>
            {
                Ok(Self { session_id, told, cost_usd, begun: true })
            }
            _ => {
                let text = "the conversation of this session was not created by an ACP agent and cannot be continued by one; start a new session";
                Err(OpenError::Settings(text.to_owned()))
            }
        }
    }

    pub(super) fn write(&self) -> Value {
        let Self { session_id, told, cost_usd, .. } = self.clone();
        json!(Stored { held_by: HELD_BY.to_owned(), session_id, told, cost_usd })
    }

    /// What was spent since the last time, when the whole session has cost this much. An agent that was started again may
    /// count from zero.
    pub(super) fn spent(&mut self, total: f64) -> f64 {
        let before = std::mem::replace(&mut self.cost_usd, total);
        if total >= before { total - before } else { total }
    }
}

pub(super) fn is_id(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= LONGEST_ID
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_comes_back() {
        let ours = Conversation {
            session_id: "ses_1".to_owned(),
            told: "hash".to_owned(),
            cost_usd: 0.25,
            begun: true,
        };
        assert_eq!(Conversation::read(&ours.write()).unwrap(), ours);
        for value in [json!({"held_by": "codex", "thread_id": "a"}), json!(null)] {
            let error = Conversation::read(&value).unwrap_err().to_string();
            assert!(error.contains("was not created by an ACP agent"), "{error}");
        }
    }

    #[test]
    fn costs_are_the_difference_unless_the_count_began_anew() {
        let mut ours = Conversation::new("s".to_owned());
        assert_eq!([0.5, 0.75, 0.25].map(|total| ours.spent(total)), [0.5, 0.25, 0.25]);
    }
}
