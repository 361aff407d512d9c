//! Workflows over MCP: over both transports, and started by an agent.

use accord_api::{RunStatus, SessionQuery, WorkflowRunQuery};
use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use super::{Pipes, call, text};
use crate::support::{Accord, Project, agent, ask, data, severity};

/// Agents by name, each with the script of its model.
async fn project(agents: &[(&str, Script, Value)]) -> (Accord, Vec<ModelServer>) {
    let (mut project, mut models) = (Project::new(), Vec::new());
    for (name, script, more) in agents {
        let model = ModelServer::start(script.clone()).await.unwrap();
        let mut extra = json!({
            "output_schema": severity(), "output_schema_options": {"strategy": "prompt", "max_retries": 0}
        });
        extra.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        project = project.agent(&agent(name, &model, &extra));
        models.push(model);
    }
    (project.up().await, models)
}

fn always(answer: &str) -> Script {
    let answer = answer.to_owned();
    Script::handler(move |_, _| Reply::text(&answer))
}

async fn store(accord: &Accord, name: &str, worker: &str) {
    let ticket =
        json!({"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}});
    let document = json!({
        "name": name,
        "description": "Sorts a ticket",
        "nodes": {
            "input": {"type": "input", "schema": ticket},
            "sort": {"type": "agent", "agent": worker, "prompt": "{{ input.ticket }}"},
            "output": {"type": "output"},
        },
        "edges": [{"from": "input", "to": "sort"}, {"from": "sort", "to": "output"}],
    });
    accord.client.create_workflow(&document).await.unwrap();
}

fn ticket(name: &str) -> Value {
    json!({"name": name, "input": {"ticket": "Nobody can log in"}})
}

#[tokio::test]
async fn a_workflow_is_run_and_followed_over_both_transports() {
    let (accord, _models) = project(&[("triage", always(r#"{"severity": "high"}"#), json!({}))]).await;
    store(&accord, "sorting", "triage").await;
    let mut pipes = Pipes::start(accord.path(), &["mcp"], &[]);
    let over_pipes = pipes.call("run_workflow", ticket("sorting")).await;
    let mut written_out = ticket("sorting");
    written_out["input"] = json!(written_out["input"].to_string());
    let over_http = call(&accord.url, None, "run_workflow", written_out).await;
    for answer in [&over_pipes, &over_http] {
        let run = &answer["structuredContent"];
        assert_eq!(
            (&run["status"], &run["output"], &run["contradictions"]),
            (&json!("completed"), &json!({"severity": "high"}), &json!([])),
            "{answer}"
        );
        assert_eq!(serde_json::from_str::<Value>(text(answer)).unwrap(), *run);
    }
    let mut begin = ticket("sorting");
    begin["mode"] = json!("async_poll");
    let begun = pipes.call("run_workflow", begin).await["structuredContent"].clone();
    assert!(begun["next"].as_str().unwrap().contains("workflow_run_id"), "{begun}");
    let again = json!({"workflow_run_id": begun["workflow_run_id"]});
    let waited = pipes.call("run_workflow", again).await["structuredContent"].clone();
    assert_eq!(
        (&waited["workflow_run_id"], &waited["output"]),
        (&begun["workflow_run_id"], &json!({"severity": "high"}))
    );
    let runs = accord.client.workflow_runs(&WorkflowRunQuery::default()).await.unwrap().items;
    assert_eq!(runs.len(), 3, "waiting begins nothing");
    assert_eq!(pipes.end().await, Some(0));
    accord.end().await;
}

#[tokio::test]
async fn workflow_errors_say_what_to_do() {
    let (accord, _models) = project(&[("stubborn", always("I would rather not"), json!({}))]).await;
    store(&accord, "hopeless", "stubborn").await;
    let cases = [
        (json!({"name": "none"}), "Available workflows: hopeless (Sorts a ticket)."),
        (json!({"name": "hopeless", "input": {"ticket": 5}}), "$.ticket"),
        (json!({"name": "hopeless", "input": {"ticket": 5}}), "\"input_schema\""),
        (json!({}), "either name"),
        (json!({"name": "hopeless", "workflow_run_id": "wfr_1"}), "either name"),
        (json!({"workflow_run_id": "wfr_none"}), "WorkflowRunNotFound"),
        (json!({"workflow_run_id": "none"}), "Invalid arguments"),
        (json!({"name": "hopeless", "mode": "async_callback"}), "unknown variant `async_callback`"),
        (ticket("hopeless"), "\"id\": \"sort\""),
        (ticket("hopeless"), "Start it again by name"),
    ];
    for (arguments, expected) in cases {
        let result = call(&accord.url, None, "run_workflow", arguments.clone()).await;
        assert_eq!(
            (&result["isError"], result.get("structuredContent")),
            (&json!(true), None),
            "{arguments}"
        );
        assert!(text(&result).contains(expected), "{arguments}: {}", text(&result));
    }
    accord.end().await;
}

/// A model that runs a workflow and answers with its output.
fn lead(request: &RecordedRequest, step: usize) -> Reply {
    let messages = request.body.get("messages").and_then(Value::as_array);
    let told = messages.and_then(|all| all.last()).map(Value::to_string).unwrap_or_default();
    match step {
        0 => Reply::tool("accord__run_workflow", &ticket("sorting")),
        _ if told.contains(r#"\"severity\": \"high\""#) => Reply::text(r#"{"severity": "high"}"#),
        _ => Reply::text(told),
    }
}

#[tokio::test]
async fn an_agent_is_the_parent_of_all_runs_in_its_workflow() {
    let (accord, _models) = project(&[
        ("lead", Script::handler(lead), json!({"mcp_servers": {"accord": {}}})),
        ("triage", always(r#"{"severity": "high"}"#), json!({})),
    ])
    .await;
    store(&accord, "sorting", "triage").await;
    let run = accord.run(&ask("lead")).await;
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.error);
    assert_eq!(data(&run), Some(json!({"severity": "high"})));
    let which = SessionQuery { agent_name: Some("triage".to_owned()), ..SessionQuery::default() };
    let children = accord.client.sessions(&which).await.unwrap().items;
    let parents: Vec<_> = children.iter().map(|child| child.parent_session_id.as_ref()).collect();
    assert_eq!(parents, [Some(&run.session_id)]);
    let runs = accord.client.workflow_runs(&WorkflowRunQuery::default()).await.unwrap().items;
    let whole = accord.client.workflow_run(&runs[0].workflow_run_id).await.unwrap();
    assert_eq!(whole.parent_session_id.as_ref(), Some(&run.session_id));
    accord.end().await;
}
