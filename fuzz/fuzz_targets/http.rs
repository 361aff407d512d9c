//! Whatever comes as a request: it is answered, and never with an error of ours.
//!
//! The router is the real one, on a store in memory. The first byte chooses the route, the rest of the first line is put into
//! the path, and what follows is the body.

#![no_main]

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use accord_coordinator::{App, Settings, System, router};
use accord_store_sqlite::SqliteStore;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

/// Requests to one application before it is replaced by a new one, because its store would grow
/// forever.
const REQUESTS: usize = 10_000;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
});

/// The routes, as the application itself describes them. Streams of events have no end.
static ROUTES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let request = Request::get("/openapi.json").body(Full::default()).expect("a request");
    let (_, body) = answered(&fresh(), request);
    let document: Value = serde_json::from_slice(&body).expect("JSON");
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let methods = methods.as_object().expect("methods").keys().filter(|_| path != "/events");
        routes.extend(methods.map(|method| (method.to_uppercase(), path.clone())));
    }
    routes
});

thread_local! {
    static APP: RefCell<(usize, Option<Arc<App>>)> = const { RefCell::new((0, None)) };
}

fn fresh() -> Arc<App> {
    let store = Arc::new(SqliteStore::in_memory().expect("a store in memory"));
    Arc::new(App::new(store, Arc::new(System), Settings::default()))
}

fn answered(app: &Arc<App>, request: Request<Full<bytes::Bytes>>) -> (StatusCode, bytes::Bytes) {
    RUNTIME.block_on(async {
        let answer = router(Arc::clone(app)).oneshot(request).await.expect("an answer");
        let status = answer.status();
        let body = answer.into_body().collect().await.map(|body| body.to_bytes());
        (status, body.unwrap_or_default())
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let Some((method, path)) = ROUTES.get(usize::from(*choice) % ROUTES.len()) else { return };
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (line, body) = rest.split_at(end);
    let line = String::from_utf8_lossy(line);
    let target = match path.contains('{') {
        true => path.replace("{name}", &line).replace("{id}", &line),
        false => format!("{path}{line}"),
    };
    // Waiting is not what is looked for.
    if target.contains("wait") || body.windows(4).any(|word| word == b"wait") {
        return;
    }
    let request = Request::builder().method(method.as_str()).uri(&target);
    let request = request.header("host", "localhost").header("content-type", "application/json");
    let Ok(request) = request.body(Full::from(body.to_vec())) else { return };
    let app = APP.with_borrow_mut(|(count, app)| {
        *count += 1;
        if count.is_multiple_of(REQUESTS) {
            *app = None;
        }
        Arc::clone(app.get_or_insert_with(fresh))
    });
    let (status, body) = answered(&app, request);
    let allowed = !status.is_server_error() || status == StatusCode::SERVICE_UNAVAILABLE;
    assert!(allowed, "{method} {target}: {status} {}", String::from_utf8_lossy(&body));
});
