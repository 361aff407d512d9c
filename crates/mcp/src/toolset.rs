//! Tools, as a seam: the protocol does not know what they do.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::rpc::{self, notification};

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
    pub(crate) fn described(&self) -> Value {
        let hints = match self.hints {
            Hints::Reads => json!({"readOnlyHint": true, "openWorldHint": false}),
            Hints::Adds => json!({"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false}),
            Hints::Ends => json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true}),
        };
        let mut described = json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": hints,
        });
        if let Some(schema) = &self.output_schema {
            rpc::set(&mut described, "outputSchema", schema.clone());
        }
        described
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

    pub(crate) fn described(self) -> Value {
        let mut described = json!({"content": [{"type": "text", "text": self.text}]});
        if let Some(structured) = self.structured {
            rpc::set(&mut described, "structuredContent", structured);
        }
        if self.is_error {
            rpc::set(&mut described, "isError", Value::Bool(true));
        }
        described
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
    token: Option<Value>,
    outbox: mpsc::Sender<Value>,
    steps: AtomicU64,
}

impl Progress {
    /// Tells it to `outbox`, where the parameters of the call hold a token for it.
    pub(crate) fn new(params: &Value, outbox: mpsc::Sender<Value>) -> Self {
        let token = params.pointer("/_meta/progressToken");
        let token = token.filter(|token| token.is_string() || token.is_number()).cloned();
        Self { token, outbox, steps: AtomicU64::new(0) }
    }

    /// Tells what is going on.
    pub async fn tell(&self, message: &str) {
        let Some(token) = &self.token else { return };
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let params = json!({"progressToken": token, "progress": step, "message": message});
        // A client that went away needs no progress.
        self.outbox.send(notification("notifications/progress", params)).await.ok();
    }
}
