//! The MCP servers of agents, used by the binary.

use accord_api::{FailureType, RunStatus};
use accord_test_support::{Reply, Script};
use serde_json::{Value, json};

use crate::support::{Project, agent, ask, model};

/// An MCP server as a shell script: it has one tool, which returns the server's process id and a
/// secret.
const SERVER: &str = r#"
read l; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
read l; read l; echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"who","inputSchema":{"type":"object"}}]}}'
read l; echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"'"$$ at ${PLACE:-nowhere}"'"}]}}'
echo $$ > server.pid
while read l; do :; done
"#;

fn shell(script: &str, env: Value) -> Value {
    json!({"mcp_servers": {"local": {"command": "sh", "args": ["-c", script], "env": env}}})
}

#[tokio::test]
async fn a_model_uses_a_server_and_nothing_is_left_running() {
    let model = model([Reply::tool("local__who", &json!({})), Reply::text("done")]).await;
    let accord = Project::new()
        .agent(&agent("asker", &model, &shell(SERVER, json!({"PLACE": "the ${HIDDEN_PLACE}"}))))
        .set("HIDDEN_PLACE", "orchard")
        .up()
        .await;
    let run = accord.run(&ask("asker")).await;
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.error);
    let requests = model.requests();
    assert_eq!(requests[0].tools(), ["local__who"]);
    let told = requests[1].body["messages"].to_string();
    assert!(told.contains("at [hidden]"), "what was filled in is not repeated: {told}");
    let id = std::fs::read_to_string(accord.path().join("server.pid")).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", id.trim())).exists(), "{id} still runs");
    accord.end().await;
}

#[tokio::test]
async fn a_server_that_does_not_start_fails_the_run_and_is_named() {
    let model = model([]).await;
    let dying = shell("echo 'no licence' >&2; exit 4", json!({}));
    let unset = shell("exit 0", json!({"KEY": "${NO_SUCH_VARIABLE}"}));
    let gone = json!({"mcp_servers": {"far": {"url": "http://127.0.0.1:9/mcp"}}});
    let accord = Project::new()
        .agent(&agent("dying", &model, &dying))
        .agent(&agent("unset", &model, &unset))
        .agent(&agent("gone", &model, &gone))
        .up()
        .await;
    let cases = [
        (
            "dying",
            "the MCP server 'local' did not start: it has ended (exit status: 4); last lines of stderr: no licence",
        ),
        (
            "unset",
            "'KEY' of the MCP server 'local' cannot be expanded: environment variable NO_SUCH_VARIABLE is not set in the runner's environment",
        ),
        ("gone", "the MCP server 'far' did not start: it cannot be reached: "),
    ];
    for (name, expected) in cases {
        let run = accord.run(&ask(name)).await;
        let error = run.error.unwrap();
        assert_eq!((run.status, error.kind), (RunStatus::Failed, FailureType::ExecutorFailed), "{name}");
        assert!(error.message.starts_with(expected), "{name}: {}", error.message);
    }
    assert_eq!(model.requests().len(), 0, "the model was never asked");
    accord.end().await;
}

#[tokio::test]
async fn a_server_ends_with_a_stopped_run() {
    let hanging = Script::handler(|_, _| Reply::tool("local__who", &json!({})));
    let model = accord_test_support::ModelServer::start(hanging).await.unwrap();
    // The tool never answers the call.
    let script = SERVER.replace(
        "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":2",
        "read l; echo $$ > server.pid; read l; read l; echo '{\"jsonrpc\":\"2.0\",\"id\":2",
    );
    let accord = Project::new().agent(&agent("asker", &model, &shell(&script, json!({})))).up().await;
    let created = accord.client.create_run(&ask("asker"), None).await.unwrap();
    let pid = accord.path().join("server.pid");
    let begun = async {
        while !pid.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), begun).await.unwrap();
    accord.client.stop_run(&created.run_id).await.unwrap();
    let run = accord.client.wait_for_run(&created.run_id, 60).await.unwrap();
    assert_eq!(run.status, RunStatus::Stopped);
    let id = std::fs::read_to_string(&pid).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", id.trim())).exists(), "{id} still runs");
    accord.end().await;
}
