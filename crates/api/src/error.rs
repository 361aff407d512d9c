//! The one shape of errors, and their stable names.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The body of every error response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// A stable identifier, documented under `docs/errors`.
    pub error: String,
    /// What happened, and what to do.
    pub message: String,
    /// The HTTP status code.
    pub status_code: u16,
    /// Additional data; depends on the error.
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
    /// The request cannot be parsed, or has an unknown or invalid field.
    InvalidRequest = 400,
    /// The parameters do not match the agent's `parameters_schema`.
    ParameterValidationFailed = 400,
    /// A schema is not a valid JSON Schema.
    InvalidSchema = 400,
    /// The agent definition is invalid.
    InvalidAgent = 400,
    /// The workflow definition is invalid.
    InvalidWorkflow = 400,
    /// An API key is required, or this one is invalid.
    Unauthorized = 401,
    /// The key's role does not allow this.
    Forbidden = 403,
    /// The agent does not exist.
    AgentNotFound = 404,
    /// The run does not exist.
    RunNotFound = 404,
    /// The run has no step with this number.
    StepNotFound = 404,
    /// The session does not exist.
    SessionNotFound = 404,
    /// The schema does not exist.
    SchemaNotFound = 404,
    /// The workflow does not exist.
    WorkflowNotFound = 404,
    /// The workflow run does not exist.
    WorkflowRunNotFound = 404,
    /// The runner does not exist.
    RunnerNotFound = 404,
    /// The request for input does not exist.
    InputNotFound = 404,
    /// The API key does not exist.
    KeyNotFound = 404,
    /// The file does not exist, has expired, or belongs to another key.
    FileNotFound = 404,
    /// The route does not exist.
    RouteNotFound = 404,
    /// The route does not support this method.
    MethodNotAllowed = 405,
    /// The agent has its own output schema, and the caller's does not agree with it.
    OutputSchemaConflict = 409,
    /// The agent's contract is not the one that the caller was written for.
    ContractChanged = 409,
    /// The idempotency key was already used with a different body.
    IdempotencyConflict = 409,
    /// A different schema with this name already exists.
    SchemaExists = 409,
    /// An agent or a workflow references the schema.
    SchemaInUse = 409,
    /// An agent with this name already exists.
    AgentExists = 409,
    /// The agent is defined in a file that cannot be written.
    AgentReadOnly = 409,
    /// The agent exists but is invalid.
    AgentBroken = 409,
    /// A workflow with this name already exists.
    WorkflowExists = 409,
    /// The workflow is defined in a file that cannot be written.
    WorkflowReadOnly = 409,
    /// The workflow exists but is invalid.
    WorkflowBroken = 409,
    /// The session has a run in progress.
    SessionBusy = 409,
    /// The workflow run has not finished.
    WorkflowRunBusy = 409,
    /// The run or workflow run cannot be retried in its current state.
    NotRetryable = 409,
    /// The request for input is answered, expired or withdrawn.
    InputClosed = 409,
    /// The session has no result yet.
    SessionNotFinished = 409,
    /// The runner does not hold the lease of this run, or no longer holds it.
    LeaseLost = 409,
    /// The object has changed since it was read.
    PreconditionFailed = 412,
    /// The body is larger than allowed.
    RequestTooLarge = 413,
    /// The body is not JSON.
    UnsupportedMediaType = 415,
    /// The reported result does not conform to the run's contract.
    ContractViolation = 422,
    /// Too many requests with an invalid API key from this address.
    TooManyAttempts = 429,
    /// The client has too many unread responses.
    UnreadAnswers = 429,
    /// Internal error.
    Internal = 500,
    /// The database is unavailable.
    StoreUnavailable = 503,
    /// Too many connections, or too many unread responses.
    Overloaded = 503,
}
