//! Accord's tools, as an MCP client sees them.

use accord_api::{ExecutionMode, Role, SessionId, SessionQuery};
use accord_client::{ApiKey, Client};
use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use super::{Pipes, call, post, text};
use crate::support::{Accord, Project, agent, ask, severity};

fn contracted() -> Value {
    json!({"output_schema": severity(), "output_schema_options": {"strategy": "prompt", "max_retries": 0}})
}

/// An agent that meets its contract, one that never does, and one without a contract.
async fn project() -> (Accord, [ModelServer; 2]) {
    let good =
        ModelServer::start(Script::handler(|_, _| Reply::text(r#"{"severity": "high"}"#))).await.unwrap();
    let bad = ModelServer::start(Script::handler(|_, _| Reply::text("I would rather not"))).await.unwrap();
    let project = Project::new()
        .agent(&agent("triage", &good, &contracted()))
        .agent(&agent("stubborn", &bad, &contracted()))
        .agent(&agent("free", &good, &json!({"tags": ["loose"]})));
    (project.up().await, [good, bad])
}

#[tokio::test]
async fn without_a_coordinator_it_hosts_one_until_the_client_leaves() {
    let model =
        ModelServer::start(Script::handler(|_, _| Reply::text(r#"{"severity": "high"}"#))).await.unwrap();
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let mut pipes = Pipes::start(project.path(), &["mcp"], &[]);
    let greeting = pipes.ask("initialize", json!({"protocolVersion": "2025-06-18"})).await;
    assert_eq!(greeting["result"]["protocolVersion"], "2025-06-18");
    let ask = json!({"agent_name": "triage", "prompt": "Help"});
    let started = pipes.call("start_agent_session", ask.clone()).await;
    let session_id = started["structuredContent"]["session_id"].clone();
    assert_eq!(started["structuredContent"]["result_data"], json!({"severity": "high"}));
    assert_eq!(pipes.end().await, Some(0));

    // The run is stored in the project, and the next server finds it.
    let mut pipes = Pipes::start(project.path(), &["mcp"], &[]);
    let fetched = pipes.call("get_agent_session_result", json!({ "session_id": session_id })).await;
    assert_eq!(fetched["structuredContent"]["result_data"], json!({"severity": "high"}));
    assert_eq!(pipes.end().await, Some(0));

    let nowhere = tempfile::tempdir().unwrap();
    let ran = crate::support::accord(nowhere.path()).arg("mcp").output().await.unwrap();
    assert_eq!((ran.status.code(), ran.stdout.len()), (Some(1), 0));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("not an Accord project"), "{said}");
}

#[tokio::test]
async fn an_agent_is_found_started_and_followed_over_stdio() {
    let (accord, _models) = project().await;
    let mut pipes = Pipes::start(accord.path(), &["mcp"], &[]);
    let greeting = pipes.ask("initialize", json!({"protocolVersion": "2025-06-18"})).await;
    assert_eq!(greeting["result"]["protocolVersion"], "2025-06-18");
    let listed = pipes.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "list_agents",
        "start_agent_session",
        "resume_agent_session",
        "get_agent_session_status",
        "get_agent_session_result",
        "stop_agent_session",
        "list_agent_sessions",
        "list_schemas",
        "get_schema",
        "run_workflow",
        "list_inputs",
        "answer_input",
        "agent__free",
        "agent__stubborn",
        "agent__triage",
    ];
    assert_eq!(names, expected);
    assert_eq!(tools[14]["outputSchema"], severity(), "the contract itself");
    let called = pipes.call("agent__triage", json!({"prompt": "Help"})).await;
    assert_eq!(called["structuredContent"], json!({"severity": "high"}));
    let refused = pipes.call("agent__stubborn", json!({"prompt": "Help"})).await;
    assert_eq!((&refused["isError"], refused.get("structuredContent")), (&json!(true), None));
    assert!(text(&refused).contains("output did not match the schema"), "{refused}");
    let agents = pipes.call("list_agents", json!({})).await;
    let agents = agents["structuredContent"]["agents"].as_array().unwrap();
    let known: Vec<_> = agents.iter().map(|agent| (&agent["name"], &agent["output_schema"])).collect();
    let (free, stubborn, triage) = (json!("free"), json!("stubborn"), json!("triage"));
    assert_eq!(known, [(&free, &Value::Null), (&stubborn, &severity()), (&triage, &severity())]);
    let loose = pipes.call("list_agents", json!({"tags": ["loose"]})).await;
    assert_eq!(loose["structuredContent"]["agents"].as_array().map(Vec::len), Some(1));

    let started = pipes.call("start_agent_session", json!({"agent_name": "triage", "prompt": "Help"})).await;
    let result = &started["structuredContent"];
    assert_eq!(
        (&result["status"], &result["result_data"]),
        (&json!("completed"), &json!({"severity": "high"}))
    );
    assert_eq!(serde_json::from_str::<Value>(text(&started)).unwrap(), *result);
    let session = json!({"session_id": result["session_id"]});
    let status = pipes.call("get_agent_session_status", session.clone()).await;
    assert_eq!(status["structuredContent"]["status"], "finished");
    let fetched = pipes.call("get_agent_session_result", session.clone()).await;
    assert_eq!(fetched["structuredContent"]["result_data"], json!({"severity": "high"}));
    let resume = json!({"session_id": result["session_id"], "prompt": "And now?", "mode": null});
    let resumed = pipes.call("resume_agent_session", resume).await;
    assert_eq!(resumed["structuredContent"]["session_id"], result["session_id"]);
    let stopped = pipes.call("stop_agent_session", session).await;
    assert_eq!(stopped["structuredContent"]["status"], "finished", "nothing was under way");
    let sessions = pipes.call("list_agent_sessions", json!({"agent_name": "triage", "limit": 5})).await;
    assert_eq!(sessions["structuredContent"]["sessions"][0]["session_id"], result["session_id"]);
    assert_eq!(pipes.end().await, Some(0));
    accord.end().await;
}

#[tokio::test]
async fn errors_say_what_to_do() {
    let (accord, _models) = project().await;
    let url = accord.url.as_str();
    let start = |arguments: Value| async move { call(url, None, "start_agent_session", arguments).await };
    let schema = json!({"type": "object", "properties": {}});
    let cases = [
        (json!({"agent_name": "triag", "prompt": "x"}), "Available agents: free, stubborn, triage."),
        (json!({"agent_name": "triage", "parameters": {"x": 1}}), "\"parameters_schema\""),
        (json!({"agent_name": "triage", "prompt": "x", "parameters": {}}), "send one of them, not both"),
        (
            json!({"agent_name": "triage", "prompt": "x", "output_schema": schema}),
            "Call again without output_schema",
        ),
        (json!({"agent_name": "free", "prompt": "x", "output_schema": {"type": 5}}), "InvalidSchema"),
        (
            json!({"agent_name": "free", "prompt": "x", "output_schema_name": "none"}),
            "There are no schemas yet.",
        ),
        (
            json!({"agent_name": "free", "prompt": "x", "mode": "async_callback"}),
            "async_callback requires parent",
        ),
        (json!({"agent_name": "free", "prompt": "x", "mode": "later"}), "unknown variant `later`"),
        (
            json!({"agent_name": "free", "prompt": "x", "parent_session_id": "ses_1"}),
            "unknown field `parent_session_id`",
        ),
        (json!({"prompt": "x"}), "missing field `agent_name`"),
        (json!({"agent_name": "stubborn", "prompt": "x"}), "output did not match the schema"),
        (json!({"agent_name": "stubborn", "prompt": "x"}), "resume_agent_session"),
    ];
    for (arguments, expected) in cases {
        let result = start(arguments.clone()).await;
        assert_eq!(result["isError"], true, "{arguments}");
        assert_eq!(
            result.get("structuredContent"),
            None,
            "an error has no structure that could be taken for a result"
        );
        assert!(text(&result).contains(expected), "{arguments}: {}", text(&result));
    }
    let failed = start(json!({"agent_name": "stubborn", "prompt": "x", "mode": "async_poll"})).await;
    let session = json!({"session_id": failed["structuredContent"]["session_id"]});
    let cases = [
        ("get_agent_session_status", json!({"session_id": "ses_none"}), "list_agent_sessions to see"),
        ("get_agent_session_status", json!({"session_id": "none"}), "Invalid arguments"),
        ("get_agent_session_result", session, "SessionNotFinished"),
        ("get_schema", json!({"name": "none"}), "SchemaNotFound"),
        ("list_agent_sessions", json!({"limit": 100_000}), "InvalidRequest"),
    ];
    for (tool, arguments, expected) in cases {
        let result = call(url, None, tool, arguments).await;
        assert!(result["isError"] == true && text(&result).contains(expected), "{tool}: {}", text(&result));
    }
    accord.end().await;
}

#[tokio::test]
async fn mcp_server_supports_schema_parameters() {
    // Without a contract, the first answer of each session would be accepted.
    let answers = |_: &RecordedRequest, count: usize| {
        Reply::text(if count.is_multiple_of(2) { "rather high" } else { r#"{"severity": "high"}"# })
    };
    let model = ModelServer::start(Script::handler(answers)).await.unwrap();
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let schema = json!({"name": "severity", "description": "How bad", "schema": severity()});
    accord.client.create_schema(&serde_json::from_value(schema).unwrap()).await.unwrap();
    let mut pipes = Pipes::start(accord.path(), &["mcp"], &[]);
    let contracts = [("output_schema", severity()), ("output_schema_name", json!("severity"))];
    for (asked, (parameter, contract)) in contracts.into_iter().enumerate() {
        let mut arguments = json!({"agent_name": "free", "prompt": "x"});
        arguments[parameter] = contract;
        // Once over stdio, once over HTTP.
        let started = match asked {
            0 => pipes.call("start_agent_session", arguments).await,
            _ => call(&accord.url, None, "start_agent_session", arguments).await,
        };
        let result = &started["structuredContent"];
        assert_eq!(result["result_data"], json!({"severity": "high"}), "{parameter}: {}", text(&started));
        assert_eq!(model.requests().len(), 2 * (asked + 1), "{parameter}: the first answer was not enough");
        let session: SessionId = serde_json::from_value(result["session_id"].clone()).unwrap();
        let run = accord.client.session(&session).await.unwrap().last_run_id;
        let contract = accord.client.run(&run).await.unwrap().contract.unwrap();
        let contract: Value = serde_json::from_str(contract.get()).unwrap();
        assert_eq!(contract["schema"], severity(), "{parameter}");
    }
    assert_eq!(pipes.end().await, Some(0));
    accord.end().await;
}

#[tokio::test]
async fn a_registered_schema_is_enforced() {
    let (accord, _models) = project().await;
    let schema = json!({"name": "severity", "description": "How bad", "schema": severity()});
    accord.client.create_schema(&serde_json::from_value(schema).unwrap()).await.unwrap();
    let url = accord.url.as_str();
    let listed = call(url, None, "list_schemas", json!({})).await;
    assert_eq!(listed["structuredContent"]["schemas"][0]["name"], "severity");
    let got = call(url, None, "get_schema", json!({"name": "severity"})).await;
    assert_eq!(got["structuredContent"]["schema"], severity());
    let arguments = json!({"agent_name": "free", "prompt": "x", "output_schema_name": "severity"});
    let started = call(url, None, "start_agent_session", arguments).await;
    assert_eq!(started["structuredContent"]["result_data"], json!({"severity": "high"}));
    accord.end().await;
}

#[tokio::test]
async fn over_http_the_callers_key_decides_access() {
    let (accord, _models) = project().await;
    let url = accord.url.as_str();
    let key = async |role| {
        let create = accord_api::CreateKey { role, name: "test".to_owned(), expires_at: None };
        accord.client.create_key(&create).await.map(|created| created.key)
    };
    let admin = key(Role::Admin).await.unwrap();
    let by_admin = Client::new(url, Some(&ApiKey::new(admin))).unwrap();
    let viewer = by_admin
        .create_key(&accord_api::CreateKey { role: Role::Viewer, name: "v".to_owned(), expires_at: None })
        .await
        .unwrap();
    let caller = by_admin
        .create_key(&accord_api::CreateKey { role: Role::Caller, name: "c".to_owned(), expires_at: None })
        .await
        .unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(post(url, None, ping.clone()).await.0, 401);
    assert_eq!(post(url, Some("accord_x_y"), ping.clone()).await.0, 401);
    assert_eq!(post(url, Some(&viewer.key), ping).await.0, 200);
    let start = json!({"agent_name": "triage", "prompt": "x"});
    let refused = call(url, Some(&viewer.key), "start_agent_session", start.clone()).await;
    assert!(text(&refused).contains("role 'viewer' is not allowed to do this"), "{}", text(&refused));
    let started = call(url, Some(&caller.key), "start_agent_session", start).await;
    assert_eq!(started["structuredContent"]["status"], "completed");
    accord.end().await;
}

#[tokio::test]
async fn the_parent_comes_from_the_process_that_starts_the_server() {
    let (accord, _models) = project().await;
    let parent = accord.run(&ask("free")).await.session_id;
    let mut pipes = Pipes::start(accord.path(), &["mcp"], &[("ACCORD_PARENT_SESSION", parent.as_str())]);
    let arguments = json!({"agent_name": "free", "prompt": "x", "mode": "async_callback"});
    let started = pipes.call("start_agent_session", arguments).await;
    let child: SessionId =
        serde_json::from_value(started["structuredContent"]["session_id"].clone()).unwrap();
    let session = accord.client.session(&child).await.unwrap();
    assert_eq!(session.parent_session_id, Some(parent.clone()));
    let run = accord.client.run(&session.last_run_id).await.unwrap();
    assert_eq!(run.execution_mode, ExecutionMode::AsyncCallback);
    let listed = pipes.call("list_agent_sessions", json!({})).await;
    assert_eq!(listed["structuredContent"]["sessions"].as_array().map(Vec::len), Some(1), "its own children");
    let all = accord.client.sessions(&SessionQuery::default()).await.unwrap();
    assert_eq!(all.items.len(), 2);
    assert_eq!(pipes.end().await, Some(0));
    let mut wrong = Pipes::start(accord.path(), &["mcp"], &[("ACCORD_PARENT_SESSION", "nonsense")]);
    assert_eq!(wrong.child.wait().await.unwrap().code(), Some(1));
    accord.end().await;
}

#[tokio::test]
async fn an_unreachable_coordinator_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut pipes = Pipes::start(folder.path(), &["mcp"], &[]);
    assert_eq!(pipes.child.wait().await.unwrap().code(), Some(1));
    assert_eq!(pipes.lines.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn results_of_cli_agents_are_submitted_by_a_tool() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, out) = (folder.path().join("schema.json"), folder.path().join("out.jsonl"));
    std::fs::write(&schema, severity().to_string()).unwrap();
    let (schema, out) = (schema.to_str().unwrap(), out.to_str().unwrap());
    let mut pipes = Pipes::start(folder.path(), &["submit", "--schema", schema, "--out", out], &[]);
    let listed = pipes.ask("tools/list", json!({})).await;
    let tools = &listed["result"]["tools"];
    assert_eq!((&tools[0]["name"], &tools[0]["inputSchema"]), (&json!("submit_result"), &severity()));
    assert_eq!(text(&pipes.call("submit_result", json!({"severity": "odd", "n": 1.50})).await), "received");
    assert_eq!(text(&pipes.call("submit_result", json!({"severity": "low"})).await), "received");
    let kept = "{\"severity\":\"odd\",\"n\":1.5}\n{\"severity\":\"low\"}\n";
    assert_eq!(std::fs::read_to_string(out).unwrap(), kept, "there when the answer is");
    assert_eq!(pipes.end().await, Some(0));
    for (arguments, reason) in [(["--schema", "gone"], "no file"), (["--schema", out], "no JSON")] {
        let all = [&["submit", "--out", "x"], &arguments[..]].concat();
        let mut pipes = Pipes::start(folder.path(), &all, &[]);
        assert_eq!(pipes.child.wait().await.unwrap().code(), Some(1), "{reason}");
    }
}
