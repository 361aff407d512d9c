//! Workflows over HTTP: what is checked before anything runs.

use serde_json::{Value, json};

use crate::support::{Desk, refused};

fn document(name: &str, nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
    json!({"name": name, "nodes": nodes, "edges": edges})
}

fn object(name: &str, kind: &str) -> Value {
    json!({
        "type": "object", "required": [name], "properties": {name: {"type": kind}}, "additionalProperties": false,
    })
}

/// A workflow that has another one as a part, and hands something of it to an agent that takes a text.
fn outer(template: &str) -> Value {
    let nodes = json!({
        "input": {"type": "input"},
        "part": {"type": "agent", "workflow": "inner"},
        "next": {"type": "agent", "agent": "reader", "parameters": {"text": template}},
        "output": {"type": "output"},
    });
    document("outer", nodes, &[("input", "part"), ("part", "next"), ("next", "output")])
}

#[tokio::test]
async fn what_a_nested_workflow_gives_is_checked_as_an_agents_output_is() {
    let desk = Desk::new();
    desk.agent(json!({"name": "counter", "output_schema": object("count", "integer")})).await;
    desk.agent(json!({"name": "reader", "parameters_schema": object("text", "string")})).await;
    let value = json!({"total": "{{ count.count }}", "words": "{{ count.count }} words"});
    let nodes = json!({
        "input": {"type": "input"},
        "count": {"type": "agent", "agent": "counter", "prompt": "Count"},
        "output": {"type": "output", "value": value},
    });
    let inner = document("inner", nodes, &[("input", "count"), ("count", "output")]);
    assert_eq!(desk.post("/workflows", inner).await.0, 201);
    for (template, expected) in [
        ("{{ part.total }}", "this is not what the agent's parameters_schema takes"),
        ("{{ part.missing }}", "part has no field 'missing'"),
    ] {
        let answer = desk.post("/workflows", outer(template)).await;
        assert_eq!(refused(&answer), (400, "InvalidWorkflow"), "{template}");
        assert!(answer.1["message"].as_str().unwrap().contains(expected), "{answer:?}");
    }
    let (status, made) = desk.post("/workflows", outer("{{ part.words }}")).await;
    assert_eq!((status, &made["summary"]["problems"]), (201, &json!([])));
}

#[tokio::test]
async fn workflows_that_lead_back_to_themselves_are_refused_and_looked_at_all_the_same() {
    let desk = Desk::with_writer().await;
    let plain = |name: &str, node: Value| {
        let nodes = json!({"input": {"type": "input"}, "a": node, "output": {"type": "output"}});
        document(name, nodes, &[("input", "a"), ("a", "output")])
    };
    let agent = json!({"type": "agent", "agent": "writer"});
    let part = |name: &str| json!({"type": "agent", "workflow": name});
    assert_eq!(desk.post("/workflows", plain("one", agent)).await.0, 201);
    assert_eq!(desk.post("/workflows", plain("two", part("one"))).await.0, 201);
    assert_eq!(desk.post("/workflows", plain("three", part("two"))).await.0, 201);
    for (name, expected) in [("one", "cannot be a part of itself"), ("three", "has this workflow as a part")]
    {
        let (_, verdict) = desk.post("/workflows/validate", plain("one", part(name))).await;
        let told = verdict["problems"][0]["message"].as_str().unwrap();
        assert!(verdict["valid"] == json!(false) && told.contains(expected), "{verdict}");
    }
}
