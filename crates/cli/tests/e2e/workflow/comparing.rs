use accord_api::{EventBody, WorkflowStatus};
use serde_json::json;

use super::*;

/// Seed 003: security flags a place that conventions call sandboxed; the writer must hear of it.
#[tokio::test]
async fn siblings_that_contradict_each_other_surface() {
    let model = parrot().await;
    let accord = project(&model).await;
    let finding = |severity: &str, title: &str| json!({"findings": [{"file": "src/files.rs", "line": 10, "severity": severity, "title": title}]});
    let nodes = json!({
        "input": {"type": "input"},
        "security": says(&finding("blocker", "path traversal: the name reaches the file system")),
        "conventions": says(&finding("nit", "correctly sandboxed, the name could be shorter")),
        "writer": {"type": "agent", "agent": "parrot", "prompt": "Write. [[{\"contradictions\": {{ contradictions | length }}}]]"},
        "output": {"type": "output"},
    });
    let edges = edges(&[
        ("input", "security"),
        ("input", "conventions"),
        ("security", "writer"),
        ("conventions", "writer"),
        ("writer", "output"),
    ]);
    let run = accord.conduct(&workflow("review", &nodes, &edges), json!({})).await;
    assert_eq!((run.status, &run.output), (WorkflowStatus::Completed, &json!({"contradictions": 1})));
    let writer = run.nodes.iter().find(|node| node.id == "writer").unwrap();
    let agents: Vec<&str> = writer.contradictions[0].sides.iter().map(|side| side.agent.as_str()).collect();
    assert_eq!(agents, ["conventions", "security"]);
    let told = accord.workflow_events(&run.workflow_run_id).await;
    let told: Vec<&EventBody> =
        told.iter().map(|event| &event.body).filter(|body| body.kind() == "workflow.contradiction").collect();
    let expected = EventBody::WorkflowContradiction {
        node: "writer".to_owned(),
        contradiction: Box::new(writer.contradictions[0].clone()),
    };
    assert_eq!(told, [&expected]);
    accord.end().await;
}
