//! A remote server, used over streamable HTTP.
//!
//! Requests go over our transport and not over a client of `rmcp`: it has our certificates and follows no redirect with a key.
//! What it answers is limited. Absent: the stream of the server's own (we have asked for nothing that it could tell), resuming a
//! stream that broke off, and the farewell (`DELETE`): servers forget sessions by themselves.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use accord_sse::Decoder;
use accord_trace::TraceParent;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use serde_json::Value;
use sse_stream::Sse;
use tokio::time::timeout;

use super::connection;
use super::error::{self, Faults, McpError};
use super::limits::{END, MESSAGE_BYTES, STREAM_BYTES};
use crate::files::Files;
use crate::json;
use crate::transport::{ByteStream, Request, Response, Transport, TransportError};

/// How much of an invalid answer is shown.
const SHOWN_CHARACTERS: usize = 300;

/// What some servers write before a text in UTF-8. It is no part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

type Headers = HashMap<HeaderName, HeaderValue>;
type Posted = Result<StreamableHttpPostResponse, StreamableHttpError<McpError>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

#[derive(Clone)]
pub(super) struct Address {
    transport: Arc<dyn Transport>,
    headers: BTreeMap<String, String>,
    /// The trace of the work that the server was opened for.
    trace: Option<TraceParent>,
    faults: Faults,
}

impl Address {
    pub(super) fn open(
        transport: Arc<dyn Transport>,
        url: &str,
        headers: &BTreeMap<String, String>,
        faults: Faults,
    ) -> StreamableHttpClientTransport<Self> {
        let config = StreamableHttpClientTransportConfig::with_uri(url)
            .control_request_timeout(END)
            .reinit_on_expired_session(false);
        let trace = accord_trace::current();
        let client = Self { transport, headers: headers.clone(), trace, faults };
        StreamableHttpClientTransport::with_client(client, config)
    }

    async fn post(
        &self,
        url: &str,
        message: ClientJsonRpcMessage,
        own: impl Iterator<Item = (String, String)> + Send,
    ) -> Result<StreamableHttpPostResponse, McpError> {
        let id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let body = serde_json::to_value(message).map_err(|error| McpError::Broken(error.to_string()))?;
        let given = self.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        let trace = self.trace_of(&body).map(|trace| (accord_trace::HEADER.to_owned(), trace.to_string()));
        let request = Request {
            url: url.to_owned(),
            headers: given.chain(own).chain(trace).collect(),
            body,
            files: Files::default(),
        };
        let response = self.transport.send(request).await.map_err(unreachable)?;
        if !(200..300).contains(&response.status) {
            return Err(refused(response).await);
        }
        let Some(RequestId::Number(id)) = id else { return Ok(StreamableHttpPostResponse::Accepted) };
        let session = header(&response, "mcp-session-id").map(str::to_owned);
        let is_stream = header(&response, "content-type").is_some_and(|kind| kind.contains("event-stream"));
        if is_stream {
            let body = Body::new(response.body, id, self.faults.clone());
            return Ok(StreamableHttpPostResponse::Sse(body.events(), session));
        }
        let bytes = whole(response.body).await?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        match text.trim().is_empty() {
            true => Err(incomplete()),
            false => Ok(StreamableHttpPostResponse::Json(read(text, id)?, session)),
        }
    }

    /// The trace of a message. `rmcp` sends from a task of its own, which belongs to no trace, so that of a call is read from
    /// its `_meta`.
    fn trace_of(&self, message: &Value) -> Option<TraceParent> {
        let meta = message.pointer("/params/_meta").and_then(|meta| meta.get(accord_trace::HEADER));
        TraceParent::read(meta.and_then(Value::as_str)).or(self.trace)
    }
}

impl StreamableHttpClient for Address {
    type Error = McpError;

