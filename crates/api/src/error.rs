//! The one shape of errors, and their stable names.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Every error answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// A stable name with a page in the documentation.
    pub error: String,
    /// What happened, and what to do.
    pub message: String,
    /// The HTTP status again.
    pub status_code: u16,
    /// More, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub details: Option<Value>,
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $status:literal,)*) => {
        /// The names of errors. Each has one status.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorName {
            $($(#[$doc])* $name,)*
        }

        impl ErrorName {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// The HTTP status.
            pub fn status(self) -> u16 {
                match self {
                    $(Self::$name => $status,)*
                }
            }
        }
    };
}

names! {
    /// The request cannot be read, or has a field that is unknown or wrong.
    InvalidRequest = 400,
    /// The parameters do not meet the agent's input contract.
    ParameterValidationFailed = 400,
    /// A schema is not a valid JSON Schema.
    InvalidSchema = 400,
    /// A blueprint has mistakes.
    InvalidAgent = 400,
    /// A workflow has mistakes.
    InvalidWorkflow = 400,
    /// A key is needed, or this one is not known.
    Unauthorized = 401,
    /// The key's role does not allow this.
    Forbidden = 403,
    /// There is no such agent.
    AgentNotFound = 404,
    /// There is no such run.
    RunNotFound = 404,
    /// There is no such session.
    SessionNotFound = 404,
    /// There is no such schema.
    SchemaNotFound = 404,
    /// There is no such workflow.
    WorkflowNotFound = 404,
    /// There is no such workflow run.
    WorkflowRunNotFound = 404,
    /// There is no such runner.
    RunnerNotFound = 404,
    /// There is no such key.
    KeyNotFound = 404,
    /// There is nothing at this address.
    RouteNotFound = 404,
    /// The address does not take this method.
    MethodNotAllowed = 405,
    /// The agent has its own contract, so the caller cannot set one.
    OutputSchemaConflict = 409,
    /// The idempotency key was used with another body.
    IdempotencyConflict = 409,
    /// The name has another schema already.
    SchemaExists = 409,
    /// An agent refers to the schema.
    SchemaInUse = 409,
    /// There is an agent of this name already.
    AgentExists = 409,
    /// The agent lives in a file that cannot be written.
    AgentReadOnly = 409,
    /// The agent is there and has mistakes.
    AgentBroken = 409,
    /// There is a workflow of this name already.
    WorkflowExists = 409,
    /// The workflow lives in a file that cannot be written.
    WorkflowReadOnly = 409,
    /// The workflow is there and has mistakes.
    WorkflowBroken = 409,
    /// The session has a run under way.
    SessionBusy = 409,
    /// The workflow run is not over.
    WorkflowRunBusy = 409,
    /// The run, or the workflow run, is in no state to be retried.
    NotRetryable = 409,
    /// The session has no result yet.
    SessionNotFinished = 409,
    /// The run is not held by this runner, or no longer.
    LeaseLost = 409,
    /// The thing has changed since it was read.
    PreconditionFailed = 412,
    /// The body is larger than allowed.
    RequestTooLarge = 413,
    /// The body is not JSON.
    UnsupportedMediaType = 415,
    /// The reported result does not meet the run's contract.
    ContractViolation = 422,
    /// Too many requests with a wrong key came from this address.
    TooManyAttempts = 429,
    /// The caller has not read the answers that it has.
    UnreadAnswers = 429,
    /// Something that should not happen has happened.
    Internal = 500,
    /// The store cannot be used now.
    StoreUnavailable = 503,
    /// There are too many connections, or too many answers that nobody reads.
    Overloaded = 503,
}
