//! The fields of `POST /runs`, and requests that are rejected before anything is queued.

use serde_json::{Value, json};

use crate::support::{Desk, refused, text};

#[tokio::test]
async fn a_created_run_is_queued() {
    let desk = Desk::with_writer().await;
    let (status, created) = desk.post("/runs", json!({"agent_name": "writer", "prompt": "hi"})).await;
    let (run, session) = (text(&created, "run_id"), text(&created, "session_id"));
    assert_eq!((status, created), (201, json!({"run_id": run, "session_id": session, "status": "pending"})));
    let (status, view) = desk.get(&format!("/runs/{run}")).await;
    let expected = json!({
        "run_id": run,
        "session_id": session,
        "type": "start_session",
        "agent_name": "writer",
        "status": "pending",
        "execution_mode": "sync",
        "demands": {"executor_type": "llm"},
        "priority": 0,
        "attempt": 0,
        "retry_count": 0,
        "runner_id": null,
        "usage": {"input_tokens": 0, "output_tokens": 0},
        "created_at": "2026-11-01T00:00:00Z",
        "claimed_at": null,
        "started_at": null,
        "finished_at": null,
        "input_preview": "hi",
        "model": "small",
        "attempts": 0,
        "parameters": {"prompt": "hi"},
    });
    assert_eq!((status, view), (200, expected));
}

#[tokio::test]
async fn invalid_requests_are_rejected_with_a_remedy() {
    let desk = Desk::with_writer().await;
    let command = json!({"type": "process", "command": "count"});
    desk.agent(json!({"name": "count", "type": "procedural", "executor": command})).await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "hi"})).await;
    let cases: &[(Value, u16, &str)] = &[
        (json!({"prompt": "hi"}), 400, "InvalidRequest"),
        (
            json!({"agent_name": "writer", "prompt": "a", "parameters": {"prompt": "b"}}),
            400,
            "InvalidRequest",
        ),
        (json!({"agent_name": "writer", "prompt": "a", "nonsense": 1}), 400, "InvalidRequest"),
        (json!({"agent_name": "writer", "prompt": "a", "priority": 1001}), 400, "InvalidRequest"),
        (json!({"agent_name": "writer", "prompt": "a", "priority": -1001}), 400, "InvalidRequest"),
        (json!({"agent_name": "writer", "prompt": "a", "project_dir": ""}), 400, "InvalidRequest"),
        (json!({"agent_name": "writer", "prompt": "a", "model": ""}), 400, "InvalidRequest"),
        (json!({"agent_name": "writer", "prompt": "a", "model": "m".repeat(4097)}), 400, "InvalidRequest"),
        (json!({"agent_name": "count", "prompt": "a", "model": "m"}), 400, "InvalidRequest"),
        (json!({"type": "resume_session", "prompt": "a"}), 400, "InvalidRequest"),
        (json!({"type": "start_session", "session_id": session, "prompt": "a"}), 400, "InvalidRequest"),
        (json!({"session_id": session, "agent_name": "other", "prompt": "a"}), 400, "InvalidRequest"),
        (json!({"session_id": session, "project_dir": "/q", "prompt": "a"}), 400, "InvalidRequest"),
        (json!({"session_id": "run_1", "prompt": "a"}), 400, "InvalidRequest"),
        (json!({"session_id": "ses_none", "prompt": "a"}), 404, "SessionNotFound"),
        (json!({"session_id": session, "prompt": "a"}), 409, "SessionBusy"),
        (json!({"agent_name": "nobody", "prompt": "a"}), 404, "AgentNotFound"),
        (
            json!({"agent_name": "writer", "prompt": "a", "execution_mode": "async_callback"}),
            400,
            "InvalidRequest",
        ),
        (
            json!({"agent_name": "writer", "prompt": "a", "parent_session_id": "ses_none"}),
            404,
            "SessionNotFound",
        ),
        (
            json!({"agent_name": "writer", "prompt": "a", "additional_demands": {"executor_type": "codex"}}),
            400,
            "InvalidRequest",
        ),
        (json!([]), 400, "InvalidRequest"),
    ];
    for (body, status, name) in cases {
        let answer = desk.post("/runs", body.clone()).await;
        assert_eq!(refused(&answer), (*status, *name), "{body} -> {}", answer.1);
        assert!(!answer.1["message"].as_str().unwrap().is_empty());
    }
    let (_, runs) = desk.get("/runs").await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 1, "nothing else was queued");
}

