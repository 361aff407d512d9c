//! Workflows over HTTP: the checks before anything runs.

use accord_coordinator::Settings;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Desk, Held, refused, settings, text};

fn document(name: &str, nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
    json!({"name": name, "nodes": nodes, "edges": edges})
}

fn object(name: &str, kind: &str) -> Value {
    json!({
        "type": "object", "required": [name], "properties": {name: {"type": kind}}, "additionalProperties": false,
    })
}

/// A workflow that contains another one and passes a part of its output to an agent that expects a
/// string.
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
async fn the_output_of_a_nested_workflow_is_checked() {
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
        ("{{ part.total }}", "expected what the agent's parameters_schema accepts"),
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
async fn an_agent_without_a_contract_outputs_a_string() {
    let desk = Desk::with_writer().await;
    desk.agent(json!({"name": "reader", "parameters_schema": object("text", "string")})).await;
    desk.agent(json!({"name": "adder", "parameters_schema": object("text", "integer")})).await;
    let command = json!({"type": "process", "command": "cat"});
    desk.agent(json!({"name": "command", "type": "procedural", "executor": command})).await;
    let verdict = async |agent: &str, node: Value| {
        let nodes = json!({
            "input": {"type": "input"}, "said": {"type": "agent", "agent": agent, "prompt": "Go"}, "next": node,
            "output": {"type": "output"},
        });
        let graph = document("flow", nodes, &[("input", "said"), ("said", "next"), ("next", "output")]);
        let (status, verdict) = desk.post("/workflows/validate", graph).await;
        assert_eq!(status, 200, "{verdict}");
        verdict["problems"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    let told = |name: &str, text: &str| json!({"type": "agent", "agent": name, "parameters": {"text": text}});
    let field = told("reader", "{{ said.summary }}");
    let list = json!({"type": "map", "over": "{{ said }}", "agent": "writer", "prompt": "{{ item }}"});
    assert!(verdict("writer", field.clone()).await.contains("said has no field 'summary'"));
    assert!(verdict("writer", list.clone()).await.contains("expected a list"));
    assert!(verdict("writer", told("adder", "{{ said }}")).await.contains("expected what the agent's"));
    assert_eq!(verdict("writer", told("reader", "{{ said }}")).await, "");
    // The output type of a command is unknown.
    assert_eq!(
        (verdict("command", field).await, verdict("command", list).await),
        (String::new(), String::new())
    );
}

#[tokio::test]
async fn a_file_is_read_when_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    // The files are not watched: this coordinator has no background work.
    let desk = Desk::with(Settings { workflows_dir: Some(folder.path().to_owned()), ..settings() });
    let file = folder.path().join("echo.json");
    let graph = |value: &str| {
        let nodes = json!({"input": {"type": "input"}, "output": {"type": "output", "value": value}});
        document("echo", nodes, &[("input", "output")]).to_string()
    };
    assert_eq!(desk.get("/workflows/echo").await.0, 404);
    for value in ["one", "two"] {
        std::fs::write(&file, graph(value)).unwrap();
        let (status, found) = desk.get("/workflows/echo").await;
        assert_eq!((status, &found["workflow"]["nodes"]["output"]["value"]), (200, &json!(value)));
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(desk.post("/workflows/echo/runs", json!({})).await.0, 404);
}

#[tokio::test]
async fn a_file_that_was_just_saved_keeps_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::with(Settings { workflows_dir: Some(folder.path().to_owned()), ..settings() });
    let schema = json!({"name": "count", "schema": object("count", "integer")});
    assert_eq!(desk.post("/schemas", schema).await.0, 201);
    let agent = json!({"executor": {"type": "codex"}, "output_schema": "count"});
    let nodes = json!({
        "input": {"type": "input"}, "node": {"type": "agent", "agent": agent, "prompt": "Go"},
        "output": {"type": "output"},
    });
    let graph = document("flow", nodes, &[("input", "node"), ("node", "output")]);
    std::fs::write(folder.path().join("flow.json"), graph.to_string()).unwrap();
    let answer = desk.delete("/schemas/count").await;
    assert_eq!(refused(&answer), (409, "SchemaInUse"));
    assert_eq!(answer.1["details"]["workflows"], json!(["flow"]));
}

#[tokio::test]
async fn creating_an_existing_workflow_is_a_conflict() {
    let desk = Desk::new();
    let put = async |value: &str| {
        let nodes = json!({"input": {"type": "input"}, "output": {"type": "output", "value": value}});
        let graph = document("echo", nodes, &[("input", "output")]).to_string();
        let request = Request::put("/workflows/echo")
            .header("content-type", "application/json")
            .header("if-none-match", "*")
            .body(Body::from(graph));
        desk.raw(request.unwrap()).await.0.as_u16()
    };
    assert_eq!((put("one").await, put("two").await), (201, 412));
    let (_, found) = desk.get("/workflows/echo").await;
    assert_eq!(found["workflow"]["nodes"]["output"]["value"], json!("one"));
    let known = Request::get("/workflows/echo")
        .header("if-none-match", format!("\"{}\"", text(&found, "hash")))
        .body(Body::empty());
    let (status, body) = desk.raw(known.unwrap()).await;
    assert_eq!((status.as_u16(), body.as_str()), (304, ""));
}

#[tokio::test]
async fn recursive_workflows_are_rejected_and_still_shown() {
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
    for (name, expected) in [("one", "cannot contain itself"), ("three", "contains this workflow")] {
        let (_, verdict) = desk.post("/workflows/validate", plain("one", part(name))).await;
        let told = verdict["problems"][0]["message"].as_str().unwrap();
        assert!(verdict["valid"] == json!(false) && told.contains(expected), "{verdict}");
    }
}

#[tokio::test]
async fn schema_lint_findings_are_warnings() {
    let desk = Desk::with_writer().await;
    let schema =
        json!({"type": "object", "properties": {"b": {"anyOf": [{"enun": ["x"]}, {"type": "null"}]}}});
    let inline = json!({
        "executor": {"type": "llm", "provider": "ollama", "model": "m"}, "output_schema": schema,
    });
    let nodes = json!({
        "input": {"type": "input", "schema": {"type": "object", "properties": {"a": {"minlength": 1}}}},
        "a": {"type": "agent", "agent": "writer", "output_schema": schema},
        "b": {"type": "agent", "agent": inline},
        "output": {"type": "output"},
    });
    let edges = [("input", "a"), ("a", "b"), ("b", "output")];
    let (_, verdict) = desk.post("/workflows/validate", document("slips", nodes, &edges)).await;
    let problems = verdict["problems"].as_array().unwrap().iter();
    let told: Vec<_> = problems.map(|each| (text(each, "severity"), text(each, "path"))).collect();
    let expected = [
        ("warning", "$.nodes.input.schema.properties.a.minlength"),
        ("warning", "$.nodes.a.output_schema.properties.b.anyOf[0].enun"),
        ("warning", "$.nodes.b.agent.output_schema.properties.b.anyOf[0].enun"),
    ];
    assert_eq!(told, expected.map(|(severity, path)| (severity.to_owned(), path.to_owned())));
    assert_eq!(verdict["valid"], json!(true));
}

#[tokio::test]
async fn too_deep_nesting_is_rejected_unless_it_can_be_skipped() {
    let desk = Desk::with_writer().await;
    let holding = |name: &str, node: Value, when: Option<&str>| {
        let nodes = json!({"input": {"type": "input"}, "a": node, "output": {"type": "output"}});
        let mut graph = document(name, nodes, &[("a", "output"), ("input", "output")]);
        let mut edge = json!({"from": "input", "to": "a"});
        edge.as_object_mut().unwrap().extend(when.map(|when| ("when".to_owned(), json!(when))));
        graph["edges"].as_array_mut().unwrap().push(edge);
        graph
    };
    let part = |name: &str| json!({"type": "agent", "workflow": name});
    let writer = json!({"type": "agent", "agent": "writer"});
    assert_eq!(desk.post("/workflows", holding("n6", writer, None)).await.0, 201);
    for depth in (1..6).rev() {
        let below = format!("n{}", depth + 1);
        let made = desk.post("/workflows", holding(&format!("n{depth}"), part(&below), None)).await;
        assert_eq!(made.0, 201, "five levels are fine: {made:?}");
    }
    let judged = async |graph: Value| {
        let (_, verdict) = desk.post("/workflows/validate", graph).await;
        let problem = verdict["problems"][0].clone();
        (
            verdict["valid"].clone(),
            problem["severity"].clone(),
            problem["path"].clone(),
            problem["message"].clone(),
        )
    };
    let message = json!("workflows are nested deeper than 5 levels: n0 → n1 → n2 → n3 → n4 → n5 → n6");
    let expected = (json!(true), json!("warning"), json!("$.nodes.a.workflow"), message);
    assert_eq!(judged(holding("n0", part("n1"), Some("input.deep"))).await, expected);
    let each = json!({"type": "map", "over": "{{ input.list }}", "workflow": "n1"});
    assert_eq!(judged(holding("n0", each, None)).await, expected);
    let expected = (json!(false), json!("error"), expected.2, expected.3);
    assert_eq!(judged(holding("n0", part("n1"), None)).await, expected);
    let answer = desk.post("/workflows", holding("n0", part("n1"), None)).await;
    assert_eq!(refused(&answer), (400, "InvalidWorkflow"));
}

#[tokio::test]
async fn a_stop_request_sets_stopping_at_once() {
    let desk = Desk::with_writer().await;
    let nodes = json!({
        "input": {"type": "input"}, "a": {"type": "agent", "agent": "writer"}, "output": {"type": "output"},
    });
    desk.post("/workflows", document("slow", nodes, &[("input", "a"), ("a", "output")])).await;
    let (_, run) = desk.post("/workflows/slow/runs", json!({})).await;
    let path = format!("/workflow-runs/{}", text(&run, "workflow_run_id"));
    assert_eq!(desk.get(&path).await.1["status"], "running");
    // Nothing advances it: this coordinator has no background work.
    assert_eq!(desk.post_empty(&format!("{path}/stop")).await.1["status"], "stopping");
    assert_eq!(desk.get(&path).await.1["status"], "stopping");
}

#[tokio::test]
async fn a_finished_workflow_run_can_be_removed() {
    let desk = Desk::with_writer().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let (run, held) = inline_run(&desk, &runner, "short", json!({})).await;
    let path = format!("/workflow-runs/{run}");
    let busy = desk.delete(&path).await;
    assert_eq!(refused(&busy), (409, "WorkflowRunBusy"));
    let expected = format!("{run} is still running; wait until it finishes, or stop it");
    assert_eq!(text(&busy.1, "message"), expected);
    desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    assert_eq!(desk.get(&format!("{path}?wait=20")).await.1["status"], "completed");
    assert_eq!(desk.delete(&path).await.0, 204);
    assert_eq!(refused(&desk.delete(&path).await), (404, "WorkflowRunNotFound"));
    assert_eq!(refused(&desk.get(&path).await), (404, "WorkflowRunNotFound"));
    assert_eq!(desk.get("/workflow-runs").await.1["items"], json!([]));
    assert_eq!(desk.get("/sessions").await.1["items"].as_array().unwrap().len(), 1, "its agent's stays");
}

/// Starts a workflow with one inline agent and claims its run.
async fn inline_run(desk: &Desk, runner: &str, name: &str, more: Value) -> (String, Held) {
    let mut agent = json!({"executor": {"type": "llm", "provider": "anthropic", "model": "small"}});
    agent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let nodes = json!({
        "input": {"type": "input"}, "node": {"type": "agent", "agent": agent, "prompt": "Go"},
        "passed": {"type": "agent", "agent": "writer", "prompt": "x"}, "output": {"type": "output", "value": "done"},
    });
    let mut graph = document(name, nodes, &[("input", "node"), ("node", "output"), ("passed", "output")]);
    let never = json!({"from": "input", "to": "passed", "when": "false"});
    graph["edges"].as_array_mut().unwrap().push(never);
    let made = desk.post("/workflows", graph).await;
    assert_eq!(made.0, 201, "{made:?}");
    let (_, run) = desk.post(&format!("/workflows/{name}/runs"), json!({})).await;
    (text(&run, "workflow_run_id"), claimed(desk, runner).await)
}

/// Claims the next run, which may not be created yet.
async fn claimed(desk: &Desk, runner: &str) -> Held {
    let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 20});
    let (_, claimed) = desk.post("/runner/claims", claim).await;
    let run = claimed["runs"][0].clone();
    let holding = json!({"runner_id": runner, "lease_id": run["lease_id"], "attempt": run["attempt"]});
    Held { run_id: text(&run, "run_id"), holding, run }
}

