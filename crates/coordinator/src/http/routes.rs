//! All routes, each with its handler, access rule and audit action.
//!
//! Method and path are written once, in the `#[utoipa::path]` of the handler. The router, authorization, the audit log and the
//! OpenAPI document are made from this table.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::routing::{MethodFilter, MethodRouter};
use utoipa::__dev::{SchemaReferences, Tags};
use utoipa::openapi::{HttpMethod, OpenApi};

use super::incoming::Takes;
use super::{
    agents, audit, config, dashboard, endpoints, events, health, inputs, keys, mcp, me, metrics, openai,
    openapi, runner, runs, schemas, sessions, stats, workflow_runs, workflows,
};
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
    handler: Handler,
    /// Adds it to the OpenAPI document, unless it is not a part of the API.
    describe: Option<fn(&mut OpenApi)>,
}

impl Route {
    /// A route with the method and path of a handler's `#[utoipa::path]`.
    pub(super) fn of<P>(access: Access, handler: Handler) -> Self
    where
        P: utoipa::Path + SchemaReferences + for<'t> Tags<'t>,
    {
        let method = match P::methods().first() {
            Some(HttpMethod::Post) => "POST",
            Some(HttpMethod::Put) => "PUT",
            Some(HttpMethod::Patch) => "PATCH",
            Some(HttpMethod::Delete) => "DELETE",
            _ => "GET",
        };
        // The table is made once and lives as long as the process.
        let path = P::path().leak();
        Self { method, describe: Some(describe::<P>), ..Self::page(path, access, handler) }
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

    fn filter(&self) -> MethodFilter {
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
    ($handler:ident, $access:ident) => {
        pastey::paste! {
            $crate::http::routes::Route::of::<[<__path_ $handler>]>(
                $crate::http::routes::Access::$access,
                |filter| axum::routing::on(filter, $handler),
            )
        }
    };
}
pub(super) use route;

fn describe<P>(api: &mut OpenApi)
where
    P: utoipa::Path + SchemaReferences + for<'t> Tags<'t>,
{
    let mut operation = P::operation();
    operation.tags.get_or_insert_default().extend(P::tags().into_iter().map(str::to_owned));
    api.paths.add_path_operation(P::path(), P::methods(), operation);
    let mut schemas = Vec::new();
    P::schemas(&mut schemas);
    api.components.get_or_insert_default().schemas.extend(schemas);
}

/// The table.
pub(crate) static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    [
        dashboard::routes(),
        health::routes(),
        metrics::routes(),
        openapi::routes(),
        agents::routes(),
        runs::routes(),
        sessions::routes(),
        inputs::routes(),
        events::routes(),
        schemas::routes(),
        runner::routes(),
        endpoints::routes(),
        workflows::routes(),
        workflow_runs::routes(),
        stats::routes(),
        config::routes(),
        me::routes(),
        keys::routes(),
        mcp::routes(),
        audit::routes(),
        openai::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// The route of a method and a path as the router knows it.
pub(crate) fn find(method: &str, path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.method == method && route.path == path)
}

/// The route of a request.
pub(crate) fn of(request: &Request) -> Option<&'static Route> {
    find(request.method().as_str(), request.extensions().get::<MatchedPath>()?.as_str())
}

pub(super) fn router() -> Router<Arc<App>> {
    ROUTES
        .iter()
        .fold(Router::new(), |router, route| router.route(route.path, (route.handler)(route.filter())))
}

/// Adds all routes to the OpenAPI document.
pub(super) fn describe_all(api: &mut OpenApi) {
    ROUTES.iter().filter_map(|route| route.describe).for_each(|describe| describe(api));
}

#[cfg(test)]
mod tests {
    use super::{Access, Audit, ROUTES, Scope};
    use accord_blueprint::Named;

    #[test]
    fn runs_use_routes_that_callers_use() {
        for route in ROUTES.iter().filter(|route| route.scope.is_some()) {
            assert!(matches!(route.access, Access::Read | Access::Call), "{} {}", route.method, route.path);
        }
    }

    /// The table of the guide, as it has to be.
    fn table() -> String {
        let mut table = "| route | without key | viewer | caller | runner | admin | run token |\n|---|---|---|---|---|---|---|\n".to_owned();
        for route in ROUTES.iter() {
            let may = |allowed: &[Access]| if allowed.contains(&route.access) { "yes" } else { "–" };
            let token = match (route.access, route.scope) {
                (Access::Open, _) | (_, Some(Scope::Free)) => "yes",
                (_, Some(Scope::Session | Scope::Run | Scope::WorkflowRun)) => "its own",
                (_, None) => "–",
            };
            let cells = [
                may(&[Access::Open]),
                may(&[Access::Open, Access::Known, Access::Read]),
                may(&[Access::Open, Access::Known, Access::Read, Access::Call]),
                may(&[Access::Open, Access::Known, Access::Run]),
                "yes",
                token,
            ];
            table += &format!("| `{} {}` | {} |\n", route.method, route.path, cells.join(" | "));
        }
        table
    }

    #[test]
    fn the_guide_lists_the_access_of_every_route() {
        let guide = include_str!("../../../../docs/security.md");
        let table = table();
        assert!(guide.contains(&table), "put this into docs/security.md:\n{table}");
    }

    #[test]
    fn every_change_is_recorded_or_exempt() {
        for route in ROUTES.iter() {
            let is_safe = route.method == "GET";
            let (method, path) = (route.method, route.path);
            assert_eq!(
                route.audit == Audit::Safe,
                is_safe,
                "{method} {path}: audited, or exempt with a reason?"
            );
        }
    }

    #[test]
    fn every_body_has_its_limits() {
        for route in ROUTES.iter() {
            let has_body = route.describe.is_some_and(|describe| {
                let mut api = utoipa::openapi::OpenApi::default();
                describe(&mut api);
                let items = api.paths.paths.into_values();
                let operations =
                    items.flat_map(|item| [item.post, item.put, item.patch, item.delete, item.get]);
                operations.flatten().any(|operation| operation.request_body.is_some())
            });
            let (method, path) = (route.method, route.path);
            assert_eq!(route.takes.is_some(), has_body, "{method} {path}: what does it take?");
        }
    }

    #[test]
    fn path_words_next_to_names_are_reserved() {
        let mut collections: Vec<&str> =
            ROUTES.iter().filter_map(|route| route.path.strip_suffix("/{name}")).collect();
        collections.dedup();
        let known = [("/agents", Named::Agent), ("/schemas", Named::Schema), ("/workflows", Named::Workflow)];
        assert_eq!(collections, known.map(|(collection, _)| collection));
        for (collection, named) in known {
            let beside =
                ROUTES.iter().filter_map(|route| route.path.strip_prefix(collection)?.strip_prefix('/'));
            let words: Vec<&str> = beside.filter(|rest| !rest.contains(['{', '/'])).collect();
            assert_eq!(words, named.reserved(), "{collection}");
        }
    }
}
