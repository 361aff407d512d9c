//! MCP over streamable HTTP, without sessions: requests are independent.
//!
//! A request is answered with plain JSON, or, where there is progress that the client asked for, with a stream of events that
//! ends with the answer. There is no stream of the server's own (`GET`) and nothing to delete: both are answered with 405 by the
//! router that this hangs in. That router also looks at host, origin, key, and the length and type of the body.

use std::convert::Infallible;
use std::sync::Arc;

use accord_api::Checked;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcError, ProtocolVersion, RequestId,
};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::handler::Handler;
use crate::rpc::{self, Incoming};
use crate::toolset::Toolset;

pub type Pieces = BoxStream<'static, Result<Bytes, Infallible>>;

/// An answer with a body in pieces.
pub type Answered = Response<Pieces>;

/// Makes the tools for the sender of these headers.
type MakeTools = dyn Fn(&HeaderMap) -> Result<Arc<dyn Toolset>, String> + Send + Sync;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

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

    /// Answers a request whose values were counted.
    pub async fn answer(&self, request: Request<Checked<Bytes>>) -> Answered {
        let (parts, body) = request.into_parts();
        let incoming = match rpc::read_aside(body.clone()).await {
            Ok(incoming) => incoming,
            Err(error) => return json(StatusCode::BAD_REQUEST, rpc::text(&error)),
        };
        let id = match &incoming {
            Incoming::One(message) => rpc::request_id(message).cloned(),
            Incoming::Batch(_) => None,
        };
        let handler = match (self.make)(&parts.headers) {
            Ok(tools) => Handler::new(tools),
            Err(message) => return refused(id, message),
        };
        match incoming {
            Incoming::One(message) if shakes_hands(&message) && is_modern(&parts.headers) => {
                let message = "version 2026-07-28 has no 'initialize'; omit the header MCP-Protocol-Version to use an older one";
                let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
                json(StatusCode::NOT_FOUND, rpc::text(&JsonRpcError::new(id, error)))
            }
            Incoming::One(_) => answer_one(handler, parts.headers, body.into_inner()).await,
            Incoming::Batch(batch) => match version_without_batches(&parts.headers) {
                Some(version) => {
                    refused(None, format!("version '{version}' has no batches; send one message"))
                }
                None => match rpc::answer_batch(&handler, batch).await {
                    Some(answers) => json(StatusCode::OK, answers),
                    None => response(StatusCode::ACCEPTED, Bytes::new()),
                },
            },
        }
    }
}

/// A client that hangs up ends the call, not the run that it started.
async fn answer_one(handler: Handler, mut headers: HeaderMap, body: Bytes) -> Answered {
    let handler = if takes_events(&headers) { handler } else { handler.without_progress() };
    // What the router has looked at, and what clients leave out, is in order for `rmcp`.
    headers.insert(HOST, HeaderValue::from_static("localhost"));
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::POST;
    *request.headers_mut() = headers;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(usize::MAX);
    let service = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    service.handle(request).await.map(|body| body.into_data_stream().boxed())
}

fn shakes_hands(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        // One whose parameters are not valid.
        ClientRequest::CustomRequest(custom) => custom.method == "initialize",
        _ => false,
    }
}

/// Whether a client names a version without a handshake. One that begins a handshake names none yet.
fn is_modern(headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    version == Some(ProtocolVersion::V_2026_07_28.as_str())
}

/// The version that a client names, if it is not one that shakes hands: only older ones have batches.
fn version_without_batches(headers: &HeaderMap) -> Option<String> {
    let version = headers.get("mcp-protocol-version")?.to_str().unwrap_or("?");
    let mut with_batches = ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25).iter();
    let has_batches = with_batches.any(|known| known.as_str() == version);
    (!has_batches).then(|| version.chars().take(40).collect())
}

fn takes_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with("text/event-stream"))
}

fn refused(id: Option<RequestId>, message: String) -> Answered {
    let error = JsonRpcError::new(id, ErrorData::invalid_request(message, None));
    json(StatusCode::BAD_REQUEST, rpc::text(&error))
}

fn json(status: StatusCode, body: String) -> Answered {
    let mut response = response(status, Bytes::from(body));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

fn response(status: StatusCode, body: Bytes) -> Answered {
    let mut response = Response::new(stream::once(async { Ok(body) }).boxed());
    *response.status_mut() = status;
    response
}