#[tokio::test]
async fn without_an_input_contract_a_prompt_is_required() {
    let desk = Desk::with_writer().await;
    let answer = desk.post("/runs", json!({"agent_name": "writer", "parameters": {"prompt": ""}})).await;
    let expected = json!({
        "error": "ParameterValidationFailed",
        "message": "the parameters do not match the parameters_schema of agent 'writer': $.prompt: expected at least 1 character, got 0: \"\"",
        "status_code": 400,
        "details": {
            "errors": [{"path": "$.prompt", "keyword": "minLength", "message": "expected at least 1 character, got 0: \"\""}],
            "parameters_schema": {
                "type": "object",
                "required": ["prompt"],
                "properties": {"prompt": {"type": "string", "minLength": 1}},
                "additionalProperties": false,
            },
            "agent_name": "writer",
        },
    });
    assert_eq!(answer, (400, expected));
    for parameters in [json!({}), json!({"prompt": 1}), json!({"prompt": "a", "more": 1}), json!([])] {
        let body = json!({"agent_name": "writer", "parameters": parameters});
        assert_eq!(
            refused(&desk.post("/runs", body).await),
            (400, "ParameterValidationFailed"),
            "{parameters}"
        );
    }
    assert_eq!(
        refused(&desk.post("/runs", json!({"agent_name": "writer"})).await).1,
        "ParameterValidationFailed"
    );
}

#[tokio::test]
async fn with_an_input_contract_only_it_decides() {
    let desk = Desk::new();
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    desk.agent(json!({"name": "counter", "parameters_schema": schema})).await;
    let (run, _) =
        desk.run(json!({"agent_name": "counter", "parameters": {"n": 12345678901234567890123_i128}})).await;
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!(view["parameters"].to_string(), r#"{"n":12345678901234567890123}"#, "numbers stay as written");
    let answer = desk.post("/runs", json!({"agent_name": "counter", "prompt": "a"})).await;
    assert_eq!(refused(&answer), (400, "ParameterValidationFailed"));
    assert_eq!(answer.1["details"]["parameters_schema"], schema);
}

#[tokio::test]
async fn demands_are_merged() {
    let desk = Desk::new();
    desk.agent(json!({"name": "eu", "demands": {"tags": ["eu"], "hostname": "h"}})).await;
    let body = json!({
        "agent_name": "eu",
        "prompt": "a",
        "project_dir": "/p",
        "additional_demands": {"tags": ["gpu"], "hostname": "h"},
    });
    let (run, _) = desk.run(body).await;
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    let expected =
        json!({"hostname": "h", "project_dir": "/p", "executor_type": "llm", "tags": ["eu", "gpu"]});
    assert_eq!(view["demands"], expected);
    let clash = json!({"agent_name": "eu", "prompt": "a", "additional_demands": {"hostname": "x"}});
    assert_eq!(refused(&desk.post("/runs", clash).await), (400, "InvalidRequest"));
}

#[tokio::test]
async fn a_session_is_resumed_on_the_host_of_its_transcript() {
    let desk = Desk::with_writer().await;
    let runner =
        desk.runner_with(json!({"hostname": "h", "project_dir": "/p", "executor_types": ["llm"]})).await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "hi"})).await;
    let held = desk.claim(&runner).await;
    let end = json!({
        "status": "completed",
        "result_text": "done",
        "conversation": {"messages": [1.50]},
        "affinity": {"hostname": "h", "project_dir": "/p"},
    });
    desk.finish(&held, end).await;
    let refusal = desk.post("/runs", json!({"session_id": session, "parameters": {"n": 1}})).await;
    assert_eq!(refused(&refusal), (400, "ParameterValidationFailed"));
    let (run, again) = desk.run(json!({"session_id": session, "prompt": "more"})).await;
    assert_eq!(again, session);
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!(view["type"], "resume_session");
    assert_eq!(view["demands"], json!({"hostname": "h", "project_dir": "/p", "executor_type": "llm"}));
    let held = desk.claim(&runner).await;
    assert_eq!(held.run["conversation"].to_string(), r#"{"messages":[1.5]}"#);
}

