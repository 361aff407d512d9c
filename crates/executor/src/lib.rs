//! What talks to a model, a CLI or a command.
//!
//! An [`Executor`] opens a [`Session`]; a session takes one [`Turn`] at a time and gives back an [`Answer`], telling
//! what happens meanwhile as [`Event`]s. What an answer is worth is not decided here: this crate knows no contract,
//! it is handed a schema as data and hands back what was said, as it was said.

mod answer;
mod cassette;
mod child;
mod cli;
mod event;
mod external;
mod http;
mod json;
mod llm;
mod mcp;
mod mcp_server;
mod process;
mod program;
mod registry;
mod session;
mod start;
mod toolbox;
mod tools;
mod transport;
mod turn;

pub use answer::{Answer, Stop, Usage};
pub use cassette::{
    Body, Cassette, CassetteError, Cut, Ended, Exchange, MakeExecutor, Matching, RecordedProvider,
    RecordedRequest, RecordedResponse, RecordedResult, Recorder, RecordingTransport, Redactor,
    ReplayExecutor, ReplayTransport, Reply, Stage,
};
pub use child::Variables;
pub use cli::{CLAUDE_CODE, CODEX, ClaudeCodeExecutor, CodexExecutor, Program, SubmitServer};
pub use event::{Event, Events};
pub use external::{Conformance, ExternalExecutor, Finding, Verdict};
pub use http::HttpTransport;
pub use llm::{
    Auth, EMBEDDING_BATCH, EmbeddingError, EmbeddingSettings, Embeddings, LlmExecutor, LlmSettings,
    MAX_EMBEDDED_CHARACTERS, MAX_EMBEDDED_TEXTS, Provider, ProviderKind, Providers, Reasoning, Secret,
    secrets_of_address,
};
pub use mcp::McpServers;
pub use mcp_server::{McpServer, Reach};
pub use process::ProcessExecutor;
pub use registry::Registry;
pub use session::{Capabilities, Executor, OpenError, Session, Tool, TurnError, TurnFailure};
pub use start::Start;
pub use toolbox::{NoTools, ToolOutput, ToolSpec, Toolbox, Toolboxes};
pub use tools::BuiltinTools;
pub use transport::{ByteStream, Request, Response, Transport, TransportError};
pub use turn::{Allowance, Delivery, Turn};
