//! The rest of a request's body when its response is known.
//!
//! A request may be rejected before all of its body was read, and a route may have no use for a body. A client that is cut off
//! while sending sees a broken connection instead of the response, and tries again. So the rest is read and thrown away before
//! the response is sent, within limits. A client that asked first whether to send the body (`Expect: 100-continue`) has not
//! sent it: nothing is read then, and the response comes at once.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::header::EXPECT;
use futures_util::{Stream, StreamExt as _};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A body up to this size has been sent, or nearly, when its head is read.
const SMALL_BYTES: u64 = 16 * 1024;

/// How much is thrown away. More is not sent by mistake.
const DISCARDED_BYTES: usize = 64 * 1024 * 1024;

/// How long that may take.
const LONGEST: Duration = Duration::from_secs(30);

/// Where the body comes back to.
#[derive(Debug)]
pub(super) struct Rest(Option<oneshot::Receiver<BodyDataStream>>);

/// Hands out a request whose body comes back where it is not read to its end.
pub(super) fn lend(request: Request) -> (Request, Rest) {
    if request.body().size_hint().exact().is_some_and(|length| length <= SMALL_BYTES) {
        return (request, Rest(None));
    }
    let is_being_sent = !request.headers().contains_key(EXPECT);
    let (back, rest) = oneshot::channel();
    let lent = |body: Body| Lent { body: Some(body.into_data_stream()), is_being_sent, back: Some(back) };
    (request.map(|body| Body::from_stream(lent(body))), Rest(Some(rest)))
}

impl Rest {
    /// Throws away what is left.
    pub(super) async fn discard(self) {
        let Some(Ok(body)) = self.0.map(|mut rest| rest.try_recv()) else { return };
        // A client that takes longer is disconnected anyway.
        let _ = timeout(LONGEST, read_away(body)).await;
    }
}

async fn read_away(mut body: BodyDataStream) {
    let mut left = DISCARDED_BYTES;
    while let Some(Ok(piece)) = body.next().await {
        match left.checked_sub(piece.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// A body that comes back when it is dropped.
struct Lent {
    /// `None` if it was read to its end.
    body: Option<BodyDataStream>,
    /// Whether the client sends it, asked or unasked.
    is_being_sent: bool,
    back: Option<oneshot::Sender<BodyDataStream>>,
}

impl Stream for Lent {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.is_being_sent = true;
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let piece = body.poll_next_unpin(context);
        if !matches!(piece, Poll::Pending | Poll::Ready(Some(Ok(_)))) {
            self.body = None;
        }
        piece
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(body), Some(back), true) = (self.body.take(), self.back.take(), self.is_being_sent) {
            // Pointless if the client has hung up.
            let _ = back.send(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::http::{Request, StatusCode};
    use futures_util::stream;
    use tower::ServiceExt as _;

    use super::*;
    use crate::app::agents::fixture::Fixture;

    const PIECES: usize = 20;

    /// The status of a request with a large body, and how many pieces of it were read.
    async fn sent(fixture: &Fixture, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, usize) {
        let read = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&read);
        let pieces = stream::iter(0..PIECES).map(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok::<_, std::convert::Infallible>(Bytes::from(vec![b' '; 1024 * 1024]))
        });
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from_stream(pieces)).unwrap();
        let router: axum::Router = crate::http::router(Arc::clone(&fixture.app));
        let status: StatusCode = router.oneshot(request).await.unwrap().status();
        (status.as_u16(), read.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn a_rejected_request_may_be_sent_to_its_end() {
        let fixture = Fixture::new(&[]);
        let json = ("content-type", "application/json");
        assert_eq!(sent(&fixture, "POST", "/nowhere", &[json]).await, (404, PIECES));
        assert_eq!(sent(&fixture, "PUT", "/runs", &[json]).await, (405, PIECES));
        assert_eq!(sent(&fixture, "POST", "/runs", &[]).await, (415, PIECES));
        assert_eq!(sent(&fixture, "POST", "/runs?wait=x", &[json]).await, (400, PIECES));
        assert_eq!(sent(&fixture, "POST", "/runs", &[json]).await, (413, PIECES));
        assert_eq!(
            sent(&fixture, "POST", "/runs", &[json, ("host", "elsewhere.example")]).await,
            (403, PIECES)
        );
        assert_eq!(sent(&fixture, "POST", "/runs", &[json, ("authorization", "none")]).await, (401, PIECES));
    }

    #[tokio::test]
    async fn unread_bodies_are_discarded() {
        let fixture = Fixture::new(&[]);
        assert_eq!(sent(&fixture, "GET", "/agents", &[]).await, (200, PIECES));
        assert_eq!(sent(&fixture, "GET", "/agents", &[("expect", "100-continue")]).await, (200, 0));
    }

    #[tokio::test]
    async fn expect_100_is_answered_before_the_body() {
        let fixture = Fixture::new(&[]);
        let (json, asks) = (("content-type", "application/json"), ("expect", "100-continue"));
        assert_eq!(sent(&fixture, "POST", "/nowhere", &[json, asks]).await, (404, 0));
        let length = ("content-length", "20971520");
        assert_eq!(sent(&fixture, "POST", "/runs", &[json, asks, length]).await, (413, 0));
    }
}
