//! Streams of server-sent events that wait for the end of a run.
//!
//! Nothing of an answer is sent before it was judged: until then there are only comments, which keep the connection open.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::Future;
use std::pin::Pin;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use tokio::time::timeout;

use crate::http::events::HEARTBEAT;

/// The end of a stream.
pub(super) const DONE: &str = "data: [DONE]\n\n";

/// One event.
pub(super) fn event(kind: Option<&str>, data: &impl Serialize) -> String {
    let mut text = String::new();
    if let Some(kind) = kind {
        let _ = writeln!(text, "event: {kind}");
    }
    // Compact JSON has no line breaks, so the data is one line.
    let _ = write!(text, "data: {}\n\n", serde_json::to_string(data).unwrap_or_default());
    text
}

type Rest = Pin<Box<dyn Future<Output = String> + Send>>;

/// A response that begins with these events, and ends with those that come of the rest.
pub(super) fn response(opening: String, rest: impl Future<Output = String> + Send + 'static) -> Response {
    // The first comment makes everything in between let the headers through.
    let opening = stream::iter([Ok::<_, Infallible>(Bytes::from(format!(": accord\n\n{opening}")))]);
    let rest: Rest = Box::pin(rest);
    let rest = stream::unfold(Some(rest), |rest| async move {
        let mut rest = rest?;
        match timeout(HEARTBEAT, rest.as_mut()).await {
            Ok(text) => Some((Ok(Bytes::from(text)), None)),
            Err(_) => Some((Ok(Bytes::from_static(b": keep-alive\n\n")), Some(rest))),
        }
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(opening.chain(rest))).into_response()
}
