//! The steps of every request: it is authorized, answered, audited and counted, and written to the
//! log and to traces. Log and traces contain the route and not the path, and no headers or bodies,
//! because those contain keys and users' texts.

use std::sync::Arc;
use std::time::Instant;

use accord_trace::names;
use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderValue;
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug_span};

use super::route::Audit;
use super::{answers, audit, auth, envelope, openai, routes, unread};
use crate::app::App;
use crate::error::Cause;
use crate::metrics;

/// Passes a request on, and its answer back.
pub(super) async fn handle(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let method = request.method().clone();
    let method = method.as_str();
    let begun = Instant::now();
    let span = span(method, route);
    if let Some(caller) = auth::traceparent(&request) {
        accord_trace::continue_from(&span, caller);
    }
    let mut response = answer(&app, request, next).instrument(span.clone()).await;
    // Whatever a browser takes an answer for: it is what it says it is.
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let status = response.status();
    match response.extensions().get::<Cause>() {
        Some(Cause { error, cause }) => {
            tracing::error!(method, route, error = error.as_str(), cause, "request failed");
        }
        None => {
            let milliseconds = begun.elapsed().as_millis();
            tracing::debug!(method, route, status = status.as_u16(), milliseconds, "request");
        }
    }
    span.record(names::HTTP_STATUS, accord_trace::count(status.as_u16()));
    if status.is_server_error() {
        accord_trace::failed(&span, status.as_str(), "the request failed");
    }
    metrics::http_request(route, status.as_u16());
    response
}

async fn answer(app: &App, request: Request, next: Next) -> Response {
    let (mut request, rest) = unread::lend(request);
    let is_openai = openai::serves(request.uri().path());
    let admitted = match routes::of(&request) {
        Ok(route) => auth::admit(app, route, &mut request).await.map(|()| route),
        Err(error) => Err(error),
    };
    let response = match admitted {
        Ok(route) => {
            request.extensions_mut().insert(route);
            let holder = answers::holder(&request);
            if let Some(holder) = &holder {
                request.extensions_mut().insert(holder.clone());
            }
            // Boxed, so that requests which change nothing keep a small future.
            let change = match route.audit {
                Audit::Recorded(audited) => Some(Box::pin(audit::Pending::of(audited, &mut request)).await),
                Audit::Safe | Audit::Exempt(_) => None,
            };
            let response = envelope::wrap(next.run(request).await).await;
            let response = match change {
                Some(change) => Box::pin(change.record(app, response)).await,
                None => response,
            };
            match holder {
                Some(holder) => answers::counted(app, holder, response),
                None => response,
            }
        }
        Err(error) => {
            drop(request);
            error.into_response()
        }
    };
    let response = match is_openai {
        true => Box::pin(openai::envelope::wrap(response)).await,
        false => response,
    };
    rest.discard().await;
    response
}

fn span(method: &str, route: &str) -> Span {
    debug_span!(
        "request",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        { names::STATUS_CODE } = Empty,
        { names::STATUS_MESSAGE } = Empty,
        { names::ERROR_TYPE } = Empty,
        http.request.method = method,
        http.route = route,
        { names::HTTP_STATUS } = Empty,
    )
}
