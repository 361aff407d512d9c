//! `/events`: what happens, as server-sent events.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use accord_domain::event::Event;
use accord_domain::id::{EventId, RunId, SessionId, WorkflowRunId};
use accord_store::EventFilter;
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use serde::Deserialize;
use tokio::time::timeout;

use super::answers::CountsItself;
use super::extract::Query;
use super::route::{Route, route};
use crate::app::{App, Caller, EVENT_KINDS, Followed, Follower, Following, event_json};
use crate::error::{Error, refuse};
use crate::outstanding::{Holder, Taken};

/// A comment goes out so often when nothing happens: proxies drop what is silent for a minute, often for half of one.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

pub(super) fn routes() -> Vec<Route> {
    vec![route!(follow, Read)]
}

/// Which events, and from where on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct EventQuery {
    /// Filter by session.
    session_id: Option<SessionId>,
    /// Filter by run.
    run_id: Option<RunId>,
    /// Filter by workflow run.
    workflow_run_id: Option<WorkflowRunId>,
    /// Filter by event types, separated by commas.
    types: Option<String>,
    /// Replay events after this id, for clients that cannot send the `Last-Event-ID` header.
    last_event_id: Option<String>,
}

/// Streams events live.
///
/// `Last-Event-ID` replays the events after that id; `0` replays all. Without it only new events are
/// sent. The stream ends when its API key is revoked.
#[utoipa::path(
    get,
    path = "/events",
    operation_id = "streamEvents",
    tag = "events",
    params(
        EventQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "Id of the last received event"),
    ),
    responses(
        (status = 200, description = "Events; the data of each is an EventView", content_type = "text/event-stream", body = String),
    )
)]
pub(super) async fn follow(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Extension(holder): Extension<Holder>,
    Query(query): Query<EventQuery>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let follower = app.events.follow(holder, following(query, &headers)?).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let withdrawn = async move { app.keys.withdrawn(&caller).await };
    let body = Body::from_stream(frames(follower).take_until(withdrawn));
    Ok((headers, Extension(CountsItself), body).into_response())
}

fn following(query: EventQuery, headers: &HeaderMap) -> Result<Following, Error> {
    let invalid = |message: String| refuse(message);
    let kinds: Vec<String> =
        query.types.iter().flat_map(|types| types.split(',')).map(|kind| kind.trim().to_owned()).collect();
    if let Some(unknown) = kinds.iter().find(|kind| !EVENT_KINDS.contains(&kind.as_str())) {
        let known = EVENT_KINDS.join(", ");
        return Err(invalid(format!("types: unknown event type '{unknown}'; expected {known}")));
    }
    let header = headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?").to_owned());
    let after: Option<EventId> = match header.or(query.last_event_id) {
        None => None,
        Some(text) => Some(text.parse().map_err(|error| invalid(format!("Last-Event-ID: {error}")))?),
    };
    Ok(Following {
        filter: EventFilter {
            session_id: query.session_id,
            run_id: query.run_id,
            workflow_run_id: query.workflow_run_id,
            kinds,
        },
        after,
    })
}

/// The stream. Nothing is read before the connection has taken the last page, so a client that does not read holds one page.
fn frames(follower: Follower) -> impl futures_util::Stream<Item = Result<Bytes, Infallible>> {
    // The first comment makes everything in between let the headers through.
    let opening = stream::iter([Ok(Bytes::from_static(b": accord\n\n"))]);
    let rest = stream::unfold((follower, None::<Taken>), |(mut follower, before)| async move {
        if let Some(before) = before {
            before.wait().await;
        }
        match timeout(HEARTBEAT, follower.next()).await {
            Err(_) => Some((Ok(Bytes::from_static(b": heartbeat\n\n")), (follower, None))),
            Ok(Ok(Followed::Events(events, turn))) => {
                let (page, taken) = turn.made(Bytes::from(text(&events)));
                Some((Ok(page), (follower, Some(taken))))
            }
            Ok(Ok(Followed::Closed)) => None,
            // The client comes back with the last id that it saw.
            Ok(Err(error)) => {
                tracing::warn!(%error, "events could not be read; the stream ends");
                None
            }
        }
    });
    opening.chain(rest)
}

/// Stored bodies are compact JSON, in which a line break is always an escape, so the data is one line.
fn text(events: &[Event]) -> String {
    events.iter().fold(String::new(), |mut text, event| {
        let _ = write!(text, "id: {}\nevent: {}\ndata: {}\n\n", event.id, event.kind, event_json(event));
        text
    })
}
