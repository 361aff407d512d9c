//! Requests for agents, workflows and schemas: documents that have a name and a hash.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::{Extension, RequestExt as _};
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use super::extract::JsonBody;
use super::{body, conditions};
use crate::app::{App, Caller, Expected, Promise};
use crate::error::Error;

/// The handlers that all documents with a name and a hash have: agents, workflows and schemas.
macro_rules! document_handlers {
    (
        service: $service:ident $(<$kind:ty>)?, view: $view:ty, names: $Noun:literal $noun:literal,
        show: $show:literal,
        remove: $remove:literal, conflict: $conflict:literal,
    ) => {
        #[utoipa::path(
            get,
            path = concat!("/", $noun, "s/{name}"),
            operation_id = concat!("get", $Noun),
            tag = concat!($noun, "s"),
            summary = $show,
            params(
                ("name" = String, Path, description = concat!($Noun, " name")),
                ("If-None-Match" = Option<String>, Header, description = "Respond only if the ETag differs"),
            ),
            responses(
                (status = 200, description = concat!("The ", $noun, ", with its hash as the ETag"), body = $view),
                (status = 304, description = "Not modified"),
                (status = 404, description = concat!($Noun, "NotFound"), body = accord_api::ErrorBody),
            )
        )]
        pub(super) async fn show(
            named: $crate::http::documents::Named,
            _turn: $crate::outstanding::Turn,
        ) -> Result<axum::response::Response, Error> {
            let view = named.app.$service.get$(::<$kind>)?(&named.name).await?;
            $crate::http::conditions::shown(&named.headers, &view.hash, &view)
        }

        #[utoipa::path(
            delete,
            path = concat!("/", $noun, "s/{name}"),
            operation_id = concat!("delete", $Noun),
            tag = concat!($noun, "s"),
            summary = $remove,
            params(
                ("name" = String, Path, description = concat!($Noun, " name")),
                ("If-Match" = Option<String>, Header, description = concat!("Change only if the ", $noun, " has this ETag")),
            ),
            responses(
                (status = 204, description = "Deleted"),
                (status = 404, description = concat!($Noun, "NotFound"), body = accord_api::ErrorBody),
                (status = 409, description = $conflict, body = accord_api::ErrorBody),
                (status = 412, description = "PreconditionFailed", body = accord_api::ErrorBody),
            )
        )]
        pub(super) async fn remove(
            named: $crate::http::documents::Named,
        ) -> Result<axum::http::StatusCode, Error> {
            named.app.$service.delete$(::<$kind>)?(&named.name, &named.expected()?).await?;
            Ok(axum::http::StatusCode::NO_CONTENT)
        }
    };
}
pub(super) use document_handlers;

/// The handlers that agents and workflows have besides: they are changed with their whole definition.
macro_rules! definition_handlers {
    (
        kind: $kind:ty, view: $view:ty, names: $Noun:literal $noun:literal $document:literal,
        body: ($($body:tt)*), invalid: $invalid:literal,
        create: $create:literal,
        replace: $replace:literal,
    ) => {
        #[utoipa::path(
            post,
            path = concat!("/", $noun, "s"),
            operation_id = concat!("create", $Noun),
            tag = concat!($noun, "s"),
            summary = $create,
            params(("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the first response")),
            request_body($($body)*),
            responses(
                (status = 201, description = concat!("The ", $noun), body = $view),
                (status = 400, description = $invalid, body = accord_api::ErrorBody),
                (status = 409, description = concat!($Noun, "Exists, IdempotencyConflict"), body = accord_api::ErrorBody),
            )
        )]
        pub(super) async fn create(
            request: $crate::http::documents::Create<serde_json::Value>,
        ) -> Result<axum::response::Response, Error> {
            let made = request.app.blueprints.create::<$kind>(request.body, request.promise).await?;
            $crate::http::conditions::made(made, |view| &view.hash)
        }

        #[utoipa::path(
            put,
            path = concat!("/", $noun, "s/{name}"),
            operation_id = concat!("put", $Noun),
            tag = concat!($noun, "s"),
            summary = $replace,
            params(
                ("name" = String, Path, description = concat!($Noun, " name, the same as in the ", $document)),
                ("If-Match" = Option<String>, Header, description = concat!("Change only if the ", $noun, " has this ETag")),
                ("If-None-Match" = Option<String>, Header, description = "`*`: create only if it does not exist"),
            ),
            request_body($($body)*),
            responses(
                (status = 200, description = concat!("The updated ", $noun), body = $view),
                (status = 201, description = concat!("The created ", $noun), body = $view),
                (status = 400, description = $invalid, body = accord_api::ErrorBody),
                (status = 409, description = concat!($Noun, "ReadOnly"), body = accord_api::ErrorBody),
                (status = 412, description = "PreconditionFailed", body = accord_api::ErrorBody),
            )
        )]
        pub(super) async fn replace(
            named: $crate::http::documents::Named,
            $crate::http::extract::JsonBody(bytes): $crate::http::extract::JsonBody,
        ) -> Result<axum::response::Response, Error> {
            let (expected, value) = (named.expected()?, $crate::http::body::read(&bytes).await?);
            let made = named.app.blueprints.put::<$kind>(&named.name, value, &expected).await?;
            $crate::http::conditions::made(made, |view| &view.hash)
        }
    };
}
pub(super) use definition_handlers;

/// A new document, with the idempotency key of the request.
pub(super) struct Create<T> {
    pub(super) app: Arc<App>,
    pub(super) body: T,
    pub(super) promise: Option<Promise>,
}

impl<T: DeserializeOwned + ToSchema + Send + 'static> FromRequest<Arc<App>> for Create<T> {
    type Rejection = Error;

    async fn from_request(mut request: Request, app: &Arc<App>) -> Result<Self, Error> {
        let Extension(caller) =
            request.extract_parts::<Extension<Caller>>().await.map_err(Error::internal)?;
        let route = format!("{} {}", request.method(), request.uri().path());
        let headers = request.headers().clone();
        let JsonBody(bytes) = JsonBody::from_request(request, app).await?;
        let promise = conditions::promise(&headers, &caller, &route, &bytes).await?;
        Ok(Self { app: Arc::clone(app), body: body::read(&bytes).await?, promise })
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
