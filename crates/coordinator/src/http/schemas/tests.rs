use axum::http::Method;
use serde_json::{Value, json};

use crate::app::agents::fixture::{Fixture, Reply};

fn summary() -> Value {
    json!({"type": "object", "required": ["summary"], "properties": {"summary": {"type": "string"}}})
}

async fn delete(fixture: &Fixture, name: &str) -> Reply {
    fixture.send(Method::DELETE, &format!("/schemas/{name}"), &[], String::new()).await
}

#[tokio::test]
async fn a_schema_is_registered_once() {
    let fixture = Fixture::new(&[]);
    let body = json!({"name": "summary", "description": "d", "schema": summary()});
    let made = fixture.post("/schemas", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let view = made.json();
    assert_eq!(view["schema"], summary());
    assert_eq!(made.etag(), format!("\"{}\"", view["hash"].as_str().unwrap()));
    assert_eq!(fixture.get("/schemas/summary").await.json(), view);
    assert_eq!(fixture.get("/schemas").await.json(), json!({"items": [view], "next_cursor": null}));
    assert_eq!(fixture.post("/schemas", &body).await.status, 201);
    let sorted = r#"{"schema": {"properties": {"summary": {"type": "string"}}, "required": ["summary"], "type": "object"},
        "name": "summary", "description": "d"}"#;
    let again = fixture.send(Method::POST, "/schemas", &[], sorted.to_owned()).await;
    assert_eq!((again.status.as_u16(), again.etag()), (201, made.etag()), "{}", again.text);
    assert_eq!(again.json()["schema"].to_string(), summary().to_string());
    let other = json!({"name": "summary", "schema": {"type": "object"}});
    assert_eq!(fixture.post("/schemas", &other).await.error(), (409, "SchemaExists".into()));
    let wrong = fixture.post("/schemas", &json!({"name": "x", "schema": {"type": "objekt"}})).await;
    assert_eq!(wrong.error(), (400, "InvalidSchema".into()));
    assert_eq!(wrong.json()["details"]["path"], "$.type");
    for name in ["", "a b", "../x", ".x", "validate", "infer"] {
        let body = json!({"name": name, "schema": {}});
        assert_eq!(fixture.post("/schemas", &body).await.error(), (400, "InvalidRequest".into()));
    }
    let stale = [("if-match", "\"sha256:0\"")];
    let refused = fixture.send(Method::DELETE, "/schemas/summary", &stale, String::new()).await;
    assert_eq!(refused.error(), (412, "PreconditionFailed".into()));
    assert_eq!(delete(&fixture, "summary").await.status, 204);
    assert_eq!(delete(&fixture, "summary").await.error(), (404, "SchemaNotFound".into()));
    assert_eq!(fixture.get("/schemas/summary").await.error(), (404, "SchemaNotFound".into()));
    assert_eq!(fixture.get("/schemas?limit=0").await.error(), (400, "InvalidRequest".into()));
}

#[tokio::test]
async fn a_file_that_was_just_saved_keeps_its_schema() {
    let fixture = Fixture::new(&[("filed/agent.yaml", "name: filed\nexecutor: { type: codex }\n")]);
    fixture.post("/schemas", &json!({"name": "summary", "schema": summary()})).await;
    fixture.write(
        "filed/agent.yaml",
        "name: filed\nexecutor: { type: codex }\ndefault_output_schema: summary\n",
    );
    let refused = delete(&fixture, "summary").await;
    assert_eq!(refused.error(), (409, "SchemaInUse".into()));
    assert_eq!(refused.json()["details"]["agents"], json!(["filed"]));
    fixture.write("filed/agent.yaml", "name: filed\nexecutor: { type: codex }\n");
    assert_eq!(delete(&fixture, "summary").await.status, 204);
}

