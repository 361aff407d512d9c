//! Fallback models: what a run continues with if its model or its provider fails.

use std::collections::VecDeque;
use std::sync::Arc;

use accord_api::agent::Fallback;
use accord_executor::OpenError;
use serde_json::{Value, json};

use super::turns::{NoAnswer, Turns};
use crate::assignment::Assignment;

/// The fallback models that were not used yet.
pub(super) struct Fallbacks {
    left: VecDeque<Fallback>,
    /// The agent's settings, to return to its provider after a model of another one.
    own: Arc<Value>,
    is_elsewhere: bool,
}

/// What changed with a fallback model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    Model,
    /// The provider too, and so what the session can do.
    Provider,
}

impl Fallbacks {
    /// All but the model that is asked first.
    pub(super) fn new(assignment: &Assignment, first: &str) -> Self {
        let is_other = |fallback: &&Fallback| **fallback != Fallback::Model(first.to_owned());
        let left = assignment.agent.escalate_to.iter().filter(is_other).cloned().collect();
        Self { left, own: Arc::clone(&assignment.settings), is_elsewhere: false }
    }

    pub(super) fn left(&self) -> u32 {
        u32::try_from(self.left.len()).unwrap_or(u32::MAX)
    }
}

impl Turns<'_> {
    /// Switches to the next usable fallback model, or returns why there is none.
    pub(super) fn fall_back(&mut self) -> Result<Moved, String> {
        let mut why = "no fallback model is left".to_owned();
        while let Some(fallback) = self.fallbacks.left.pop_front() {
            match self.move_to(&fallback) {
                Ok(moved) => return Ok(moved),
                Err(error) => {
                    why = format!("fallback model '{}' cannot be used: {error}", fallback.model());
                    tracing::warn!(run_id = %self.assignment.run_id, why, "a fallback model was skipped");
                }
            }
        }
        Err(why)
    }

    fn move_to(&mut self, fallback: &Fallback) -> Result<Moved, OpenError> {
        let (mut settings, kind, model) = match fallback {
            // Every session accepts another model of the same provider for a turn.
            Fallback::Model(model) if !self.fallbacks.is_elsewhere => {
                self.model = Some(model.clone());
                return Ok(Moved::Model);
            }
            Fallback::Model(model) => {
                let kind = self.fallbacks.own.get("type").cloned().unwrap_or_default();
                (Value::clone(&self.fallbacks.own), kind, model)
            }
            Fallback::Llm(llm) => (json!(llm), json!("llm"), &llm.model),
        };
        if let Some(fields) = settings.as_object_mut() {
            fields.insert("type".to_owned(), kind);
            fields.insert("model".to_owned(), json!(model));
        }
        self.session_mut().switch(&settings)?;
        self.fallbacks.is_elsewhere = true;
        self.model = None;
        self.capabilities = self.session_mut().capabilities();
        Ok(Moved::Provider)
    }

    /// Whether a fallback model may be used after this failure. Not if an agent CLI has used tools: they would run twice.
    pub(super) fn may_fall_back(&self, why: &NoAnswer) -> bool {
        let is_providers = matches!(why, NoAnswer::Transport(_) | NoAnswer::Failed(_));
        is_providers && (self.capabilities.repeats || !self.has_worked)
    }
}
