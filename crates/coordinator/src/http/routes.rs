//! All routes and who may use them, as one table.

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody, without a key too.
    Open,
    /// Every role; where there are no keys, everybody here.
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

/// One route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Route {
    /// The method.
    pub(crate) method: &'static str,
    /// The path, as the router knows it.
    pub(crate) path: &'static str,
    /// Who may use it.
    pub(crate) access: Access,
}

const fn route(method: &'static str, path: &'static str, access: Access) -> Route {
    Route { method, path, access }
}

/// The table.
pub(crate) const ROUTES: &[Route] = &[
    // The dashboard's files hold no data, so they are open: what they show, they ask for with a key.
    route("GET", "/", Access::Open),
    route("GET", "/ui", Access::Open),
    route("GET", "/ui/", Access::Open),
    route("GET", "/ui/{*path}", Access::Open),
    route("GET", "/health", Access::Open),
    route("GET", "/ready", Access::Open),
    route("GET", "/metrics", Access::Read),
    route("GET", "/openapi.json", Access::Open),
    route("GET", "/docs", Access::Open),
    route("GET", "/agents", Access::Read),
    route("POST", "/agents", Access::Administer),
    route("POST", "/agents/validate", Access::Read),
    route("GET", "/agents/{name}", Access::Read),
    route("PUT", "/agents/{name}", Access::Administer),
    route("PATCH", "/agents/{name}", Access::Administer),
    route("DELETE", "/agents/{name}", Access::Administer),
    route("GET", "/agents/{name}/contract", Access::Read),
    route("POST", "/agents/{name}/validate", Access::Read),
    route("GET", "/runs", Access::Read),
    route("POST", "/runs", Access::Call),
    route("GET", "/runs/{id}", Access::Read),
    route("GET", "/runs/{id}/attempts", Access::Read),
    route("POST", "/runs/{id}/stop", Access::Call),
    route("POST", "/runs/{id}/retry", Access::Call),
    route("GET", "/sessions", Access::Read),
    route("GET", "/sessions/{id}", Access::Read),
    route("DELETE", "/sessions/{id}", Access::Administer),
    route("GET", "/sessions/{id}/status", Access::Read),
    route("GET", "/sessions/{id}/result", Access::Read),
    route("GET", "/sessions/{id}/events", Access::Read),
    route("GET", "/sessions/{id}/children", Access::Read),
    route("POST", "/sessions/{id}/stop", Access::Call),
    route("GET", "/events", Access::Read),
    route("GET", "/schemas", Access::Read),
    route("POST", "/schemas", Access::Administer),
    route("POST", "/schemas/validate", Access::Read),
    route("POST", "/schemas/infer", Access::Read),
    route("GET", "/schemas/{name}", Access::Read),
    route("DELETE", "/schemas/{name}", Access::Administer),
    route("POST", "/runner/register", Access::Run),
    route("POST", "/runner/claims", Access::Run),
    route("POST", "/runner/heartbeat", Access::Run),
    route("POST", "/runner/runs/{id}/started", Access::Run),
    route("POST", "/runner/runs/{id}/events", Access::Run),
    route("POST", "/runner/runs/{id}/attempts", Access::Run),
    route("POST", "/runner/runs/{id}/finish", Access::Run),
    route("DELETE", "/runner/{id}", Access::Run),
    route("GET", "/runners", Access::Read),
    route("GET", "/endpoints", Access::Read),
    route("DELETE", "/endpoints", Access::Administer),
    route("GET", "/workflows", Access::Read),
    route("POST", "/workflows", Access::Administer),
    route("POST", "/workflows/validate", Access::Read),
    route("GET", "/workflows/{name}", Access::Read),
    route("PUT", "/workflows/{name}", Access::Administer),
    route("DELETE", "/workflows/{name}", Access::Administer),
    route("POST", "/workflows/{name}/runs", Access::Call),
    route("GET", "/workflow-runs", Access::Read),
    route("GET", "/workflow-runs/{id}", Access::Read),
    route("DELETE", "/workflow-runs/{id}", Access::Administer),
    route("POST", "/workflow-runs/{id}/stop", Access::Call),
    route("POST", "/workflow-runs/{id}/retry", Access::Call),
    route("GET", "/quarantine", Access::Read),
    route("GET", "/stats", Access::Read),
    route("GET", "/config", Access::Read),
    route("GET", "/me", Access::Known),
    route("GET", "/keys", Access::Administer),
    route("POST", "/keys", Access::Administer),
    route("DELETE", "/keys/{id}", Access::Administer),
    route("POST", "/mcp", Access::Read),
    route("GET", "/audit", Access::Administer),
];