#[tokio::test]
async fn a_command_is_resumed_only_if_its_input_has_a_prompt() {
    let desk = Desk::new();
    let runner = desk.runner().await;
    let count = json!({
        "type": "object", "required": ["text"], "properties": {"text": {"type": "string"}},
        "additionalProperties": false,
    });
    let short = json!({"type": "object", "properties": {"prompt": {"type": "string", "maxLength": 4}}});
    for (name, schema) in [("count", &count), ("short", &short)] {
        desk.agent(json!({
            "name": name, "type": "procedural", "executor": {"type": "process", "command": "count"},
            "parameters_schema": schema,
        }))
        .await;
    }
    let done = json!({"status": "completed", "result_data": 1});
    let (_, session) = desk.run(json!({"agent_name": "count", "parameters": {"text": "a"}})).await;
    desk.finish(&desk.claim(&runner).await, done.clone()).await;
    let start = desk.post("/runs", json!({"agent_name": "count", "prompt": "again"})).await;
    let resume = desk.post("/runs", json!({"session_id": session, "prompt": "again"})).await;
    let remedy = "; a procedural agent has no memory: start it again with its parameters";
    assert_eq!(text(&resume.1, "message"), text(&start.1, "message") + remedy);
    assert_eq!((refused(&resume), &resume.1["details"]), (refused(&start), &start.1["details"]));
    let resume = json!({"session_id": session, "parameters": {"text": "b"}});
    let message = text(&desk.post("/runs", resume).await.1, "message");
    assert!(message.contains("the schema of a resume") && message.ends_with(remedy), "{message}");
    let (_, session) = desk.run(json!({"agent_name": "short", "parameters": {}})).await;
    desk.finish(&desk.claim(&runner).await, done).await;
    let long = desk.post("/runs", json!({"session_id": session, "prompt": "longer"})).await;
    assert_eq!(refused(&long), (400, "ParameterValidationFailed"));
    desk.run(json!({"session_id": session, "prompt": "more"})).await;
    assert_eq!(desk.claim(&runner).await.run["parameters"], json!({"prompt": "more"}));
}

#[tokio::test]
async fn the_same_idempotency_key_returns_the_same_run() {
    let desk = Desk::with_writer().await;
    let body = json!({"agent_name": "writer", "prompt": "hi"});
    let first = desk.post_once("/runs", "k1", body.clone()).await;
    assert_eq!(desk.post_once("/runs", "k1", body.clone()).await, first);
    let other = desk.post_once("/runs", "k2", body.clone()).await;
    assert_ne!(other.1["run_id"], first.1["run_id"]);
    let conflict = desk.post_once("/runs", "k1", json!({"agent_name": "writer", "prompt": "ho"})).await;
    assert_eq!(refused(&conflict), (409, "IdempotencyConflict"));
    assert_eq!(refused(&desk.post_once("/runs", &"k".repeat(256), body).await), (400, "InvalidRequest"));
    // A resume that is repeated while its run is in progress is the same resume.
    let runner = desk.runner().await;
    desk.complete(&runner, "done").await;
    let resume = json!({"session_id": first.1["session_id"], "prompt": "more"});
    let first = desk.post_once("/runs", "k3", resume.clone()).await;
    assert_eq!(first.0, 201, "{}", first.1);
    assert_eq!(desk.post_once("/runs", "k3", resume).await, first);
}

