use std::time::Duration;

use accord_api::Source;
use serde_json::json;

use super::*;
use crate::support::accord;

fn write(folder: &std::path::Path, name: &str, text: &str) {
    let folder = folder.join(".accord/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

const SOUND: &str = "\
name: plain
description: Hands through what it gets.
nodes:
  input: {type: input}
  output: {type: output}
edges:
  - {from: input, to: output}
";

const BROKEN: &str = "\
name: broken
nodes:
  input: {type: input}
  a:
    type: agent
    agent: nobody
    prompt: \"{{ other.x }}\"
  b: {type: agent, agent: parrot}
  c:
    type: chek
  output: {type: output}
edges:
  - {from: input, to: a}
  - {from: a, to: b}
  - {from: b, to: a}
  - {from: b, to: nowhere}
";

#[tokio::test]
async fn files_are_read_watched_and_written() {
    let model = parrot().await;
    let project = Project::new().agent(&any("parrot", &model));
    write(project.path(), "plain.yaml", SOUND);
    let accord = project.up().await;
    let view = accord.client.workflow("plain").await.unwrap();
    assert_eq!((view.summary.source, view.summary.valid, view.summary.nodes), (Source::File, true, 2));
    let run = accord.run_workflow("plain", json!({"a": [1]})).await;
    assert_eq!(run.output, json!({"a": [1]}));

    // A file takes precedence over the store, and the error says so.
    let exists = accord.client.create_workflow(&view.workflow).await.unwrap_err();
    assert!(exists.to_string().contains("workflow 'plain' already exists"), "{exists}");

    // A change over HTTP is written to the file, and only if the file is unchanged since it was
    // read.
    let mut changed = view.workflow.clone();
    changed["description"] = json!("Changed.");
    let stale = accord.client.put_workflow("plain", &changed, Some("other")).await.unwrap_err();
    assert!(stale.to_string().contains("has changed since you read it"), "{stale}");
    accord.client.put_workflow("plain", &changed, Some(&view.hash)).await.unwrap();
    let text = std::fs::read_to_string(accord.path().join(".accord/workflows/plain.yaml")).unwrap();
    assert!(text.contains("description: Changed."), "{text}");

    // A new file is noticed.
    write(accord.path(), "later.json", &SOUND_JSON.replace("plain", "later"));
    let mut pause = tokio::time::interval(Duration::from_millis(50));
    while accord.client.workflow("later").await.is_err() {
        pause.tick().await;
    }
    accord.client.delete_workflow("later").await.unwrap();
    assert!(!accord.path().join(".accord/workflows/later.json").exists());
    accord.end().await;
}

const SOUND_JSON: &str = r#"{"name": "plain", "nodes": {"input": {"type": "input"}, "output": {"type": "output"}},
 "edges": [{"from": "input", "to": "output"}]}"#;

#[tokio::test]
async fn all_errors_are_reported_at_once_with_locations() {
    let model = parrot().await;
    let project = Project::new().agent(&any("parrot", &model));
    write(project.path(), "broken.yaml", BROKEN);
    write(project.path(), "plain.yaml", SOUND);
    write(project.path(), "unreadable.yaml", "nodes: [\n");
    let told = accord(project.path()).args(["workflow", "validate"]).output().await.unwrap();
    assert_eq!(told.status.code(), Some(1));
    let text = String::from_utf8(told.stdout).unwrap();
    for place in [
        "broken.yaml:10:11: error: unknown node type 'chek'",
        "broken.yaml:16:19: error: unknown node 'nowhere'",
        "unreadable.yaml",
    ] {
        assert!(text.contains(place), "{place}\n{text}");
    }
    // Once all nodes can be parsed, the connections between them are checked as well.
    write(
        project.path(),
        "broken.yaml",
        &BROKEN.replace("chek", "check\n    assert: a.x\n    message: m").replace("nowhere", "output"),
    );
    let told = accord(project.path()).args(["workflow", "validate", "broken"]).output().await.unwrap();
    let text = String::from_utf8(told.stdout).unwrap();
    for place in [
        "broken.yaml:6:12: error: agent 'nobody' does not exist or is invalid",
        "broken.yaml:7:13: error: the template uses 'other', but its inputs are input, b",
        "broken.yaml:17:5: error: this edge creates a cycle: a → b → a",
    ] {
        assert!(text.contains(place), "{place}\n{text}");
    }
    let told =
        accord(project.path()).args(["workflow", "validate", "plain", "--json"]).output().await.unwrap();
    assert_eq!(told.status.code(), Some(0));
}

#[tokio::test]
async fn a_broken_workflow_is_not_run() {
    let model = parrot().await;
    let accord = project(&model).await;
    let nodes = json!({
        "input": {"type": "input"}, "a": {"type": "agent", "agent": "nobody"}, "output": {"type": "output"},
    });
    let document = workflow("broken", &nodes, &edges(&[("input", "a"), ("a", "output")]));
    let answer = accord.client.validate_workflow(&document).await.unwrap();
    assert!(!answer.valid);
    assert_eq!(answer.problems.len(), 1, "{:?}", answer.problems);
    let refused = accord.client.create_workflow(&document).await.unwrap_err();
    assert!(refused.to_string().contains("agent 'nobody' does not exist or is invalid"), "{refused}");
    // A workflow becomes invalid when an agent is removed.
    let extra = agent("going", &model, &json!({}));
    accord.client.create_agent(&extra).await.unwrap();
    let nodes = json!({
        "input": {"type": "input"}, "a": {"type": "agent", "agent": "going"}, "output": {"type": "output"},
    });
    let document = workflow("later", &nodes, &edges(&[("input", "a"), ("a", "output")]));
    accord.client.create_workflow(&document).await.unwrap();
    accord.client.delete_agent("going").await.unwrap();
    let refused = accord.client.run_workflow("later", &Default::default(), None).await.unwrap_err();
    assert!(refused.to_string().contains("is invalid"), "{refused}");
    assert!(!accord.client.workflow("later").await.unwrap().summary.valid);
    accord.end().await;
}
