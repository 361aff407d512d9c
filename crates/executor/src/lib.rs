//! What talks to a model, a CLI or a command.
//!
//! An [`Executor`] opens a [`Session`]; a session takes one [`Turn`] at a time and gives back an [`Answer`], telling
//! what happens meanwhile as [`Event`]s. What an answer is worth is not decided here: this crate knows no contract,
//! it gets a schema as data and returns the answer unchanged.
//!
//! # The way of a turn
//!
//! 1. The [`Registry`] has an executor for each kind that a blueprint can name. [`Executor::open`] reads the settings of
//!    the blueprint ([`Start`]) and refuses what cannot work before anything is spent.
//! 2. [`Session::turn`] is asked with a prompt, a [`Delivery`] (as text, held to a schema, or by a submit tool) and what may
//!    be spent ([`Allowance`]).
//! 3. It ends in an [`Answer`] with the reason to stop ([`Stop`]), or in a [`TurnFailure`] whose [`TurnError`] says what to
//!    do next. The usage is reported either way.
//!
//! # Where to look
//!
//! | module | what it does |
//! |---|---|
//! | `session`, `turn`, `answer`, `event`, `start` | the interface described above |
//! | `llm` | models over HTTP. `steps` is the loop of asking and running tools, `exchange` one request with its repetitions, `intake` the bytes of an answer, `wire` the dialects, `failure` what an error means |
//! | `cli` | Claude Code, Codex and agents that speak ACP. `session_context`, `lines` and `transcript` are what they share |
//! | `process` | a command that computes the result |
//! | `external` | a program that speaks our protocol on its stdin and stdout |
//! | `cassette` | recording what goes to a model, and replaying it |
//! | `tools`, `mcp`, `toolbox` | what a model can call: built in, of MCP servers, and the interface to both |
//! | `child` | every process that is started here: its group, its pipes, its sandbox, its variables |
//! | `journal` | the steps of a run, recorded and replayed |
//! | `caller_tools` | tools that the caller of a run brings, and makes the calls of |
//! | `people` | which calls need the approval of a person, and what people are asked |
//! | `retry` | how long to keep asking a provider that is away |
//! | `transport`, `http` | the interface to the network, and its implementation |

mod answer;
mod caller_tools;
mod cassette;
mod child;
mod cli;
mod event;
mod external;
mod files;
mod http;
mod journal;
mod json;
mod llm;
mod mcp;
mod mcp_server;
mod people;
mod process;
mod program;
mod registry;
mod retry;
mod session;
mod settings_error;
mod start;
mod toolbox;
mod tools;
mod transport;
mod turn;

pub use answer::{Answer, Stop, Usage};
pub use caller_tools::{ArgumentsRule, CallerTools};
pub use cassette::{
    Body, Cassette, CassetteError, Cut, Ended, Exchange, MakeExecutor, Matching, RecordedFile,
    RecordedProvider, RecordedRequest, RecordedResponse, RecordedResult, Recorder, RecordingTransport,
    Redactor, ReplayExecutor, ReplayTransport, Reply, Stage,
};
pub use child::Variables;
pub use cli::{
    ACP, AcpExecutor, CLAUDE_CODE, CODEX, ClaudeCodeExecutor, CodexExecutor, Program, ProgramError,
    SubmitServer,
};
pub use event::{Channel, Event, Events};
pub use external::{Conformance, ExternalExecutor, Finding, Verdict};
pub use files::{Files, GivenFile, PDF_READER, PdfReader, WithFolder, read_pdf};
pub use http::HttpTransport;
pub use journal::{Journal, RecordedCall, StepSink};
pub use llm::{
    Auth, EMBEDDING_BATCH, EVERY_MODEL, EmbeddingError, EmbeddingSettings, Embeddings, LlmExecutor, Price,
    Prices, Probe, ProbeError, Probed, Provider, ProviderKind, Providers, Secret, SigningCredentials,
    list_price, list_prices_origin, secrets_of_address,
};
pub use mcp::McpServers;
pub use mcp_server::{McpServer, Reach};
pub use people::{ApprovalRule, Ask, ToolEntries, ToolPolicy};
pub use process::ProcessExecutor;
pub use registry::Registry;
pub use retry::{Attempts, GaveUp, Retry, Wait};
pub use session::{Capabilities, Executor, OpenError, Session, Tool, TurnError, TurnFailure};
pub use start::Start;
pub use toolbox::{Effect, NoTools, ToolCall, ToolOutput, ToolSpec, Toolbox, Toolboxes};
pub use tools::BuiltinTools;
pub use transport::{ByteStream, Request, Response, Transport, TransportError};
pub use turn::{Allowance, Delivery, Example, Turn};
