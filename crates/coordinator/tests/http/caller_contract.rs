//! `Accord-Contract`: a caller that was generated for other schemas is rejected.

use serde_json::{Value, json};

use crate::support::{Answer, Desk, refused, text};

fn blueprint(output: &str) -> Value {
    json!({
        "name": "own",
        "parameters_schema": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        "output_schema": {"type": "object", "properties": {output: {"type": "integer", "description": "Words"}}},
    })
}

async fn create(desk: &Desk, contract: &str, body: Value) -> Answer {
    desk.send("POST", "/runs", &[("accord-contract", contract)], Some(body)).await
}

async fn contract_hash(desk: &Desk) -> String {
    let (_, agent) = desk.get("/agents/own").await;
    let (_, contract) = desk.get("/agents/own/contract").await;
    assert_eq!(agent["contract_hash"], contract["contract_hash"]);
    text(&agent, "contract_hash")
}

#[tokio::test]
async fn a_caller_of_another_contract_is_rejected() {
    let desk = Desk::with_writer().await;
    desk.agent(blueprint("words")).await;
    let (known, body) =
        (contract_hash(&desk).await, json!({"agent_name": "own", "parameters": {"text": "a"}}));
    assert_eq!(create(&desk, &known, body.clone()).await.0, 201);

    let changed = json!({"output_schema": {"type": "object", "properties": {"words": {"type": "string"}}}});
    assert_eq!(desk.send("PATCH", "/agents/own", &[], Some(changed)).await.0, 200);
    let now = contract_hash(&desk).await;
    let answer = create(&desk, &known, body.clone()).await;
    assert_eq!(refused(&answer), (409, "ContractChanged"));
    let difference =
        json!({"schema": "output", "path": "$.words", "change": "type: \"integer\" → \"string\""});
    let expected = json!({
        "agent_name": "own", "changed": ["output"], "differences": [difference],
        "callers_contract": known, "contract_hash": now,
    });
    assert_eq!(answer.1["details"], expected);
    assert!(text(&answer.1, "message").contains("(output $.words: type: \"integer\" → \"string\")"));
    assert_eq!(create(&desk, &now, body.clone()).await.0, 201);

    // The contract is checked before the parameters, which were written for the old contract, too.
    let answer = create(&desk, "0-1", json!({"agent_name": "own", "parameters": {}})).await;
    assert_eq!(
        (refused(&answer), &answer.1["details"]["changed"]),
        ((409, "ContractChanged"), &json!(["input", "output"]))
    );
    assert_eq!(answer.1["details"]["differences"], Value::Null);
    assert!(text(&answer.1, "message").contains("does not know that contract"));
    assert_eq!(refused(&create(&desk, "latest", body).await), (400, "InvalidRequest"));
}

/// Types are generated from what `GET /agents/NAME/contract` answers, before there is a run.
#[tokio::test]
async fn a_contract_that_was_only_read_is_known() {
    let desk = Desk::with_writer().await;
    desk.agent(blueprint("words")).await;
    let known = contract_hash(&desk).await;
    let input = json!({"type": "object", "required": ["text", "language"],
        "properties": {"text": {"type": "string"}, "language": {"enum": ["de", "en"]}}});
    let changed = json!({"parameters_schema": input, "output_schema": null});
    assert_eq!(desk.send("PATCH", "/agents/own", &[], Some(changed)).await.0, 200);
    let answer = create(&desk, &known, json!({"agent_name": "own", "parameters": {"text": "a"}})).await;
    let differences = json!([
        {"schema": "input", "path": "$.language", "change": "added, required"},
        {"schema": "output", "path": "$", "change": "removed"},
    ]);
    assert_eq!(
        (refused(&answer), &answer.1["details"]["differences"]),
        ((409, "ContractChanged"), &differences)
    );
}

#[tokio::test]
async fn a_new_description_changes_nothing_for_callers() {
    let desk = Desk::with_writer().await;
    desk.agent(blueprint("words")).await;
    let known = contract_hash(&desk).await;
    let changed = json!({"output_schema": {"properties": {"words": {"description": "How many words", "type": "integer"}}, "type": "object"}});
    assert_eq!(desk.send("PATCH", "/agents/own", &[], Some(changed)).await.0, 200);
    assert_eq!(contract_hash(&desk).await, known);
}

#[tokio::test]
async fn a_repeated_request_gets_its_first_answer_after_a_change() {
    let desk = Desk::with_writer().await;
    desk.agent(blueprint("words")).await;
    let (known, body) =
        (contract_hash(&desk).await, json!({"agent_name": "own", "parameters": {"text": "a"}}));
    let headers = [("accord-contract", known.as_str()), ("idempotency-key", "k")];
    let first = desk.send("POST", "/runs", &headers, Some(body.clone())).await;
    let changed = json!({"output_schema": {"type": "object", "properties": {"words": {"type": "string"}}}});
    assert_eq!(desk.send("PATCH", "/agents/own", &[], Some(changed)).await.0, 200);
    assert_eq!(desk.send("POST", "/runs", &headers, Some(body)).await, first);
}

#[tokio::test]
async fn a_resume_is_rejected_too() {
    let desk = Desk::with_writer().await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "hi"})).await;
    let runner = desk.runner().await;
    desk.complete(&runner, "done").await;
    let answer = create(&desk, "0-none", json!({"session_id": session, "prompt": "again"})).await;
    assert_eq!(
        (refused(&answer), &answer.1["details"]["changed"]),
        ((409, "ContractChanged"), &json!(["input"]))
    );
}
