//! All routes, each with its handler, access rule and audit action.
//!
//! Method and path are written once, in the `#[utoipa::path]` of the handler. The router, authorization, the audit log and the
//! OpenAPI document are made from this table.

use std::sync::{Arc, LazyLock};

use accord_api::ErrorName;
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use utoipa::openapi::OpenApi;

use super::route::Route;
use super::{
    agents, audit, config, dashboard, endpoints, events, health, inputs, keys, mcp, me, metrics, openai,
    openapi, runner, runs, schemas, sessions, stats, workflow_runs, workflows,
};
use crate::app::App;
use crate::error::Error;

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

/// The route of a request.
pub(super) fn of(request: &Request) -> Result<&'static Route, Error> {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let here = || ROUTES.iter().filter(|route| Some(route.path) == path);
    if let Some(route) = here().find(|route| route.method == method.as_str()) {
        return Ok(route);
    }
    let methods: Vec<&str> = here().map(|route| route.method).collect();
    if methods.is_empty() {
        let message = format!("no route {}", request.uri().path());
        return Err(Error::new(ErrorName::RouteNotFound, message));
    }
    let message = format!("{} does not support {method}; use {}", request.uri().path(), methods.join(", "));
    Err(Error::new(ErrorName::MethodNotAllowed, message))
}

pub(super) fn router() -> Router<Arc<App>> {
    ROUTES
        .iter()
        .fold(Router::new(), |router, route| router.route(route.path, (route.handler)(route.filter())))
}

/// Adds all routes to the OpenAPI document.
pub(super) fn describe_all(api: &mut OpenApi) {
    ROUTES.iter().filter_map(|route| route.describe).for_each(|describe| api.merge(describe()));
}

#[cfg(test)]
mod tests {
    use super::ROUTES;
    use crate::http::route::{Access, Audit, Scope};
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
                let items = describe().paths.paths.into_values();
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