    async fn post_message(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Posted {
        let accepted = ("accept".to_owned(), "application/json, text/event-stream".to_owned());
        let session = session.map(|session| ("mcp-session-id".to_owned(), session.to_string()));
        let own = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
        let posted = self.post(&url, message, [accepted].into_iter().chain(session).chain(own)).await;
        posted.map_err(|fault| {
            self.faults.note(fault.clone());
            StreamableHttpError::Client(fault)
        })
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        _: Arc<str>,
        _: Option<String>,
        _: Headers,
    ) -> Result<(), StreamableHttpError<McpError>> {
        Err(StreamableHttpError::ServerDoesNotSupportDeleteSession)
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: Headers,
    ) -> Result<Events, StreamableHttpError<McpError>> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}

/// The server-sent events that answer a request.
struct Body {
    bytes: ByteStream,
    taken: usize,
    decoder: Decoder,
    waiting: VecDeque<String>,
    id: i64,
    is_answered: bool,
    faults: Faults,
}

impl Body {
    fn new(bytes: ByteStream, id: i64, faults: Faults) -> Self {
        let decoder = Decoder::new(STREAM_BYTES).lossy();
        Self { bytes, taken: 0, decoder, waiting: VecDeque::new(), id, is_answered: false, faults }
    }

    fn events(self) -> Events {
        let next = |mut body: Self| async move {
            let data = body.next().await.unwrap_or_else(|fault| {
                body.faults.note(fault);
                None
            })?;
            Some((Ok(Sse { data: Some(data), ..Sse::default() }), body))
        };
        stream::unfold(self, next).boxed()
    }

    /// The next message, up to the answer.
    async fn next(&mut self) -> Result<Option<String>, McpError> {
        while !self.is_answered {
            if let Some(data) = self.waiting.pop_front() {
                let message = read(&data, self.id)?;
                self.is_answered =
                    matches!(message, ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_));
                return Ok(Some(data));
            }
            let events = match self.bytes.next().await.transpose().map_err(unreachable)? {
                Some(bytes) => {
                    self.taken += bytes.len();
                    if self.taken > STREAM_BYTES {
                        return Err(too_long());
                    }
                    self.decoder.feed(&bytes)
                }
                // An event may lack its last empty line.
                None => match self.decoder.finish() {
                    events if events.is_empty() => return Err(incomplete()),
                    events => events,
                },
            };
            let data = events.into_iter().flatten().map(|event| event.data);
            self.waiting.extend(data.filter(|data| !data.is_empty()));
        }
        Ok(None)
    }
}

/// Reads a message that may answer one request.
fn read(text: &str, id: i64) -> Result<ServerJsonRpcMessage, McpError> {
    let invalid = || Err(McpError::Broken(format!("invalid MCP message: {}", excerpt(text))));
    error::read(text, |answered| answered == id).unwrap_or_else(invalid)
}

/// A body as a whole, if it is not too long.
async fn whole(mut body: ByteStream) -> Result<Vec<u8>, McpError> {
    let mut whole = Vec::new();
    while let Some(bytes) = body.next().await {
        whole.extend(bytes.map_err(unreachable)?);
        if whole.len() > MESSAGE_BYTES {
            return Err(too_long());
        }
    }
    Ok(whole)
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn unreachable(error: TransportError) -> McpError {
    let message = format!("it cannot be reached: {error}");
    match error {
        TransportError::Connection(_) => McpError::Gone(message),
        TransportError::Impossible(_) | TransportError::NotRecorded(_) => McpError::Refused(message),
    }
}

fn incomplete() -> McpError {
    McpError::Gone("its response was incomplete".to_owned())
}

fn too_long() -> McpError {
    McpError::Broken(format!("it sent an answer of more than {MESSAGE_BYTES} bytes"))
}

/// An error status, with the start of its body. Some servers send an MCP message.
async fn refused(mut response: Response) -> McpError {
    let mut body = Vec::new();
    let reading = async {
        while let Some(Ok(bytes)) = response.body.next().await {
            body.extend_from_slice(&bytes);
            if body.len() > MESSAGE_BYTES {
                break;
            }
        }
    };
    timeout(END, reading).await.ok();
    let (status, text) = (response.status, String::from_utf8_lossy(&body));
    match json::read_message(&text) {
        Ok(ServerJsonRpcMessage::Error(error)) => {
            let refused = connection::refused(&error.error);
            let message = format!("{refused}, status {status}");
            match refused {
                McpError::OtherGeneration(_) => McpError::OtherGeneration(message),
                _ => McpError::Refused(message),
            }
        }
        _ => {
            let message = format!("it responded with status {status}: {}", excerpt(&text));
            match status {
                408 | 429 | 502..=504 => McpError::Gone(message),
                _ => McpError::Refused(message),
            }
        }
    }
}

fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARACTERS).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("'{}{more}'", short.escape_debug())
}
