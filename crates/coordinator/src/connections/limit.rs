//! How many connections there may be, and which one is closed if there are too many.
//!
//! Each takes a file descriptor, of which a process has a fixed number. Without a limit, a client that opens connections and
//! sends nothing locks out all others, the database and the runner of this process among them.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
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

    /// Admits a new connection. If there are too many, the one that has been idle for longest is closed; `None` if all have a
    /// request in progress.
    pub(super) fn admit(&self) -> Option<Connection> {
        let mut connections = self.0.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.len() >= self.0.limit {
            let closed = close_longest_idle(&mut connections);
            self.log(closed);
            if !closed {
                return None;
            }
        }
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State {
            under_way: AtomicUsize::new(0),
            idle_since: Mutex::new(Instant::now()),
            closing: CancellationToken::new(),
        });
        connections.insert(number, Arc::clone(&state));
        Some(Connection { open: self.clone(), number, state })
    }

    /// Frees descriptors when the system has none left.
    pub(super) fn make_room(&self) {
        let mut connections = self.0.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = close_longest_idle(&mut connections);
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
            if has_closed { "idle ones are closed" } else { "none is idle, and new ones are rejected" }
        );
    }
}

fn close_longest_idle(connections: &mut HashMap<u64, Arc<State>>) -> bool {
    let idle = connections.iter().filter_map(|(number, state)| Some((state.idle_since()?, *number)));
    let Some((_, number)) = idle.min() else { return false };
    if let Some(state) = connections.remove(&number) {
        state.closing.cancel();
    }
    true
}

struct State {
    /// Requests that have come and whose answers are not written yet.
    under_way: AtomicUsize,
    idle_since: Mutex<Instant>,
    closing: CancellationToken,
}

impl State {
    /// Since when it is idle; `None` while a request is in progress.
    fn idle_since(&self) -> Option<Instant> {
        let since = *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        (self.under_way.load(Ordering::SeqCst) == 0).then_some(since)
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

    pub(super) fn is_idle(&self) -> bool {
        self.state.idle_since().is_some()
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
}

/// A request in progress, until this is dropped.
pub(super) struct UnderWay(Arc<State>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        *self.0.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
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
