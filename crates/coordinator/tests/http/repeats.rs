//! Every POST of the API can be repeated: it takes an `Idempotency-Key`, or here stands why it needs none.

use serde_json::{Value, json};

use crate::support::{Desk, refused, text};

/// POST requests without a key, each with the reason.
const WITHOUT: [(&str, &str); 23] = [
    ("/agents/validate", "changes nothing"),
    ("/agents/{name}/validate", "changes nothing"),
    ("/schemas/validate", "changes nothing"),
    ("/schemas/infer", "changes nothing"),
    ("/workflows/validate", "changes nothing"),
    ("/runs/{id}/stop", "a stopped run stays stopped"),
    ("/sessions/{id}/stop", "a stopped session stays stopped"),
    ("/v1/responses/{id}/cancel", "a stopped run stays stopped"),
    ("/workflow-runs/{id}/stop", "a stopped workflow run stays stopped"),
    ("/inputs/{id}", "it is answered once"),
    ("/input-links", "it is answered once"),
    ("/inputs/{id}/link", "each link replaces the one before"),
    ("/keys", "the key is not stored, so it cannot be given again: a promise is refused"),
    ("/runner/register", "an unused registration gets no runs"),
    ("/runner/claims", "a lease that nobody renews runs out"),
    ("/runner/heartbeat", "leases are renewed"),
    ("/runner/runs/{id}/started", "it names its lease"),
    ("/runner/runs/{id}/events", "steps are numbered"),
    ("/runner/runs/{id}/attempts", "attempts are numbered"),
    ("/runner/runs/{id}/finish", "a run finishes once"),
    ("/mcp", "its tools take the key of the step that calls them"),
    ("/v1/chat/completions", "waits for the end of its run: see `openai`"),
    ("/v1/responses", "waits for the end of its run: see `openai`"),
];

/// What the requests are about.
struct Things {
    desk: Desk,
    run: String,
    flow_run: String,
}

