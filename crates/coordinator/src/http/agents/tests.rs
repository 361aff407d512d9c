use accord_contract::Meter;
use axum::http::Method;
use serde_json::{Value, json};

use crate::app::agents::fixture::{Fixture, REVIEWER, Reply, reviewer};

async fn put(fixture: &Fixture, name: &str, tag: &str, body: &Value) -> Reply {
    let headers: &[_] = if tag.is_empty() { &[] } else { &[("if-match", tag)] };
    fixture.send(Method::PUT, &format!("/agents/{name}"), headers, body.to_string()).await
}

async fn patch(fixture: &Fixture, name: &str, tag: &str, body: &Value) -> Reply {
    let headers: &[_] = if tag.is_empty() { &[] } else { &[("if-match", tag)] };
    fixture.send(Method::PATCH, &format!("/agents/{name}"), headers, body.to_string()).await
}

async fn delete(fixture: &Fixture, name: &str, tag: &str) -> Reply {
    let headers: &[_] = if tag.is_empty() { &[] } else { &[("if-match", tag)] };
    fixture.send(Method::DELETE, &format!("/agents/{name}"), headers, String::new()).await
}

async fn names(fixture: &Fixture, path: &str) -> Vec<String> {
    let list = fixture.get(path).await.json();
    let items = list["items"].as_array().unwrap();
    items.iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_agent_is_created_read_changed_and_removed() {
    let fixture = Fixture::new(&[]);
    let made = fixture.post("/agents", &reviewer("a")).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let tag = made.etag();
    let read = fixture.get("/agents/a").await;
    assert_eq!((read.json(), read.etag()), (made.json(), tag.clone()));
    assert_eq!(read.json()["blueprint"], reviewer("a"));
    assert_eq!(read.json()["summary"]["source"], "store");
    assert_eq!(fixture.post("/agents", &reviewer("a")).await.error(), (409, "AgentExists".into()));

    fixture.outside.pass(60);
    let changed = patch(&fixture, "a", &tag, &json!({"description": null, "tags": ["x"]})).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let view = changed.json();
    assert_eq!(view["blueprint"]["tags"], json!(["x"]));
    assert_eq!(view["blueprint"].get("description"), None);
    assert_eq!(view["created_at"], made.json()["created_at"]);
    assert_eq!(view["modified_at"], "2026-11-01T00:01:00Z");
    assert_eq!(fixture.get("/agents/a").await.json(), view);

    assert_eq!(
        patch(&fixture, "a", &tag, &json!({"tags": []})).await.error(),
        (412, "PreconditionFailed".into())
    );
    assert_eq!(put(&fixture, "a", &tag, &reviewer("a")).await.error(), (412, "PreconditionFailed".into()));
    assert_eq!(delete(&fixture, "a", &tag).await.error(), (412, "PreconditionFailed".into()));
    assert_eq!(put(&fixture, "a", "", &reviewer("b")).await.error(), (400, "InvalidRequest".into()));
    assert_eq!(patch(&fixture, "a", "", &json!({"name": "b"})).await.error(), (400, "InvalidRequest".into()));
    assert_eq!(patch(&fixture, "a", "", &json!([])).await.error(), (400, "InvalidRequest".into()));
    assert_eq!(put(&fixture, "a", &changed.etag(), &reviewer("a")).await.status, 200);
    assert_eq!(delete(&fixture, "a", "*").await.status, 204);
    assert_eq!(fixture.get("/agents/a").await.error(), (404, "AgentNotFound".into()));
    assert_eq!(delete(&fixture, "a", "").await.error(), (404, "AgentNotFound".into()));
    assert_eq!(patch(&fixture, "a", "", &json!({})).await.error(), (404, "AgentNotFound".into()));
    assert_eq!(put(&fixture, "a", "*", &reviewer("a")).await.error(), (412, "PreconditionFailed".into()));
    assert_eq!(put(&fixture, "a", "", &reviewer("a")).await.status, 201);
}

#[tokio::test]
async fn creating_an_existing_agent_is_a_conflict() {
    let fixture = Fixture::new(&[("reviewer/agent.yaml", REVIEWER)]);
    let put = async |name: &str, headers: &[(&str, &str)]| {
        fixture.send(Method::PUT, &format!("/agents/{name}"), headers, reviewer(name).to_string()).await
    };
    let none = [("if-none-match", "*")];
    let made = put("a", &none).await;
    assert_eq!(made.status, 201, "{}", made.text);
    for name in ["a", "reviewer"] {
        assert_eq!(put(name, &none).await.error(), (412, "PreconditionFailed".into()), "{name}");
    }
    assert_eq!(fixture.read("reviewer/agent.yaml"), REVIEWER);
    let tag = made.etag();
    for headers in [&[("if-none-match", tag.as_str())][..], &[("if-none-match", "*"), ("if-match", "*")]] {
        assert_eq!(put("a", headers).await.error(), (400, "InvalidRequest".into()), "{headers:?}");
    }
    let refused = fixture.send(Method::DELETE, "/agents/a", &none, String::new()).await;
    assert_eq!(refused.error(), (412, "PreconditionFailed".into()));
    let patched = fixture.send(Method::PATCH, "/agents/a", &none, "{}".to_owned()).await;
    assert_eq!(patched.error(), (412, "PreconditionFailed".into()));
}

#[tokio::test]
async fn known_etags_get_304() {
    let fixture = Fixture::new(&[]);
    let tag = fixture.post("/agents", &reviewer("a")).await.etag();
    let weak = format!("\"x\", W/{tag}");
    for known in [tag.as_str(), &weak, "*"] {
        let headers = [("if-none-match", known)];
        let reply = fixture.send(Method::GET, "/agents/a", &headers, String::new()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.text.as_str(), reply.etag()),
            (304, "", tag.clone()),
            "{known}"
        );
    }
    let reply = fixture.send(Method::GET, "/agents/a", &[("if-none-match", "\"x\"")], String::new()).await;
    assert_eq!((reply.status.as_u16(), reply.etag()), (200, tag));
    assert_eq!(reply.headers["cache-control"], "no-store", "its problems may change without it");
}

