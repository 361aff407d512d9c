//! All errors have the same shape.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Desk, refused, settings};

async fn send(desk: &Desk, method: &str, path: &str, content_type: Option<&str>, body: &str) -> (u16, Value) {
    let mut request = Request::builder().method(method).uri(path);
    if let Some(content_type) = content_type {
        request = request.header("content-type", content_type);
    }
    let (status, text) = desk.raw(request.body(Body::from(body.to_owned())).unwrap()).await;
    (status.as_u16(), serde_json::from_str(&text).unwrap())
}

#[tokio::test]
async fn framework_errors_have_the_error_shape() {
    let mut settings = settings();
    settings.request_limit_bytes = 1_000;
    let desk = Desk::with(settings);
    let json = Some("application/json");
    let large = "x".repeat(1_001);
    let cases = [
        ("GET", "/nonsense", None, "", 404, "RouteNotFound"),
        ("DELETE", "/runs", None, "", 405, "MethodNotAllowed"),
        ("POST", "/runs", json, "{", 400, "InvalidRequest"),
        ("POST", "/runs", json, "{} {}", 400, "InvalidRequest"),
        ("POST", "/runs", json, "", 400, "InvalidRequest"),
        ("POST", "/runs", json, "\u{feff}{}", 400, "InvalidRequest"),
        ("POST", "/runs", json, large.as_str(), 413, "RequestTooLarge"),
        ("POST", "/schemas", json, large.as_str(), 413, "RequestTooLarge"),
        ("POST", "/runs", Some("text/plain"), "{}", 415, "UnsupportedMediaType"),
        ("POST", "/runs", None, "{}", 415, "UnsupportedMediaType"),
        ("GET", "/runs/%ff", None, "", 404, "RunNotFound"),
    ];
    for (method, path, content_type, body, status, name) in cases {
        let answer = send(&desk, method, path, content_type, body).await;
        assert_eq!(refused(&answer), (status, name), "{method} {path} {body:.20}");
        assert_eq!(answer.1["status_code"], status);
        assert!(answer.1["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
}

#[tokio::test]
async fn a_byte_order_mark_is_ignored() {
    let desk = Desk::with_writer().await;
    let run = "\u{feff}{\"agent_name\": \"writer\", \"prompt\": \"a\"}";
    assert_eq!(send(&desk, "POST", "/runs", Some("application/json"), run).await.0, 201);
    for (encoding, status) in [("identity", 201), ("gzip", 415)] {
        let request = Request::post("/runs").header("content-type", "application/json");
        let request = request.header("content-encoding", encoding).body(Body::from(run)).unwrap();
        assert_eq!(desk.raw(request).await.0.as_u16(), status, "{encoding}");
    }
}

#[tokio::test]
async fn a_request_has_one_idempotency_key() {
    let desk = Desk::with_writer().await;
    let request = Request::post("/runs").header("content-type", "application/json");
    let request = request.header("idempotency-key", "a").header("idempotency-key", "b");
    let body = Body::from(r#"{"agent_name": "writer", "prompt": "a"}"#);
    let (status, text) = desk.raw(request.body(body).unwrap()).await;
    assert_eq!(status.as_u16(), 400, "{text}");
    assert!(text.contains("duplicate Idempotency-Key header; send it once"), "{text}");
}

#[tokio::test]
async fn a_mistake_in_a_body_is_located() {
    let desk = Desk::new();
    let answer = desk.post("/runs", json!({"additional_demands": {"tags": [1]}})).await;
    let message = answer.1["message"].as_str().unwrap();
    assert!(
        message.starts_with("invalid request body at additional_demands.tags[0]: invalid type"),
        "{message}"
    );
}

#[tokio::test]
async fn lists_are_not_objects_and_keys_are_unique() {
    let desk = Desk::with_writer().await;
    let twice = |at: &str| format!("invalid request body{at}: duplicate key \"k\"; give it once at line 1");
    let list =
        |at: &str| format!("invalid request body{at}: invalid type: list, expected an object at line 1");
    let schema = r#"{"type": "object", "properties": {"k": {}, "k": {}}}"#;
    let cases = [
        ("/runs", r#"["start_session", "writer", {"prompt": "a"}]"#.to_owned(), list("")),
        ("/runs", r#"{"additional_demands": ["gpu-box"]}"#.to_owned(), list(" at additional_demands")),
        ("/runs", r#"{"output_schema_options": [0]}"#.to_owned(), list(" at output_schema_options")),
        ("/runner/claims", r#"["rnr_a", 1, 0]"#.to_owned(), list("")),
        (
            "/runner/heartbeat",
            r#"{"runner_id": "rnr_a", "runs": [["run_a", "lse_a", 1]]}"#.to_owned(),
            list(" at runs[0]"),
        ),
        ("/keys", r#"["admin", "a"]"#.to_owned(), list("")),
        (
            "/runs",
            r#"{"agent_name": "writer", "parameters": {"k": 1, "k": 1}}"#.to_owned(),
            twice(" at parameters"),
        ),
        ("/runs", format!(r#"{{"output_schema": {schema}}}"#), twice(" at output_schema.properties")),
        ("/schemas", format!(r#"{{"name": "s", "schema": {schema}}}"#), twice(" at schema.properties")),
        (
            "/schemas/validate",
            r#"{"schema": {}, "value": [{"k": 1, "k": 2}]}"#.to_owned(),
            twice(" at value[0]"),
        ),
        ("/agents", r#"{"name": "a", "executor": {"k": 1, "k": 2}}"#.to_owned(), twice(" at executor")),
        ("/agents", r#"{"k": 1, "k": 2}"#.to_owned(), twice("")),
        ("/workflows", r#"{"name": "a", "nodes": {"k": {}, "k": {}}}"#.to_owned(), twice(" at nodes")),
        ("/workflows/a/runs", r#"{"input": {"k": {}, "k": {}}}"#.to_owned(), twice(" at input")),
        (
            "/runs",
            r#"{"priority": "high"}"#.to_owned(),
            "invalid request body at priority: invalid type: string \"high\", expected an integer at line 1"
                .to_owned(),
        ),
    ];
    for (path, body, expected) in cases {
        let answer = send(&desk, "POST", path, Some("application/json"), &body).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{path} {body}");
        let message = answer.1["message"].as_str().unwrap();
        assert!(message.starts_with(&expected), "{path} {body}: {message}");
    }
}

#[tokio::test]
async fn reserved_names_are_rejected() {
    let desk = Desk::new();
    let executor = json!({"type": "llm", "provider": "anthropic", "model": "small"});
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let edges = json!([{"from": "input", "to": "output"}]);
    let cases = [
        ("/agents", json!({"name": "validate", "executor": executor}), "InvalidAgent"),
        ("/schemas", json!({"name": "validate", "schema": {}}), "InvalidRequest"),
        ("/schemas", json!({"name": "infer", "schema": {}}), "InvalidRequest"),
        ("/workflows", json!({"name": "validate", "nodes": nodes, "edges": edges}), "InvalidWorkflow"),
    ];
    for (path, body, name) in cases {
        let answer = desk.post(path, body.clone()).await;
        assert_eq!(refused(&answer), (400, name), "{path} {body}");
        let message = answer.1["message"].as_str().unwrap();
        assert!(message.contains("is reserved in URLs; use another name"), "{message}");
    }
}

#[tokio::test]
async fn an_agent_is_checked_without_a_body() {
    let desk = Desk::with_writer().await;
    let path = "/agents/writer/validate";
    let (status, answer) = desk.post_empty(path).await;
    assert_eq!((status, &answer["valid"]), (200, &json!(true)), "{answer}");
    assert_eq!(send(&desk, "POST", path, Some("application/json"), "").await, (200, answer));
    let plain = send(&desk, "POST", path, None, "{}").await;
    assert_eq!(refused(&plain), (415, "UnsupportedMediaType"));
}

#[tokio::test]
async fn json_media_types_are_accepted() {
    let desk = Desk::with_writer().await;
    for content_type in
        ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"]
    {
        let body = json!({"agent_name": "writer", "prompt": "a\u{0}🦀"}).to_string();
        let answer = send(&desk, "POST", "/runs", Some(content_type), &body).await;
        assert_eq!(answer.0, 201, "{content_type}");
        let run = answer.1["run_id"].as_str().unwrap();
        let (_, view) = desk.get(&format!("/runs/{run}")).await;
        assert_eq!(view["parameters"], json!({"prompt": "a\u{0}🦀"}));
    }
}

#[tokio::test]
async fn the_server_reports_its_health() {
    let desk = Desk::new();
    let (status, health) = desk.get("/health").await;
    assert_eq!((status, &health["status"]), (200, &json!("ok")));
    let instance = health["instance"].clone();
    assert_ne!(instance, json!(""));
    assert_eq!(desk.get("/ready").await, (200, json!({"status": "ready", "instance": instance})));
    let (status, document) = desk.get("/openapi.json").await;
    assert_eq!((status, document["openapi"].as_str().unwrap().get(..3)), (200, Some("3.1")));
    let page = desk.raw(Request::get("/docs").body(Body::empty()).unwrap()).await;
    assert!(page.0.is_success() && page.1.contains("POST /runs"));
}
