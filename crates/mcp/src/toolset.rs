//! Tools, as a seam: the protocol does not know what they do.

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::caller::{Caller, Question, Reply};

/// The description of a tool for clients.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name that it is called by.
    pub name: String,
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
    /// It adds something, and only once for each key of a call.
    AddsOnce,
    /// It ends something, and a second time does nothing more.
    Ends,
    /// It decides something that cannot be taken back, and a second time does nothing more.
    Decides,
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
    /// Facts for the client that are not part of the answer, by name.
    pub meta: Map<String, Value>,
}

impl Answer {
    /// A value, and the same as text.
    pub fn value(value: Value) -> Self {
        Self { text: format!("{value:#}"), structured: Some(value), is_error: false, meta: Map::new() }
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, is_error: false, meta: Map::new() }
    }

    /// What went wrong and what to do.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// With facts for the client.
    #[must_use]
    pub fn with_meta(self, meta: Map<String, Value>) -> Self {
        Self { meta, ..self }
    }
}

/// How a call ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Answer(Answer),
    /// The client has to ask its user, and then call again with the replies and this state.
    Ask {
        questions: Vec<Question>,
        state: String,
    },
    /// The work goes on; the client follows it by its id.
    Task(Task),
    /// The request itself is wrong, not the work of the tool.
    Refused(String),
    /// The same call may do better later.
    Unavailable(Unavailable),
}

/// Why nothing can be said at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    pub message: String,
    /// Whether the same request may do better later.
    pub may_pass: bool,
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

/// Work that goes on after the call that began it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub id: String,
    pub state: TaskState,
    /// What it is doing, in words.
    pub message: Option<String>,
    /// When it began, as RFC 3339.
    pub created_at: String,
    /// When it last changed, as RFC 3339.
    pub updated_at: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TaskState {
    Working,
    /// It needs replies to these.
    InputRequired(Vec<Question>),
    /// It has the answer that the call would have had.
    Finished(Answer),
    Stopped,
}

/// Tools that are offered together.
#[async_trait]
pub trait Toolset: Send + Sync {
    /// What a model should know before it uses any of them.
    fn instructions(&self) -> Option<String>;

    async fn tools(&self) -> Result<Vec<Tool>, Unavailable>;

    /// Calls a tool; `None` if there is none of that name. Dropped when the caller stops waiting.
    async fn call(&self, name: &str, arguments: Map<String, Value>, caller: &Caller) -> Option<Outcome>;

    /// The tasks that calls begin, if any do.
    fn tasks(&self) -> Option<&dyn Tasks>;
}

/// Follows tasks. An error is a message about the request: an unknown id, a reply that does not fit.
#[async_trait]
pub trait Tasks: Send + Sync {
    async fn task(&self, id: &str) -> Result<Task, String>;

    /// Takes replies to questions of a task, by their keys.
    async fn reply(&self, id: &str, replies: Vec<(String, Reply)>) -> Result<(), String>;

    async fn stop(&self, id: &str) -> Result<(), String>;
}
