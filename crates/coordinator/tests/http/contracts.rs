//! Which output contract applies: one test per row of the table.

use serde_json::{Value, json};

use crate::support::{Answer, Desk, refused};

fn object(name: &str) -> Value {
    json!({"type": "object", "required": [name], "properties": {name: {"type": "integer"}}})
}

async fn desk() -> Desk {
    let desk = Desk::with_writer().await;
    let rule = json!([{"rule": "output.own > 0", "message": "own is positive"}]);
    desk.agent(json!({"name": "own", "output_schema": object("own"), "invariants": rule})).await;
    let options =
        json!({"max_retries": 5, "validation_mode": "lenient", "strategy": "tool", "extract_json": false});
    desk.agent(
        json!({"name": "own-options", "output_schema": object("own"), "output_schema_options": options}),
    )
    .await;
    desk.agent(json!({"name": "suggests", "default_output_schema": object("default")})).await;
    let options = json!({"max_retries": 3, "strict_json_only": true});
    let blueprint = json!({
        "name": "suggests-options",
        "default_output_schema": object("default"),
        "default_output_schema_options": options,
    });
    desk.agent(blueprint).await;
    let answer = desk.post("/schemas", json!({"name": "named", "schema": object("named")})).await;
    assert_eq!(answer.0, 201, "{}", answer.1);
    desk
}

async fn create(desk: &Desk, agent: &str, more: Value) -> Answer {
    let mut body = json!({"agent_name": agent, "prompt": "hi"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    desk.post("/runs", body).await
}

/// The contract that a run is stored with, without its hash.
async fn contract(desk: &Desk, agent: &str, more: Value) -> Value {
    let (status, created) = create(desk, agent, more).await;
    assert_eq!(status, 201, "{created}");
    let (_, run) = desk.get(&format!("/runs/{}", created["run_id"].as_str().unwrap())).await;
    let mut contract = run["contract"].clone();
    if let Some(members) = contract.as_object_mut() {
        let hash = members.remove("schema_hash").unwrap();
        assert!(hash.as_str().unwrap().starts_with("sha256:"));
        assert_eq!(run["contract_origin"], members["origin"]);
    }
    contract
}

fn in_force(origin: &str, schema: &str, retries: u32) -> Value {
    json!({
        "origin": origin,
        "schema": object(schema),
        "max_retries": retries,
        "extract_json": true,
        "strict_json_only": false,
        "validation_mode": "strict",
        "strategy": "auto",
    })
}

fn with(mut value: Value, more: Value) -> Value {
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    value
}

#[tokio::test]
async fn the_agents_contract_applies() {
    let desk = desk().await;
    let rules = json!({"invariants": [{"rule": "output.own > 0", "message": "own is positive"}]});
    assert_eq!(contract(&desk, "own", json!({})).await, with(in_force("blueprint", "own", 1), rules));
    let options = json!({"validation_mode": "lenient", "strategy": "tool", "extract_json": false});
    assert_eq!(
        contract(&desk, "own-options", json!({})).await,
        with(in_force("blueprint", "own", 5), options)
    );
}

#[tokio::test]
async fn a_caller_restricts_where_the_value_may_be() {
    let desk = desk().await;
    let asked = |options: Value| json!({"output_schema": object("x"), "output_schema_options": options});
    for (options, stored) in [
        (json!({"extract_json": ["fence"]}), json!({"extract_json": ["fence"]})),
        (json!({"extract_json": []}), json!({"extract_json": false})),
        (json!({"extract_json": ["prose", "fence"]}), json!({})),
        (json!({"embedded": "confirm"}), json!({"embedded": "confirm"})),
        (json!({"embedded": "accept"}), json!({})),
    ] {
        let contract = contract(&desk, "writer", asked(options.clone())).await;
        assert_eq!(contract, with(in_force("caller", "x", 2), stored), "{options}");
    }
    for (options, told) in [
        (json!({"extract_json": ["table"]}), "expected 'fence' or 'prose', got 'table'"),
        (json!({"embedded": "ask"}), "ask"),
    ] {
        let answer = create(&desk, "writer", asked(options)).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"));
        assert!(answer.1["message"].as_str().unwrap().contains(told), "{}", answer.1);
    }
}

#[tokio::test]
async fn a_caller_cannot_replace_the_agents_contract() {
    let desk = desk().await;
    let none = json!({"type": "object", "properties": {"own": {"type": "string"}}});
    for (more, place) in [
        (json!({"output_schema": object("x")}), json!("$")),
        (json!({"output_schema": none}), json!("$.own")),
        (json!({"output_schema_name": "named"}), json!("$")),
        (json!({"output_schema_options": {"max_retries": 3}}), json!(null)),
    ] {
        let answer = create(&desk, "own", more.clone()).await;
        assert_eq!(refused(&answer), (409, "OutputSchemaConflict"), "{more}");
        assert_eq!(answer.1["details"]["places"][0]["path"], place, "{}", answer.1);
        assert_eq!(answer.1["details"]["agent_name"], "own");
    }
    let absent = create(&desk, "own", json!({"output_schema_name": "absent"})).await;
    assert_eq!(refused(&absent), (404, "SchemaNotFound"));
    assert_eq!(desk.get("/runs").await.1["items"], json!([]), "nothing was queued");
}

/// What the agent's own contract implies changes nothing: the agent's is enforced, with its rules.
#[tokio::test]
async fn a_caller_may_repeat_or_widen_the_agents_contract() {
    let desk = desk().await;
    let own = contract(&desk, "own", json!({})).await;
    let titled = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "title": "Own", "required": ["own"], "type": "object",
        "properties": {"own": {"description": "a number", "type": "integer"}},
    });
    let wider = json!({"type": "object", "properties": {"own": {"type": ["number", "null"]}}});
    for callers in [object("own"), titled, wider, json!({"type": "object"}), json!({}), json!(true)] {
        assert_eq!(contract(&desk, "own", json!({"output_schema": callers})).await, own, "{callers}");
    }
    let registered = json!({"name": "wide", "schema": {"type": "object"}});
    assert_eq!(desk.post("/schemas", registered).await.0, 201);
    assert_eq!(contract(&desk, "own", json!({"output_schema_name": "wide"})).await, own);
}