#[tokio::test]
async fn an_agent_may_refer_to_a_registered_schema() {
    let file = "name: filed\nexecutor: { type: codex }\ndefault_output_schema: summary\n";
    let fixture = Fixture::new(&[("filed/agent.yaml", file)]);
    let stored = json!({"name": "stored", "executor": {"type": "codex"}, "output_schema": "summary"});
    let made = fixture.post("/agents", &stored).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let problem = &made.json()["summary"]["problems"][0];
    assert_eq!((&problem["severity"], &problem["path"]), (&json!("warning"), &json!("$.output_schema")));
    let missing = fixture.app.blueprints.catalog.usable("stored").await.unwrap_err();
    assert_eq!(missing.name(), accord_api::ErrorName::SchemaNotFound);

    fixture.post("/schemas", &json!({"name": "summary", "schema": summary()})).await;
    let agent = fixture.app.blueprints.catalog.usable("stored").await.unwrap();
    assert_eq!(agent.output.as_ref().map(|schema| schema.document().clone()), Some(summary()));
    assert_eq!(agent.output_name(), Some("summary"));
    let agent = fixture.app.blueprints.catalog.usable("filed").await.unwrap();
    assert_eq!((agent.output_name(), agent.default_output_name()), (None, Some("summary")));
    assert_eq!(fixture.get("/agents/stored").await.json()["summary"]["problems"], json!([]));

    let refused = delete(&fixture, "summary").await;
    assert_eq!(refused.error(), (409, "SchemaInUse".into()));
    assert_eq!(refused.json()["details"], json!({"agents": ["filed", "stored"], "workflows": []}));
}