async fn things() -> Things {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let held = desk.claim(&runner).await;
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let body =
        json!({"type": "model_answer", "text": "a", "ending": "finished", "model": "small", "usage": usage});
    let report = json!({"holding": held.holding, "events": [], "steps": [{"number": 1, "body": body}]});
    assert_eq!(desk.post(&format!("/runner/runs/{run}/events"), report).await.0, 204);
    desk.finish(&held, json!({"status": "completed", "result_text": "x"})).await;
    let nodes = json!({
        "input": {"type": "input"}, "work": {"type": "agent", "agent": "writer", "prompt": "Work"},
        "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "work"}, {"from": "work", "to": "output"}]);
    let made = desk.post("/workflows", json!({"name": "flow", "nodes": nodes, "edges": edges})).await;
    assert_eq!(made.0, 201, "{}", made.1);
    let flow_run = text(&desk.post("/workflows/flow/runs", json!({"input": {}})).await.1, "workflow_run_id");
    stop(&desk, &flow_run).await;
    Things { desk, run, flow_run }
}

async fn stop(desk: &Desk, flow_run: &str) {
    desk.reconcile().await;
    assert_eq!(desk.post_empty(&format!("/workflow-runs/{flow_run}/stop")).await.0, 200);
    for _ in 0..4 {
        desk.reconcile().await;
    }
}

/// The address of a request and a body for it. The number tells two requests of one route apart.
fn request(things: &Things, path: &str, number: u32) -> (String, Value) {
    let executor = json!({"type": "llm", "provider": "anthropic", "model": "small"});
    let edges = json!([{"from": "input", "to": "output"}]);
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let body = match path {
        "/agents" => json!({"name": format!("a{number}"), "type": "autonomous", "executor": executor}),
        "/schemas" => json!({"name": format!("s{number}"), "schema": {"type": "object"}}),
        "/workflows" => json!({"name": format!("w{number}"), "nodes": nodes, "edges": edges}),
        "/runs" => json!({"agent_name": "writer", "prompt": format!("{number}")}),
        "/runs/{id}/retry" => json!({"parameters": {"prompt": format!("{number}")}}),
        "/runs/{id}/fork" => json!({"from_step": 1, "system_prompt": format!("{number}")}),
        "/workflows/{name}/runs" => json!({"input": {"n": number}}),
        "/workflow-runs/{id}/retry" => Value::Null,
        path => json!(format!("{path}: how is it sent?")),
    };
    let id = if path.starts_with("/workflow-runs") { &things.flow_run } else { &things.run };
    (path.replace("{id}", id).replace("{name}", "flow"), body)
}

async fn send(things: &Things, key: &str, path: &str, number: u32) -> (u16, Value) {
    let (path, body) = request(things, path, number);
    things
        .desk
        .send("POST", &path, &[("idempotency-key", key)], Some(body).filter(|body| !body.is_null()))
        .await
}

/// How many objects there are of every kind.
async fn counts(desk: &Desk) -> Vec<usize> {
    let mut counts = Vec::new();
    for path in ["/agents", "/schemas", "/workflows", "/runs", "/sessions", "/workflow-runs"] {
        let list = desk.get(&format!("{path}?limit=500")).await.1;
        counts.push(list["items"].as_array().unwrap().len());
    }
    counts
}

#[tokio::test]
async fn a_repeated_post_has_its_effect_once() {
    let things = things().await;
    let document = things.desk.get("/openapi.json").await.1;
    let (mut keyed, mut others) = (0, Vec::new());
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(post) = methods.get("post") else { continue };
        let parameters = post["parameters"].as_array().cloned().unwrap_or_default();
        let takes_key = parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key");
        if WITHOUT.iter().any(|(without, _)| without == path) {
            others.push(path.as_str());
            continue;
        }
        assert!(takes_key, "POST {path} takes no Idempotency-Key: say why not");
        keyed += 1;
        let first = send(&things, path, path, 1).await;
        assert!([200, 201].contains(&first.0), "{path}: {first:?}");
        let made = counts(&things.desk).await;
        things.desk.pass(1);
        let again = send(&things, path, path, 1).await;
        assert_eq!(again, first, "{path}");
        assert_eq!(counts(&things.desk).await, made, "{path}");
        if !request(&things, path, 1).1.is_null() {
            let other = send(&things, path, path, 2).await;
            assert_eq!(refused(&other), (409, "IdempotencyConflict"), "{path}");
            let new = send(&things, &format!("{path} 2"), path, 2).await;
            assert!(new.0 == 201 && counts(&things.desk).await != made, "{path}: {new:?}");
        }
    }
    assert_eq!(keyed, 8);
    assert_eq!(others.len(), WITHOUT.len(), "some are gone: {others:?}");
}

#[tokio::test]
async fn a_workflow_run_that_ended_again_is_not_continued_by_the_same_request() {
    let things = things().await;
    let path = "/workflow-runs/{id}/retry";
    assert_eq!(send(&things, "k", path, 1).await.1["status"], "running");
    stop(&things.desk, &things.flow_run).await;
    let again = send(&things, "k", path, 1).await;
    assert_eq!((again.0, &again.1["status"]), (200, &json!("stopped")));
    assert_eq!(send(&things, "l", path, 1).await.1["status"], "running");
}

#[tokio::test]
async fn a_repeated_retry_is_answered_when_its_agent_is_gone() {
    let things = things().await;
    for path in ["/runs/{id}/retry", "/runs/{id}/fork"] {
        let first = send(&things, "k", path, 1).await;
        assert_eq!(first.0, 201, "{}", first.1);
        assert_eq!(things.desk.delete("/agents/writer").await.0, 204);
        assert_eq!(send(&things, "k", path, 1).await, first, "{path}");
        assert_eq!(refused(&send(&things, "l", path, 1).await), (404, "AgentNotFound"), "{path}");
        things.desk.agent(json!({"name": "writer"})).await;
    }
}
