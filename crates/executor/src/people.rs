//! What a run asks people: approvals of tool calls, and questions.
//!
//! A call that needs an answer ends the turn. When somebody has answered, the run goes through the same code again and finds the
//! answer in its journal.

use std::fmt;
use std::sync::Arc;

use accord_domain::agent::{KnownTools, ToolPattern, ToolRules};
use accord_domain::input_request::{Purpose, ToolUse};
use serde_json::{Value, json};

use crate::session::OpenError;
use crate::toolbox::Effect;

/// A rule of `approve`: whether a call with these arguments needs approval.
pub trait ApprovalRule: fmt::Debug + Send + Sync {
    fn holds(&self, arguments: &Value) -> bool;
}

/// The entries of a blueprint that name tools. Nothing can be asked of them until the tools are known.
#[derive(Debug, Clone, Default)]
pub struct ToolEntries {
    /// Which tool calls need the approval of a person: all of a tool, or those that a rule is true for.
    pub approve: Vec<(ToolPattern, Option<Arc<dyn ApprovalRule>>)>,
    /// What tools may change.
    pub effects: Vec<(ToolPattern, Effect)>,
}

impl ToolEntries {
    pub(crate) fn patterns(&self) -> Vec<&ToolPattern> {
        let approve = self.approve.iter().map(|(tool, _)| tool);
        approve.chain(self.effects.iter().map(|(tool, _)| tool)).collect()
    }

    /// What they mean with these tools.
    pub fn resolve(self, known: &KnownTools) -> Result<ToolPolicy, OpenError> {
        let wrong = |field: &str, error| OpenError::Settings(format!("`{field}`: {error}"));
        let approve = known.resolve(self.approve).map_err(|error| wrong("approve", error))?;
        let effects = known.resolve(self.effects).map_err(|error| wrong("effects", error))?;
        Ok(ToolPolicy { approve, effects })
    }
}

/// What a blueprint says about the tools of a session, every entry about at least one of them.
#[derive(Debug, Clone, Default)]
pub struct ToolPolicy {
    approve: ToolRules<Option<Arc<dyn ApprovalRule>>>,
    effects: ToolRules<Effect>,
}

impl ToolPolicy {
    pub(crate) fn needs_approval(&self, tool: &str, arguments: &Value) -> bool {
        self.approve.about(tool).any(|rule| rule.as_ref().is_none_or(|rule| rule.holds(arguments)))
    }

    /// Whether calls of a tool may need approval, whatever their arguments are.
    pub(crate) fn may_need_approval(&self, tool: &str) -> bool {
        self.approve.about(tool).next().is_some()
    }

    pub(crate) fn approvals(&self) -> &ToolRules<Option<Arc<dyn ApprovalRule>>> {
        &self.approve
    }

    /// What a tool may change, if the blueprint says so: the most, where two entries are about it.
    pub(crate) fn effect(&self, tool: &str) -> Option<Effect> {
        self.effects.about(tool).copied().max()
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
    /// The call to approve or to make.
    pub tool: Option<ToolUse>,
}

impl Ask {
    /// Asks whether a tool may be called.
    pub(crate) fn approval(call_id: String, tool: ToolUse) -> Self {
        let message = format!("Allow the tool '{}' to be called?", tool.name);
        Self { call_id, purpose: Purpose::Approval, message, schema: None, tool: Some(tool) }
    }

    /// Asks the caller of the run to make a call of a tool that it brought.
    pub(crate) fn tool_call(call_id: String, tool: ToolUse) -> Self {
        let message = format!("Call '{}', and answer with its result.", tool.name);
        Self { call_id, purpose: Purpose::ToolCall, message, schema: None, tool: Some(tool) }
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
