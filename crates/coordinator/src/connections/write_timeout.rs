//! A stream with a timeout for writes.
//!
//! A client that does not read its response fills the buffers of its connection, and the rest of the response stays in this
//! process. HTTP libraries have timeouts for reading and none for this, so the stream has it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::limit::{Requests, UnderWay};

/// How long not a single byte of a response may be taken. The system buffers megabytes for each connection, and a slow reader
/// takes some of them every second; one that takes nothing for this long has stopped or is gone. Followers of events reconnect
/// with the last id that they saw.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct WriteTimeout<S> {
    stream: S,
    requests: Requests,
    /// A waiting write, and when it times out. Its request stays in progress until then, even if all of the response was handed
    /// over.
    waiting: Option<(Pin<Box<Sleep>>, UnderWay)>,
}

impl<S> WriteTimeout<S> {
    pub(super) fn new(stream: S, requests: Requests) -> Self {
        Self { stream, requests, waiting: None }
    }

    /// What became of a write, or that it has taken too long.
    fn in_time<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let (deadline, _) = self.waiting.get_or_insert_with(|| {
            (Box::pin(sleep_until(Instant::now() + WRITE_TIMEOUT)), self.requests.begin())
        });
        ready!(deadline.as_mut().poll(context));
        let seconds = WRITE_TIMEOUT.as_secs();
        let message = format!("the client read nothing of the response for {seconds} seconds");
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, message)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.in_time(written, context)
    }

    /// Answers are queued as they are only where this is so; else they would be copied, and counted no longer.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.in_time(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.in_time(ended, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::super::limit::Open;
    use super::*;

    fn timed<S>(stream: S) -> WriteTimeout<S> {
        WriteTimeout::new(stream, Open::with_limit(1).admit().unwrap().requests())
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_without_a_reader_times_out() {
        let (here, there) = duplex(8);
        let mut stream = timed(there);
        let since = Instant::now();
        let error = stream.write_all(b"more than eight bytes").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "the client read nothing of the response for 30 seconds");
        assert!(since.elapsed() >= WRITE_TIMEOUT);
        drop(here);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_does_not_time_out() {
        let (mut here, there) = duplex(1);
        let mut stream = timed(there);
        let since = Instant::now();
        let reading = tokio::spawn(async move {
            let mut read = Vec::new();
            for _ in 0..5 {
                tokio::time::sleep_until(Instant::now() + WRITE_TIMEOUT - Duration::from_secs(1)).await;
                read.push(here.read_u8().await.unwrap());
            }
            read
        });
        stream.write_all(b"slow!").await.unwrap();
        assert_eq!(reading.await.unwrap(), b"slow!");
        assert!(since.elapsed() >= WRITE_TIMEOUT * 4);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_between_writes_does_not_count() {
        let (mut here, there) = duplex(8);
        let mut stream = timed(there);
        for _ in 0..3 {
            stream.write_all(b"12345678").await.unwrap();
            tokio::time::sleep_until(Instant::now() + WRITE_TIMEOUT * 2).await;
            here.read_exact(&mut [0; 8]).await.unwrap();
        }
    }
}
