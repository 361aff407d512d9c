//! Tools that the caller of a run brings.
//!
//! The model is shown them beside its own. A call ends the turn, as a question to a person does, and the caller's answer is the
//! result of the call: see [`crate::people`].

use std::fmt;
use std::sync::Arc;

use accord_domain::caller_tools::CallerTool;
use serde_json::Value;

/// What the arguments of a call have to be.
pub trait ArgumentsRule: fmt::Debug + Send + Sync {
    /// What is wrong with them, for the model.
    fn complaint(&self, arguments: &Value) -> Option<String>;
}

/// The tools of a run's caller.
#[derive(Debug, Clone, Default)]
pub struct CallerTools {
    tools: Vec<(CallerTool, Arc<dyn ArgumentsRule>)>,
    is_required: bool,
}

impl CallerTools {
    /// Tools with the rules of their arguments; `is_required` if the model has to call one.
    pub fn new(tools: Vec<(CallerTool, Arc<dyn ArgumentsRule>)>, is_required: bool) -> Self {
        Self { tools, is_required }
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn is_required(&self) -> bool {
        self.is_required && !self.is_empty()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|(tool, _)| tool.name == name)
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &CallerTool> {
        self.tools.iter().map(|(tool, _)| tool)
    }

    /// What is wrong with the arguments of a call.
    pub(crate) fn complaint(&self, name: &str, arguments: &Value) -> Option<String> {
        let (_, rule) = self.tools.iter().find(|(tool, _)| tool.name == name)?;
        rule.complaint(arguments)
    }

    /// What a model is told that has to call one of them and did not.
    pub(crate) fn reminder(&self) -> String {
        let names: Vec<&str> = self.tools.iter().map(|(tool, _)| tool.name.as_str()).collect();
        format!("An answer in text is not accepted here. Call one of these tools: {}.", names.join(", "))
    }
}
