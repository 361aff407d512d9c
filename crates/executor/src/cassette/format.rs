//! What a cassette holds. Pretty JSON, streams line by line, so that people can read it and a change shows as a diff.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::toolbox::ToolSpec;

use super::body::Body;
use super::provider::RecordedProvider;

/// The version of the format that this program writes and reads.
pub(super) const VERSION: u32 = 1;

/// A recorded run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    accord_cassette: u32,
    /// The blueprint of the agent, as it was.
    pub agent: Value,
    /// The provider that the blueprint names. Older recordings keep none: their blueprints name a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<RecordedProvider>,
    /// The providers of its fallback models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback_providers: Vec<RecordedProvider>,
    /// The tools of MCP servers, as they were offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp_tools: Vec<ToolSpec>,
    /// The parameters of the run.
    pub parameters: Value,
    /// The contract that the caller brought, if one did: `output_schema` and `output_schema_options` of the request.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub contract: Value,
    /// The files that the run was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RecordedFile>,
    /// Requests and what came back, in the order in which they were sent.
    pub exchanges: Vec<Exchange>,
    /// How the run was ended, if it did not finish. A replay ends where the recording ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// The result of the run, for information: not used to replay.
    #[serde(default)]
    pub attempts: Value,
}

/// A file of a run. Requests have marks in its place; the content is here once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedFile {
    pub name: String,
    /// In base64.
    content: String,
}

impl RecordedFile {
    pub fn new(name: impl Into<String>, content: &[u8]) -> Self {
        Self { name: name.into(), content: STANDARD.encode(content) }
    }

    /// The content, if it was not damaged.
    pub fn content(&self) -> Result<Vec<u8>, String> {
        let decoded = STANDARD.decode(&self.content);
        decoded.map_err(|error| format!("the file '{}' in the cassette is damaged: {error}", self.name))
    }
}

impl Cassette {
    /// A cassette of these parts, under no contract but the agent's.
    pub fn new(agent: Value, parameters: Value, exchanges: Vec<Exchange>, attempts: Value) -> Self {
        Self {
            accord_cassette: VERSION,
            agent,
            provider: None,
            fallback_providers: Vec::new(),
            mcp_tools: Vec::new(),
            parameters,
            contract: Value::Null,
            files: Vec::new(),
            exchanges,
            ended: None,
            attempts,
        }
    }
}

/// How a run was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    Stopped,
    TimedOut {
        /// How long it had.
        seconds: u64,
    },
}

/// A request and what came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredExchange", into = "StoredExchange")]
pub struct Exchange {
    pub request: RecordedRequest,
    pub reply: Reply,
    /// The results of the tools that it called, in the order of the calls. Older recordings have none.
    pub results: Vec<RecordedResult>,
}

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedResult {
    pub name: String,
    /// Its arguments, for information: not used to replay.
    pub arguments: Value,
    pub ok: bool,
    /// The output, or the error.
    pub text: String,
}

/// What is kept of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRequest {
    /// The path of the address, without host and query.
    pub path: String,
    pub body: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Response(RecordedResponse),
    /// No answer: the connection failed.
    Error(String),
    /// No answer: it was given up before there was one.
    Unanswered,
}

/// What is kept of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedResponse {
    pub status: u16,
    /// The few headers that say what the body is, when to try again, and how the provider names the request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body, as far as it came.
    pub body: Body,
    /// Why the body is not whole, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// Why a recorded body is not whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// The rest was not read: the run was stopped, or did not need it.
    Dropped,
    /// The connection was lost, with the error message.
    Lost(String),
    /// It was too large to be recorded.
    TooLarge,
}

/// An exchange in the file: with `response`, `error` or `unanswered`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredExchange {
    request: RecordedRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response: Option<RecordedResponse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unanswered: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<RecordedResult>,
}

impl TryFrom<StoredExchange> for Exchange {
    type Error = &'static str;

    fn try_from(written: StoredExchange) -> Result<Self, Self::Error> {
        let reply = match (written.response, written.error, written.unanswered.unwrap_or_default()) {
            (Some(response), None, false) => Reply::Response(response),
            (None, Some(error), false) => Reply::Error(error),
            (None, None, true) => Reply::Unanswered,
            _ => return Err("expected an exchange with either a `response` or an `error`, or `unanswered`"),
        };
        Ok(Self { request: written.request, reply, results: written.results })
    }
}

impl From<Exchange> for StoredExchange {
    fn from(exchange: Exchange) -> Self {
        let (response, error, unanswered) = match exchange.reply {
            Reply::Response(response) => (Some(response), None, None),
            Reply::Error(error) => (None, Some(error), None),
            Reply::Unanswered => (None, None, Some(true)),
        };
        Self { request: exchange.request, response, error, unanswered, results: exchange.results }
    }
}
