//! Connections: accepted, served, closed.
//!
//! A client has to send a request, with a key or without, and has to read the response: a connection without a request is
//! closed, and so is one whose response is not read (`write_timeout`). There are as many as the process has file descriptors
//! for (`limit`). Requests may take as long as they need; streams and long polls do.

mod accept;
mod host;
mod limit;
mod write_timeout;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::time::Duration;

use accord_api::ErrorName;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::http::{Request, Response};
use axum::response::IntoResponse as _;
use futures_util::FutureExt as _;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::Error;
use accept::{Accept, TurnedAway};
use limit::{Answer, Connection, Open, Requests};
use write_timeout::WriteTimeout;

/// How long the head of a request may take to arrive, also the next one of a connection. A head has a few hundred bytes, so
/// even a bad connection carries it in a second or two.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How much of a connection is read before it is asked for, and how long a head may be. Without a limit, each of a thousand
/// connections can have half a megabyte of a body that nobody reads.
const READ_AHEAD_BYTES: usize = 128 * 1024;

/// Where a request came from: the other end of its connection.
pub(crate) fn peer<B>(request: &Request<B>) -> Option<SocketAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| *address)
}

/// Serves until the token is cancelled, and then until everybody has been answered.
pub(crate) async fn serve(listener: impl Accept, router: Router, closing: CancellationToken) {
    serve_within(Open::new(), listener, router, closing).await;
}

async fn serve_within(open: Open, mut listener: impl Accept, router: Router, closing: CancellationToken) {
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(READ_AHEAD_BYTES);
    let (connections, turned_away) = (TaskTracker::new(), TurnedAway::new());
    loop {
        let (stream, from) = tokio::select! {
            accepted = accept::next(&mut listener, &open) => accepted,
            () = closing.cancelled() => break,
        };
        match open.admit() {
            Some(connection) => {
                let service = Asked { router: router.clone(), from, requests: connection.requests() };
                connections.spawn(attend(builder.clone(), stream, service, connection, closing.clone()));
            }
            None => {
                connections.spawn(turned_away.clone().answer(stream));
            }
        }
    }
    // New connections are refused from now on.
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn attend(
    builder: Builder<TokioExecutor>,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    asked: Asked,
    connection: Connection,
    closing: CancellationToken,
) {
    let service = service_fn(move |request| asked.clone().answer(request));
    let making_room = connection.closing();
    // Without upgrades, which nothing here offers: with them the first bytes could take as long as they like.
    let stream = TokioIo::new(WriteTimeout::new(stream, connection.requests()));
    let mut served = pin!(builder.serve_connection(stream, service));
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = closing.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
        () = making_room.cancelled() => {
            served.as_mut().graceful_shutdown();
            // A partially received request is not one.
            if connection.can_be_closed() { Ok(()) } else { served.await }
        }
    };
    if let Err(error) = ended {
        tracing::trace!(error, "a connection was lost");
    }
}

/// Whom the requests of a connection go to.
#[derive(Clone)]
struct Asked {
    router: Router,
    from: SocketAddr,
    requests: Requests,
}

impl Asked {
    async fn answer(self, mut request: Request<Incoming>) -> Result<Response<Answer>, Infallible> {
        let under_way = self.requests.begin();
        request.extensions_mut().insert(ConnectInfo(self.from));
        let request = request.map(|body| self.requests.receive(body));
        let response = match host::check(&request) {
            Ok(()) => {
                let answered = TowerToHyperService::new(self.router).call(request);
                match AssertUnwindSafe(answered).catch_unwind().await {
                    Ok(response) => response?,
                    Err(_) => panicked(),
                }
            }
            Err(error) => ([(X_CONTENT_TYPE_OPTIONS, "nosniff")], error).into_response(),
        };
        Ok(response.map(|body| Answer::new(body, under_way)))
    }
}

