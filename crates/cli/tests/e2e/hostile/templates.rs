//! Templates in workflows: checked by a viewer, stored by an admin, rendered in a run.

use accord_test_support::hostile::templates;

use super::victim::{By, Victim};
use super::wire::Request;
use super::{quoted, shares};

/// A workflow whose output is this template.
pub(super) fn workflow(name: &str, template: &str) -> String {
    format!(
        r#"{{"name": "{name}", "nodes": {{"input": {{"type": "input"}}, "output": {{"type": "output", "value": {}}}}},
            "edges": [{{"from": "input", "to": "output"}}]}}"#,
        quoted(template)
    )
}

/// A workflow with this template in every place that allows one.
fn everywhere(template: &str) -> String {
    let template = quoted(template);
    format!(
        r#"{{"name": "everywhere", "nodes": {{
            "input": {{"type": "input"}},
            "one": {{"type": "agent", "agent": "parrot", "prompt": {template}}},
            "many": {{"type": "map", "over": {template}, "agent": "parrot", "parameters": {{"prompt": {template}}}}},
            "check": {{"type": "check", "assert": "true", "message": {template}}},
            "output": {{"type": "output", "value": {{"a": [{template}]}}}}}},
          "edges": [{{"from": "input", "to": "one"}}, {{"from": "one", "to": "many"}}, {{"from": "many", "to": "check"}},
            {{"from": "check", "to": "output"}}]}}"#
    )
}

#[tokio::test]
async fn a_template_cannot_stop_the_coordinator_when_it_is_checked() {
    let mut victim = Victim::start().await;
    for shape in templates() {
        for document in [workflow("checked", &shape.text), everywhere(&shape.text)] {
            let request = Request::post("/workflows/validate", document);
            victim.attack(&shape.name, By::Viewer, request).await;
        }
    }
    victim.conclude().await;
}

#[tokio::test]
async fn a_template_cannot_stop_the_coordinator_when_it_is_rendered() {
    let mut victim = Victim::start().await;
    for (number, shape) in shares(&templates()).enumerate() {
        let name = format!("rendered-{number}");
        let request = Request::post("/workflows", workflow(&name, &shape.text));
        let stored = victim.attack(&shape.name, By::Admin, request).await;
        if stored.is_none_or(|answer| answer.status != 201) {
            continue;
        }
        let request = Request::post(format!("/workflows/{name}/runs?wait=120"), r#"{"input": {"a": 1}}"#);
        victim.attack(&shape.name, By::Caller, request).await;
    }
    victim.conclude().await;
}
