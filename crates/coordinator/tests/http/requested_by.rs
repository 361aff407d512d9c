//! The requester of a run.

use serde_json::{Value, json};

use crate::support::{Desk, text};

/// A caller key with this name, on a coordinator that requires keys: the admin key, the caller key,
/// and the expected requester.
async fn caller(desk: &Desk, name: &str) -> (String, String, Value) {
    let admin = text(&desk.post("/keys", json!({"role": "admin"})).await.1, "key");
    let body = json!({"role": "caller", "name": name});
    let (status, key) = desk.ask_as(&admin, "POST", "/keys", Some(body)).await;
    assert_eq!(status, 201, "{key}");
    (admin, text(&key, "key"), json!({"key_id": key["key_id"], "key_name": name}))
}

async fn requested_by(desk: &Desk, key: &str, path: &str) -> Value {
    let (status, run) = desk.ask_as(key, "GET", path, None).await;
    assert_eq!(status, 200, "{run}");
    run["requested_by"].clone()
}

fn writer(prompt: &str) -> Option<Value> {
    Some(json!({"agent_name": "writer", "prompt": prompt}))
}

#[tokio::test]
async fn no_requester_is_recorded_without_keys() {
    let desk = Desk::with_writer().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "x"})).await;
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1.get("requested_by"), None);
}

#[tokio::test]
async fn a_run_names_the_key_that_requested_it() {
    let desk = Desk::with_writer().await;
    let (_, ci, who) = caller(&desk, "ci").await;
    let (status, created) = desk.ask_as(&ci, "POST", "/runs", writer("x")).await;
    assert_eq!(status, 201, "{created}");
    assert_eq!(requested_by(&desk, &ci, &format!("/runs/{}", text(&created, "run_id"))).await, who);
    let (_, list) = desk.ask_as(&ci, "GET", "/runs", None).await;
    assert_eq!(list["items"][0]["requested_by"], who);
}

#[tokio::test]
async fn a_child_names_its_parent_and_the_parents_key() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (admin, ci, who) = caller(&desk, "ci").await;
    assert_eq!(desk.ask_as(&ci, "POST", "/runs", writer("parent")).await.0, 201);
    let claim = json!({"runner_id": runner, "max": 1});
    let (_, claimed) = desk.ask_as(&admin, "POST", "/runner/claims", Some(claim)).await;
    let parent = &claimed["runs"][0];
    let token = format!("run.{}.{}", text(parent, "run_id"), text(parent, "lease_id"));
    let (status, child) = desk.ask_as(&token, "POST", "/runs", writer("child")).await;
    assert_eq!(status, 201, "{child}");
    let mut expected = who;
    expected["run_id"] = parent["run_id"].clone();
    assert_eq!(requested_by(&desk, &ci, &format!("/runs/{}", text(&child, "run_id"))).await, expected);
    let stop = format!("/sessions/{}/stop", text(&child, "session_id"));
    assert_eq!(desk.ask_as(&token, "POST", &stop, None).await.0, 200);
    let (_, audit) = desk.ask_as(&admin, "GET", "/audit?limit=1", None).await;
    let actor = json!({"kind": "run", "run_id": parent["run_id"]});
    assert_eq!(
        (&audit["items"][0]["action"], &audit["items"][0]["actor"]),
        (&json!("session.stopped"), &actor)
    );
}

#[tokio::test]
async fn runs_of_a_workflow_have_its_requester() {
    let desk = Desk::with_writer().await;
    let nodes = json!({
        "input": {"type": "input"}, "work": {"type": "agent", "agent": "writer", "prompt": "go"},
        "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "work"}, {"from": "work", "to": "output"}]);
    assert_eq!(desk.post("/workflows", json!({"name": "flow", "nodes": nodes, "edges": edges})).await.0, 201);
    let (_, ci, who) = caller(&desk, "ci").await;
    let (status, flow) = desk.ask_as(&ci, "POST", "/workflows/flow/runs", Some(json!({}))).await;
    assert_eq!(status, 201, "{flow}");
    let path = format!("/workflow-runs/{}", text(&flow, "workflow_run_id"));
    assert_eq!(requested_by(&desk, &ci, &path).await, who);
    let (_, list) = desk.ask_as(&ci, "GET", "/workflow-runs", None).await;
    assert_eq!(list["items"][0]["requested_by"], who);
    desk.reconcile().await;
    let (_, runs) = desk.ask_as(&ci, "GET", "/runs", None).await;
    assert_eq!(runs["items"][0]["requested_by"], who, "{runs}");
}

#[tokio::test]
async fn a_callback_run_has_the_requester_of_the_parent() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (admin, ci, who) = caller(&desk, "ci").await;
    let complete = async || {
        let claim = json!({"runner_id": runner, "max": 1});
        let (_, claimed) = desk.ask_as(&admin, "POST", "/runner/claims", Some(claim)).await;
        let run = &claimed["runs"][0];
        let holding = json!({"runner_id": runner, "lease_id": run["lease_id"], "attempt": run["attempt"]});
        let end = json!({"holding": holding, "status": "completed", "result_text": "done"});
        let path = format!("/runner/runs/{}/finish", text(run, "run_id"));
        assert_eq!(desk.ask_as(&admin, "POST", &path, Some(end)).await.0, 200);
    };
    let (_, parent) = desk.ask_as(&ci, "POST", "/runs", writer("parent")).await;
    complete().await;
    let mut child = writer("child").unwrap();
    child["parent_session_id"] = parent["session_id"].clone();
    child["execution_mode"] = json!("async_callback");
    assert_eq!(desk.ask_as(&admin, "POST", "/runs", Some(child)).await.0, 201);
    complete().await;
    desk.reconcile().await;
    let path = format!("/runs?session_id={}", text(&parent, "session_id"));
    let (_, runs) = desk.ask_as(&ci, "GET", &path, None).await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 2, "{runs}");
    assert_eq!(runs["items"][0]["requested_by"], who, "{runs}");
}
