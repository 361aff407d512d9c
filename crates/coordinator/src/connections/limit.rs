//! How many connections there may be, and which one is closed if there are too many.
//!
//! Each takes a file descriptor, of which a process has a fixed number. Without a limit, a client that opens connections and
//! sends nothing locks out all others, the database and the runner of this process among them.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Descriptors that are kept back: for the database and its log (a dozen with SQLite, one for each of 20 connections with
/// PostgreSQL), for connections to models and MCP servers, and for the pipes of the programs that the runner of this process
/// starts, about five for each.
const RESERVED: usize = 256;

/// If there are few descriptors, this fraction of them is reserved instead.
const RESERVED_PART: usize = 2;

/// How many connections there may be where the number of descriptors is not known.
const UNKNOWN_LIMIT: usize = 4096;

/// The same line is logged so often at most.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// How many descriptors this process may have.
fn descriptors() -> Option<usize> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .and_then(|limit| usize::try_from(limit).ok());
    #[cfg(not(unix))]
    None
}

/// How many connections are allowed with this many descriptors.
fn connections_of(descriptors: Option<usize>) -> usize {
    let Some(descriptors) = descriptors else { return UNKNOWN_LIMIT };
    descriptors - RESERVED.min(descriptors.div_ceil(RESERVED_PART))
}

#[derive(Clone)]
pub(super) struct Open(Arc<Inner>);

struct Inner {
    limit: usize,
    next: AtomicU64,
    connections: Mutex<HashMap<u64, Arc<State>>>,
    logged: Mutex<Option<Instant>>,
}

impl Open {
    /// None yet, and as many as this process can have.
    pub(super) fn new() -> Self {
        Self::with_limit(connections_of(descriptors()))
    }

    pub(super) fn with_limit(limit: usize) -> Self {
        let (next, connections) = (AtomicU64::new(0), Mutex::default());
        Self(Arc::new(Inner { limit, next, connections, logged: Mutex::default() }))
    }

    /// Admits a new connection. If there are too many, the one that has been idle for longest is closed, or else the one that has
    /// been sending its request for longest; `None` if all have a whole request in progress.
    pub(super) fn admit(&self) -> Option<Connection> {
        let mut connections = self.0.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.len() >= self.0.limit {
            let closed = close_one(&mut connections);
            self.log(closed);
            if !closed {
                return None;
            }
        }
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State {
            under_way: AtomicUsize::new(0),
            is_sending: AtomicBool::new(false),
            since: Mutex::new(Instant::now()),
            closing: CancellationToken::new(),
        });
        connections.insert(number, Arc::clone(&state));
        Some(Connection { open: self.clone(), number, state })
    }

    /// Frees descriptors when the system has none left.
    pub(super) fn make_room(&self) {
        let mut connections = self.0.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = close_one(&mut connections);
        self.log(closed);
    }

    /// One line for many connections, so that a client that opens thousands does not fill the log.
    fn log(&self, has_closed: bool) {
        let mut logged = self.0.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.is_some_and(|at| at.elapsed() < LOG_INTERVAL) {
            return;
        }
        *logged = Some(Instant::now());
        tracing::warn!(
            limit = self.0.limit,
            descriptors = descriptors(),
            "too many connections: {}; raise the limit of file descriptors (ulimit -n, LimitNOFILE= with systemd)",
            if has_closed {
                "idle ones are closed"
            } else {
                "all have a request in progress, and new ones are rejected"
            }
        );
    }
}

fn close_one(connections: &mut HashMap<u64, Arc<State>>) -> bool {
    let waiting = connections.iter().filter_map(|(number, state)| Some((state.waits_since()?, *number)));
    let Some((_, number)) = waiting.min() else { return false };
    if let Some(state) = connections.remove(&number) {
        state.closing.cancel();
    }
    true
}

struct State {
    /// Requests that have come and whose answers are not written yet.
    under_way: AtomicUsize,
    /// Whether the client is still sending a request.
    is_sending: AtomicBool,
    /// When it last became idle or began to send.
    since: Mutex<Instant>,
    closing: CancellationToken,
}

impl State {
    /// Whether and since when the client keeps us waiting, the idle ones first; `None` while a whole request is in progress.
    fn waits_since(&self) -> Option<(bool, Instant)> {
        let since = *self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let is_sending = self.is_sending.load(Ordering::SeqCst);
        (is_sending || self.under_way.load(Ordering::SeqCst) == 0).then_some((is_sending, since))
    }

    fn waits_from_now(&self) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// One that is open, until this is dropped.
pub(super) struct Connection {
    open: Open,
    number: u64,
    state: Arc<State>,
}

impl Connection {
    /// Ends when this one is to make room for another.
    pub(super) fn closing(&self) -> CancellationToken {
        self.state.closing.clone()
    }

    /// Whether nothing is lost if it is closed now but a request that has not come as a whole.
    pub(super) fn can_be_closed(&self) -> bool {
        self.state.waits_since().is_some()
    }

    /// A request has come; it is in progress until its response has been taken.
    pub(super) fn requests(&self) -> Requests {
        Requests(Arc::clone(&self.state))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.0.connections.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

#[derive(Clone)]
pub(super) struct Requests(Arc<State>);

impl Requests {
    pub(super) fn begin(&self) -> UnderWay {
        self.0.under_way.fetch_add(1, Ordering::SeqCst);
        UnderWay(Arc::clone(&self.0))
    }

    /// A body that the client is sending until it has come as a whole or is not wanted any more.
    pub(super) fn receive<B: http_body::Body>(&self, body: B) -> Incoming<B> {
        if body.is_end_stream() {
            return Incoming { body, sending: None };
        }
        self.0.waits_from_now();
        self.0.is_sending.store(true, Ordering::SeqCst);
        Incoming { body, sending: Some(Sending(Arc::clone(&self.0))) }
    }
}

/// A request that is still being sent, until this is dropped.
struct Sending(Arc<State>);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.is_sending.store(false, Ordering::SeqCst);
    }
}

/// The body of a request.
pub(super) struct Incoming<B> {
    body: B,
    sending: Option<Sending>,
}

impl<B: http_body::Body + Unpin> http_body::Body for Incoming<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if self.body.is_end_stream() || matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.sending = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A request in progress, until this is dropped.
pub(super) struct UnderWay(Arc<State>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.waits_from_now();
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A body whose request is in progress until it has been sent.
pub(super) struct Answer {
    body: Body,
    _under_way: UnderWay,
}

impl Answer {
    pub(super) fn new(body: Body, under_way: UnderWay) -> Self {
        Self { body, _under_way: under_way }
    }
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_descriptors_are_kept_back() {
        let cases = [
            (Some(0), 0),
            (Some(64), 32),
            (Some(256), 128),
            (Some(1024), 768),
            (Some(65_536), 65_280),
            (None, 4096),
        ];
        for (descriptors, connections) in cases {
            assert_eq!(connections_of(descriptors), connections, "{descriptors:?}");
        }
    }
}
