//! Connections that the server can cut at any time, even before the response. An axum handler alone
//! always sends a response.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How long to wait if the system has no resources for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// Accepts connections that are closed when the server stops.
pub(super) struct CuttableListener {
    pub(super) listener: TcpListener,
    pub(super) stop: CancellationToken,
}

impl Listener for CuttableListener {
    type Io = CuttableStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // Otherwise a client would receive several small chunks at once, and the test
                    // would be weaker.
                    stream.set_nodelay(true).ok();
                    return (CuttableStream::new(stream, self.stop.child_token()), address);
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A connection that fails immediately once it is cut.
pub(super) struct CuttableStream {
    stream: TcpStream,
    cut: CancellationToken,
    until_cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl CuttableStream {
    fn new(stream: TcpStream, cut: CancellationToken) -> Self {
        Self { stream, until_cut: Box::pin(cut.clone().cancelled_owned()), cut }
    }
}

fn was_cut() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the connection was cut as the script wanted")
}

impl AsyncRead for CuttableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.until_cut.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(was_cut()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for CuttableStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.cut.is_cancelled() {
            return Poll::Ready(Err(was_cut()));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// The handle with which a handler cuts its connection.
#[derive(Clone)]
pub(super) struct Connection {
    cut: CancellationToken,
}

impl Connection {
    /// Cuts the connection. The future never completes: the caller is dropped with the connection.
    pub(super) async fn cut<T>(&self) -> T {
        self.cut.cancel();
        std::future::pending().await
    }
}

impl Connected<IncomingStream<'_, CuttableListener>> for Connection {
    fn connect_info(stream: IncomingStream<'_, CuttableListener>) -> Self {
        Self { cut: stream.io().cut.clone() }
    }
}
