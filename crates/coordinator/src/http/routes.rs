//! All routes and who may use them, as one table.

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody, without a key too.
    Open,
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
    route("GET", "/workflows", Access::Read),
    route("POST", "/workflows", Access::Administer),
    route("POST", "/workflows/validate", Access::Read),
    route("GET", "/workflows/{name}", Access::Read),
    route("PUT", "/workflows/{name}", Access::Administer),
    route("DELETE", "/workflows/{name}", Access::Administer),
    route("POST", "/workflows/{name}/runs", Access::Call),
    route("GET", "/workflow-runs", Access::Read),
    route("GET", "/workflow-runs/{id}", Access::Read),
    route("POST", "/workflow-runs/{id}/stop", Access::Call),
    route("GET", "/stats", Access::Read),
    route("GET", "/keys", Access::Administer),
    route("POST", "/keys", Access::Administer),
    route("DELETE", "/keys/{id}", Access::Administer),
];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use accord_store_sqlite::SqliteStore;
    use axum::body::{Body, to_bytes};
    use axum::http::{Request, StatusCode};
    use tower::ServiceExt as _;

    use super::ROUTES;
    use crate::{App, Settings, System, router};

    /// The other way round the door sees to it: what is not in the table is not let through.
    #[tokio::test]
    async fn every_route_of_the_table_is_served() {
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let router = router(Arc::new(App::new(store, Arc::new(System), Settings::default())));
        for route in ROUTES {
            let path = route.path.replace("{name}", "none").replace("{id}", "none");
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