#[tokio::test]
async fn a_schema_lists_its_users() {
    let fixture = Fixture::new(&[]);
    fixture.post("/schemas", &json!({"name": "summary", "schema": summary()})).await;
    fixture.post("/schemas", &json!({"name": "idle", "schema": summary()})).await;
    let agent = |name: &str| json!({"name": name, "executor": {"type": "codex"}, "output_schema": "summary"});
    for name in ["b", "a"] {
        assert_eq!(fixture.post("/agents", &agent(name)).await.status, 201);
    }
    let mut inline = agent("c");
    inline.as_object_mut().unwrap().remove("name");
    let nodes = json!({
        "input": {"type": "input"}, "node": {"type": "agent", "agent": inline, "prompt": "x"}, "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "node"}, {"from": "node", "to": "output"}]);
    let made = fixture.post("/workflows", &json!({"name": "flow", "nodes": nodes, "edges": edges})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let users = json!({"agents": ["a", "b"], "workflows": ["flow"]});
    assert_eq!(fixture.get("/schemas/summary").await.json()["used_by"], users);
    let listed = fixture.get("/schemas").await.json();
    let nobody = json!({"agents": [], "workflows": []});
    assert_eq!((&listed["items"][0]["used_by"], &listed["items"][1]["used_by"]), (&nobody, &users));
    for path in ["/agents/a", "/agents/b"] {
        assert_eq!(fixture.send(Method::DELETE, path, &[], String::new()).await.status, 204);
    }
    let refused = delete(&fixture, "summary").await;
    assert_eq!(refused.json()["details"], json!({"agents": [], "workflows": ["flow"]}));
}

#[tokio::test]
async fn a_node_of_a_workflow_may_refer_to_a_registered_schema() {
    let fixture = Fixture::new(&[("free/agent.yaml", "name: free\nexecutor: { type: codex }\n")]);
    let node = json!({"type": "agent", "agent": "free", "prompt": "x", "output_schema": "summary"});
    let output = json!({"type": "output", "value": "{{ node.sumary }}"});
    let nodes = json!({"input": {"type": "input"}, "node": node, "output": output});
    let edges = json!([{"from": "input", "to": "node"}, {"from": "node", "to": "output"}]);
    let flow = json!({"name": "flow", "nodes": nodes, "edges": edges});
    assert_eq!(fixture.post("/workflows", &flow).await.status, 201);
    let problems = async || fixture.post("/workflows/validate", &flow).await.json()["problems"].clone();
    let unknown = problems().await;
    assert_eq!(
        (&unknown[0]["severity"], &unknown[0]["path"]),
        (&json!("warning"), &json!("$.nodes.node.output_schema"))
    );

    fixture.post("/schemas", &json!({"name": "summary", "schema": summary()})).await;
    let known = problems().await;
    assert_eq!(
        (known.as_array().unwrap().len(), &known[0]["path"]),
        (1, &json!("$.nodes.output.value")),
        "{known}"
    );
    assert_eq!(
        delete(&fixture, "summary").await.json()["details"],
        json!({"agents": [], "workflows": ["flow"]})
    );

    assert_eq!(fixture.post("/workflows/flow/runs", &json!({"input": {}})).await.status, 201);
    fixture.app.workflow_runs.advance_due().await.unwrap();
    let run = fixture.get("/runs").await.json()["items"][0]["run_id"].clone();
    let run = fixture.get(&format!("/runs/{}", run.as_str().unwrap())).await.json();
    assert_eq!(
        (&run["contract"]["schema_name"], &run["contract"]["schema"]),
        (&json!("summary"), &summary())
    );
}

#[tokio::test]
async fn a_schema_is_checked_and_validates_values() {
    let fixture = Fixture::new(&[]);
    let send = async |body: Value| fixture.post("/schemas/validate", &body).await;
    let wrong = send(json!({"schema": {"type": "objekt"}})).await.json();
    assert_eq!((&wrong["valid"], &wrong["problems"][0]["path"]), (&json!(false), &json!("$.type")));
    let sound = send(json!({"schema": summary()})).await.json();
    assert_eq!((&sound["valid"], &sound["verdict"]), (&json!(true), &Value::Null));
    let bounded =
        send(json!({"schema": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}}));
    let lowering = bounded.await.json()["lowering"].clone();
    let anthropic =
        lowering.as_array().unwrap().iter().find(|report| report["profile"] == "anthropic").unwrap();
    assert_eq!(anthropic["losses"][0]["pointer"], "/properties/n");
    let text = send(json!({"schema": summary(), "text": "Here: {\"summary\": \"s\"}"})).await.json();
    let expected = json!({
        "valid": true, "value": {"summary": "s"}, "errors": [], "repairs": [], "outcome": null, "source": "prose",
        "more_errors": 0,
    });
    assert_eq!(text["verdict"], expected);
    let value = send(json!({"schema": summary(), "value": {"summary": 5}})).await.json();
    assert_eq!(value["verdict"]["valid"], false);
    assert_eq!(value["verdict"]["errors"][0]["path"], "$.summary");
    assert_eq!(value["verdict"]["outcome"], "schema_invalid");
    let null = send(json!({"schema": summary(), "value": null})).await.json();
    assert_eq!(null["verdict"]["errors"][0]["keyword"], "type");
    let null = send(json!({"schema": {"type": "null"}, "value": null})).await.json();
    assert_eq!(null["verdict"]["valid"], true);
    let mended =
        send(json!({"schema": summary(), "text": "{'summary': 's',}", "mode": "lenient"})).await.json();
    assert_eq!(mended["verdict"]["valid"], true);
    let both = send(json!({"schema": {}, "text": "1", "value": 1})).await;
    assert_eq!(both.error(), (400, "InvalidRequest".into()));
}

#[tokio::test]
async fn a_schema_is_inferred_from_examples() {
    let fixture = Fixture::new(&[]);
    let send = async |body: Value| fixture.post("/schemas/infer", &body).await;
    let examples = json!([{"a": 1, "b": "x"}, {"a": 2}]);
    let schema = send(json!({"examples": examples, "closed": true})).await.json()["schema"].clone();
    let expected = json!({"a": {"type": "integer"}, "b": {"type": "string"}});
    assert_eq!(
        (&schema["properties"], &schema["required"], &schema["additionalProperties"]),
        (&expected, &json!(["a"]), &json!(false))
    );
    assert_eq!(send(json!({"examples": []})).await.error(), (400, "InvalidRequest".into()));
    assert_eq!(send(json!({})).await.error(), (400, "InvalidRequest".into()));
}
