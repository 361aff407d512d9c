use accord_api::{EventBody, WorkflowStatus};
use serde_json::json;

use super::*;

/// Seed 003: security flags a place that conventions call sandboxed; the writer must be told.
#[tokio::test]
async fn siblings_that_contradict_each_other_surface() {
    let model = parrot().await;
    let accord = project(&model).await;
    let entry = |line: u32, title: &str| json!({"file": "src/files.rs", "line": line, "severity": "blocker", "title": title});
    let flagged = json!({"findings": [entry(11, "path traversal: the name reaches the file system")]});
    let cleared = json!({"cleared": [entry(9, "correctly sandboxed")]});
    let nodes = json!({
        "input": {"type": "input"},
        "security": says(&flagged),
        "conventions": says(&cleared),
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
    assert_eq!(agents, ["security", "conventions"]);
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

/// Comparisons skipped because of a limit are reported: silence would look like agreement.
#[tokio::test]
async fn skipped_comparisons_are_reported() {
    let model = parrot().await;
    let accord = project(&model).await;
    let findings = |agent: &str| {
        let one = |index: u32| json!({"file": "a.rs", "line": 1, "severity": "nit", "title": format!("{agent} {index}")});
        json!({"findings": (0..70).map(one).collect::<Vec<_>>()})
    };
    let nodes = json!({
        "input": {"type": "input"}, "one": says(&findings("one")), "two": says(&findings("two")),
        "output": {"type": "output", "value": "done"},
    });
    let edges = edges(&[("input", "one"), ("input", "two"), ("one", "output"), ("two", "output")]);
    let run = accord.conduct(&workflow("crowded", &nodes, &edges), json!({})).await;
    assert_eq!(run.status, WorkflowStatus::Completed, "{:?}", run.error);
    let truncated = run.nodes[3].comparison_truncated.clone();
    assert_eq!(truncated.iter().map(|each| each.entries).collect::<Vec<_>>(), [75]);
    let told = accord.workflow_events(&run.workflow_run_id).await;
    let expected = EventBody::WorkflowComparisonTruncated { node: "output".to_owned(), truncated };
    assert!(told.iter().any(|event| event.body == expected), "{told:?}");
    let shown = crate::support::accord(accord.path())
        .args(["workflow", "show", run.workflow_run_id.as_str()])
        .output()
        .await
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let expected = "75 entries have more than 64 others at the same location";
    assert!(shown.contains(expected), "{shown}");
    accord.end().await;
}

/// Embeddings weigh every word alike; the comparison of words gives rare ones more weight.
#[tokio::test]
async fn an_embedding_model_finds_near_duplicates() {
    let model = parrot().await;
    let finding = |line: u32, text: &str| json!({"findings": [{"file": "a.rs", "line": line, "severity": "minor", "description": text}]});
    let nodes = json!({
        "input": {"type": "input"},
        "one": says(&finding(10, "the lock is held while the network is asked for the list")),
        "two": says(&finding(12, "the lock is held while the network is asked for the list twice")),
        "writer": says(&json!({})),
        "output": {"type": "output"},
    });
    let edges = edges(&[
        ("input", "one"),
        ("input", "two"),
        ("one", "writer"),
        ("two", "writer"),
        ("writer", "output"),
    ]);
    let document = workflow("near", &nodes, &edges);
    let similarity = |run: &WorkflowRunView| run.nodes[3].near_duplicates.first().map(|near| near.similarity);

    let accord = project(&model).await;
    let by_words = similarity(&accord.conduct(&document, json!({})).await).unwrap_or_default();
    accord.end().await;
    let settings = [("EMBEDDING_PROVIDER", "ollama"), ("EMBEDDING_MODEL", "embed-1")];
    let project =
        settings.iter().fold(Project::new().agent(&any("parrot", &model)), |project, (name, value)| {
            project.set(&format!("ACCORD_WORKFLOWS__{name}"), value)
        });
    let accord = project.set("OLLAMA_HOST", &model.url()).up().await;
    let by_vectors = similarity(&accord.conduct(&document, json!({})).await).unwrap();
    accord.end().await;
    assert!(by_vectors > 0.9 && (by_words - by_vectors).abs() > 1e-6, "{by_words} {by_vectors}");
}