#[tokio::test]
async fn invalid_agents_are_rejected_and_not_stored() {
    let fixture = Fixture::new(&[]);
    let wrong = json!({"name": "a", "executor": {"type": "llm", "model": ""}, "tols": [], "limits": {"max_steps": 0}});
    let refused = fixture.post("/agents", &wrong).await;
    assert_eq!(refused.error(), (400, "InvalidAgent".into()));
    let problems = &refused.json()["details"]["problems"];
    let paths: Vec<&str> =
        problems.as_array().unwrap().iter().map(|each| each["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["$.executor.provider", "$.tols", "$.executor.model", "$.limits.max_steps"]);
    assert_eq!(names(&fixture, "/agents").await, [""; 0]);

    let answer = fixture.post("/agents/validate", &wrong).await.json();
    assert_eq!(answer, json!({"valid": false, "problems": problems}));
    let sound = fixture.post("/agents/validate", &reviewer("a")).await.json();
    assert_eq!(sound, json!({"valid": true, "problems": []}));
    let other = fixture.post("/agents/b/validate", &reviewer("a")).await.json();
    assert_eq!(other["valid"], false);
    assert_eq!(other["problems"][0]["path"], "$.name");
    for body in ["", "{", "[]", "{\"name\": 5}", "null"] {
        let reply = fixture.send(Method::POST, "/agents", &[], body.to_owned()).await;
        assert_eq!(reply.status, 400, "{body}");
    }
}

#[tokio::test]
async fn an_invalid_schema_has_the_same_error_everywhere() {
    let fixture = Fixture::new(&[]);
    let mut wrong = reviewer("a");
    wrong["parameters_schema"] = json!({"type": "object", "properties": {"a": {"type": "strin"}}});
    let refused = fixture.post("/agents", &wrong).await;
    assert_eq!(refused.error(), (400, "InvalidSchema".into()));
    let details = &refused.json()["details"];
    assert_eq!(details["path"], "$.parameters_schema.properties.a.type");
    assert_eq!(details["pointer"], "/parameters_schema/properties/a/type");
    assert_eq!(details["problems"][0]["path"], details["path"]);
    assert_eq!(details["problems"].as_array().unwrap().len(), 1);
    assert_eq!(put(&fixture, "a", "", &wrong).await.error(), (400, "InvalidSchema".into()));
    wrong["tols"] = json!([]);
    assert_eq!(fixture.post("/agents", &wrong).await.error(), (400, "InvalidAgent".into()));
}

#[tokio::test]
async fn a_request_can_be_repeated() {
    let fixture = Fixture::new(&[]);
    let send = async |body: Value| {
        fixture.send(Method::POST, "/agents", &[("idempotency-key", "k")], body.to_string()).await
    };
    let first = send(reviewer("a")).await;
    assert_eq!(first.status, 201);
    let again = send(reviewer("a")).await;
    let expected = (first.status, first.json(), first.etag());
    assert_eq!((again.status, again.json(), again.etag()), expected);
    let backwards: serde_json::Map<_, _> =
        reviewer("a").as_object().unwrap().clone().into_iter().rev().collect();
    let again = send(backwards.into()).await;
    assert_eq!((again.status, again.json(), again.etag()), expected, "the order of members is no difference");
    assert_eq!(send(reviewer("b")).await.error(), (409, "IdempotencyConflict".into()));
    assert_eq!(names(&fixture, "/agents").await, ["a"]);
    let empty =
        fixture.send(Method::POST, "/agents", &[("idempotency-key", " ")], reviewer("c").to_string()).await;
    assert_eq!(empty.error(), (400, "InvalidRequest".into()));
}

#[tokio::test]
async fn lists_show_all_agents_and_choose_by_tags() {
    let fixture = Fixture::new(&[
        ("reviewer/agent.yaml", REVIEWER),
        ("broken/agent.yaml", "name: broken\ntags: [code]\n"),
        ("unreadable/agent.yaml", "{"),
    ]);
    fixture.post("/agents", &reviewer("stored")).await;
    assert_eq!(names(&fixture, "/agents").await, ["broken", "reviewer", "stored", "unreadable"]);
    assert_eq!(names(&fixture, "/agents?tags=code").await, ["broken", "reviewer", "stored"]);
    assert_eq!(names(&fixture, "/agents?tags=code,review").await, ["reviewer", "stored"]);
    assert_eq!(fixture.get("/agents?tag=code").await.error(), (400, "InvalidRequest".into()));
    let broken = fixture.get("/agents/broken").await.json();
    assert_eq!(broken["summary"]["valid"], false);
    assert_eq!(broken["summary"]["problems"][0]["line"], 1);
    assert_eq!(fixture.get("/agents/broken/contract").await.error(), (409, "AgentBroken".into()));
    let answer = fixture.send(Method::POST, "/agents/broken/validate", &[], String::new()).await.json();
    assert_eq!(answer, json!({"valid": false, "problems": broken["summary"]["problems"]}));
    assert_eq!(fixture.get("/agents/unreadable").await.json()["blueprint"], Value::Null);
}

#[tokio::test]
async fn a_file_wins_over_the_store() {
    let fixture = Fixture::new(&[]);
    fixture.post("/agents", &reviewer("reviewer")).await;
    fixture.write("reviewer/agent.yaml", &REVIEWER.replace("Reviews", "From a file"));
    fixture.app.blueprints.catalog.reload().await;
    let view = fixture.get("/agents/reviewer").await.json();
    assert_eq!(view["summary"]["source"], "file");
    assert_eq!(view["summary"]["description"], "From a file");
    let message = view["summary"]["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("overrides the stored agent"), "{message}");
    assert_eq!(fixture.post("/agents", &reviewer("reviewer")).await.error(), (409, "AgentExists".into()));
    assert_eq!(delete(&fixture, "reviewer", "").await.status, 204);
    assert_eq!(fixture.get("/agents/reviewer").await.json()["summary"]["source"], "store");
}

#[tokio::test]
async fn files_keep_their_format() {
    let json_text = reviewer("other").to_string();
    let fixture = Fixture::new(&[
        ("reviewer/agent.yaml", REVIEWER),
        ("reviewer/system-prompt.md", "You review.\n"),
        ("other/agent.json", &json_text),
        ("other/notes.txt", "kept"),
    ]);
    let tag = fixture.get("/agents/reviewer").await.etag();
    let change = json!({"system_prompt": "You review code.\n", "limits": {"max_steps": 4}});
    let changed = patch(&fixture, "reviewer", &tag, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(changed.json()["blueprint"]["system_prompt"], "You review code.\n");
    assert_eq!(fixture.read("reviewer/system-prompt.md"), "You review code.\n");
    let yaml = fixture.read("reviewer/agent.yaml");
    assert!(yaml.starts_with("name: reviewer\n") && !yaml.contains("system_prompt"), "{yaml}");
    assert!(yaml.contains("limits:\n  max_steps: 4\n"), "{yaml}");
    assert_eq!(patch(&fixture, "reviewer", &tag, &change).await.error(), (412, "PreconditionFailed".into()));

    // The file is edited before the next request.
    let tag = fixture.get("/agents/other").await.etag();
    fixture.write("other/agent.json", &json_text.replace("Reviews", "Edited"));
    assert_eq!(
        put(&fixture, "other", &tag, &reviewer("other")).await.error(),
        (412, "PreconditionFailed".into())
    );
    assert_eq!(put(&fixture, "other", "", &reviewer("other")).await.status, 200);
    assert_eq!(serde_json::from_str::<Value>(&fixture.read("other/agent.json")).unwrap(), reviewer("other"));
    assert_eq!(delete(&fixture, "other", "").await.status, 204);
    assert_eq!(fixture.read("other/notes.txt"), "kept");
    assert_eq!(names(&fixture, "/agents").await, ["reviewer"]);
    let left: Vec<_> = std::fs::read_dir(fixture.folder().join("reviewer")).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_read_only() {
    let foreign = "schema: kb.agent/1\nid: foreign\n";
    let fixture = Fixture::new(&[("foreign/agent.yml", foreign), ("reviewer/agent.yaml", REVIEWER)]);
    assert_eq!(
        patch(&fixture, "foreign", "", &json!({"tags": []})).await.error(),
        (409, "AgentReadOnly".into())
    );
    assert_eq!(fixture.read("foreign/agent.yml"), foreign);
    let file = fixture.folder().join("reviewer/agent.yaml");
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    assert_eq!(
        patch(&fixture, "reviewer", "", &json!({"tags": []})).await.error(),
        (409, "AgentReadOnly".into())
    );
    assert_eq!(fixture.read("reviewer/agent.yaml"), REVIEWER);
}

#[tokio::test]
async fn a_contract_is_shown_with_its_lowered_forms() {
    let fixture = Fixture::new(&[("reviewer/agent.yaml", REVIEWER)]);
    let contract = fixture.get("/agents/reviewer/contract").await.json();
    assert_eq!(contract["output_schema"], reviewer("x")["output_schema"]);
    assert_eq!(contract["parameters_schema"]["required"], json!(["prompt"]));
    assert_eq!((&contract["is_default"], &contract["max_retries"]), (&json!(false), &json!(1)));
    let profiles: Vec<&str> = contract["lowering"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["profile"].as_str().unwrap())
        .collect();
    assert!(profiles.contains(&"anthropic") && profiles.contains(&"openai"), "{profiles:?}");
    let text = json!({"name": "text", "executor": {"type": "codex"}});
    fixture.post("/agents", &text).await;
    let contract = fixture.get("/agents/text/contract").await.json();
    assert_eq!((&contract["output_schema"], &contract["max_retries"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn an_agent_is_ready_for_use() {
    let fixture = Fixture::new(&[("reviewer/agent.yaml", REVIEWER)]);
    let agent = fixture.app.blueprints.catalog.usable("reviewer").await.unwrap();
    assert_eq!(agent.document, reviewer("reviewer").to_string());
    assert!(agent.output.as_ref().unwrap().accepts(&json!({"summary": "s"}), &Meter::default()));
    let again = fixture.app.blueprints.catalog.usable("reviewer").await.unwrap();
    assert!(std::sync::Arc::ptr_eq(&agent, &again));
    let error = fixture.app.blueprints.catalog.usable("nobody").await.unwrap_err();
    assert_eq!(error.name(), accord_api::ErrorName::AgentNotFound);
}
