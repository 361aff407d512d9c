//! These tests pass with and without a bundle.

use std::sync::Arc;

use accord_store_sqlite::SqliteStore;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use tower::ServiceExt as _;

use super::*;
use crate::{App, Settings, System, router};

async fn got(path: &str, accept_encoding: &str) -> (StatusCode, HeaderMap, Vec<u8>) {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let router = router(Arc::new(App::new(store, Arc::new(System), Settings::default())));
    let request =
        Request::get(path).header(header::ACCEPT_ENCODING, accept_encoding).body(Body::empty()).unwrap();
    let response = router.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    (parts.status, parts.headers, to_bytes(body, usize::MAX).await.unwrap().to_vec())
}

#[tokio::test]
async fn every_page_path_returns_the_application() {
    let (status, headers, first) = got("/", "identity").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(headers.get(header::CONTENT_TYPE).unwrap(), "text/html; charset=utf-8");
    for path in ["/ui", "/ui/", "/ui/sessions/ses_1", "/ui/agents/a.b", "/ui/no/such/page.html"] {
        let (status, _, body) = got(path, "identity").await;
        assert_eq!((status, body == first), (StatusCode::OK, true), "{path}");
    }
}

#[tokio::test]
async fn pages_come_with_a_strict_policy() {
    let (_, headers, _) = got("/ui/", "gzip, br").await;
    let text = |name: &str| headers.get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(text("content-security-policy"), POLICY);
    assert!(POLICY.contains("script-src 'self';") && !POLICY.contains("unsafe-eval"));
    assert!(POLICY.contains("frame-ancestors 'none'"));
    assert_eq!(text("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn a_missing_asset_is_not_a_page() {
    let (status, _, _) = got("/ui/assets/none.js", "identity").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn paths_do_not_leave_the_bundle() {
    let (_, _, page) = got("/", "identity").await;
    for path in ["/ui/..%2f..%2fCargo.toml", "/ui/%2e%2e/Cargo.toml", "/ui/assets/..%2findex.html"] {
        let (status, _, body) = got(path, "identity").await;
        assert!(status == StatusCode::NOT_FOUND || body == page, "{path}: {status}");
    }
}

#[test]
fn without_a_bundle_the_page_explains_how_to_build_one() {
    for line in ["npm ci", "npm run build"] {
        assert!(NOT_BUILT.contains(line));
    }
    assert!(!NOT_BUILT.contains("<script") && !NOT_BUILT.contains("style="));
}
