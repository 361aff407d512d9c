//! `GET /ready`: whether the store accepts writes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use accord_coordinator::{App, System, router};
use accord_store_sqlite::SqliteStore;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::support::settings;

fn on(path: &Path) -> Router {
    let store = Arc::new(SqliteStore::open(path).unwrap());
    router(Arc::new(App::new(store, Arc::new(System), settings())))
}

async fn asked(router: &Router, request: Request<Body>) -> (u16, Value) {
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap())
}

async fn ready(router: &Router) -> (u16, Value) {
    asked(router, Request::builder().uri("/ready").body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_store_that_cannot_write_runs_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("accord.db");
    let router = on(&path);
    let post = |path: &str, body: Value| {
        let request = Request::builder().method("POST").uri(path).header("content-type", "application/json");
        request.body(Body::from(body.to_string())).unwrap()
    };
    let executor = json!({"type": "llm", "provider": "anthropic", "model": "small"});
    let agent = json!({"name": "writer", "type": "autonomous", "executor": executor});
    assert_eq!(asked(&router, post("/agents", agent)).await.0, 201);
    let run = json!({"agent_name": "writer", "prompt": "x"});
    assert_eq!(asked(&router, post("/runs", run.clone())).await.0, 201);
    std::fs::rename(&path, folder.path().join("aside.db")).unwrap();
    let (status, body) = ready(&router).await;
    assert_eq!((status, &body["error"]), (503, &json!("StoreUnavailable")));
    let message = body["message"].as_str().unwrap();
    assert!(message.starts_with("not ready: ") && message.contains("was removed"), "{message}");
    assert_eq!(asked(&router, post("/runs", run)).await.0, 503, "and it is so");
}

#[tokio::test(start_paused = true)]
async fn the_store_is_checked_once_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let (path, aside) = (folder.path().join("accord.db"), folder.path().join("aside.db"));
    let router = on(&path);
    assert_eq!(ready(&router).await.0, 200);
    std::fs::rename(&path, &aside).unwrap();
    assert_eq!(ready(&router).await.0, 200, "by the answer that there was");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(ready(&router).await.0, 503);
    std::fs::rename(&aside, &path).unwrap();
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(ready(&router).await.0, 200);
}
