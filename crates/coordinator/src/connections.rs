//! Connections: taken, served, and ended.
//!
//! Whoever opens one has to ask for something, key or no key: a connection on which no request comes is closed, and takes its
//! file with it. Requests that are there may take as long as they like; streams and long polls do.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use axum::serve::Listener;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::util::MapRequest;

/// How long the head of a request may take to come, the next one of a connection too. A head is a few hundred bytes, so even a
/// bad line carries it in a second or two; whoever keeps connections for later opens another one.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Where a request came from: the other end of its connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Serves until the token is cancelled, and then until everybody has been answered.
pub(crate) async fn serve(
    mut listener: impl Listener<Addr = SocketAddr>,
    router: Router,
    closing: CancellationToken,
) {
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let connections = TaskTracker::new();
    loop {
        let (stream, address) = tokio::select! {
            accepted = listener.accept() => accepted,
            () = closing.cancelled() => break,
        };
        connections.spawn(attend(builder.clone(), stream, Peer(address), router.clone(), closing.clone()));
    }
    // Who comes now is refused, and does not wait for an answer.
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn attend(
    builder: Builder<TokioExecutor>,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: Peer,
    router: Router,
    closing: CancellationToken,
) {
    let service = TowerToHyperService::new(MapRequest::new(router, from(peer)));
    // Without upgrades, which nothing here offers: with them the first bytes could take as long as they like.
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(error, "a connection broke off");
    }
}

/// Says in each request where it came from.
fn from<B>(peer: Peer) -> impl Fn(Request<B>) -> Request<B> + Clone {
    move |mut request| {
        request.extensions_mut().insert(peer);
        request
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::io;
    use std::net::{IpAddr, Ipv4Addr};

    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::sync::mpsc;
    use tokio::task::JoinHandle;
    use tokio::time::{Instant, timeout};

    use super::*;

    const LONG: Duration = Duration::from_secs(100);
    const PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

    /// Connections without a network, which has a clock of its own.
    struct Lines(mpsc::Receiver<DuplexStream>);

    impl Listener for Lines {
        type Io = DuplexStream;
        type Addr = SocketAddr;

        async fn accept(&mut self) -> (DuplexStream, SocketAddr) {
            match self.0.recv().await {
                Some(stream) => (stream, PEER),
                None => pending().await,
            }
        }

        fn local_addr(&self) -> io::Result<SocketAddr> {
            Ok(PEER)
        }
    }

    struct Served {
        lines: mpsc::Sender<DuplexStream>,
        closing: CancellationToken,
        serving: JoinHandle<()>,
    }

    fn served() -> Served {
        let slow = async || {
            let _ = timeout(LONG, pending::<()>()).await;
            "slow"
        };
        let router = Router::new().route("/", get(async || "quick")).route("/slow", get(slow));
        let (lines, taken) = mpsc::channel(1);
        let closing = CancellationToken::new();
        let serving = tokio::spawn(serve(Lines(taken), router, closing.clone()));
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
}
