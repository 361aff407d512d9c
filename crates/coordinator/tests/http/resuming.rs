//! Workflow runs that ended without a result continue from the failed node.

use serde_json::{Value, json};

use crate::support::{Desk, refused, text};

/// A run of `first → second → output`.
async fn begun(desk: &Desk) -> String {
    let agent = |prompt: &str| json!({"type": "agent", "agent": "writer", "prompt": prompt});
    let nodes = json!({
        "input": {"type": "input"}, "first": agent("One"), "second": agent("After {{ first }}"),
        "output": {"type": "output"},
    });
    let edges = [("input", "first"), ("first", "second"), ("second", "output")];
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
    let flow = json!({"name": "flow", "nodes": nodes, "edges": edges});
    assert_eq!(desk.post("/workflows", flow).await.0, 201);
    let (status, run) = desk.post("/workflows/flow/runs", json!({"input": {}})).await;
    assert_eq!(status, 201, "{run}");
    desk.reconcile().await;
    text(&run, "workflow_run_id")
}

async fn view(desk: &Desk, id: &str) -> Value {
    desk.get(&format!("/workflow-runs/{id}")).await.1
}

fn statuses(run: &Value) -> Vec<&str> {
    run["nodes"].as_array().unwrap().iter().map(|node| node["status"].as_str().unwrap()).collect()
}

async fn fail(desk: &Desk, runner: &str) {
    let held = desk.claim(runner).await;
    let error = json!({"type": "executor_failed", "message": "no"});
    assert_eq!(desk.finish(&held, json!({"status": "failed", "error": error})).await.0, 200);
    desk.reconcile().await;
}

#[tokio::test]
async fn a_failed_workflow_run_continues_from_its_failed_node() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let id = begun(&desk).await;
    let retry = format!("/workflow-runs/{id}/retry");
    assert_eq!(refused(&desk.post_empty(&retry).await), (409, "NotRetryable"), "it is running");
    desk.complete(&runner, "eins").await;
    desk.reconcile().await;
    fail(&desk, &runner).await;
    let failed = view(&desk, &id).await;
    assert_eq!(failed["status"], "failed");
    assert_eq!(statuses(&failed), ["completed", "completed", "failed", "skipped"]);

    let (status, resumed) = desk.post_empty(&retry).await;
    assert_eq!((status, &resumed["status"], &resumed["finished_at"]), (200, &json!("running"), &Value::Null));
    desk.reconcile().await;
    let resumed = view(&desk, &id).await;
    assert_eq!(statuses(&resumed), ["completed", "completed", "running", "waiting"]);
    assert_eq!((&resumed["error"], &resumed["nodes"][1]["output"]), (&Value::Null, &json!("eins")));
    let held = desk.complete(&runner, "zwei").await;
    assert!(text(&held.run["parameters"], "prompt").contains("eins"), "{:?}", held.run);
    desk.reconcile().await;
    let done = view(&desk, &id).await;
    assert_eq!((&done["status"], &done["output"]), (&json!("completed"), &json!("zwei")));
    assert_eq!(done["nodes"][2]["tasks"][0]["earlier"].as_array().unwrap().len(), 1, "{done}");
    assert_eq!(refused(&desk.post_empty(&retry).await), (409, "NotRetryable"), "it has completed");
    let (_, runs) = desk.get("/runs").await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 3, "the first node ran once");
}

#[tokio::test]
async fn a_stopped_workflow_run_continues_and_can_fail_again() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let id = begun(&desk).await;
    desk.post_empty(&format!("/workflow-runs/{id}/stop")).await;
    for _ in 0..2 {
        desk.reconcile().await;
    }
    assert_eq!(view(&desk, &id).await["status"], "stopped");
    let retry = format!("/workflow-runs/{id}/retry");
    assert_eq!(desk.post_empty(&retry).await.0, 200);
    desk.reconcile().await;
    fail(&desk, &runner).await;
    assert_eq!(view(&desk, &id).await["status"], "failed");
    assert_eq!(desk.post_empty(&retry).await.0, 200);
    desk.reconcile().await;
    for result in ["eins", "zwei"] {
        desk.complete(&runner, result).await;
        desk.reconcile().await;
    }
    assert_eq!(view(&desk, &id).await["output"], "zwei");
}

#[tokio::test]
async fn a_run_without_a_failed_node_is_not_resumed() {
    let desk = Desk::with_writer().await;
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let edges = json!([{"from": "input", "to": "output", "when": "false"}]);
    let flow = json!({"name": "closed", "nodes": nodes, "edges": edges});
    assert_eq!(desk.post("/workflows", flow).await.0, 201);
    let (_, run) = desk.post("/workflows/closed/runs", json!({"input": {}})).await;
    let id = text(&run, "workflow_run_id");
    desk.reconcile().await;
    assert_eq!(view(&desk, &id).await["error"]["type"], "no_output");
    let answer = desk.post_empty(&format!("/workflow-runs/{id}/retry")).await;
    assert_eq!(refused(&answer), (409, "NotRetryable"));
    assert!(text(&answer.1, "message").contains("start a new run"), "{answer:?}");
}