/// Where the id or the name of what a request has changed is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// The parameter of the path.
    Path,
    /// A string in the answer, by its JSON pointer.
    Answer(&'static str),
}

/// A route whose requests are recorded in the audit log when they have succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Audited {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// What was done.
    pub(crate) action: &'static str,
    /// The same for an answer of 201, where that means something else.
    pub(crate) created: Option<&'static str>,
    /// What it was done to.
    pub(crate) object: Object,
}

const fn audited(method: &'static str, path: &'static str, action: &'static str) -> Audited {
    Audited { method, path, action, created: None, object: Object::Path }
}

const fn creates(path: &'static str, action: &'static str, id: &'static str) -> Audited {
    Audited { method: "POST", path, action, created: None, object: Object::Answer(id) }
}

const fn puts(path: &'static str, action: &'static str, created: &'static str) -> Audited {
    Audited { method: "PUT", path, action, created: Some(created), object: Object::Path }
}

/// What is recorded. A route that changes something is here or in [`NOT_AUDITED`].
pub(crate) const AUDITED: &[Audited] = &[
    creates("/agents", "agent.created", "/summary/name"),
    puts("/agents/{name}", "agent.updated", "agent.created"),
    audited("PATCH", "/agents/{name}", "agent.updated"),
    audited("DELETE", "/agents/{name}", "agent.deleted"),
    audited("POST", "/runs/{id}/stop", "run.stopped"),
    audited("POST", "/runs/{id}/retry", "run.retried"),
    audited("DELETE", "/sessions/{id}", "session.deleted"),
    audited("POST", "/sessions/{id}/stop", "session.stopped"),
    creates("/schemas", "schema.created", "/name"),
    audited("DELETE", "/schemas/{name}", "schema.deleted"),
    creates("/workflows", "workflow.created", "/summary/name"),
    puts("/workflows/{name}", "workflow.updated", "workflow.created"),
    audited("DELETE", "/workflows/{name}", "workflow.deleted"),
    audited("DELETE", "/workflow-runs/{id}", "workflow_run.deleted"),
    audited("POST", "/workflow-runs/{id}/stop", "workflow_run.stopped"),
    audited("POST", "/workflow-runs/{id}/retry", "workflow_run.retried"),
    Audited {
        method: "DELETE",
        path: "/endpoints",
        action: "endpoints.forgotten",
        created: None,
        object: Object::Answer("/matching"),
    },
    creates("/keys", "key.created", "/key_id"),
    audited("DELETE", "/keys/{id}", "key.deleted"),
];

/// Routes that are not safe by their method and are not recorded, each with the reason.
#[cfg(test)]
const NOT_AUDITED: &[(&str, &str, &str)] = &[
    ("POST", "/agents/validate", "changes nothing"),
    ("POST", "/agents/{name}/validate", "changes nothing"),
    ("POST", "/schemas/validate", "changes nothing"),
    ("POST", "/schemas/infer", "changes nothing"),
    ("POST", "/workflows/validate", "changes nothing"),
    ("POST", "/mcp", "its tools call the other routes, which are recorded"),
    ("POST", "/runs", "the run itself says who asked for it, and when"),
    ("POST", "/workflows/{name}/runs", "the workflow run itself says who asked for it, and when"),
    ("POST", "/runner/register", RUNNERS),
    ("POST", "/runner/claims", RUNNERS),
    ("POST", "/runner/heartbeat", RUNNERS),
    ("POST", "/runner/runs/{id}/started", RUNNERS),
    ("POST", "/runner/runs/{id}/events", RUNNERS),
    ("POST", "/runner/runs/{id}/attempts", RUNNERS),
    ("POST", "/runner/runs/{id}/finish", RUNNERS),
    ("DELETE", "/runner/{id}", RUNNERS),
];

#[cfg(test)]
const RUNNERS: &str = "the work of a runner: the run, its attempts and its events say what it did";

/// What a run that acts for itself has to be asked for at a route that it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nothing: everybody's agents, workflows and schemas, or what the handler narrows by itself.
    Free,
    /// The session in the path descends from its own.
    Session,
    /// The run in the path is of a session that descends from its own.
    Run,
    /// The workflow run in the path was started by it, or by what descends from it.
    WorkflowRun,
}