#[tokio::test]
async fn runs_are_listed_by_page_and_filter() {
    let desk = Desk::with_writer().await;
    for _ in 0..3 {
        desk.run(json!({"agent_name": "writer", "prompt": "hi"})).await;
    }
    let (_, first) = desk.get("/runs?limit=2&status=pending&agent_name=writer").await;
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    let (_, rest) = desk.get(&format!("/runs?limit=2&cursor={}", text(&first, "next_cursor"))).await;
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next_cursor"]), (1, &Value::Null));
    let (_, none) = desk.get("/runs?status=failed").await;
    assert_eq!(none, json!({"items": [], "next_cursor": null, "total": 0, "total_exact": true}));
    assert_eq!((&first["total"], &first["total_exact"], rest.get("total")), (&json!(3), &json!(true), None));
    for query in [
        "limit=0",
        "limit=501",
        "limit=x",
        "status=nonsense",
        "cursor=nonsense",
        "nonsense=1",
        "since=monday",
    ] {
        assert_eq!(refused(&desk.get(&format!("/runs?{query}")).await), (400, "InvalidRequest"), "{query}");
    }
}

#[tokio::test]
async fn a_repeated_request_returns_the_first_answer() {
    let desk = Desk::with_writer().await;
    let run = json!({"agent_name": "writer", "prompt": "hi"});
    let agent = json!({
        "name": "other", "type": "autonomous", "executor": {"type": "llm", "provider": "anthropic", "model": "small"},
    });
    let schema = json!({"name": "s", "description": "d", "schema": {"type": "object"}});
    let requests = [("/runs", run), ("/agents", agent), ("/schemas", schema)];
    let mut first = Vec::new();
    for (path, body) in &requests {
        first.push(desk.post_once(path, "k", body.clone()).await);
    }
    assert!(first.iter().all(|(status, _)| *status == 201), "{first:?}");
    desk.pass(60);
    for path in ["/agents/writer", "/agents/other", "/schemas/s"] {
        assert_eq!(desk.delete(path).await.0, 204);
    }
    for ((path, body), first) in requests.iter().zip(&first) {
        assert_eq!(desk.post_once(path, "k", body.clone()).await, *first, "{path}");
        let mut other = body.clone();
        other[if *path == "/runs" { "prompt" } else { "description" }] = json!("another");
        assert_eq!(refused(&desk.post_once(path, "k", other).await), (409, "IdempotencyConflict"), "{path}");
    }
    assert_eq!(desk.get("/schemas/s").await.0, 404, "nothing is made again");
}

#[tokio::test]
async fn a_repeated_request_returns_the_first_answer_after_removal() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let run = json!({"agent_name": "writer", "prompt": "hi"});
    let first = desk.post_once("/runs", "k", run.clone()).await;
    desk.complete(&runner, "done").await;
    let whole = desk.post_once("/runs?wait=1", "k", run.clone()).await;
    assert_eq!((whole.0, &whole.1["status"]), (201, &json!("completed")), "as it stands now");
    assert_eq!(desk.delete(&format!("/sessions/{}", text(&first.1, "session_id"))).await.0, 204);
    for path in ["/runs", "/runs?wait=1"] {
        assert_eq!(desk.post_once(path, "k", run.clone()).await, first, "{path}");
    }
}

#[tokio::test]
async fn a_repeated_workflow_run_returns_the_first_answer_after_removal() {
    let desk = Desk::with_writer().await;
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let edges = json!([{"from": "input", "to": "output"}]);
    let made = desk.post("/workflows", json!({"name": "flow", "nodes": nodes, "edges": edges})).await;
    assert_eq!(made.0, 201, "{made:?}");
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "hi"})).await;
    let body = json!({"input": {"a": 1}, "parent_session_id": parent});
    let first = desk.post_once("/workflows/flow/runs", "k", body.clone()).await;
    assert_eq!(first.0, 201, "{first:?}");
    desk.complete(&desk.runner().await, "done").await;
    assert_eq!(desk.delete("/workflows/flow").await.0, 204);
    assert_eq!(desk.delete(&format!("/sessions/{parent}")).await.0, 204);
    assert_eq!(desk.post_once("/workflows/flow/runs", "k", body).await, first);
    let conflict = desk.post_once("/workflows/flow/runs", "k", json!({"input": {"a": 2}})).await;
    assert_eq!(refused(&conflict), (409, "IdempotencyConflict"));
    assert_eq!(refused(&desk.post("/workflows/flow/runs", json!({})).await), (404, "WorkflowNotFound"));
}
