//! Third-party MCP clients against Accord, over both transports: the official Python client, the
//! Inspector and Claude Code.
//!
//! `setup-mcp` and `setup` in this folder install them. If they are missing, these tests print that and pass,
//! unless `ACCORD_REAL=1` is set: then nothing may be skipped.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set itself up has failed"
)]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

const TOOLS: [&str; 16] = [
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
    "agent__clerk",
    "agent__counter",
    "agent__triage",
    "workflow__sorting",
];

/// The folder with the clients. If it is missing, the test is skipped with a message, or fails if
/// nothing may be skipped.
fn installed() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/accord-real"));
    let folder = std::env::var_os("ACCORD_REAL_DIR").map(PathBuf::from).or(home).unwrap().join("mcp-clients");
    if folder.join("installed").exists() {
        return Some(folder);
    }
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let reason = format!("no MCP clients in {}: run crates/cli/tests/real/setup-mcp", folder.display());
    if std::env::var_os("ACCORD_REAL").is_some_and(|value| value == "1") {
        panic!("{test} cannot run: {reason}");
    }
    eprintln!("SKIPPED {test}: {reason}");
    None
}

/// `accord up` with an agent under contract and one with parameters.
struct Host {
    folder: tempfile::TempDir,
    url: String,
    _child: Child,
    _model: ModelServer,
}

