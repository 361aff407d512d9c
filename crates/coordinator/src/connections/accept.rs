//! Taking connections from the system, and turning one away.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use accord_api::{ErrorBody, ErrorName};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::limit::Open;
use crate::error::Error;

/// How long to wait before the next try if connections cannot be accepted: resources may be
/// released meanwhile.
const PAUSE: Duration = Duration::from_millis(100);

/// How many connections over the limit get a response at once. Each takes one of the reserved descriptors; more are closed
/// without one.
const TURNED_AWAY: usize = 8;

/// How long that may take: the answer fits into the first packet.
const FAREWELL: Duration = Duration::from_secs(2);

pub(crate) trait Accept: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// The next one, and where it is from.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, from) = TcpListener::accept(self).await?;
        // Responses are small, and a client waits for each.
        let _ = stream.set_nodelay(true);
        Ok((stream, from))
    }
}

/// The next connection that is one. Where the process has no descriptor left, an idle connection makes room.
pub(super) async fn next<A: Accept>(listener: &mut A, open: &Open) -> (A::Stream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::debug!(%error, "connections cannot be accepted");
                open.make_room();
                sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Connections that are being refused with a response.
#[derive(Clone)]
pub(super) struct TurnedAway(Arc<Semaphore>);

impl TurnedAway {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TURNED_AWAY)))
    }

    /// Answers any request with 503, if there is room for that, and closes the connection.
    pub(super) async fn answer(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let Ok(_permit) = self.0.try_acquire() else { return };
        let _ = timeout(FAREWELL, say_farewell(stream)).await;
    }
}

async fn say_farewell(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
    stream.write_all(refusal().as_bytes()).await?;
    stream.shutdown().await?;
    // Unread data would make the system reset the connection, and the answer would be lost.
    let mut discarded = [0; 1024];
    while stream.read(&mut discarded).await? > 0 {}
    Ok(())
}

fn refusal() -> String {
    let message =
        "all connections of this coordinator are in use; retry, or raise its limit of file descriptors";
    let body: ErrorBody = Error::new(ErrorName::Overloaded, message).body();
    let body = serde_json::to_string(&body).unwrap_or_default();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n\
         retry-after: 1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}
