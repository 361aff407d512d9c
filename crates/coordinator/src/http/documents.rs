//! Requests for agents, workflows and schemas: documents that have a name and a hash.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::{Extension, RequestExt as _};
use serde::de::DeserializeOwned;

use super::extract::JsonBody;
use super::{body, conditions};
use crate::app::{App, Caller, Expected, Promise};
use crate::error::Error;

/// A new document, with the idempotency key of the request.
pub(super) struct Create<T> {
    pub(super) app: Arc<App>,
    pub(super) body: T,
    pub(super) promise: Option<Promise>,
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Create<T> {
    type Rejection = Error;

    async fn from_request(mut request: Request, app: &Arc<App>) -> Result<Self, Error> {
        let Extension(caller) =
            request.extract_parts::<Extension<Caller>>().await.map_err(Error::internal)?;
        let route = format!("{} {}", request.method(), request.uri().path());
        let headers = request.headers().clone();
        let JsonBody(bytes) = JsonBody::from_request(request, app).await?;
        let promise = conditions::promise(&headers, &caller, &route, &bytes)?;
        Ok(Self { app: Arc::clone(app), body: body::read(&bytes)?, promise })
    }
}

/// The document of the name in the path.
pub(super) struct Named {
    pub(super) app: Arc<App>,
    pub(super) name: String,
    pub(super) headers: HeaderMap,
}

impl Named {
    /// What `If-Match` and `If-None-Match` expect of it.
    pub(super) fn expected(&self) -> Result<Expected, Error> {
        conditions::expected(&self.headers)
    }
}

impl FromRequestParts<Arc<App>> for Named {
    type Rejection = PathRejection;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, PathRejection> {
        let Path(name) = Path::from_request_parts(parts, app).await?;
        Ok(Self { app: Arc::clone(app), name, headers: parts.headers.clone() })
    }
}
