//! Changes are recorded in one place for all routes, as the table of routes says.
//!
//! The entry is written after the change and before the response. If it cannot be written, the caller gets an error that says
//! so.

use accord_api::ErrorName;
use accord_domain::audit::{Actor, Entry};
use axum::RequestExt as _;
use axum::body::{Body, to_bytes};
use axum::extract::{RawPathParams, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

use crate::app::{App, Caller};
use crate::connections::peer;
use crate::error::Error;
use crate::http::route::{Audited, Object};

/// What the header `X-Forwarded-For` says is kept up to this length: four addresses of IPv6, and there are seldom more than
/// two proxies.
const LONGEST_FORWARDED: usize = 200;

/// A first answer that is given again, in the extensions of a response: nothing was changed.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct Repeated;

/// A request that is recorded if it goes well.
pub(in crate::http) struct Pending {
    audited: Audited,
    actor: Actor,
    address: Option<String>,
    forwarded_for: Option<String>,
    /// The first parameter of the path.
    named: Option<String>,
}

impl Pending {
    /// The audit entry of an authorized request.
    pub(in crate::http) async fn of(audited: Audited, request: &mut Request) -> Self {
        // Of the routes without a key, only those of links change something.
        let actor = request.extensions().get::<Caller>().map_or(Actor::Link, Caller::actor);
        // The coordinator of a single command has no other clients: the address would say nothing.
        let is_remote = actor != Actor::CommandLine;
        let peer = peer(request).filter(|_| is_remote);
        let address = peer.map(|peer| peer.ip().to_canonical().to_string());
        let forwarded_for = forwarded_for(request.headers());
        let parameters = request.extract_parts::<RawPathParams>().await.ok();
        let named = parameters.and_then(|all| all.iter().next().map(|(_, value)| value.to_owned()));
        Self { audited, actor, address, forwarded_for, named }
    }

    /// Records the change, where it was made.
    pub(in crate::http) async fn record(self, app: &App, response: Response) -> Response {
        if !response.status().is_success() || response.extensions().get::<Repeated>().is_some() {
            return response;
        }
        let action = match self.audited.created {
            Some(created) if response.status() == StatusCode::CREATED => created,
            _ => self.audited.action,
        };
        let hash = response.headers().get(header::ETAG).and_then(|value| value.to_str().ok());
        let hash = hash.map(|value| value.trim_matches('"').to_owned());
        let (object, response) = match self.audited.object {
            Object::Path => (self.named, response),
            Object::Answer(pointer) => read(response, pointer).await,
        };
        let entry = Entry {
            at: app.outside.now(),
            actor: self.actor,
            action: action.to_owned(),
            object,
            hash,
            address: self.address,
            forwarded_for: self.forwarded_for,
        };
        match app.audit.add(entry).await {
            Ok(()) => response,
            Err(error) => unrecorded(&error).into_response(),
        }
    }
}

/// The string at this place of a response, and the response again. Responses to changes are in memory as a whole.
async fn read(response: Response, pointer: &str) -> (Option<String>, Response) {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let object = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    (object, Response::from_parts(parts, Body::from(bytes)))
}

/// What the proxies say of the way that a request has come, as they say it.
fn forwarded_for(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let way = values.collect::<Vec<_>>().join(", ");
    (!way.is_empty()).then(|| way.chars().take(LONGEST_FORWARDED).collect())
}

fn unrecorded(error: &Error) -> Error {
    tracing::error!(cause = error.cause(), "a change could not be recorded in the audit log");
    let message =
        "the change was made, but its audit log entry could not be saved; see the coordinator's log";
    Error::new(ErrorName::StoreUnavailable, message)
}
