//! A parent with three callback children, under its own contract and under the caller's: one
//! conforming result for every kind of caller.

use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use super::{Pipes, call};
use crate::support::{Accord, Project, accord, agent, ask, data};

const CHILDREN: usize = 3;

fn schema() -> Value {
    json!({
        "type": "object", "required": ["reports"], "additionalProperties": false,
        "properties": {"reports": {"type": "integer", "minimum": CHILDREN}},
    })
}

/// A model that starts three children and answers that it waits, until it has a callback from each.
fn parent(request: &RecordedRequest, _step: usize) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let said = messages.iter().filter(|message| message["role"] == "assistant").count();
    if let Some(agent) = ["child", "failing", "child"].get(said) {
        let start =
            json!({"agent_name": agent, "parameters": {"prompt": "report"}, "mode": "async_callback"});
        return Reply::tool("accord__start_agent_session", &start);
    }
    // Each callback names its child once.
    let heard = messages.iter().map(Value::to_string).map(|text| text.matches("<agent-callback ").count());
    match heard.sum::<usize>() {
        CHILDREN => Reply::text(format!("{{\"reports\": {CHILDREN}}}")),
        _ => Reply::text("I wait for the others."),
    }
}

struct House {
    accord: Accord,
    _models: [ModelServer; 3],
}

async fn house() -> House {
    let mother = ModelServer::start(Script::handler(parent)).await.unwrap();
    let child = ModelServer::start(Script::handler(|_, _| Reply::text("done"))).await.unwrap();
    let failing = ModelServer::start(Script::handler(|_, _| Reply::text("no JSON"))).await.unwrap();
    let options = json!({"strategy": "prompt", "max_retries": 0});
    let own = json!({
        "output_schema": schema(), "output_schema_options": options, "mcp_servers": {"accord": {}},
    });
    let contract = json!({"output_schema": {"type": "object"}, "output_schema_options": options});
    let accord = Project::new()
        .agent(&agent("mother", &mother, &own))
        .agent(&agent("open", &mother, &json!({"mcp_servers": {"accord": {}}})))
        .agent(&agent("child", &child, &json!({})))
        .agent(&agent("failing", &failing, &contract))
        .up()
        .await;
    House { accord, _models: [mother, child, failing] }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parent_of_three_returns_one_conforming_result() {
    let House { accord: house, _models } = house().await;
    let expected = json!({"reports": CHILDREN});

    let run = house.run(&ask("mother")).await;
    assert_eq!(data(&run), Some(expected.clone()), "HTTP, the agent's contract: {:?}", run.error);
    let mut request = ask("open");
    request.output_schema = Some(schema());
    let run = house.run(&request).await;
    assert_eq!(data(&run), Some(expected.clone()), "HTTP, the caller's contract: {:?}", run.error);

    let ran = accord(house.path()).args(["run", "mother", "x"]).output().await.unwrap();
    let printed: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!(printed, expected, "the command line");

    let arguments = json!({"agent_name": "mother", "parameters": {"prompt": "x"}});
    let told = call(&house.url, None, "start_agent_session", arguments.clone()).await.to_string();
    assert!(told.contains(r#"\"reports\":3"#) || told.contains(r#"\"reports\": 3"#), "MCP over HTTP: {told}");
    let mut pipes = Pipes::start(house.path(), &["mcp"], &[]);
    pipes
        .ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}))
        .await;
    let told = pipes.call("start_agent_session", arguments).await.to_string();
    assert!(told.contains("reports"), "MCP over stdio: {told}");
    pipes.end().await;
    house.end().await;
}
