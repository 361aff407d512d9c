//! MCP over streamable HTTP, without sessions: requests are independent.
//!
//! A request is answered with plain JSON, or, where the client asked for progress, with a stream of events that ends with
//! the answer. There is no stream of the server's own (`GET`) and nothing to delete: both are answered with 405 by the
//! router that this hangs in. That router also looks at host, origin and key.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::ready;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::protocol::{self, VERSIONS};
use crate::rpc::{self, Incoming, Message, NOT_A_REQUEST};
use crate::toolset::Toolset;

pub type Pieces = BoxStream<'static, Result<Bytes, Infallible>>;

/// An answer with a body in pieces.
pub type Answered = Response<Pieces>;

/// Makes the tools for the sender of these headers.
type MakeTools = dyn Fn(&HeaderMap) -> Result<Arc<dyn Toolset>, String> + Send + Sync;

/// Notifications that wait for a slow client.
const WAITING_MESSAGES: usize = 16;

/// Serves tools over HTTP. Cheap to clone.
#[derive(Clone)]
pub struct Http {
    make: Arc<MakeTools>,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Http")
    }
}

impl Http {
    /// Serves the tools that `make` returns for the headers of a request, or its error.
    pub fn new(
        make: impl Fn(&HeaderMap) -> Result<Arc<dyn Toolset>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { make: Arc::new(make) }
    }

    pub async fn answer(&self, request: Request<Bytes>) -> Answered {
        let (parts, body) = request.into_parts();
        match rpc::read(&body) {
            Ok(Incoming::One(Message::Request(asked))) => self.answer_one(&parts.headers, asked).await,
            Ok(Incoming::One(Message::Notification { .. } | Message::Response)) => accepted(),
            Ok(Incoming::Batch(batch)) => self.answer_batch(&parts.headers, batch).await,
            Err(answer) => json(StatusCode::BAD_REQUEST, &answer),
        }
    }

    async fn answer_one(&self, headers: &HeaderMap, asked: rpc::Request) -> Answered {
        let tools = match self.tools(headers, is_about_tools(&asked)) {
            Ok(tools) => tools,
            Err(message) => return refused(asked.id, &message),
        };
        let wants_progress = asked.params.pointer("/_meta/progressToken").is_some();
        if wants_progress && takes_events(headers) {
            return events(tools, asked);
        }
        // Unused: notifications have no token here.
        let (outbox, _) = mpsc::channel(WAITING_MESSAGES);
        json(StatusCode::OK, &protocol::answer(tools.as_ref(), asked, outbox).await)
    }

    /// A batch is answered in one piece, without notifications.
    async fn answer_batch(&self, headers: &HeaderMap, batch: Vec<Result<Message, Value>>) -> Answered {
        let asks = |message: &Message| matches!(message, Message::Request(asked) if is_about_tools(asked));
        let tools = match self.tools(headers, batch.iter().flatten().any(asks)) {
            Ok(tools) => tools,
            Err(message) => return refused(Value::Null, &message),
        };
        let (outbox, _) = mpsc::channel(WAITING_MESSAGES);
        match protocol::answer_batch(tools.as_ref(), batch, outbox).await {
            Some(answers) => json(StatusCode::OK, &answers),
            None => accepted(),
        }
    }

    /// The tools for the caller, if the protocol version is known; only requests about tools depend on it.
    fn tools(&self, headers: &HeaderMap, is_about_tools: bool) -> Result<Arc<dyn Toolset>, String> {
        if let Some(version) = unknown_version(headers).filter(|_| is_about_tools) {
            let known = VERSIONS.join(", ");
            return Err(format!("unsupported MCP-Protocol-Version '{version}'; expected {known}"));
        }
        (self.make)(headers)
    }
}

fn is_about_tools(asked: &rpc::Request) -> bool {
    asked.method.starts_with("tools/")
}

/// The version that a client names and that is not spoken here.
fn unknown_version(headers: &HeaderMap) -> Option<String> {
    let version = headers.get("mcp-protocol-version")?.to_str().unwrap_or("?");
    (!VERSIONS.contains(&version)).then(|| version.chars().take(40).collect())
}

fn takes_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with("text/event-stream"))
}

/// Notifications and the answer, as events. A client that hangs up ends the call, not the run that it started.
fn events(tools: Arc<dyn Toolset>, asked: rpc::Request) -> Answered {
    let (outbox, told) = mpsc::channel(WAITING_MESSAGES);
    // The answer uses the channel of the notifications, so it comes last.
    let answering = async move {
        let answer = protocol::answer(tools.as_ref(), asked, outbox.clone()).await;
        outbox.send(answer).await.ok();
    };
    let told = stream::unfold(told, |mut told| async move { Some((told.recv().await?, told)) });
    let all = stream::select(told, stream::once(answering).filter_map(|()| ready(None)));
    let pieces = all.map(|message| Ok(Bytes::from(format!("event: message\ndata: {message}\n\n"))));
    let mut response = Response::new(pieces.boxed());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn json(status: StatusCode, body: &Value) -> Answered {
    let mut response = json_response(status, Bytes::from(body.to_string()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn refused(id: Value, message: &str) -> Answered {
    json(StatusCode::BAD_REQUEST, &rpc::failure(id, NOT_A_REQUEST, message))
}

fn accepted() -> Answered {
    json_response(StatusCode::ACCEPTED, Bytes::new())
}

fn json_response(status: StatusCode, body: Bytes) -> Answered {
    let mut response = Response::new(stream::once(async { Ok(body) }).boxed());
    *response.status_mut() = status;
    response
}
