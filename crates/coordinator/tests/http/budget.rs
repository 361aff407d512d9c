//! Requests that try to overflow the stack or to use up memory or time. Each gets an answer that
//! names the limit.

use serde_json::{Map, Value, json};

use crate::support::{Desk, refused};

fn workflow(prompt: &str) -> Value {
    let nodes = json!({
        "input": {"type": "input"},
        "work": {"type": "agent", "agent": "writer", "prompt": prompt},
        "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "work"}, {"from": "work", "to": "output"}]);
    json!({"name": "hostile", "nodes": nodes, "edges": edges})
}

#[tokio::test]
async fn a_template_that_nests_too_deeply_is_a_workflow_error() {
    let desk = Desk::with_writer().await;
    for (prompt, limit) in [
        (format!("{{{{ {}1 }}}}", "-".repeat(6_000)), "128 levels"),
        (format!("{{{{ 1{} }}}}", "+1".repeat(6_000)), "128 levels"),
        (format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(3_000)), "64 nested blocks"),
        ("{{ 'x' * 100000000 }}".to_owned(), "literals of the template"),
        ("{% set ns = namespace(x=[1]) %}{% set ns.x = [ns.x] %}".to_owned(), "namespace"),
    ] {
        let (status, answer) = desk.post("/workflows/validate", workflow(&prompt)).await;
        assert_eq!(status, 200, "{answer}");
        assert!(answer.to_string().contains(limit), "{limit}: {answer}");
        assert_eq!(refused(&desk.post("/workflows", workflow(&prompt)).await), (400, "InvalidWorkflow"));
    }
}

fn patterns() -> Value {
    let pattern = |number: u32| (format!("\\p{{L}}{{200}}k{number}\\w{{200}}"), json!({}));
    json!({"patternProperties": (0..2_000).map(pattern).collect::<Map<String, Value>>()})
}

#[tokio::test]
async fn patterns_that_are_too_large_together_are_rejected_everywhere() {
    let desk = Desk::with_writer().await;
    let (status, answer) = desk.post("/schemas/validate", json!({"schema": patterns()})).await;
    assert_eq!((status, &answer["valid"]), (200, &json!(false)));
    let message = answer["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("the limit for all patterns together is 1000000"), "{message}");
    let run = json!({"agent_name": "writer", "parameters": {"prompt": "x"}, "output_schema": patterns()});
    assert_eq!(refused(&desk.post("/runs", run).await), (400, "InvalidSchema"));
    let schema = json!({"name": "large", "schema": patterns()});
    assert_eq!(refused(&desk.post("/schemas", schema).await), (400, "InvalidSchema"));
}

#[tokio::test]
async fn a_value_that_is_too_expensive_to_validate_is_rejected() {
    let desk = Desk::new();
    let values: Vec<Value> = (0..20_000).map(|number| json!({"a": number})).collect();
    let items: Vec<Value> = (0..20_000).map(|number| json!({"a": -number - 1})).collect();
    let schema = json!({"type": "object", "properties": {"list": {"items": {"enum": values}}}});
    let asked = json!({"schema": schema, "value": {"list": items}});
    let (status, answer) = desk.post("/schemas/validate", asked).await;
    assert_eq!((status, &answer["verdict"]["errors"][0]["keyword"]), (200, &json!("limit")));
    desk.agent(json!({"name": "costly", "parameters_schema": schema})).await;
    let run = json!({"agent_name": "costly", "parameters": {"list": items}});
    let answer = desk.post("/runs", run).await;
    assert_eq!(refused(&answer), (400, "ParameterValidationFailed"));
    assert!(
        answer.1["message"].as_str().unwrap().contains("more than 50000000 steps"),
        "{}",
        answer.1["message"]
    );
}
