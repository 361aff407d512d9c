//! What a session remembers from one run to the next.
//!
//! A program that can resume gives its `state` with every answer and is handed it back. For one that cannot, what was
//! asked and answered is kept here and told again before the next question: the same conversation, in its own words.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::session::OpenError;

/// What is told again to a program that cannot resume. More than a prompt of this size holds is no conversation that a
/// one-shot program can follow.
const MAX_HISTORY_BYTES: usize = 1024 * 1024;

/// What a session remembers. Other fields are those of another executor, whose conversation would be lost in this one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    /// What the program gave with its last answer.
    #[serde(default)]
    pub(super) state: Option<Value>,
    /// What was asked and answered, where the program does not remember it.
    #[serde(default)]
    pub(super) history: Vec<Exchange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) prompt: String,
    pub(super) answer: String,
}

impl Memory {
    pub(super) fn read(conversation: Option<&Value>) -> Result<Self, OpenError> {
        let Some(value) = conversation else { return Ok(Self::default()) };
        // A list would be read as the fields in their order.
        let read = value.is_object().then(|| Self::deserialize(value).ok()).flatten();
        read.ok_or_else(|| {
            let text = "the conversation of this session was not created by an external program and cannot be continued by one; start a new session";
            OpenError::Settings(text.to_owned())
        })
    }

    /// Whether the history is too long to repeat.
    pub(super) fn check(&self) -> Result<(), OpenError> {
        let bytes: usize = self.history.iter().map(|each| each.prompt.len() + each.answer.len()).sum();
        if bytes <= MAX_HISTORY_BYTES {
            return Ok(());
        }
        Err(OpenError::Settings(format!(
            "the session cannot be continued: the conversation has {bytes} bytes, and at most {MAX_HISTORY_BYTES} are sent to a program that cannot resume; start a new session, or let the program keep `state` and report resume: true"
        )))
    }

    pub(super) fn with_history(&self, prompt: &str) -> String {
        if self.history.is_empty() {
            return prompt.to_owned();
        }
        // As JSON, so that no part of the history is mistaken for the question.
        let history = json!(self.history);
        format!("The conversation so far, as JSON:\n\n{history:#}\n\nContinue with this:\n\n{prompt}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_is_repeated() {
        let mut memory = Memory::default();
        assert_eq!(memory.with_history("now"), "now");
        memory.history.push(Exchange { prompt: "a".to_owned(), answer: "\"b\"".to_owned() });
        let expected = "The conversation so far, as JSON:\n\n[\n  {\n    \"prompt\": \"a\",\n    \
                        \"answer\": \"\\\"b\\\"\"\n  }\n]\n\nContinue with this:\n\nnow";
        assert_eq!(memory.with_history("now"), expected);
    }

    #[test]
    fn a_conversation_of_another_kind_is_rejected() {
        assert_eq!(Memory::read(None).unwrap(), Memory::default());
        let read = Memory::read(Some(&json!({"state": {"n": 1}}))).unwrap();
        assert_eq!(read, Memory { state: Some(json!({"n": 1})), history: Vec::new() });
        for other in [
            json!([{"role": "user"}]),
            json!({"version": 1, "messages": []}),
            json!({"held_by": "codex", "thread_id": "a"}),
        ] {
            let error = Memory::read(Some(&other)).unwrap_err().to_string();
            assert!(error.contains("was not created by an external program"), "{error}");
        }
    }

    #[test]
    fn a_conversation_that_is_too_large_is_rejected() {
        let said = "x".repeat(MAX_HISTORY_BYTES);
        let mut memory =
            Memory { state: None, history: vec![Exchange { prompt: said, answer: String::new() }] };
        assert!(memory.check().is_ok());
        memory.history[0].answer.push('y');
        let error = memory.check().unwrap_err().to_string();
        assert!(error.contains("1048577 bytes") && error.contains("resume: true"), "{error}");
    }
}
