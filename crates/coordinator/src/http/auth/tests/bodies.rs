//! Bodies of requests that are not allowed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes};
use axum::http::{Method, Request};
use futures_util::stream::{self, StreamExt as _};
use serde_json::json;
use tower::ServiceExt as _;

use super::made;
use crate::app::agents::fixture::Fixture;
use crate::http::route::{Access, Route};
use crate::http::routes::ROUTES;

const PIECES: usize = 20;

fn path_of(route: &Route) -> String {
    route.path.replace("{name}", "none").replace("{id}", "none")
}

/// The status of a request with a large body that the client sends when it is asked to, how many pieces of it were read, and how
/// much of it was in memory at most.
async fn sent(fixture: &Fixture, route: &Route, headers: &[(&str, &str)]) -> (u16, usize, usize) {
    let (read, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, held, app) = (Arc::clone(&read), Arc::clone(&most), Arc::clone(&fixture.app));
    let pieces = stream::iter(0..PIECES).map(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        held.fetch_max(app.bodies.held(), Ordering::Relaxed);
        Ok::<_, std::convert::Infallible>(Bytes::from(vec![b' '; 1024 * 1024]))
    });
    let mut request = Request::builder().method(route.method).uri(path_of(route));
    request = request.header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let router: axum::Router = crate::http::router(Arc::clone(&fixture.app));
    let response = router.oneshot(request.body(Body::from_stream(pieces)).unwrap()).await.unwrap();
    (response.status().as_u16(), read.load(Ordering::Relaxed), most.load(Ordering::Relaxed))
}

#[tokio::test]
async fn credentials_are_checked_before_the_body() {
    let fixture = Fixture::new(&[]);
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let (_, viewer) = made(&fixture, "viewer").await;
    let viewer = format!("Bearer {viewer}");
    let mut checked = 0;
    for route in ROUTES.iter().filter(|route| route.takes.is_some()) {
        let place = format!("{} {}", route.method, route.path);
        let asks = ("expect", "100-continue");
        let status = if route.access == Access::Open { 403 } else { 401 };
        assert_eq!(sent(&fixture, route, &[asks]).await, (status, 0, 0), "{place}: nothing is asked for");
        assert_eq!(sent(&fixture, route, &[]).await, (status, PIECES, 0), "{place}: nothing is kept");
        if route.access != Access::Read {
            let headers = [asks, ("authorization", viewer.as_str())];
            assert_eq!(sent(&fixture, route, &headers).await, (403, 0, 0), "{place} by a viewer");
        }
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[tokio::test]
async fn a_runner_belongs_to_the_key_that_registered_it() {
    let fixture = Fixture::new(&[]);
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let ((_, own), (_, other)) = (made(&fixture, "runner").await, made(&fixture, "runner").await);
    fixture.with_key(Some(&own));
    let registered = fixture.post("/runner/register", &json!({"profile": {}})).await;
    let runner = registered.json()["runner_id"].as_str().unwrap().to_owned();
    let holding = json!({"runner_id": runner, "lease_id": "lse_a", "attempt": 1});
    for route in ROUTES.iter().filter(|route| route.access == Access::Run) {
        let (body, path) = match route.path {
            "/runner/register" => continue,
            "/runner/claims" => (json!({"runner_id": runner, "max": 1}), route.path.to_owned()),
            "/runner/heartbeat" => (json!({"runner_id": runner, "runs": []}), route.path.to_owned()),
            "/runner/{id}" => (json!({}), format!("/runner/{runner}")),
            report => {
                let body = match report.rsplit('/').next().unwrap() {
                    "started" => holding.clone(),
                    "events" => json!({"holding": holding, "events": []}),
                    "attempts" => json!({"holding": holding, "attempts": []}),
                    "finish" => json!({"holding": holding, "status": "stopped"}),
                    other => panic!("what does a runner send to {other}?"),
                };
                (body, report.replace("{id}", "run_none"))
            }
        };
        let method: Method = route.method.parse().unwrap();
        fixture.with_key(Some(&other));
        let refused = fixture.send(method.clone(), &path, &[], body.to_string()).await;
        assert_eq!(refused.error(), (404, "RunnerNotFound".into()), "{method} {path}");
        for allowed in [&own, &admin] {
            // The last route removes it.
            if method == Method::DELETE && allowed == &admin {
                continue;
            }
            fixture.with_key(Some(allowed));
            let reply = fixture.send(method.clone(), &path, &[], body.to_string()).await;
            assert!(!reply.text.contains("RunnerNotFound"), "{method} {path}: {}", reply.text);
        }
    }
}
