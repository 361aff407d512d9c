//! Agents that need a person's approval: the user of the MCP client is asked.

use accord_api::{AnswerInput, InputQuery, InputRequest, InputStatus};
use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{Pipes, call, text};
use crate::support::{Accord, Project, accord as command, agent};

/// A model that tries to read a file and answers with the result of the call.
fn reader(request: &RecordedRequest, _: usize) -> Reply {
    let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
    match messages.len() {
        1 => Reply::tool("read_file", &json!({"path": "note.txt"})),
        _ => Reply::text(messages.last().map(Value::to_string).unwrap_or_default()),
    }
}

async fn project() -> (Accord, ModelServer) {
    let model = ModelServer::start(Script::handler(reader)).await.unwrap();
    let careful = json!({"tools": ["read_file"], "approve": ["read_file"]});
    let project = Project::new().agent(&agent("reader", &model, &careful));
    std::fs::write(project.path().join("note.txt"), "the secret is 42").unwrap();
    (project.up().await, model)
}

#[tokio::test]
async fn the_user_of_the_client_approves_or_denies_a_tool_call() {
    let (accord, _model) = project().await;
    let mut pipes = Pipes::start(accord.path(), &["mcp"], &[]);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "test", "version": "1"},
    });
    pipes.ask("initialize", hello).await;
    let replies = [
        (json!({"action": "accept", "content": {"approve": true}}), "the secret is 42"),
        (json!({"action": "accept", "content": {"approve": false, "reason": "too secret"}}), "too secret"),
        (json!({"action": "decline"}), "a person denied this call"),
    ];
    for (reply, expected) in replies {
        let question = pipes
            .begin("tools/call", json!({"name": "agent__reader", "arguments": {"prompt": "Read"}}))
            .await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains("read_file") && message.contains("note.txt"), "{message}");
        assert_eq!(question["params"]["requestedSchema"]["properties"]["approve"]["type"], "boolean");
        let answer = pipes.reply(&question["id"], reply).await;
        assert!(text(&answer["result"]).contains(expected), "{answer}");
    }
    assert_eq!(pipes.end().await, Some(0));
    accord.end().await;
}

#[tokio::test]
async fn over_http_without_a_form_the_call_says_how_to_approve() {
    let (accord, _model) = project().await;
    let start = json!({"agent_name": "reader", "prompt": "Read"});
    let started = call(&accord.url, None, "start_agent_session", start).await;
    let result = &started["structuredContent"];
    let input = &result["inputs"][0];
    assert_eq!((&result["status"], &input["tool"]["name"]), (&json!("input_required"), &json!("read_file")));
    let other = json!({"input_id": input["input_id"], "answer": {"approve": true}, "digest": "other"});
    let refused = call(&accord.url, None, "answer_input", other).await;
    assert!(text(&refused).contains("PreconditionFailed"), "{refused}");
    let approval =
        json!({"input_id": input["input_id"], "answer": {"approve": true}, "digest": input["digest"]});
    let answered = call(&accord.url, None, "answer_input", approval).await;
    assert_eq!(answered["structuredContent"]["status"], "answered", "{answered}");
    accord.end().await;
}

/// A model that has a person do its work, and answers with what they said.
fn boss(request: &RecordedRequest, _: usize) -> Reply {
    let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
    match messages.len() {
        1 => Reply::tool("accord__start_agent_session", &json!({"agent_name": "clerk", "prompt": "Sort it"})),
        _ => Reply::text(messages.last().map(Value::to_string).unwrap_or_default()),
    }
}

/// An agent whose child is a person, and a workflow of it.
async fn office() -> (Accord, ModelServer) {
    let model = ModelServer::start(Script::handler(boss)).await.unwrap();
    let schema = json!({
        "type": "object", "required": ["severity"], "properties": {"severity": {"enum": ["low", "high"]}},
    });
    let clerk = json!({"name": "clerk", "executor": {"type": "human"}, "output_schema": schema});
    let project = Project::new().agent(&agent("boss", &model, &json!({"mcp_servers": {"accord": {}}})));
    let accord = project.agent(&clerk).up().await;
    let nodes = json!({"a": {"type": "agent", "agent": "boss", "prompt": "Go"}, "out": {"type": "output"}});
    let flow = json!({"name": "flow", "nodes": nodes, "edges": [{"from": "a", "to": "out"}]});
    accord.client.create_workflow(&flow).await.unwrap();
    (accord, model)
}

#[tokio::test]
async fn a_childs_request_is_asked_of_who_waits_for_the_parent() {
    let (accord, _model) = office().await;
    let mut pipes = Pipes::start(accord.path(), &["mcp"], &[]);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "test", "version": "1"},
    });
    pipes.ask("initialize", hello).await;
    for (name, arguments) in [("agent__boss", json!({"prompt": "Go"})), ("workflow__flow", json!({}))] {
        let question = pipes.begin("tools/call", json!({"name": name, "arguments": arguments})).await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let reply = json!({"action": "accept", "content": {"severity": "low"}});
        let answer = pipes.reply(&question["id"], reply).await;
        assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
        assert!(text(&answer["result"]).contains("low"), "{answer}");
    }
    assert_eq!(pipes.end().await, Some(0));
    let started =
        call(&accord.url, None, "start_agent_session", json!({"agent_name": "boss", "prompt": "Go"})).await;
    let result = &started["structuredContent"];
    assert_eq!(result["inputs"][0]["agent_name"], "clerk", "{started}");
    let listed = call(&accord.url, None, "list_inputs", json!({"session_id": result["session_id"]})).await;
    let inputs = listed["structuredContent"]["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 1, "{listed}");
    // A server that stops waits for the runs in progress.
    let answer = json!({
        "input_id": inputs[0]["input_id"], "answer": {"severity": "high"}, "digest": inputs[0]["digest"],
    });
    let answered = call(&accord.url, None, "answer_input", answer).await;
    assert_eq!(answered["structuredContent"]["status"], "answered", "{answered}");
    accord.end().await;
}

/// Answers the request that a command names on stderr.
async fn answer_what_is_told(accord: &Accord, arguments: &[&str]) -> String {
    let mut child = command(accord.path());
    child.args(arguments).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let id = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some((_, id)) = line.split_once("A person has to answer: accord inputs show ") {
            break id.split(' ').next().unwrap().parse().unwrap();
        }
    };
    let input: InputRequest = accord.client.input(&id).await.unwrap();
    assert_eq!(input.agent_name, "clerk");
    let answer = AnswerInput { answer: json!({"severity": "high"}), digest: Some(input.digest) };
    accord.client.answer_input(&id, &answer).await.unwrap();
    let rest = async { while lines.next_line().await.unwrap().is_some() {} };
    let (output, ()) = tokio::join!(child.wait_with_output(), rest);
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn a_command_that_waits_for_the_parent_names_the_request_of_the_child() {
    let (accord, _model) = office().await;
    assert!(answer_what_is_told(&accord, &["run", "boss", "Go"]).await.contains("high"));
    assert!(answer_what_is_told(&accord, &["workflows", "run", "flow"]).await.contains("high"));
    let open = InputQuery { status: Some(InputStatus::Open), ..InputQuery::default() };
    assert_eq!(accord.client.inputs(&open).await.unwrap().items, []);
    accord.end().await;
}