#[tokio::test]
async fn a_session_of_an_inline_agent_is_resumed() {
    let desk = Desk::with_writer().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let (_, held) = inline_run(&desk, &runner, "flow", json!({"system_prompt": "Be brief."})).await;
    let session = text(&held.run, "session_id");
    let end = desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    assert_eq!(end.0, 200, "{end:?}");
    let resume = || json!({"session_id": session, "prompt": "And now?"});
    let (status, again) = desk.post("/runs", resume()).await;
    assert_eq!(status, 201, "{again}");
    let held = desk.claim(&runner).await;
    assert_eq!(held.run_id, text(&again, "run_id"));
    assert_eq!(held.run["blueprint"]["system_prompt"], "Be brief.", "{}", held.run);
    desk.finish(&held, json!({"status": "completed", "result_text": "more"})).await;
    // An agent that was removed from the workflow must not run.
    assert_eq!(desk.delete("/workflows/flow").await.0, 204);
    let refusal = desk.post("/runs", resume()).await;
    assert_eq!(refused(&refusal), (404, "AgentNotFound"));
    assert!(refusal.1["message"].as_str().unwrap().contains("nor in a workflow"), "{refusal:?}");
}

#[tokio::test]
async fn sessions_of_inline_and_standalone_agents_are_separate() {
    let desk = Desk::with_writer().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let contract = json!({"name": "writer", "output_schema": object("words", "integer")});
    let (_, held) = inline_run(&desk, &runner, "flow", contract).await;
    let session = text(&held.run, "session_id");
    let end = desk.finish(&held, json!({"status": "completed", "result_data": {"words": 2}})).await;
    assert_eq!(end.0, 200, "{end:?}");
    let (_, again) = desk.post("/runs", json!({"session_id": session, "prompt": "And now?"})).await;
    let (_, run) = desk.get(&format!("/runs/{}", text(&again, "run_id"))).await;
    assert_eq!(run["contract"]["schema"], object("words", "integer"), "{run}");
    // The other direction is rejected, too, also if the agent was changed meanwhile.
    let (_, alone) = desk.run(json!({"agent_name": "writer", "prompt": "Go"})).await;
    let held = desk.claim(&runner).await;
    desk.finish(&held, json!({"status": "failed", "error": {"type": "executor_failed", "message": "no"}}))
        .await;
    let held = desk.claim(&runner).await;
    desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    let changed = Request::patch("/agents/writer").header("content-type", "application/json");
    let changed = changed.body(Body::from(json!({"system_prompt": "Be brief."}).to_string())).unwrap();
    assert_eq!(desk.raw(changed).await.0, 200);
    let (status, again) = desk.post("/runs", json!({"session_id": alone, "prompt": "And now?"})).await;
    assert_eq!(status, 201, "{again}");
    let held = desk.claim(&runner).await;
    assert_eq!(held.run["blueprint"]["system_prompt"], "Be brief.", "{}", held.run);
}

