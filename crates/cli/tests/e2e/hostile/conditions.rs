//! CEL: conditions of edges and checks in workflows, and invariants of agents.

use accord_test_support::hostile::conditions;

use super::quoted;
use super::victim::{By, Victim};
use super::wire::Request;

/// A workflow with this condition on an edge and in a check. The check refers to the input node's
/// output by name.
fn workflow(name: &str, condition: &str) -> String {
    let (edge, check) = (quoted(condition), quoted(&condition.replace("output", "input")));
    format!(
        r#"{{"name": "{name}", "nodes": {{"input": {{"type": "input"}},
            "check": {{"type": "check", "assert": {check}, "message": "no", "severity": "warn"}},
            "output": {{"type": "output", "value": "done"}}}},
          "edges": [{{"from": "input", "to": "check"}}, {{"from": "input", "to": "output", "when": {edge}}}]}}"#
    )
}

fn agent(condition: &str) -> String {
    format!(
        r#"{{"name": "ruled", "type": "procedural", "executor": {{"type": "process", "command": "true"}},
            "output_schema": {{"type": "array"}}, "invariants": [{{"rule": {}, "message": "no"}}]}}"#,
        quoted(condition)
    )
}

#[tokio::test]
async fn a_condition_cannot_stop_the_coordinator() {
    let mut victim = Victim::start().await;
    let input = format!(r#"{{"input": [{}]}}"#, vec!["1"; 3_000].join(","));
    for (number, shape) in conditions().iter().enumerate() {
        let name = format!("ruled-{number}");
        let request = Request::post("/workflows/validate", workflow(&name, &shape.text));
        victim.attack(&shape.name, By::Viewer, request).await;
        let request = Request::post("/agents/validate", agent(&shape.text));
        victim.attack(&shape.name, By::Viewer, request).await;
        let request = Request::post("/workflows", workflow(&name, &shape.text));
        let stored = victim.attack(&shape.name, By::Admin, request).await;
        if stored.is_some_and(|answer| answer.status == 201) {
            let request = Request::post(format!("/workflows/{name}/runs?wait=120"), input.clone());
            victim.attack(&shape.name, By::Caller, request).await;
        }
    }
    victim.conclude().await;
}
