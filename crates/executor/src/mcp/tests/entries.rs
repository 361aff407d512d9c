//! Entries of agent files that name tools of servers: every executor × every field × the names that a tool has.

use serde_json::json;

use super::*;
use crate::cli::{AcpExecutor, ClaudeCodeExecutor, CodexExecutor, SubmitServer};
use crate::llm::{LlmExecutor, Provider, ProviderKind, Providers, Secret};
use crate::session::Executor;
use crate::{Effect, Journal, Retry, Start, ToolEntries};

/// A server with the tools `a.b`, which has another name in every program, and `look`.
fn desk() -> McpServer {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let list = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("a.b"), tool("look")]}});
    shell("desk", &format!("read l; echo '{GREETING}'; read l; read l; echo '{list}'; read l"))
}

/// Every executor that has tools, with the settings of a program that is not there: settings are checked before it is looked for.
fn executors() -> Vec<(&'static str, Value, Box<dyn Executor>)> {
    let servers = servers(Nowhere, LONG);
    let submit = SubmitServer { program: "accord".into(), args: Vec::new() };
    let provider = Provider { api_key: Some(Secret::new("k")), ..Provider::new(ProviderKind::OpenAi) };
    let providers = Providers::default().with("openai", provider);
    let llm = LlmExecutor::new(providers, Arc::new(Nowhere), Arc::new(NoTools));
    let none = || Vec::<(std::ffi::OsString, std::ffi::OsString)>::new();
    vec![
        (
            "llm",
            json!({"type": "llm", "provider": "openai", "model": "m"}),
            Box::new(llm.with_mcp_servers(servers.clone())),
        ),
        (
            "claude-code",
            json!({"command": "/nowhere/claude"}),
            Box::new(ClaudeCodeExecutor::new(none(), submit.clone()).with_mcp_servers(servers.clone())),
        ),
        (
            "codex",
            json!({"command": "/nowhere/codex"}),
            Box::new(CodexExecutor::new(none(), submit.clone()).with_mcp_servers(servers.clone())),
        ),
        (
            "acp",
            json!({"command": ["/nowhere/agent"]}),
            Box::new(AcpExecutor::new(none(), submit).with_mcp_servers(servers)),
        ),
    ]
}

#[tokio::test]
async fn an_entry_for_a_tool_that_a_server_does_not_have_ends_the_run_before_any_request() {
    let entries = [
        ("desk__a.b", true),
        ("desk__look", true),
        ("desk__*", true),
        ("desk__lo*", true),
        ("*", true),
        ("desk__lok", false),
        ("desk__x*", false),
        ("look", false),
        ("desks__look", false),
    ];
    for (kind, settings, executor) in executors() {
        for field in ["approve", "effects"] {
            for (entry, is_known) in entries {
                let mut tool_entries = ToolEntries::default();
                match field {
                    "approve" => tool_entries.approve = vec![(entry.into(), None)],
                    _ => tool_entries.effects = vec![(entry.into(), Effect::None)],
                }
                let start = Start {
                    session_id: "s".to_owned(),
                    run_id: "r".to_owned(),
                    settings: settings.clone(),
                    project_dir: ".".into(),
                    tools: Vec::new(),
                    mcp_servers: vec![desk()],
                    parameters: json!({}),
                    conversation: None,
                    opening: Vec::new(),
                    max_steps: 1,
                    retry: Retry::default(),
                    costs_are_limited: false,
                    tool_entries,
                    caller_tools: crate::CallerTools::default(),
                    journal: Arc::new(Journal::none()),
                    files: crate::files::Files::default(),
                };
                let refusal =
                    executor.open(start).await.err().map(|error| error.to_string()).unwrap_or_default();
                let expected = format!("`{field}`: '{entry}' matches no tool of the agent; ");
                assert_eq!(refusal.starts_with(&expected), !is_known, "{kind} {field} {entry}: {refusal}");
            }
        }
    }
}
