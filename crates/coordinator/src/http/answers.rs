//! Responses are counted for their caller until they are read, and large documents are written away from the threads that serve
//! requests.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use serde::Serialize;

use crate::app::{App, Caller};
use crate::connections::peer;
use crate::error::Error;
use crate::outstanding::{COUNTED_FROM, Charge, Holder, Outstanding, Turn};

/// A document as JSON. It may have megabytes: to write them, and to drop the document, would keep a thread that serves others too.
pub(super) struct Written(Vec<u8>);

pub(super) async fn written(document: impl Serialize + Send + 'static) -> Result<Written, Error> {
    let writing = tokio::task::spawn_blocking(move || serde_json::to_vec(&document));
    writing.await.map_err(Error::internal)?.map(Written).map_err(Error::internal)
}

impl IntoResponse for Written {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

/// An answer that counts its pieces itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountsItself;

/// For which caller the response to an authorized request is counted.
pub(super) fn holder(request: &Request) -> Option<Holder> {
    let from = peer(request).map(|address| address.ip());
    request.extensions().get::<Caller>().map(|caller| Holder::of(caller, from))
}

/// The same answer, counted where it is large.
pub(super) fn counted(app: &App, holder: Holder, response: Response) -> Response {
    let size = response.body().size_hint();
    let is_small = size.upper().is_some_and(|bytes| bytes < COUNTED_FROM as u64);
    if is_small || response.extensions().get::<CountsItself>().is_some() {
        return response;
    }
    let outstanding = app.outstanding.clone();
    let whole =
        size.exact().map(|bytes| outstanding.charge(&holder, usize::try_from(bytes).unwrap_or(usize::MAX)));
    response.map(|body| Body::new(Counted { body, outstanding, holder, whole }))
}

struct Counted {
    body: Body,
    outstanding: Outstanding,
    holder: Holder,
    /// The charge that was counted when it was made, if its size was known.
    whole: Option<Charge>,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        Pin::new(&mut this.body).poll_frame(context).map_ok(|frame| {
            frame.map_data(|piece| match this.whole.take() {
                Some(charge) => charge.hold(piece),
                None if piece.len() < COUNTED_FROM => piece,
                None => this.outstanding.charge(&this.holder, piece.len()).hold(piece),
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A handler that takes this waits for its turn to read a document, or is refused where the caller does not read.
impl FromRequestParts<Arc<App>> for Turn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        let holder = parts.extensions.get::<Holder>().cloned().unwrap_or(Holder::Address(None));
        app.outstanding.turn(&holder).await
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Method;
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;
    use crate::app::agents::fixture::{Fixture, reviewer};

    const OPEN: Holder = Holder::Address(None);

    #[tokio::test]
    async fn a_client_that_does_not_read_gets_no_documents() {
        let fixture = Fixture::new(&[]);
        fixture.post("/agents", &reviewer("reviewer")).await;
        let run = serde_json::json!({"agent_name": "reviewer", "prompt": "x"});
        let run = fixture.post("/runs", &run).await.json();
        let (run_id, session_id) = (run["run_id"].as_str().unwrap(), run["session_id"].as_str().unwrap());
        let documents = [
            ("/agents/reviewer".to_owned(), 200),
            (format!("/runs/{run_id}"), 200),
            (format!("/runs/{run_id}/attempts"), 200),
            (format!("/sessions/{session_id}/events"), 200),
            (format!("/sessions/{session_id}/result"), 409),
            ("/schemas/none".to_owned(), 404),
            ("/workflows/none".to_owned(), 404),
            ("/workflow-runs/wfr_1".to_owned(), 404),
        ];
        let held = fixture.app.outstanding.charge(&OPEN, 64 * 1024 * 1024);
        for (path, _) in &documents {
            let reply = fixture.get(path).await;
            assert_eq!(reply.error(), (429, "UnreadAnswers".into()), "{path}");
            assert_eq!(reply.headers["retry-after"], "1");
            assert_eq!(reply.json()["details"]["limit_bytes"], 64 * 1024 * 1024);
        }
        for path in ["/health", "/ready", "/agents", "/runs", "/sessions", "/metrics"] {
            assert_eq!(fixture.get(path).await.status, 200, "{path}");
        }
        // The outcome is reported, though not as a whole document.
        let body = serde_json::json!({"agent_name": "reviewer", "prompt": "x"}).to_string();
        let json = [("content-type", "application/json")];
        let started = fixture.send(Method::POST, "/runs?wait=1", &json, body).await;
        let answer = started.json();
        let members: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((started.status.as_u16(), members), (201, vec!["run_id", "session_id", "status"]));
        drop(held);
        for (path, status) in &documents {
            assert_eq!(fixture.get(path).await.status.as_u16(), *status, "{path}");
        }
    }

    #[tokio::test]
    async fn a_large_response_is_counted_until_it_is_dropped() {
        let fixture = Fixture::new(&[]);
        let mut agent = reviewer("reviewer");
        agent["system_prompt"] = "x".repeat(COUNTED_FROM).into();
        fixture.post("/agents", &agent).await;
        let router = crate::http::router(Arc::clone(&fixture.app));
        let request = Request::builder().uri("/agents/reviewer").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let length = usize::try_from(response.body().size_hint().exact().unwrap()).unwrap();
        assert_eq!(fixture.app.outstanding.unread(), length);
        let piece = response.into_body().frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!((piece.len(), fixture.app.outstanding.unread()), (length, length));
        drop(piece);
        assert_eq!(fixture.app.outstanding.unread(), 0);
    }
}
