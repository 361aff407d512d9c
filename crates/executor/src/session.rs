//! The interface between the contract loop and executors.

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::answer::{Answer, Usage};
use crate::event::Events;
use crate::start::Start;
use crate::turn::Turn;

#[async_trait]
pub trait Executor: Send + Sync {
    /// Opens a session, new or continued. Settings that do not fit are an error here, before anything is spent.
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError>;
}

/// One conversation, held open over the turns of a run.
#[async_trait]
pub trait Session: Send {
    /// What this session can do, for the model that it would use.
    fn capabilities(&self) -> Capabilities;

    /// Asks, works, answers. Ends soon after `cancel`, with [`TurnError::Stopped`] and nothing left running. The turn after
    /// an error is asked in the place of the one that failed, so that the same can be asked in another way; behind it where
    /// tools were called in it.
    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure>;

    /// The conversation so far, for a later run of the same session. None where it is kept elsewhere or not at all. After
    /// an error, and when a turn was dropped, it has what was asked and what was done: a later run goes on from there.
    fn conversation(&self) -> Option<Value>;

    /// What the last turn wrote besides its answer, to explain why the answer is invalid.
    fn said_beside(&self) -> Option<String> {
        None
    }

    /// Goes on with other settings of the same executor, such as another provider. The conversation stays, and so does what the
    /// session was opened with besides. Nothing changes where this fails.
    fn switch(&mut self, settings: &Value) -> Result<(), OpenError>;

    /// Ends the session and everything that it started.
    async fn close(self: Box<Self>);
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Who answers, for the memory of what an endpoint takes: provider and address, no secrets.
    pub endpoint: String,
    pub model: String,
    /// The lowering profile of the provider's own schema field, where it has one.
    pub native: Option<String>,
    /// The lowering profile of a strict submit tool, where tools can be had.
    pub tool: Option<Tool>,
    /// Whether a schema and other tools may be sent together.
    pub native_beside_tools: bool,
    /// Whether any JSON object can be asked for without a schema ([`crate::Delivery::Object`]).
    pub json_mode: bool,
    /// Whether the session can be asked again in place.
    pub reprompt: bool,
    /// The ceiling of an answer in tokens, where the settings name one.
    pub max_tokens: Option<u32>,
    /// Whether a turn can name another.
    pub takes_ceiling: bool,
    /// Whether it retries transient failures itself, under [`Start::retry`]. If not, the caller does.
    pub repeats: bool,
    /// Whether it records its steps itself, one for each request and tool. If not, the caller records whole turns.
    pub records_steps: bool,
    /// Whether it takes PDFs as they are. If not, their text is sent.
    pub takes_pdfs: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub profile: String,
    /// Whether the provider can hold the arguments to the schema.
    pub strict: bool,
    /// Whether a call can be demanded. Never where reasoning is on.
    pub force: bool,
}

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The settings are wrong: the message says which and what to do.
    #[error("{0}")]
    Settings(String),
    /// What it needs is not there: a program, a key, a file.
    #[error("{0}")]
    Missing(String),
    /// It has only the provider that it was opened with.
    #[error("this executor cannot change its provider")]
    OneProvider,
    /// It was not ready within this many seconds, the timeout of the settings.
    #[error("it was not ready within {0} seconds")]
    TimedOut(u64),
}

/// Why there was no answer, with the usage until then.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct TurnFailure {
    pub error: TurnError,
    pub usage: Usage,
}

/// What went wrong in a turn, by what is to be done next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// The provider refuses this schema: deliver in another way.
    #[error("the provider rejected the schema: {0}")]
    SchemaRejected(String),
    /// The provider supports no schemas at all: deliver in another way.
    #[error("the provider does not support schemas: {0}")]
    FormatRejected(String),
    /// The provider refuses tools, or a demanded call: deliver in another way.
    #[error("the provider rejected the tool: {0}")]
    ToolRejected(String),
    /// The provider could not be reached or was overloaded, for longer than it is asked again.
    #[error("{0}")]
    Transport(String),
    /// The work failed for good: a key that is refused, a command that exits with an error, an answer that is no answer.
    #[error("{0}")]
    Failed(String),
    /// The turn took more model requests than allowed.
    #[error("no answer within {0} steps")]
    TooManySteps(u32),
    #[error("no answer within the remaining token and cost limits")]
    AllowanceUsedUp,
    /// The time given by the settings is over.
    #[error("no answer within {0} seconds")]
    TimedOut(u64),
    /// The recorded steps belong to another course of the run: it has to start over.
    #[error("the recorded steps do not fit: {0}")]
    Diverged(String),
    /// A person has to answer first: [`crate::Journal::asked`].
    #[error("a person has to answer first")]
    InputRequired,
    /// It was stopped on request.
    #[error("stopped")]
    Stopped,
}
