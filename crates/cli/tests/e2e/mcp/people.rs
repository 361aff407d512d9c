//! Agents that need a person's approval: the user of the MCP client is asked.

use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use super::{Pipes, call, text};
use crate::support::{Project, agent};

/// A model that tries to read a file and answers with the result of the call.
fn reader(request: &RecordedRequest, _: usize) -> Reply {
    let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
    match messages.len() {
        1 => Reply::tool("read_file", &json!({"path": "note.txt"})),
        _ => Reply::text(messages.last().map(Value::to_string).unwrap_or_default()),
    }
}

async fn project() -> (crate::support::Accord, ModelServer) {
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