#[tokio::test]
async fn a_callers_contract_applies() {
    let desk = desk().await;
    let inline = json!({"output_schema": object("inline")});
    assert_eq!(contract(&desk, "writer", inline.clone()).await, in_force("caller", "inline", 2));
    let named = json!({"output_schema_name": "named"});
    let expected = with(in_force("caller", "named", 2), json!({"schema_name": "named"}));
    assert_eq!(contract(&desk, "writer", named).await, expected);
    let both = with(inline.clone(), json!({"output_schema_name": "named"}));
    assert_eq!(contract(&desk, "writer", both).await, in_force("caller", "inline", 2));
    assert_eq!(contract(&desk, "suggests", inline.clone()).await, in_force("caller", "inline", 2));
    let retries =
        with(inline, json!({"output_schema_options": {"max_retries": 0, "strict_json_only": true}}));
    let expected = with(in_force("caller", "inline", 0), json!({"strict_json_only": true}));
    assert_eq!(contract(&desk, "writer", retries).await, expected);
}

#[tokio::test]
async fn the_default_contract_comes_last() {
    let desk = desk().await;
    assert_eq!(contract(&desk, "suggests", json!({})).await, in_force("default", "default", 2));
    let expected = with(in_force("default", "default", 3), json!({"strict_json_only": true}));
    assert_eq!(contract(&desk, "suggests-options", json!({})).await, expected);
    let options = json!({"output_schema_options": {"max_retries": 7}});
    let expected = with(in_force("default", "default", 7), json!({"strict_json_only": true}));
    assert_eq!(contract(&desk, "suggests-options", options).await, expected);
    assert_eq!(contract(&desk, "writer", json!({})).await, Value::Null);
}

#[tokio::test]
async fn invalid_contracts_are_rejected() {
    let desk = desk().await;
    let absent = create(&desk, "writer", json!({"output_schema_name": "absent"})).await;
    let expected = json!({
        "error": "SchemaNotFound",
        "message": "output schema 'absent' not found",
        "status_code": 404,
    });
    assert_eq!(absent, (404, expected));
    let schema = json!({"properties": {"a": {"type": "strin"}}});
    let invalid = create(&desk, "writer", json!({"output_schema": schema})).await;
    assert_eq!(refused(&invalid), (400, "InvalidSchema"));
    let details = &invalid.1["details"];
    assert_eq!(
        (&details["field"], &details["path"], &details["pointer"]),
        (&json!("output_schema"), &json!("$.properties.a.type"), &json!("/properties/a/type"))
    );
    for options in [
        json!({"max_retries": 11}),
        json!({"max_retries": -1}),
        json!({"nonsense": 1}),
        json!({"strategy": "x"}),
    ] {
        let more = json!({"output_schema": object("a"), "output_schema_options": options});
        assert_eq!(refused(&create(&desk, "writer", more).await), (400, "InvalidRequest"), "{options}");
    }
    let alone = create(&desk, "writer", json!({"output_schema_options": {"max_retries": 1}})).await;
    assert_eq!(refused(&alone), (400, "InvalidRequest"));
}

#[tokio::test]
async fn a_resume_uses_the_agents_or_its_own_callers_contract() {
    let desk = desk().await;
    let runner = desk.runner().await;
    let more = json!({"output_schema": object("inline")});
    let (_, created) = create(&desk, "writer", more).await;
    let held = desk.claim(&runner).await;
    let end = desk.finish(&held, json!({"status": "completed", "result_data": {"inline": 1}})).await;
    assert_eq!(end.0, 200, "{}", end.1);
    let (_, again) = desk.post("/runs", json!({"session_id": created["session_id"], "prompt": "more"})).await;
    let (_, run) = desk.get(&format!("/runs/{}", again["run_id"].as_str().unwrap())).await;
    assert_eq!(run.get("contract"), None, "a caller's contract is for the run that it came with");
}

#[tokio::test]
async fn a_schema_description_stays_until_replaced() {
    let desk = Desk::with_writer().await;
    let steps = [
        (json!({"description": "One"}), 201, "One"),
        (json!({}), 201, "One"),
        (json!({"description": "Two"}), 201, "Two"),
        (json!({"description": ""}), 201, ""),
    ];
    for (said, status, description) in steps {
        let mut body = json!({"name": "named", "schema": object("named")});
        body.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        let answer = desk.post("/schemas", body).await;
        assert_eq!((answer.0, &answer.1["description"]), (status, &json!(description)), "{said}");
        assert_eq!(desk.get("/schemas/named").await.1["description"], description);
    }
}