/// The routes for runs that act for themselves. There are no others.
pub(crate) const FOR_RUNS: &[(&str, &str, Scope)] = &[
    ("POST", "/mcp", Scope::Free),
    ("GET", "/agents", Scope::Free),
    ("GET", "/agents/{name}", Scope::Free),
    ("GET", "/agents/{name}/contract", Scope::Free),
    ("GET", "/schemas", Scope::Free),
    ("GET", "/schemas/{name}", Scope::Free),
    ("GET", "/workflows", Scope::Free),
    ("GET", "/workflows/{name}", Scope::Free),
    // These are narrowed by their handlers.
    ("POST", "/runs", Scope::Free),
    ("POST", "/workflows/{name}/runs", Scope::Free),
    ("GET", "/sessions", Scope::Free),
    ("GET", "/runs/{id}", Scope::Run),
    ("GET", "/sessions/{id}", Scope::Session),
    ("GET", "/sessions/{id}/status", Scope::Session),
    ("GET", "/sessions/{id}/result", Scope::Session),
    ("POST", "/sessions/{id}/stop", Scope::Session),
    ("GET", "/workflow-runs/{id}", Scope::WorkflowRun),
    ("POST", "/workflow-runs/{id}/stop", Scope::WorkflowRun),
];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use accord_blueprint::Named;
    use accord_store_sqlite::SqliteStore;
    use axum::body::{Body, to_bytes};
    use axum::http::{Request, StatusCode};
    use tower::ServiceExt as _;

    use super::{AUDITED, Access, FOR_RUNS, NOT_AUDITED, ROUTES, Scope};
    use crate::app::agents::fixture::stub;
    use crate::{App, Settings, System, router};

    #[test]
    fn runs_use_routes_that_callers_use() {
        for (method, path, _) in FOR_RUNS {
            let route = ROUTES.iter().find(|route| (route.method, route.path) == (*method, *path)).unwrap();
            assert!(matches!(route.access, Access::Read | Access::Call), "{route:?}");
        }
    }

    /// The table of the guide, as it has to be.
    fn table() -> String {
        let mut table = "| route | without key | viewer | caller | runner | admin | run token |\n|---|---|---|---|---|---|---|\n".to_owned();
        for route in ROUTES {
            let may = |allowed: &[Access]| if allowed.contains(&route.access) { "yes" } else { "–" };
            let scope = FOR_RUNS.iter().find(|known| (known.0, known.1) == (route.method, route.path));
            let token = match (route.access, scope.map(|known| known.2)) {
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
    fn the_guide_says_who_may_use_which_route() {
        let guide = include_str!("../../../../docs/security.md");
        let table = table();
        assert!(guide.contains(&table), "put this into docs/security.md:\n{table}");
    }

    #[test]
    fn every_change_is_recorded_or_exempt() {
        let changes: Vec<(&str, &str)> = ROUTES
            .iter()
            .filter(|route| route.method != "GET")
            .map(|route| (route.method, route.path))
            .collect();
        let recorded = AUDITED.iter().map(|route| (route.method, route.path));
        let exempt = NOT_AUDITED.iter().map(|route| (route.0, route.1));
        let mut known: Vec<(&str, &str)> = recorded.chain(exempt).collect();
        for route in &changes {
            let count = known.iter().filter(|known| *known == route).count();
            assert_eq!(count, 1, "{route:?} has to be in AUDITED or, with a reason, in NOT_AUDITED");
        }
        known.retain(|route| !changes.contains(route));
        assert_eq!(known, [], "there are no such routes");
    }

    #[test]
    fn words_beside_names_are_reserved() {
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

    /// The other way round the door sees to it: what is not in the table is not let through.
    #[tokio::test]
    async fn every_route_of_the_table_is_served() {
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let app = Arc::new(App::new(store, Arc::new(System), Settings::default()));
        app.serves_mcp(stub());
        let router = router(app);
        for route in ROUTES {
            let path =
                route.path.replace("{name}", "none").replace("{id}", "none").replace("{*path}", "none");
            let request = Request::builder().method(route.method).uri(&path).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_ne!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{route:?}");
            if response.status() == StatusCode::NOT_FOUND {
                let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
                let body = String::from_utf8(body.to_vec()).unwrap();
                assert!(!body.contains("RouteNotFound"), "{route:?}: {body}");
            }
        }
    }
}
