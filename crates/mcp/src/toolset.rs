//! Tools, as a seam: the protocol does not know what they do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use rmcp::model::{
    self, CallToolResult, ContentBlock, ProgressNotificationParam, ProgressToken, ToolAnnotations,
};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Map, Value};

/// The description of a tool for clients.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name that it is called by.
    pub name: &'static str,
    /// What it is for, in words for a model.
    pub description: String,
    /// Its arguments, as a JSON Schema.
    pub input_schema: Value,
    /// What its structured answers conform to.
    pub output_schema: Option<Value>,
    /// What it does to the world.
    pub hints: Hints,
}

/// What a tool does to the world; clients ask people before some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hints {
    Reads,
    Adds,
    /// It ends something, and a second time does nothing more.
    Ends,
}

impl Tool {
    pub(crate) fn described(self) -> model::Tool {
        let hints = ToolAnnotations::new();
        let hints = match self.hints {
            Hints::Reads => hints.read_only(true).open_world(false),
            Hints::Adds => hints.read_only(false).destructive(false).idempotent(false),
            Hints::Ends => hints.read_only(false).destructive(true).idempotent(true),
        };
        let mut tool = model::Tool::new(self.name, self.description, object(self.input_schema));
        tool.output_schema = self.output_schema.map(|schema| Arc::new(object(schema)));
        tool.annotations = Some(hints);
        tool
    }
}

/// The schemas of tools are objects, as the protocol wants them.
fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// In words, or as JSON for clients that know no structured content.
    pub text: String,
    /// What conforms to the tool's output schema. None in an error: clients would check that too.
    pub structured: Option<Value>,
    /// Whether the call failed, in a way that the model can do something about.
    pub is_error: bool,
}

impl Answer {
    /// A value, and the same as text.
    pub fn value(value: Value) -> Self {
        Self { text: format!("{value:#}"), structured: Some(value), is_error: false }
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, is_error: false }
    }

    /// What went wrong and what to do.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, is_error: true }
    }

    pub(crate) fn described(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result = CallToolResult::success(content);
        result.structured_content = self.structured;
        result.is_error = self.is_error.then_some(true);
        result
    }
}

/// Tools that are offered together.
#[async_trait]
pub trait Toolset: Send + Sync {
    /// What a model should know before it uses any of them.
    fn instructions(&self) -> Option<String>;

    fn tools(&self) -> Vec<Tool>;

    /// Calls a tool; `None` if there is none of that name. Dropped when the caller stops waiting.
    async fn call(&self, name: &str, arguments: Map<String, Value>, progress: &Progress) -> Option<Answer>;
}

/// Progress notifications of a long call, if the client asked for them.
#[derive(Debug)]
pub struct Progress {
    client: Option<(Peer<RoleServer>, ProgressToken)>,
    steps: AtomicU32,
}

impl Progress {
    pub(crate) fn new(client: Option<(Peer<RoleServer>, ProgressToken)>) -> Self {
        Self { client, steps: AtomicU32::new(0) }
    }

    /// Tells what is going on.
    pub async fn tell(&self, message: &str) {
        let Some((client, token)) = &self.client else { return };
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let progress = ProgressNotificationParam::new(token.clone(), step.into()).with_message(message);
        // A client that went away needs no progress.
        client.notify_progress(progress).await.ok();
    }
}
