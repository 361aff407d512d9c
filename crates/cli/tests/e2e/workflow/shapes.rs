use accord_api::{NodeStatus, WorkflowStatus};
use serde_json::{Value, json};

use super::*;

#[tokio::test]
async fn siblings_run_and_a_join_gets_their_outputs() {
    let model = parrot().await;
    let accord = project(&model).await;
    let nodes = json!({
        "input": {"type": "input", "schema": {"type": "object", "required": ["n"]}},
        "left": says(&json!({"side": "left"})),
        "right": says(&json!({"side": "right"})),
        "join": {"type": "agent", "agent": "parrot",
                 "prompt": "[[{\"joined\": \"{{ left.side | safe }} and {{ right.side | safe }} and {{ input.n }}\"}]]"},
        "output": {"type": "output"},
    });
    let edges = edges(&[
        ("input", "left"),
        ("input", "right"),
        ("left", "join"),
        ("right", "join"),
        ("input", "join"),
        ("join", "output"),
    ]);
    let run = accord.conduct(&workflow("diamond", &nodes, &edges), json!({"n": 7})).await;
    assert_eq!(
        (run.status, &run.output),
        (WorkflowStatus::Completed, &json!({"joined": "left and right and 7"}))
    );
    let join = run.nodes.iter().find(|node| node.id == "join").unwrap();
    let expected = json!({"left": {"side": "left"}, "right": {"side": "right"}, "input": {"n": 7}});
    assert_eq!(join.inputs.clone().map(Value::Object), Some(expected));
    assert_eq!(model.requests().len(), 3);

    let events = accord.workflow_events(&run.workflow_run_id).await;
    let kinds: Vec<&str> = events.iter().map(|event| event.body.kind()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "workflow.node_started").count(), 5);
    assert_eq!(kinds.iter().filter(|kind| **kind == "workflow.node_finished").count(), 5);
    assert_eq!(kinds.last(), Some(&"workflow.finished"));
    assert!(events.iter().all(|event| event.workflow_run_id.as_ref() == Some(&run.workflow_run_id)));

    let request = accord_api::CreateWorkflowRun { input: Some(json!({})), ..Default::default() };
    let refused = accord.client.run_workflow("diamond", &request, None).await.unwrap_err();
    assert!(refused.to_string().contains("'n'"), "{refused}");
    accord.end().await;
}

#[tokio::test]
async fn conditions_choose_the_branch() {
    let model = parrot().await;
    let accord = project(&model).await;
    let nodes = json!({
        "input": {"type": "input"},
        "judge": {"type": "agent", "agent": "parrot", "prompt": "[[{\"bad\": {{ input.bad }}}]]"},
        "fix": says(&json!({"did": "fix"})),
        "praise": says(&json!({"did": "praise"})),
        "output": {"type": "output", "value": {"fix": "{{ fix }}", "praise": "{{ praise }}"}},
    });
    let edges = json!([
        {"from": "input", "to": "judge"},
        {"from": "judge", "to": "fix", "when": "output.bad"},
        {"from": "judge", "to": "praise", "when": "!output.bad && input.bad == false"},
        {"from": "fix", "to": "output"},
        {"from": "praise", "to": "output"},
    ]);
    let run = accord.conduct(&workflow("choice", &nodes, &edges), json!({"bad": true})).await;
    assert_eq!(run.output, json!({"fix": {"did": "fix"}, "praise": null}));
    assert_eq!(status(&run, "praise"), NodeStatus::Skipped);
    let taken: Vec<Option<bool>> = run.edges.iter().map(|edge| edge.taken).collect();
    assert_eq!(taken, [Some(true), Some(true), Some(false), Some(true), Some(false)]);
    let run = accord.run_workflow("choice", json!({"bad": false})).await;
    assert_eq!(run.output, json!({"fix": null, "praise": {"did": "praise"}}));
    accord.end().await;
}

#[tokio::test]
async fn a_map_works_on_every_item() {
    let model = parrot().await;
    let accord = project(&model).await;
    let nodes = json!({
        "input": {"type": "input"},
        "each": {"type": "map", "over": "{{ input.list }}", "agent": "parrot", "concurrency": 2,
                 "prompt": "[[{\"item\": \"{{ item | safe }}\", \"index\": {{ index }}}]]"},
        "output": {"type": "output"},
    });
    let document = workflow("each", &nodes, &edges(&[("input", "each"), ("each", "output")]));
    let run = accord.conduct(&document, json!({"list": ["a", "b", "c", "d", "e"]})).await;
    let expected: Vec<Value> = ["a", "b", "c", "d", "e"]
        .iter()
        .enumerate()
        .map(|(index, item)| json!({"item": item, "index": index}))
        .collect();
    assert_eq!(run.output, Value::Array(expected));
    let each = run.nodes.iter().find(|node| node.id == "each").unwrap();
    assert_eq!(each.tasks.len(), 5);
    accord.end().await;
}

#[tokio::test]
async fn workflows_nest_and_may_define_agents() {
    let model = parrot().await;
    let accord = project(&model).await;
    let mut inline = any("unused", &model);
    inline.as_object_mut().unwrap().remove("name");
    let inner = json!({
        "input": {"type": "input", "schema": {"type": "object", "required": ["word"]}},
        "work": {"type": "agent", "agent": inline, "prompt": "[[{\"said\": \"{{ input.word }}\"}]]"},
        "output": {"type": "output"},
    });
    let inner = workflow("inner", &inner, &edges(&[("input", "work"), ("work", "output")]));
    accord.client.create_workflow(&inner).await.unwrap();
    let outer = json!({
        "input": {"type": "input"},
        "nested": {"type": "agent", "workflow": "inner", "parameters": {"word": "{{ input.w }}"}},
        "output": {"type": "output"},
    });
    let outer = workflow("outer", &outer, &edges(&[("input", "nested"), ("nested", "output")]));
    let run = accord.conduct(&outer, json!({"w": "hello"})).await;
    assert_eq!(run.output, json!({"said": "hello"}));
    let worker = match &run.nodes[1].tasks[0].worker {
        Some(accord_api::Worker::Workflow { workflow_run_id }) => Some(workflow_run_id),
        _ => None,
    };
    let child = accord.client.workflow_run(worker.unwrap()).await.unwrap();
    assert_eq!(child.parent_workflow_run_id, Some(run.workflow_run_id.clone()));
    assert_eq!(accord.client.runs(&Default::default()).await.unwrap().items[0].agent_name, "inner.work");
    // An input that does not conform fails the node with the reason.
    let run = accord.run_workflow("outer", json!({})).await;
    assert_eq!(fault(&run), Some("template_failed"));
    accord.end().await;
}

#[tokio::test]
async fn the_same_key_runs_a_workflow_once() {
    let model = parrot().await;
    let accord = project(&model).await;
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let document = workflow("plain", &nodes, &edges(&[("input", "output")]));
    accord.client.create_workflow(&document).await.unwrap();
    let request = accord_api::CreateWorkflowRun { input: Some(json!({"a": 1})), ..Default::default() };
    let first = accord.client.run_workflow("plain", &request, Some("key")).await.unwrap();
    let second = accord.client.run_workflow("plain", &request, Some("key")).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(accord.client.workflow_runs(&Default::default()).await.unwrap().items.len(), 1);
    accord.end().await;
}
