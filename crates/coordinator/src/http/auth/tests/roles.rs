//! The access rules of every route, written out a second time to check the table of routes.

use axum::body::to_bytes;
use axum::http::{Method, Response, StatusCode};

use serde_json::json;

use super::made;
use crate::app::agents::fixture::Fixture;
use crate::http::route::Access;
use crate::http::routes::ROUTES;

/// The lowest role that has access. An admin may do everything, a caller whatever a viewer may; a
/// runner only its own routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Least {
    Anybody,
    AnyKey,
    Viewer,
    Caller,
    Runner,
    Admin,
}

use Least::{Admin, AnyKey, Anybody, Caller, Runner, Viewer};

/// Every route. A change to the table of routes must be repeated here.
const EXPECTED: &[(&str, &str, Least)] = &[
    ("GET", "/", Anybody),
    ("GET", "/ui", Anybody),
    ("GET", "/ui/", Anybody),
    ("GET", "/ui/{*path}", Anybody),
    ("GET", "/health", Anybody),
    ("GET", "/ready", Anybody),
    ("GET", "/metrics", Viewer),
    ("GET", "/openapi.json", Anybody),
    ("GET", "/docs", Anybody),
    ("GET", "/agents", Viewer),
    ("POST", "/agents", Admin),
    ("POST", "/agents/validate", Viewer),
    ("GET", "/agents/{name}", Viewer),
    ("PUT", "/agents/{name}", Admin),
    ("PATCH", "/agents/{name}", Admin),
    ("DELETE", "/agents/{name}", Admin),
    ("GET", "/agents/{name}/contract", Viewer),
    ("POST", "/agents/{name}/validate", Viewer),
    ("GET", "/runs", Viewer),
    ("POST", "/runs", Caller),
    ("GET", "/runs/{id}", Viewer),
    ("GET", "/runs/{id}/attempts", Viewer),
    ("GET", "/runs/{id}/steps", Viewer),
    ("POST", "/runs/{id}/stop", Caller),
    ("POST", "/runs/{id}/retry", Caller),
    ("POST", "/runs/{id}/fork", Caller),
    ("POST", "/files", Caller),
    ("GET", "/files/{id}", Viewer),
    ("DELETE", "/files/{id}", Caller),
    ("GET", "/runs/{id}/files/{file_id}", Viewer),
    ("GET", "/runner/runs/{id}/files/{file_id}", Runner),
    ("GET", "/sessions", Viewer),
    ("GET", "/sessions/{id}", Viewer),
    ("DELETE", "/sessions/{id}", Admin),
    ("GET", "/sessions/{id}/status", Viewer),
    ("GET", "/sessions/{id}/result", Viewer),
    ("GET", "/sessions/{id}/events", Viewer),
    ("GET", "/sessions/{id}/children", Viewer),
    ("POST", "/sessions/{id}/stop", Caller),
    ("GET", "/inputs", Viewer),
    ("GET", "/inputs/{id}", Viewer),
    ("POST", "/inputs/{id}", Caller),
    ("POST", "/inputs/{id}/link", Caller),
    ("GET", "/input-links", Anybody),
    ("POST", "/input-links", Anybody),
    ("GET", "/events", Viewer),
    ("GET", "/schemas", Viewer),
    ("POST", "/schemas", Admin),
    ("POST", "/schemas/validate", Viewer),
    ("POST", "/schemas/infer", Viewer),
    ("GET", "/schemas/{name}", Viewer),
    ("DELETE", "/schemas/{name}", Admin),
    ("POST", "/runner/register", Runner),
    ("POST", "/runner/claims", Runner),
    ("POST", "/runner/heartbeat", Runner),
    ("POST", "/runner/runs/{id}/started", Runner),
    ("POST", "/runner/runs/{id}/events", Runner),
    ("POST", "/runner/runs/{id}/attempts", Runner),
    ("POST", "/runner/runs/{id}/finish", Runner),
    ("DELETE", "/runner/{id}", Runner),
    ("GET", "/runners", Viewer),
    ("GET", "/endpoints", Viewer),
    ("DELETE", "/endpoints", Admin),
    ("GET", "/workflows", Viewer),
    ("POST", "/workflows", Admin),
    ("POST", "/workflows/validate", Viewer),
    ("GET", "/workflows/{name}", Viewer),
    ("PUT", "/workflows/{name}", Admin),
    ("DELETE", "/workflows/{name}", Admin),
    ("POST", "/workflows/{name}/runs", Caller),
    ("GET", "/workflow-runs", Viewer),
    ("GET", "/workflow-runs/{id}", Viewer),
    ("DELETE", "/workflow-runs/{id}", Admin),
    ("POST", "/workflow-runs/{id}/stop", Caller),
    ("POST", "/workflow-runs/{id}/retry", Caller),
    ("GET", "/quarantine", Viewer),
    ("GET", "/stats", Viewer),
    ("GET", "/config", Viewer),
    ("GET", "/me", AnyKey),
    ("GET", "/keys", Admin),
    ("POST", "/keys", Admin),
    ("DELETE", "/keys/{id}", Admin),
    ("POST", "/mcp", Viewer),
    ("GET", "/audit", Admin),
    ("POST", "/v1/chat/completions", Caller),
    ("POST", "/v1/responses", Caller),
    ("GET", "/v1/responses/{id}", Viewer),
    ("POST", "/v1/responses/{id}/cancel", Caller),
    ("GET", "/v1/models", Viewer),
    ("GET", "/v1/models/{id}", Viewer),
];

