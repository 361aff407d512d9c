//! `/openapi.json` compared with the actual responses.

use accord_contract::Meter;
use accord_contract::Schema;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Desk, settings, text};

const SHAPES: &str = "#/components/schemas/";

async fn document(desk: &Desk) -> Value {
    desk.get("/openapi.json").await.1
}

/// The schemas of a document as one schema that requires one of the named ones.
fn compiled<'a>(document: &Value, names: impl Iterator<Item = &'a str>) -> Schema {
    let references: Vec<Value> = names.map(|name| json!({"$ref": format!("#/$defs/{name}")})).collect();
    let shapes = document["components"]["schemas"].to_string().replace(SHAPES, "#/$defs/");
    let shapes: Value = serde_json::from_str(&shapes).unwrap();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": shapes, "anyOf": references,
    });
    Schema::compile(&schema, &Meter::default()).unwrap()
}

fn check(document: &Value, name: &str, value: &Value) {
    let violations =
        compiled(document, [name].into_iter()).check(value, &Meter::default()).err().unwrap_or_default();
    assert!(violations.errors.is_empty(), "{name}: {:?}\n{value:#}", violations.errors);
}

#[tokio::test]
async fn every_component_is_a_valid_schema() {
    let document = document(&Desk::new()).await;
    let shapes = document["components"]["schemas"].as_object().unwrap();
    assert!(shapes.len() > 100, "{}", shapes.len());
    let all = compiled(&document, shapes.keys().map(String::as_str));
    assert!(all.accepts(&json!("evt_0000000000000000001"), &Meter::default()));
    for (name, shape) in shapes {
        assert!(shape.get("description").is_none_or(Value::is_string), "{name}");
    }
}

#[tokio::test]
async fn a_run_matches_its_schema() {
    let desk = Desk::with_writer().await;
    let document = document(&desk).await;
    let body = || json!({"agent_name": "writer", "prompt": "a"});
    for path in ["/runs", "/runs?wait=1"] {
        let (status, run) = desk.post(path, body()).await;
        assert_eq!(status, 201);
        check(&document, "NewRun", &run);
    }
    let (_, run) = desk.post("/runs?wait=1", body()).await;
    check(&document, "RunView", &run);
    let events = format!("/sessions/{}/events", text(&run, "session_id"));
    check(&document, "EventList", &desk.get(&events).await.1);
}

#[tokio::test]
async fn a_workflow_run_matches_its_schema() {
    let desk = Desk::new();
    let _background = desk.awake();
    let document = document(&desk).await;
    for (name, value) in [("words", json!("joined")), ("list", json!([1, "a"])), ("object", json!({"a": 1}))]
    {
        let nodes = json!({"input": {"type": "input"}, "output": {"type": "output", "value": value}});
        let edges = json!([{"from": "input", "to": "output"}]);
        let made = desk.post("/workflows", json!({"name": name, "nodes": nodes, "edges": edges})).await;
        assert_eq!(made.0, 201, "{made:?}");
        let path = format!("/workflows/{name}/runs?wait=20");
        let (status, run) = desk.post(&path, json!({"input": "a text"})).await;
        assert_eq!((status, &run["output"]), (201, &value), "{run}");
        check(&document, "WorkflowRunView", &run);
    }
}

#[tokio::test]
async fn a_comparison_matches_its_schema() {
    let desk = Desk::new();
    let _background = desk.awake();
    let document = document(&desk).await;
    let schema = json!({"type": "object", "properties": {"findings": {}}});
    desk.agent(json!({"name": "finder", "output_schema": schema})).await;
    let finder = json!({"type": "agent", "agent": "finder", "prompt": "x"});
    let nodes =
        json!({"input": {"type": "input"}, "one": finder, "two": finder, "output": {"type": "output"}});
    let edges = [("input", "one"), ("input", "two"), ("one", "output"), ("two", "output")];
    let edges = edges.map(|(from, to)| json!({"from": from, "to": to}));
    let made = desk.post("/workflows", json!({"name": "split", "nodes": nodes, "edges": edges})).await;
    assert_eq!(made.0, 201, "{made:?}");
    let (_, run) = desk.post("/workflows/split/runs", json!({})).await;
    let path = format!("/workflow-runs/{}", text(&run, "workflow_run_id"));
    check(&document, "WorkflowRunView", &desk.get(&path).await.1);
    let runner = desk.runner().await;
    for severity in ["high", "low"] {
        let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 20});
        let (_, claimed) = desk.post("/runner/claims", claim).await;
        let run = &claimed["runs"][0];
        let finding = json!({"file": "a.rs", "line": 1, "severity": severity, "rule": "x"});
        let end = json!({
            "holding": {"runner_id": runner, "lease_id": run["lease_id"], "attempt": run["attempt"]},
            "status": "completed", "result_data": {"findings": [finding]},
        });
        let end = desk.post(&format!("/runner/runs/{}/finish", text(run, "run_id")), end).await;
        assert_eq!(end.0, 200, "{end:?}");
    }
    let (_, over) = desk.get(&format!("{path}?wait=20")).await;
    let contradictions = &over["nodes"].as_array().unwrap().last().unwrap()["contradictions"];
    assert_ne!(*contradictions, json!([]), "{over}");
    check(&document, "WorkflowRunView", &over);
}

/// Calls every route in ways that fail, and checks that each error is documented.
#[tokio::test]
async fn every_error_is_in_the_document() {
    let mut settings = settings();
    settings.request_limit_bytes = 1_000;
    let desk = Desk::with(settings);
    let document = document(&desk).await;
    let large = "x".repeat(1_001);
    let bodies = [("application/json", "{"), ("application/json", large.as_str()), ("text/plain", "{}")];
    let mut seen = Vec::new();
    // First without keys; then a key is required, and this one is not allowed to do anything.
    for key in [None, Some("accord_0_0")] {
        if key.is_some() {
            desk.post("/keys", json!({"role": "admin", "name": "a"})).await;
        }
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let filled = path.replace("{id}", "none").replace("{name}", "none");
                for (content_type, body) in bodies {
                    let request = Request::builder()
                        .method(method.to_uppercase().as_str())
                        .uri(format!("{filled}?nonsense=1"))
                        .header("content-type", content_type)
                        .header("authorization", format!("Bearer {}", key.unwrap_or_default()));
                    let request = request.body(Body::from(body.to_owned())).unwrap();
                    let (status, answer) = desk.raw(request).await;
                    let described = operation["responses"].get(status.as_str());
                    assert!(described.is_some(), "{method} {path} {body:.9}: {status} {answer}");
                    seen.push(status.as_u16());
                }
            }
        }
    }
    for status in [400, 401, 404, 413, 415] {
        assert!(seen.contains(&status), "{status}");
    }
}

#[tokio::test]
async fn unauthorized_responses_name_the_scheme() {
    let document = document(&Desk::new()).await;
    assert_eq!(document["components"]["securitySchemes"]["bearer"]["type"], "http");
    let open = ["/health", "/ready", "/openapi.json", "/docs", "/input-links"];
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let asks = operation["security"] == json!([{"bearer": []}]);
            assert_eq!(asks, !open.contains(&path.as_str()), "{method} {path}");
        }
    }
}
