//! A row of the table of routes: its handler, access rule and audit action.

use std::sync::Arc;

use axum::routing::{MethodFilter, MethodRouter};
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::PathItem;

use super::incoming::Takes;
use crate::app::App;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody, without a key too.
    Open,
    /// Every role; without keys, everyone on this machine.
    Known,
    /// Viewers, callers and admins.
    Read,
    /// Callers and admins.
    Call,
    /// Runners and admins.
    Run,
    /// Admins.
    Administer,
}

/// What a run token allows on a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything: agents, workflows and schemas of all, or what the handler narrows by itself.
    Free,
    /// The session in the path, if it descends from the session of the run.
    Session,
    /// The run in the path, if its session does.
    Run,
    /// The workflow run in the path, if the run or a descendant started it.
    WorkflowRun,
}

/// Where the id or the name of what a request has changed is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// The parameter of the path.
    Path,
    /// A string in the answer, by its JSON pointer.
    Answer(&'static str),
}

/// What the audit log records of a request that has succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Audited {
    pub(crate) action: &'static str,
    /// The action if the response is 201, if it is a different one.
    pub(crate) created: Option<&'static str>,
    pub(crate) object: Object,
}

/// Whether a route that can change something is recorded in the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audit {
    /// The method is safe.
    Safe,
    Recorded(Audited),
    /// Not recorded, for this reason.
    Exempt(&'static str),
}

/// Why requests that only validate are not recorded.
pub(super) const CHANGES_NOTHING: &str = "changes nothing";

type Handler = fn(MethodFilter) -> MethodRouter<Arc<App>>;

pub(crate) struct Route {
    pub(crate) method: &'static str,
    /// As the router knows it.
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What run tokens may be used for; nothing if not set.
    pub(crate) scope: Option<Scope>,
    pub(crate) audit: Audit,
    /// What its body may have; without it there is none.
    pub(crate) takes: Option<Takes>,
    pub(super) handler: Handler,
    /// An OpenAPI document of it alone, unless it is not a part of the API.
    pub(super) describe: Option<fn() -> OpenApi>,
}

impl Route {
    /// A route with the method and path of a handler's `#[utoipa::path]`.
    pub(super) fn of(access: Access, describe: fn() -> OpenApi, handler: Handler) -> Self {
        let (path, item) = describe().paths.paths.into_iter().next().unwrap_or_default();
        let method = match item {
            PathItem { post: Some(_), .. } => "POST",
            PathItem { put: Some(_), .. } => "PUT",
            PathItem { patch: Some(_), .. } => "PATCH",
            PathItem { delete: Some(_), .. } => "DELETE",
            _ => "GET",
        };
        // The table is made once and lives as long as the process.
        Self { method, describe: Some(describe), ..Self::page(path.leak(), access, handler) }
    }

    /// A page that is not a part of the API.
    pub(super) fn page(path: &'static str, access: Access, handler: Handler) -> Self {
        let (scope, audit, takes) = (None, Audit::Safe, None);
        Self { method: "GET", path, access, scope, audit, takes, handler, describe: None }
    }

    pub(super) fn takes(self, takes: Takes) -> Self {
        Self { takes: Some(takes), ..self }
    }

    pub(super) fn for_runs(self, scope: Scope) -> Self {
        Self { scope: Some(scope), ..self }
    }

    /// Recorded with the id or name in the path.
    pub(super) fn audited(self, action: &'static str) -> Self {
        self.recorded(action, None, Object::Path)
    }

    /// Recorded with what is at this pointer of the answer.
    pub(super) fn audited_as(self, action: &'static str, pointer: &'static str) -> Self {
        self.recorded(action, None, Object::Answer(pointer))
    }

    /// Recorded as an update, or as a creation.
    pub(super) fn audited_put(self, action: &'static str, created: &'static str) -> Self {
        self.recorded(action, Some(created), Object::Path)
    }

    fn recorded(self, action: &'static str, created: Option<&'static str>, object: Object) -> Self {
        Self { audit: Audit::Recorded(Audited { action, created, object }), ..self }
    }

    pub(super) fn not_audited(self, reason: &'static str) -> Self {
        Self { audit: Audit::Exempt(reason), ..self }
    }

    pub(super) fn filter(&self) -> MethodFilter {
        match self.method {
            "POST" => MethodFilter::POST,
            "PUT" => MethodFilter::PUT,
            "PATCH" => MethodFilter::PATCH,
            "DELETE" => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        }
    }
}

/// The route of a handler.
macro_rules! route {
    ($handler:ident, $access:ident) => {{
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($handler))]
        struct Document;
        $crate::http::route::Route::of(
            $crate::http::route::Access::$access,
            <Document as utoipa::OpenApi>::openapi,
            |filter| axum::routing::on(filter, $handler),
        )
    }};
}
pub(super) use route;
