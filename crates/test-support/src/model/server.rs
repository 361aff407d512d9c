//! The server: takes requests, records them, and answers by the script.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::connection::{Connection, CuttableListener};
use super::embeddings::Wanted;
use super::exchange::Exchange;
use super::habits::JsonSchemaHabit;
use super::other_paths;
use super::reply::Reply;
use super::request::RecordedRequest;
use super::respond::respond;
use super::script::{Next, Script};
use super::wire::Wire;

/// The largest accepted request. Conversations with a megabyte of braces stay far below.
const REQUEST_LIMIT: usize = 64 * 1024 * 1024;

/// A model server on a free port of loopback, stopped when it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: CancellationToken,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<Recorded>,
    habit: JsonSchemaHabit,
    counts: watch::Sender<Counts>,
}

#[derive(Debug)]
struct Recorded {
    script: Script,
    requests: Vec<Arc<RecordedRequest>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    received: usize,
    ended: usize,
}

impl ModelServer {
    /// Starts a server that answers by a script: replies in order, a handler, or a chaos model.
    pub async fn start(script: impl Into<Script>) -> io::Result<Self> {
        Self::start_with(script, JsonSchemaHabit::default()).await
    }

    /// Starts a server whose Chat endpoint treats schemas in its own way, as compatible servers do.
    pub async fn start_with(script: impl Into<Script>, habit: JsonSchemaHabit) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let state = Mutex::new(Recorded { script: script.into(), requests: Vec::new() });
        let shared = Arc::new(Shared { state, habit, counts: watch::Sender::default() });
        let router = Router::new().fallback(handle).with_state(Arc::clone(&shared));
        let listener = CuttableListener { listener, stop: stop.clone() };
        let service = router.into_make_service_with_connect_info::<Connection>();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            tokio::select! {
                () = stopped => {}
                _ = async { axum::serve(listener, service).await } => {}
            }
        });
        Ok(Self { address, shared, stop })
    }

    /// The address without a path, for Anthropic and Ollama clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address with `/v1`, as OpenAI clients expect their base URL.
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every request to a model so far, in order.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.recorded().requests.iter().map(|request| (**request).clone()).collect()
    }

    /// How many replies of the script have not been requested yet. A handler does not count.
    pub fn remaining(&self) -> usize {
        self.shared.recorded().script.remaining()
    }

    /// Waits until this many requests have arrived.
    pub async fn wait_for_requests(&self, count: usize) {
        self.wait_until(|counts| counts.received >= count).await;
    }

    /// Waits until no answer is in progress: each was sent completely, or its client disconnected.
    pub async fn wait_until_idle(&self) {
        self.wait_until(|counts| counts.received == counts.ended).await;
    }

    async fn wait_until(&self, condition: impl Fn(&Counts) -> bool) {
        // The sender lives as long as this server, so waiting cannot fail.
        self.shared.counts.subscribe().wait_for(condition).await.ok();
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Shared {
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(self: &Arc<Self>, request: &Arc<RecordedRequest>) -> (usize, UnderWay) {
        let mut recorded = self.recorded();
        let ordinal = recorded.requests.len();
        recorded.requests.push(Arc::clone(request));
        drop(recorded);
        self.counts.send_modify(|counts| counts.received += 1);
        (ordinal, UnderWay(Arc::clone(self)))
    }

    fn reply(&self, request: &RecordedRequest, ordinal: usize) -> Reply {
        let next = self.recorded().script.next();
        match next {
            Next::Reply(reply) => reply,
            Next::Ask(handler) => handler(request, ordinal),
            Next::Exhausted => {
                Reply::error(500, format!("The script has no reply left for request {}", ordinal + 1))
            }
        }
    }
}

/// An answer in progress, until it is dropped.
pub(super) struct UnderWay(Arc<Shared>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.counts.send_modify(|counts| counts.ended += 1);
    }
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let asks = parts.method == Method::POST;
    let (wire, vectors) = (Wire::of_path(path).filter(|_| asks), Wanted::of_path(path).filter(|_| asks));
    if wire.is_none() && vectors.is_none() {
        return other_paths::answer(&parts.method, path);
    }
    let body = match axum::body::to_bytes(body, REQUEST_LIMIT).await {
        Ok(body) => serde_json::from_slice(&body).unwrap_or(Value::Null),
        Err(error) => return (StatusCode::PAYLOAD_TOO_LARGE, error.to_string()).into_response(),
    };
    let Some(wire) = wire else {
        return vectors.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |wanted| wanted.answer(&body));
    };
    let path = parts.uri.path_and_query().map_or(path, |path| path.as_str()).to_owned();
    let request = Arc::new(RecordedRequest { wire, path, headers: headers(&parts.headers), body });
    let (ordinal, guard) = shared.record(&request);
    if request.body.is_null() {
        let reply = Reply::error(400, "The body of the request is not valid JSON");
        return respond(Exchange::new(request, ordinal, &reply), reply, connection, guard).await;
    }
    if let Some(refusal) = shared.habit.refusal(&request) {
        return (StatusCode::BAD_REQUEST, axum::Json(refusal)).into_response();
    }
    let reply = shared.reply(&request, ordinal);
    respond(Exchange::new(request, ordinal, &reply), reply, connection, guard).await
}

fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}
