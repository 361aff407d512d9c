use std::time::Duration;

use accord_api::{CreateWorkflowRun, NodeStatus, RunQuery, RunStatus, WorkflowStatus};
use serde_json::json;

use super::*;

fn risky(on_failure: Value) -> Value {
    let nodes = json!({
        "input": {"type": "input"},
        "risky": {"type": "agent", "agent": "parrot", "prompt": "[[fail]]", "on_failure": on_failure},
        "safe": says(&json!({"ok": true})),
        "output": {"type": "output", "value": "{{ safe }}"},
    });
    let edges = edges(&[("input", "risky"), ("input", "safe"), ("risky", "output"), ("safe", "output")]);
    workflow("risky", &nodes, &edges)
}

#[tokio::test]
async fn a_failure_ends_the_run_and_names_the_node() {
    let model = parrot().await;
    let accord = project(&model).await;
    let run = accord.conduct(&risky(json!("fail")), json!({})).await;
    assert_eq!((run.status, fault(&run)), (WorkflowStatus::Failed, Some("executor_failed")));
    assert!(run.error.unwrap().message.starts_with("node 'risky' failed: "));
    accord.end().await;
}

#[tokio::test]
async fn a_run_can_continue_after_a_failure() {
    let model = parrot().await;
    let accord = project(&model).await;
    let run = accord.conduct(&risky(json!("continue")), json!({})).await;
    assert_eq!((run.status, &run.output), (WorkflowStatus::Completed, &json!({"ok": true})));
    assert_eq!(status(&run, "risky"), NodeStatus::Failed);
    accord.end().await;
}

#[tokio::test]
async fn a_failure_is_retried_as_configured() {
    let model = parrot().await;
    let accord = project(&model).await;
    let run = accord.conduct(&risky(json!({"retry": 2, "then": "continue"})), json!({})).await;
    assert_eq!(run.status, WorkflowStatus::Completed);
    let task = &run.nodes[1].tasks[0];
    assert_eq!((task.attempts, task.earlier.len()), (3, 2));
    let failed = RunQuery { status: Some(RunStatus::Failed), ..RunQuery::default() };
    assert_eq!(accord.client.runs(&failed).await.unwrap().items.len(), 3);
    accord.end().await;
}

#[tokio::test]
async fn a_map_can_process_all_items_and_then_fail() {
    let model = parrot().await;
    let accord = project(&model).await;
    let nodes = json!({
        "input": {"type": "input"},
        "each": {"type": "map", "over": "{{ input.list }}", "agent": "parrot", "concurrency": 1,
                 "prompt": "[[{{ item | safe }}]]", "on_failure": "fail_at_end"},
        "output": {"type": "output"},
    });
    let document = workflow("each", &nodes, &edges(&[("input", "each"), ("each", "output")]));
    let run = accord.conduct(&document, json!({"list": ["fail", "{\"n\": 1}", "fail", "{\"n\": 2}"]})).await;
    assert_eq!((run.status, fault(&run)), (WorkflowStatus::Failed, Some("executor_failed")));
    let message = run.error.as_ref().unwrap().message.as_str();
    assert!(message.starts_with("node 'each' failed: 2 of 4 items failed: item 1: "), "{message}");
    assert!(message.contains("; item 3: "), "{message}");
    let each = run.nodes.iter().find(|node| node.id == "each").unwrap();
    let stands: Vec<NodeStatus> = each.tasks.iter().map(|task| task.status).collect();
    let [failed, completed] = [NodeStatus::Failed, NodeStatus::Completed];
    assert_eq!(stands, [failed, completed, failed, completed]);
    accord.end().await;
}

#[tokio::test]
async fn a_workflow_that_is_stopped_stops_its_runs() {
    let model = ModelServer::start(Script::handler(|_, _| Reply::hang())).await.unwrap();
    let accord = project(&model).await;
    let nodes = json!({
        "input": {"type": "input"}, "slow": says(&json!({})), "after": says(&json!({})), "output": {"type": "output"},
    });
    let edges = edges(&[("input", "slow"), ("slow", "after"), ("after", "output")]);
    accord.client.create_workflow(&workflow("slow", &nodes, &edges)).await.unwrap();
    let created = accord.client.run_workflow("slow", &CreateWorkflowRun::default(), None).await.unwrap();
    let id = &created.workflow_run_id;
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    while model.requests().is_empty() {
        pause.tick().await;
    }
    accord.client.stop_workflow_run(id).await.unwrap();
    accord.workflow_events(id).await;
    let run = accord.client.workflow_run(id).await.unwrap();
    assert_eq!(run.status, WorkflowStatus::Stopped);
    assert_eq!((status(&run, "slow"), status(&run, "after")), (NodeStatus::Stopped, NodeStatus::Skipped));
    let runs = accord.client.runs(&RunQuery::default()).await.unwrap().items;
    assert_eq!(runs.iter().map(|run| run.status).collect::<Vec<_>>(), [RunStatus::Stopped]);
    accord.end().await;
}
