//! What handlers take from a request, with errors in the one shape.

use std::error::Error as _;
use std::sync::Arc;

use accord_api::ErrorName;
use accord_domain::id::{FileId, InputId, RunId, RunnerId, SessionId, WorkflowRunId};
use axum::body::HttpBody as _;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::Uri;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::incoming::{self, Received, ReceivedFile};
use crate::app::{App, HIGHEST_LIMIT, LONGEST_WAIT_SECONDS};
use crate::error::{Error, refuse};

/// A JSON body, as text.
///
/// The content type has to be there and has to be JSON: a page in a browser can send anything else to a coordinator on
/// the same machine without being asked.
pub(crate) struct JsonBody(pub(crate) Received);

impl FromRequest<Arc<App>> for JsonBody {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        incoming::receive(request, app).await.map(Self)
    }
}

/// A JSON body, as text, or none at all: then no content type has to be there either. Only for what changes nothing, or a
/// page in a browser could do it.
pub(crate) struct MaybeJson(pub(crate) Option<Received>);

impl FromRequest<Arc<App>> for MaybeJson {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        if request.body().is_end_stream() {
            return Ok(Self(None));
        }
        let body = incoming::receive(request, app).await?;
        Ok(Self((!body.is_empty()).then_some(body)))
    }
}

/// A file, as it is.
pub(crate) struct FileBody(pub(super) ReceivedFile);

impl FromRequest<Arc<App>> for FileBody {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        incoming::receive_file(request, app).await.map(Self)
    }
}

/// The query string.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + IntoParams> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Error> {
        match axum::extract::Query::try_from_uri(&parts.uri) {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(rejection) => Err(refuse(wrong_query::<T>(&parts.uri, &rejection))),
        }
    }
}

/// How much of a value is shown: enough to recognise it by.
const SHOWN: usize = 80;

/// The error of a query, with the value and the allowed ones.
fn wrong_query<T: IntoParams>(uri: &Uri, rejection: &QueryRejection) -> String {
    type Located = serde_path_to_error::Error<serde::de::value::Error>;
    let located = rejection.source().and_then(|error| error.source()?.downcast_ref::<Located>());
    let Some(error) = located else { return format!("invalid query: {}", rejection.body_text()) };
    let (name, why) = (error.path().to_string(), error.inner());
    let is_known = T::into_params(|| None).iter().any(|parameter| parameter.name == name);
    let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri).map(|query| query.0);
    let value = pairs.unwrap_or_default().into_iter().find(|pair| pair.0 == name && is_known);
    let Some((_, value)) = value else { return format!("invalid query: {why}") };
    let value: String = value.chars().take(SHOWN).collect();
    match name.as_str() {
        "limit" => format!("expected limit from 1 to {HIGHEST_LIMIT}, got '{value}'"),
        "wait" => {
            format!("expected wait from 0 to {LONGEST_WAIT_SECONDS} whole seconds, got '{value}'")
        }
        "since" => {
            format!(
                "expected since as a time such as 2026-11-15T10:00:00Z (in a URL + is %2B), got '{value}'"
            )
        }
        name => format!("{name} is '{value}': {why}"),
    }
}

/// An id in the path. What cannot be an id is not found.
pub(crate) struct Id<T>(pub(crate) T);

pub(crate) trait PathId: std::str::FromStr<Err = accord_domain::id::IdError> {
    /// The error if nothing has this id.
    const ABSENT: ErrorName;
}

impl PathId for RunId {
    const ABSENT: ErrorName = ErrorName::RunNotFound;
}

impl PathId for SessionId {
    const ABSENT: ErrorName = ErrorName::SessionNotFound;
}

impl PathId for InputId {
    const ABSENT: ErrorName = ErrorName::InputNotFound;
}

impl PathId for FileId {
    const ABSENT: ErrorName = ErrorName::FileNotFound;
}

impl PathId for RunnerId {
    const ABSENT: ErrorName = ErrorName::RunnerNotFound;
}

impl PathId for WorkflowRunId {
    const ABSENT: ErrorName = ErrorName::WorkflowRunNotFound;
}

/// Two ids in the path, one within the other.
pub(crate) struct Ids<T, U>(pub(crate) T, pub(crate) U);

impl<S: Send + Sync, T: PathId, U: PathId> FromRequestParts<S> for Ids<T, U> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let Path((outer, inner)) = Path::<(String, String)>::from_request_parts(parts, state)
            .await
            .map_err(|rejection| Error::new(T::ABSENT, rejection.body_text()))?;
        Ok(Self(path_id(&outer)?, path_id(&inner)?))
    }
}

fn path_id<T: PathId>(text: &str) -> Result<T, Error> {
    text.parse().map_err(|error: accord_domain::id::IdError| Error::new(T::ABSENT, error.to_string()))
}

impl<S: Send + Sync, T: PathId> FromRequestParts<S> for Id<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|rejection| Error::new(T::ABSENT, rejection.body_text()))?;
        path_id(&text).map(Self)
    }
}