#[test]
fn every_route_has_the_expected_access() {
    let least = |access| match access {
        Access::Open => Anybody,
        Access::Known => AnyKey,
        Access::Read => Viewer,
        Access::Call => Caller,
        Access::Run => Runner,
        Access::Administer => Admin,
    };
    let table: Vec<_> = ROUTES.iter().map(|route| (route.method, route.path, least(route.access))).collect();
    assert_eq!(table, EXPECTED);
}

/// Calls a route without a body and with ids that do not exist, so that nothing happens. The answer
/// is not read, because the event stream would not end.
async fn answer(fixture: &Fixture, method: &str, path: &str) -> Response<axum::body::Body> {
    let path = path.replace("{name}", "none").replace("{id}", "none").replace("{*path}", "none");
    fixture.respond(method.parse::<Method>().unwrap(), &path, &[], String::new()).await
}

/// The routes that reject this caller, with the status.
async fn refused(fixture: &Fixture) -> Vec<(&'static str, &'static str, u16)> {
    let mut refused = Vec::new();
    for &(method, path, _) in EXPECTED {
        let status = answer(fixture, method, path).await.status().as_u16();
        // An invalid link token is rejected for every role.
        if matches!(status, 401 | 403) && path != "/input-links" {
            refused.push((method, path, status));
        }
    }
    refused
}

/// The routes that are missing in the router.
async fn absent(fixture: &Fixture) -> Vec<(&'static str, &'static str)> {
    let mut absent = Vec::new();
    for &(method, path, _) in EXPECTED {
        let response = answer(fixture, method, path).await;
        let there = match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => false,
            StatusCode::NOT_FOUND => {
                let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
                !String::from_utf8_lossy(&body).contains("RouteNotFound")
            }
            _ => true,
        };
        if !there {
            absent.push((method, path));
        }
    }
    absent
}

/// All routes except the open ones and these.
fn others(allowed: &[Least], status: u16) -> Vec<(&'static str, &'static str, u16)> {
    let closed = EXPECTED.iter().filter(|(_, _, least)| *least != Anybody && !allowed.contains(least));
    closed.map(|&(method, path, _)| (method, path, status)).collect()
}

#[tokio::test]
async fn each_role_gets_its_routes_and_no_others() {
    let fixture = Fixture::new(&[]);
    assert_eq!(refused(&fixture).await, []);
    let (_, admin) = made(&fixture, "admin").await;
    assert_eq!(refused(&fixture).await, others(&[], 401));
    fixture.with_key(Some(&admin));
    let mut keys = Vec::new();
    for role in ["viewer", "caller", "runner"] {
        keys.push(made(&fixture, role).await.1);
    }
    assert_eq!(refused(&fixture).await, []);
    assert_eq!(absent(&fixture).await, []);
    let allowed: [&[Least]; 3] = [&[AnyKey, Viewer], &[AnyKey, Viewer, Caller], &[AnyKey, Runner]];
    for (key, allowed) in keys.iter().zip(allowed) {
        fixture.with_key(Some(key));
        assert_eq!(refused(&fixture).await, others(allowed, 403));
    }
}

#[tokio::test]
async fn me_shows_the_role_of_the_key() {
    let fixture = Fixture::new(&[]);
    let me = async || fixture.get("/me").await.json();
    let open =
        json!({"role": "admin", "key_required": false, "key_id": null, "name": null, "expires_at": null});
    assert_eq!(me().await, open);
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let (id, runner) = made(&fixture, "runner").await;
    fixture.with_key(Some(&runner));
    let expected =
        json!({"role": "runner", "key_required": true, "key_id": id, "name": "runner", "expires_at": null});
    assert_eq!(me().await, expected);
}
