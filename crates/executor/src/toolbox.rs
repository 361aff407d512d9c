//! The interface to the tools that a model may call.

use std::path::Path;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::session::OpenError;

pub use accord_domain::agent::Effect;

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// The name that the model calls it by.
    pub name: String,
    /// What it is for, for the model.
    pub description: String,
    /// Its parameters, as a JSON Schema.
    pub parameters: Value,
    /// What it is called in agent files, where providers do not accept that as a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
}

/// The result of a call for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    /// Whether the tool did what it was asked.
    pub ok: bool,
    /// The output, or what was wrong.
    pub text: String,
}

#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    /// The tool.
    pub name: &'a str,
    pub arguments: &'a Value,
    /// The same for every time that this call is made, and no other call has it.
    pub key: &'a str,
}

/// The tools of one session.
#[async_trait]
pub trait Toolbox: Send + Sync {
    /// The tools, as they are described to the model.
    fn specs(&self) -> Vec<ToolSpec>;

    /// Runs one tool. Errors are reported to the model and never end the turn.
    async fn call(&self, call: ToolCall<'_>, cancel: &CancellationToken) -> ToolOutput;

    /// What a tool may change.
    fn effect(&self, _name: &str) -> Effect {
        Effect::Unknown
    }

    /// Ends what the tools have started, if anything.
    async fn close(&self) {}
}

/// Makes the toolbox of a session from the names that its blueprint lists.
pub trait Toolboxes: Send + Sync {
    /// Opens the tools with these names, for work in this folder. A name that is unknown is an error here.
    fn open(&self, names: &[String], project_dir: &Path) -> Result<Box<dyn Toolbox>, OpenError>;
}

/// No tools: opens an empty toolbox, and refuses every name.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTools;

impl Toolboxes for NoTools {
    fn open(&self, names: &[String], _project_dir: &Path) -> Result<Box<dyn Toolbox>, OpenError> {
        match names.first() {
            None => Ok(Box::new(NoTools)),
            Some(name) => Err(OpenError::Settings(format!("unknown tool `{name}`; remove it from `tools`"))),
        }
    }
}

#[async_trait]
impl Toolbox for NoTools {
    fn specs(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolCall<'_>, _cancel: &CancellationToken) -> ToolOutput {
        ToolOutput { ok: false, text: format!("unknown tool `{}`", call.name) }
    }
}
