//! What a run asks people: approvals of tool calls, and questions.
//!
//! A call that needs an answer ends the turn. When somebody has answered, the run goes through the same code again and finds the
//! answer in its journal.

use std::fmt;

use accord_domain::input_request::{Purpose, ToolUse};
use serde_json::{Value, json};

/// Says which tool calls need the approval of a person.
pub trait Approvals: fmt::Debug + Send + Sync {
    fn are_needed(&self, tool: &str, arguments: &Value) -> bool;

    /// The tools that may need approval, as they are written: a `*` at the end stands for any rest of the name.
    fn tools(&self) -> Vec<String>;

    /// Whether a tool is one of them, whatever its arguments are.
    fn mention(&self, tool: &str) -> bool;
}

/// Nothing needs approval.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprovals;

impl Approvals for NoApprovals {
    fn are_needed(&self, _tool: &str, _arguments: &Value) -> bool {
        false
    }

    fn tools(&self) -> Vec<String> {
        Vec::new()
    }

    fn mention(&self, _tool: &str) -> bool {
        false
    }
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What the run calls it, in every delivery.
    pub call_id: String,
    pub purpose: Purpose,
    pub message: String,
    /// Of the answer to a question.
    pub schema: Option<Value>,
    /// The call to approve.
    pub tool: Option<ToolUse>,
}

impl Ask {
    /// Asks whether a tool may be called.
    pub(crate) fn approval(call_id: String, tool: ToolUse) -> Self {
        let message = format!("Allow the tool '{}' to be called?", tool.name);
        Self { call_id, purpose: Purpose::Approval, message, schema: None, tool: Some(tool) }
    }

    /// Asks a question: any text is an answer, or one of some choices.
    pub(crate) fn question(call_id: String, message: String, choices: &[String]) -> Self {
        let answer = match choices.is_empty() {
            true => json!({"type": "string", "minLength": 1}),
            false => json!({"enum": choices}),
        };
        let schema = json!({
            "type": "object",
            "properties": {"answer": answer},
            "required": ["answer"],
            "additionalProperties": false,
        });
        Self { call_id, purpose: Purpose::Question, message, schema: Some(schema), tool: None }
    }
}

/// An answer in the record; `None` if nobody answered in time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordedInput {
    pub(crate) call_id: String,
    pub(crate) tool: Option<ToolUse>,
    pub(crate) answer: Option<Value>,
}