/// A handler that panics costs its request and nothing else. The panic itself is in the log already.
fn panicked() -> Response<axum::body::Body> {
    let error = Error::new(ErrorName::Internal, "internal error; see the coordinator's log");
    ([(X_CONTENT_TYPE_OPTIONS, "nosniff")], error).into_response()
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::io;
    use std::sync::Arc;

    use accord_domain::id::EventId;
    use accord_store::EventLimit;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::sync::mpsc;
    use tokio::task::JoinHandle;
    use tokio::time::{Instant, timeout};

    use super::write_timeout::WRITE_TIMEOUT;
    use super::*;
    use crate::app::agents::fixture::{Fixture, reviewer};

    const LONG: Duration = Duration::from_secs(100);

    /// More than the lines hold.
    const LARGE: usize = 100_000;

    /// In-memory connections: a network would not follow the paused clock.
    struct Lines(mpsc::Receiver<DuplexStream>);

    impl Accept for Lines {
        type Stream = DuplexStream;

        async fn accept(&mut self) -> io::Result<(DuplexStream, SocketAddr)> {
            match self.0.recv().await {
                Some(stream) => Ok((stream, ([127, 0, 0, 1], 1).into())),
                None => pending().await,
            }
        }
    }

    struct Served {
        lines: mpsc::Sender<DuplexStream>,
        closing: CancellationToken,
        serving: JoinHandle<()>,
    }

    fn served() -> Served {
        served_within(100)
    }

    fn served_within(most: usize) -> Served {
        let slow = async || {
            let _ = timeout(LONG, pending::<()>()).await;
            "slow"
        };
        let large = async || "x".repeat(LARGE);
        let router = Router::new()
            .route("/", get(async || "quick"))
            .route("/slow", get(slow))
            .route("/large", get(large));
        served_by(most, router)
    }

    fn served_by(most: usize, router: Router) -> Served {
        let (lines, taken) = mpsc::channel(1);
        let closing = CancellationToken::new();
        let serving =
            tokio::spawn(serve_within(Open::with_limit(most), Lines(taken), router, closing.clone()));
        Served { lines, closing, serving }
    }

    impl Served {
        async fn sent(&self, text: &str) -> DuplexStream {
            let (mut here, there) = duplex(1024);
            self.lines.send(there).await.unwrap();
            here.write_all(text.as_bytes()).await.unwrap();
            here
        }
    }

    fn asked(path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    }

    /// Everything until the connection is closed.
    async fn rest(mut stream: DuplexStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_is_closed() {
        let served = served();
        for begun in ["", "G", "POST", "GET / HTTP/1.1\r\nHost: loc"] {
            let since = Instant::now();
            let said = timeout(LONG, rest(served.sent(begun).await)).await;
            assert_eq!(said.as_deref(), Ok(""), "{begun:?}");
            assert!(since.elapsed() >= HEAD_TIMEOUT, "{begun:?}");
        }
        let since = Instant::now();
        let answers = rest(served.sent(&asked("/").repeat(2)).await).await;
        assert_eq!(answers.matches("quick").count(), 2, "{answers}");
        assert!(since.elapsed() >= HEAD_TIMEOUT, "it waits for another");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_may_take_longer_than_a_head() {
        let served = served();
        let since = Instant::now();
        let answer = rest(served.sent(&asked("/slow")).await).await;
        assert!(answer.ends_with("slow") && since.elapsed() >= LONG, "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_costs_one_request_and_not_the_connection() {
        let panics = async || -> &'static str { panic!("on purpose") };
        let router = Router::new().route("/", get(async || "quick")).route("/panics", get(panics));
        let served = served_by(100, router);
        let answers = rest(served.sent(&(asked("/panics") + &asked("/"))).await).await;
        assert!(answers.starts_with("HTTP/1.1 500 ") && answers.ends_with("quick"), "{answers}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_waits_for_answers_alone() {
        let served = served();
        let slow = served.sent(&asked("/slow")).await;
        let mut idle = served.sent(&asked("/")).await;
        idle.read_exact(&mut [0; 12]).await.unwrap();
        let since = Instant::now();
        served.closing.cancel();
        rest(idle).await;
        assert!(since.elapsed() < HEAD_TIMEOUT);
        assert!(rest(slow).await.ends_with("slow"));
        served.serving.await.unwrap();
        assert!(served.lines.is_closed(), "nobody is taken any more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_dropped() {
        let served = served();
        let mut unread = served.sent(&asked("/large")).await;
        unread.read_exact(&mut [0; 12]).await.unwrap();
        let since = Instant::now();
        served.closing.cancel();
        served.serving.await.unwrap();
        assert!(since.elapsed() >= WRITE_TIMEOUT, "the answer was given up, not the end");
        let answer = rest(unread).await;
        assert!(answer.len() < LARGE, "it was cut off");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_gets_everything() {
        let served = served();
        let mut slow = served.sent(&asked("/large")).await;
        let mut read = 0;
        while read < LARGE {
            tokio::time::sleep_until(Instant::now() + WRITE_TIMEOUT - Duration::from_secs(1)).await;
            let mut piece = [0; 1024];
            read += slow.read(&mut piece).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_has_one_host() {
        let served = served();
        for (heads, status) in [
            ("", "400 Bad Request"),
            ("Host: a\r\n", "200 OK"),
            ("Host: a\r\nHost: a\r\n", "400 Bad Request"),
        ] {
            let answer = rest(served.sent(&format!("GET / HTTP/1.1\r\n{heads}\r\n")).await).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{heads:?}: {answer}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_connection_makes_room() {
        let served = served_within(3);
        let slow = served.sent(&asked("/slow")).await;
        let silent = served.sent("").await;
        let begun = served.sent("GET / HT").await;
        let mut others = Vec::new();
        for idle in [silent, begun] {
            let since = Instant::now();
            let mut next = served.sent(&asked("/")).await;
            next.read_exact(&mut [0; 12]).await.unwrap();
            assert_eq!(rest(idle).await, "");
            assert!(since.elapsed() < HEAD_TIMEOUT);
            others.push(next);
        }
        assert!(rest(slow).await.ends_with("slow"), "who is being answered stays");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_still_being_sent_makes_room() {
        let take = async |body: axum::body::Bytes| format!("took {}", body.len());
        let router =
            Router::new().route("/", get(async || "quick")).route("/take", axum::routing::post(take));
        let served = served_by(2, router);
        let head = "POST /take HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 4\r\n\r\n";
        let (first, mut second) =
            (served.sent(&format!("{head}ab")).await, served.sent(&format!("{head}ab")).await);
        let since = Instant::now();
        let mut next = served.sent(&asked("/")).await;
        next.read_exact(&mut [0; 12]).await.unwrap();
        assert_eq!(rest(first).await, "", "the one that has been sending for longest");
        assert!(since.elapsed() < HEAD_TIMEOUT);
        second.write_all(b"cd").await.unwrap();
        assert!(rest(second).await.ends_with("took 4"), "the others go on");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_still_being_read_is_not_cut_off() {
        let served = served_within(1);
        let mut reading = served.sent(&asked("/large")).await;
        reading.read_exact(&mut [0; 12]).await.unwrap();
        let refused = rest(served.sent(&asked("/")).await).await;
        assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
        assert!(rest(reading).await.len() > LARGE);
    }

    #[tokio::test(start_paused = true)]
    async fn connections_over_the_limit_are_rejected_if_none_is_idle() {
        let served = served_within(2);
        let slow = [served.sent(&asked("/slow")).await, served.sent(&asked("/slow")).await];
        let refused = rest(served.sent(&asked("/")).await).await;
        assert!(refused.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{refused}");
        assert!(refused.contains("\"error\":\"Overloaded\""), "{refused}");
        for slow in slow {
            assert!(rest(slow).await.ends_with("slow"));
        }
        assert!(rest(served.sent(&asked("/")).await).await.ends_with("quick"), "there is room again");
    }

    /// The ids of the events in what was read, whole ones only.
    fn ids(text: &str) -> Vec<i64> {
        let whole = text.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
        let ids = whole.lines().filter_map(|line| line.strip_prefix("id: evt_"));
        ids.map(|id| id.parse().unwrap()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_follower_continues_after_its_last_event() {
        let fixture = Fixture::new(&[]);
        fixture.post("/agents", &reviewer("reviewer")).await;
        let run = serde_json::json!({"agent_name": "reviewer", "prompt": "x"});
        for _ in 0..50 {
            assert_eq!(fixture.post("/runs", &run).await.status.as_u16(), 201);
        }
        let newest = fixture.store.last_event().await.unwrap();
        let served = served_by(100, crate::http::router(Arc::clone(&fixture.app)));
        let follow = |last: i64| {
            format!("GET /events HTTP/1.0\r\nHost: localhost\r\nLast-Event-ID: evt_{last}\r\n\r\n")
        };
        let unread = served.sent(&follow(0)).await;
        // A paused clock jumps while the store is waited for: only a stream that has been written to can be late.
        for _ in 0..100 {
            fixture.store.last_event().await.unwrap();
            tokio::task::yield_now().await;
        }
        tokio::time::sleep_until(Instant::now() + WRITE_TIMEOUT * 2).await;
        let mut seen = ids(&rest(unread).await);
        let last = seen.last().copied().unwrap_or_default();
        assert!(last < newest.0, "it was dropped before the end");
        assert_eq!(fixture.app.outstanding.unread(), 0, "and holds nothing any more");
        // A paused clock jumps to the next timer whenever the store is waited for, so a reader would be dropped again.
        tokio::time::resume();
        let mut again = served.sent(&follow(last)).await;
        let mut text = String::new();
        while ids(&text).last().is_none_or(|id| *id < newest.0) {
            let mut piece = [0; 512];
            let read = again.read(&mut piece).await.unwrap();
            assert!(read > 0, "the stream ended early: {text}");
            text.push_str(std::str::from_utf8(&piece[..read]).unwrap());
        }
        seen.extend(ids(&text));
        let all = fixture.store.events(&Default::default(), EventId(0), EventLimit::of(1_000)).await.unwrap();
        assert_eq!(seen, all.iter().map(|event| event.id.0).collect::<Vec<_>>());
    }
}
