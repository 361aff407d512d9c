use accord_api::{NodeStatus, WorkflowStatus};
use serde_json::json;

use super::*;

async fn checked(severity: &str, on_failure: &str) -> WorkflowRunView {
    let model = parrot().await;
    let accord = project(&model).await;
    let nodes = json!({
        "input": {"type": "input"},
        "work": says(&json!({"findings": [1]})),
        "enough": {"type": "check", "assert": "work.findings.size() >= 2", "message": "too few findings",
                   "severity": severity, "on_failure": on_failure},
        "output": {"type": "output", "value": "{{ work.findings }}"},
    });
    let edges = edges(&[("input", "work"), ("work", "enough"), ("work", "output"), ("enough", "output")]);
    let run = accord.conduct(&workflow("checked", &nodes, &edges), json!({})).await;
    accord.end().await;
    run
}

#[tokio::test]
async fn a_check_that_warns_lets_the_run_continue() {
    let run = checked("warn", "fail").await;
    assert_eq!((run.status, &run.output), (WorkflowStatus::Completed, &json!([1])));
    assert_eq!(run.nodes[2].warning.as_deref(), Some("too few findings"));
    assert_eq!(run.nodes[2].output, Some(json!({"passed": false, "message": "too few findings"})));
}

#[tokio::test]
async fn a_check_that_fails_ends_the_run() {
    let run = checked("fail", "fail").await;
    assert_eq!((run.status, fault(&run)), (WorkflowStatus::Failed, Some("check_failed")));
    assert_eq!(status(&run, "output"), NodeStatus::Skipped);
}

#[tokio::test]
async fn a_run_can_continue_after_a_failed_check() {
    let run = checked("fail", "continue").await;
    assert_eq!((run.status, &run.output), (WorkflowStatus::Completed, &json!([1])));
    assert_eq!(status(&run, "enough"), NodeStatus::Failed);
}