#[tokio::test]
async fn an_agent_in_a_workflow_is_not_called_back() {
    let desk = Desk::with_writer().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let (_, held) = inline_run(&desk, &runner, "flow", json!({"name": "lead"})).await;
    let parent = text(&held.run, "session_id");
    let child = |mode: &str| json!({"agent_name": "writer", "prompt": "x", "parent_session_id": parent, "execution_mode": mode});
    let answer = desk.post("/runs", child("async_callback")).await;
    assert_eq!(refused(&answer), (400, "InvalidRequest"));
    assert!(text(&answer.1, "message").contains("belongs to a workflow"), "{answer:?}");
    assert_eq!(desk.post("/runs", child("async_poll")).await.0, 201);
    // Once the workflow has its answer, the session is like any other.
    desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    assert_eq!(desk.post("/runs", child("async_callback")).await.0, 201);
}

#[tokio::test]
async fn workflow_runs_and_their_nodes_are_counted() {
    let desk = Desk::with_writer().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    for (end, name) in [
        (json!({"status": "completed", "result_text": "done"}), "metrics-good"),
        (json!({"status": "failed", "error": {"type": "executor_failed", "message": "no"}}), "metrics-bad"),
    ] {
        let (run, held) = inline_run(&desk, &runner, name, json!({})).await;
        assert_eq!(desk.finish(&held, end).await.0, 200);
        let (_, over) = desk.get(&format!("/workflow-runs/{run}?wait=20")).await;
        assert!(over["status"] != "running", "{over}");
    }
    let finding = |severity: &str| json!({"findings": [{"file": "a.rs", "line": 1, "severity": severity}]});
    desk.agent(
        json!({"name": "finder", "output_schema": {"type": "object", "properties": {"findings": {}}}}),
    )
    .await;
    let finder = json!({"type": "agent", "agent": "finder", "prompt": "x"});
    let nodes = json!({"input": {"type": "input"}, "one": finder, "two": finder, "output": {"type": "output", "value": "x"}});
    let edges = [("input", "one"), ("input", "two"), ("one", "output"), ("two", "output")];
    desk.post("/workflows", document("metrics-split", nodes, &edges)).await;
    let (_, run) = desk.post("/workflows/metrics-split/runs", json!({})).await;
    for severity in ["high", "low"] {
        let held = claimed(&desk, &runner).await;
        let end = desk.finish(&held, json!({"status": "completed", "result_data": finding(severity)})).await;
        assert_eq!(end.0, 200, "{end:?}");
    }
    desk.get(&format!("/workflow-runs/{}?wait=20", text(&run, "workflow_run_id"))).await;

    let (_, text) = desk.raw(Request::builder().uri("/metrics").body(Body::empty()).unwrap()).await;
    for series in [
        r#"accord_workflow_contradictions_total{workflow="metrics-split"} 1"#,
        r#"accord_workflow_runs_total{workflow="metrics-good",outcome="completed"} 1"#,
        r#"accord_workflow_runs_total{workflow="metrics-bad",outcome="failed"} 1"#,
    ] {
        assert!(text.lines().any(|line| line == series), "{series}\n{text}");
    }
    for series in [
        r#"accord_workflow_nodes_total{kind="agent",outcome="completed"}"#,
        r#"accord_workflow_nodes_total{kind="agent",outcome="failed"}"#,
        r#"accord_workflow_nodes_total{kind="agent",outcome="skipped"}"#,
        r#"accord_workflow_nodes_total{kind="output",outcome="completed"}"#,
    ] {
        assert!(text.lines().any(|line| line.starts_with(series)), "{series}\n{text}");
    }
}