impl Host {
    async fn up() -> Self {
        let model =
            ModelServer::start(Script::handler(|_, _| Reply::text(r#"{"severity": "high"}"#))).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let schema =
            |name: &str, of: Value| json!({"type": "object", "required": [name], "properties": {name: of}});
        let executor =
            json!({"type": "llm", "provider": "anthropic", "model": "claude-test", "base_url": model.url()});
        let agents = [
            json!({
                "name": "triage", "executor": executor,
                "output_schema": schema("severity", json!({"enum": ["low", "high"]})),
                "output_schema_options": {"strategy": "prompt"},
            }),
            json!({
                "name": "clerk", "executor": {"type": "human"},
                "output_schema": schema("severity", json!({"enum": ["low", "high"]})),
            }),
            json!({
                "name": "counter", "type": "procedural", "executor": {"type": "process", "command": "cat"},
                "parameters_schema": schema("text", json!({"type": "string"})),
            }),
        ];
        for agent in agents {
            let home = folder.path().join(".accord/agents").join(agent["name"].as_str().unwrap());
            std::fs::create_dir_all(&home).unwrap();
            std::fs::write(home.join("agent.json"), agent.to_string()).unwrap();
        }
        let workflows = folder.path().join(".accord/workflows");
        std::fs::create_dir_all(&workflows).unwrap();
        let workflow = json!({
            "name": "sorting",
            "nodes": {
                "input": {"type": "input"},
                "sort": {"type": "agent", "agent": "triage", "prompt": "{{ input.ticket }}"},
                "output": {"type": "output"},
            },
            "edges": [{"from": "input", "to": "sort"}, {"from": "sort", "to": "output"}],
        });
        std::fs::write(workflows.join("sorting.json"), workflow.to_string()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_accord"));
        command.args(["up", "--listen", "127.0.0.1:0"]).current_dir(folder.path());
        command.env("ACCORD_LOG__FILTER", "warn").stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let line = BufReader::new(child.stdout.take().unwrap()).lines().next_line().await.unwrap().unwrap();
        let url = format!("{}/mcp", line.split_whitespace().last().unwrap());
        Self { folder, url, _child: child, _model: model }
    }

    fn path(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }
}

async fn finished(command: &mut Command) -> Output {
    timeout(PATIENCE, command.kill_on_drop(true).output()).await.unwrap().unwrap()
}

/// The report of the Python client for this kind of connection.
async fn python(clients: &Path, arguments: &[&str]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/mcp_client.py");
    let mut command = Command::new(clients.join("python/bin/python"));
    let output = finished(command.arg(script).args(arguments)).await;
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// Over HTTP, a client with the older handshake cannot be asked during a call.
fn check_python(seen: &Value, legacy_asks: bool) {
    for (mode, version, asks) in [("auto", "2026-07-28", true), ("legacy", "2025-11-25", legacy_asks)] {
        let seen = &seen[mode];
        assert_eq!(seen["version"], version, "{mode}");
        assert_eq!(seen["own"], json!({"severity": "high"}), "{mode}");
        let person = &seen["person"];
        match asks {
            true => assert_eq!(person["result"], json!({"severity": "low"}), "{mode}: {person}"),
            false => assert!(person["text"].as_str().unwrap().contains("answer_input"), "{person}"),
        }
        assert_eq!(seen["asked"], u64::from(asks), "{mode}");
        assert_eq!(seen["tools"], json!(TOOLS));
        assert_eq!((&seen["with_output_schema"], &seen["same_as_text"]), (&json!(true), &json!(true)));
        let started = &seen["started"];
        assert_eq!(
            (&started["status"], &started["result_data"]),
            (&json!("completed"), &json!({"severity": "high"}))
        );
        assert_eq!(seen["result"]["result_data"], json!({"severity": "high"}));
        assert_eq!(seen["status"]["status"], "finished");
        assert!(seen["progress"].as_u64().is_some_and(|count| count >= 1), "{}", seen["progress"]);
        let workflow = &seen["workflow"];
        assert_eq!(
            (&workflow["status"], &workflow["output"]),
            (&json!("completed"), &json!({"severity": "high"}))
        );
        assert_eq!(seen["agents"]["agents"].as_array().map(Vec::len), Some(3));
        assert!(seen["polled"]["next"].as_str().unwrap().contains("get_agent_session_result"));
        for (case, expected) in
            [("unknown", "Available agents: clerk, counter, triage."), ("wrong", "$.text")]
        {
            assert_eq!(seen[case]["is_error"], true, "{case}");
            assert!(seen[case]["text"].as_str().unwrap().contains(expected), "{}", seen[case]);
        }
    }
}

#[tokio::test]
async fn the_python_client_over_http() {
    let Some(clients) = installed() else { return };
    let host = Host::up().await;
    check_python(&python(&clients, &["http", &host.url]).await, false);
}

#[tokio::test]
async fn the_python_client_over_stdio() {
    let Some(clients) = installed() else { return };
    let host = Host::up().await;
    check_python(&python(&clients, &["stdio", env!("CARGO_BIN_EXE_accord"), host.path()]).await, true);
}

/// Runs the Inspector and returns its exit code, its stdout as JSON, and its stderr.
async fn inspect(clients: &Path, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let modules = clients.join("node/node_modules");
    let mut command = Command::new(modules.join("node/bin/node"));
    command.arg(modules.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js")).arg("--cli");
    // Its own files go to a temporary home.
    let home = tempfile::tempdir().unwrap();
    command.args(arguments).env("HOME", home.path()).stdin(Stdio::null());
    let output = finished(&mut command).await;
    let stdout = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

async fn check_inspector(clients: &Path, server: &[&str]) {
    let ask = async |arguments: &[&str]| inspect(clients, &[server, arguments].concat()).await;
    let (code, listed, said) = ask(&["--method", "tools/list", "--strict"]).await;
    assert_eq!(code, Some(0), "{said}");
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    assert!(!said.contains("Warning"), "its schemas are portable: {said}");
    let start = ["--method", "tools/call", "--tool-name", "start_agent_session", "--tool-arg", "prompt=Help"];
    let (code, called, said) = ask(&[&start[..], &["--tool-arg", "agent_name=triage"]].concat()).await;
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(called["structuredContent"]["result_data"], json!({"severity": "high"}));
    let (code, refused, said) = ask(&[&start[..], &["--tool-arg", "agent_name=nobody"]].concat()).await;
    assert_ne!(code, Some(0), "{said}");
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("counter, triage"), "{refused}");
}

#[tokio::test]
async fn the_inspector_over_http() {
    let Some(clients) = installed() else { return };
    let host = Host::up().await;
    check_inspector(&clients, &[&host.url, "--transport", "http"]).await;
}

#[tokio::test]
async fn the_inspector_over_stdio() {
    let Some(clients) = installed() else { return };
    let host = Host::up().await;
    check_inspector(&clients, &[env!("CARGO_BIN_EXE_accord"), "mcp", "--dir", host.path()]).await;
}

/// The name of an agent's tool in Claude Code, after `claude mcp add accord`.
const TRIAGE: &str = "mcp__accord__agent__triage";

/// Adds Accord to Claude Code as a user does. The model of Claude Code then calls an agent and gets its result.
async fn check_claude(clients: &Path, server: &[&str]) {
    let model = Script::handler(|request, _| match request.tools().contains(&TRIAGE) {
        false => Reply::text("A ticket"),
        true if request.last_text().contains("severity") => Reply::text("The severity is high."),
        true => Reply::tool(TRIAGE, &json!({"prompt": "Nobody can log in"})),
    });
    let model = ModelServer::start(model).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let program = clients.with_file_name("claude-code").join("node_modules/.bin/claude");
    let claude = async |arguments: &[&str]| {
        let mut command = Command::new(&program);
        // No settings of this machine reach the CLI.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["ANTHROPIC_", "CLAUDE", "OTEL_"].iter().any(|own| text.starts_with(own)) {
                command.env_remove(&name);
            }
        }
        command.env("HOME", home.path()).env("CLAUDE_CONFIG_DIR", home.path());
        command.env("ANTHROPIC_BASE_URL", model.url()).env("ANTHROPIC_API_KEY", "sk-ant-test");
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        // Otherwise the model would have to search for the tool first.
        command.env("ENABLE_TOOL_SEARCH", "false");
        let output = finished(command.args(arguments).current_dir(home.path()).stdin(Stdio::null())).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {} {said}", output.stdout.escape_ascii());
        String::from_utf8(output.stdout).unwrap()
    };
    claude(&[&["mcp", "add"], server].concat()).await;
    let asked = ["-p", "How severe is it?", "--model", "claude-test", "--allowedTools", TRIAGE];
    assert_eq!(claude(&asked).await.trim(), "The severity is high.");
    let requests = model.requests();
    let results: Vec<String> = requests.iter().map(|request| request.last_text()).collect();
    assert!(results.iter().any(|text| text.contains(r#"{"severity":"high"}"#)), "{results:?}");
}

#[tokio::test]
async fn claude_code_over_http() {
    let Some(clients) = installed() else { return };
    let host = Host::up().await;
    check_claude(&clients, &["--transport", "http", "accord", &host.url]).await;
}

#[tokio::test]
async fn claude_code_over_stdio() {
    let Some(clients) = installed() else { return };
    let host = Host::up().await;
    let accord = env!("CARGO_BIN_EXE_accord");
    check_claude(&clients, &["accord", "--", accord, "mcp", "--dir", host.path()]).await;
}
