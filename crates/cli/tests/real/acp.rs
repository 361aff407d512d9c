//! ACP agents, each run by the executor `acp` with a scripted model.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use accord_test_support::{RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use crate::support::{Bench, Ran, installed, severity, until, words};

/// An installed agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agent {
    Claude,
    Codex,
    Gemini,
    OpenCode,
}

impl Agent {
    /// Its folder, and its program in it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => ("claude-agent-acp", "claude-agent-acp"),
            Self::Codex => ("codex-acp", "codex-acp"),
            Self::Gemini => ("gemini-cli", "gemini"),
            Self::OpenCode => ("opencode", "opencode"),
        }
    }

    /// A project with the agent, which uses only this model.
    async fn bench(self, script: Script, options: Value) -> Option<Bench> {
        let (folder, program) = self.names();
        let file = installed(folder, program)?;
        let bench = Bench::new(&file, script).await;
        let executor = self.executor(&bench, file.parent().unwrap());
        let contract = json!({"output_schema": severity(), "output_schema_options": options});
        bench.agent(&executor, &contract);
        Some(bench)
    }

    fn executor(self, bench: &Bench, programs: &Path) -> Value {
        let home = bench.file("home");
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        match self {
            Self::Claude => {
                // The most permissive mode is refused for root, and not needed.
                let settings = json!({"permissions": {"disableBypassPermissionsMode": "disable"}});
                std::fs::write(bench.file("config/settings.json"), settings.to_string()).unwrap();
                // Its Node is next to it.
                json!({"type": "acp", "command": ["./agent-cli"], "env": {
                    "HOME": home, "PATH": path, "CLAUDE_CONFIG_DIR": bench.file("config"),
                    "ANTHROPIC_BASE_URL": bench.model.url(), "ANTHROPIC_API_KEY": "sk-ant-test",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
                    "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_MAX_RETRIES": "1",
                    // A real model can search for tools; a script cannot.
                    "ENABLE_TOOL_SEARCH": "false",
                }})
            }
            Self::Codex => {
                let provider = |key: &str, value: &str| format!("model_providers.scripted.{key}=\"{value}\"");
                let keys = [
                    "model_provider=\"scripted\"".to_owned(),
                    provider("name", "scripted"),
                    provider("base_url", &bench.model.openai_url()),
                    provider("wire_api", "responses"),
                    provider("env_key", "CODEX_API_KEY"),
                    "analytics.enabled=false".to_owned(),
                    "features.plugins=false".to_owned(),
                    "check_for_update_on_startup=false".to_owned(),
                ];
                let keys = keys.into_iter().flat_map(|key| ["-c".to_owned(), key]);
                let command: Vec<String> = std::iter::once("./agent-cli".to_owned()).chain(keys).collect();
                json!({"type": "acp", "command": command, "auth_method": "codex-api-key", "env": {
                    "HOME": home, "CODEX_HOME": bench.file("config"), "CODEX_API_KEY": "sk-test-of-accord",
                }})
            }
            Self::Gemini => {
                // With its default model, `auto`, it asks a model which model to ask.
                let command = ["./agent-cli", "--acp", "--model", "gemini-2.5-flash"];
                json!({"type": "acp", "command": command, "auth_method": "gemini-api-key", "env": {
                    "HOME": home, "GEMINI_API_KEY": "test-of-accord", "GOOGLE_GEMINI_BASE_URL": bench.model.url(),
                    "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_TELEMETRY_ENABLED": "false",
                }})
            }
            Self::OpenCode => {
                let model =
                    json!({"name": "Test", "tool_call": true, "limit": {"context": 100_000, "output": 4096}});
                let options =
                    json!({"baseURL": format!("{}/v1", bench.model.url()), "apiKey": "sk-ant-test"});
                let provider = json!({"npm": "@ai-sdk/anthropic", "name": "Scripted", "options": options,
                    "models": {"claude-test": model}});
                let config = json!({"provider": {"scripted": provider}, "model": "scripted/claude-test",
                    "small_model": "scripted/claude-test", "autoupdate": false, "share": "disabled"});
                json!({"type": "acp", "command": ["./agent-cli", "acp"], "env": {
                    "HOME": home, "XDG_CONFIG_HOME": bench.file("config"), "XDG_DATA_HOME": bench.file("home/data"),
                    "XDG_CACHE_HOME": bench.file("home/cache"), "XDG_STATE_HOME": bench.file("home/state"),
                    "OPENCODE_CONFIG_CONTENT": config.to_string(), "OPENCODE_DISABLE_MODELS_FETCH": "1",
                    "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                }})
            }
        }
    }
}

/// Whether a request belongs to the conversation, and is not for a title or the like.
fn is_of_conversation(request: &RecordedRequest) -> bool {
    request.text().contains("You sort tickets.") && !request.tools().is_empty()
}

/// The name that the agent gives to the submit tool. Codex offers the tools of an MCP server in a namespace.
fn submit_tool(request: &RecordedRequest) -> Option<String> {
    let tools = request.tools();
    if tools.contains(&"mcp__accord_submit") {
        return Some("mcp__accord_submit/submit_result".to_owned());
    }
    tools.iter().find(|tool| tool.contains("submit_result")).map(|&tool| tool.to_owned())
}

fn submit(request: &RecordedRequest, word: &str) -> Reply {
    match submit_tool(request) {
        Some(tool) => Reply::tool(tool, &json!({"severity": word})).usage(100, 20),
        None => Reply::text(format!("there is no submit tool among {:?}", request.tools())),
    }
}

fn text(word: &str) -> Reply {
    Reply::text(json!({"severity": word}).to_string())
}

/// Answers the requests of the conversation one by one, and all others with a short text.
fn conversation(answer: impl Fn(&RecordedRequest, usize) -> Reply + Send + Sync + 'static) -> Script {
    let count = AtomicUsize::new(0);
    Script::handler(move |request, _| match is_of_conversation(request) {
        true => answer(request, count.fetch_add(1, Ordering::SeqCst)),
        false => Reply::text("Tickets"),
    })
}

async fn run(bench: &Bench, attempts: &[(&str, &str)]) -> (Ran, usize) {
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(attempts));
    host.nothing_is_left().await;
    let starts = bench.starts().len();
    host.end().await;
    (ran, starts)
}

async fn submits_its_result(agent: Agent) {
    let script = conversation(|request, number| match number {
        0 => submit(request, "urgent"),
        2 => submit(request, "high"),
        _ => Reply::text("Handed in."),
    });
    let Some(bench) = agent.bench(script, json!({})).await else { return };
    // Gemini CLI checks the arguments by the schema of the tool itself, and does not call it.
    let first = if agent == Agent::Gemini { "not_submitted" } else { "schema_invalid" };
    let (ran, starts) = run(&bench, &[("tool", first), ("tool", "accepted")]).await;
    assert_eq!(starts, 1, "{agent:?}: asked again in the same process");
    assert!(!ran.report.to_string().contains("sk-"), "{ran:?}");
}

#[tokio::test]
async fn claude_agent_submits_its_result() {
    submits_its_result(Agent::Claude).await;
}

#[tokio::test]
async fn codex_acp_submits_its_result() {
    submits_its_result(Agent::Codex).await;
}

#[tokio::test]
async fn gemini_cli_submits_its_result() {
    submits_its_result(Agent::Gemini).await;
}

#[tokio::test]
async fn opencode_submits_its_result() {
    submits_its_result(Agent::OpenCode).await;
}

/// The tool is on offer and not used: the judge reads the text.
#[tokio::test]
async fn an_acp_agent_answers_in_text() {
    let Some(bench) = Agent::Claude.bench(conversation(|_, _| text("high")), json!({})).await else { return };
    run(&bench, &[("tool", "accepted")]).await;
}

/// The host is killed in the middle of a turn. The next one takes the run over and continues the session of the agent.
#[tokio::test]
async fn an_acp_agent_continues_after_the_runner_was_killed() {
    let script = conversation(|request, number| match number {
        0 => text("low"),
        1 => Reply::hang(),
        2 => submit(request, "high"),
        _ => Reply::text("Handed in."),
    });
    let Some(bench) = Agent::Claude.bench(script, json!({})).await else { return };
    // Long enough for a busy machine, and no longer than the test wants to wait.
    std::fs::write(bench.file(".accord/config.toml"), "[queue]\nlease_seconds = 10\n").unwrap();
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("low");
    let session = ran.report.get("session_id").and_then(Value::as_str).unwrap();
    let resumed = host.run(&["sessions", "resume", session, "And now?", "--no-wait"]).await;
    let run = resumed.report.get("run_id").and_then(Value::as_str).unwrap().to_owned();
    until(|| bench.requests().iter().filter(|request| is_of_conversation(request)).count() == 2).await;
    host.kill().await;

    let host = bench.up().await;
    let ended = host.ended(&run).await;
    let result = ended.pointer("/result/result_data");
    assert_eq!(result, Some(&json!({"severity": "high"})), "{ended}");
    let requests = bench.requests();
    let asked = requests.iter().rfind(|request| is_of_conversation(request)).unwrap().text();
    assert!(asked.contains("Nobody can log in") && asked.contains("And now?"), "{asked}");
    host.end().await;
}

#[tokio::test]
async fn acp_agents_are_stopped_in_mid_turn() {
    for agent in [Agent::Claude, Agent::Codex, Agent::OpenCode] {
        let script = conversation(|_, _| Reply::hang());
        let Some(bench) = agent.bench(script, json!({})).await else { continue };
        let host = bench.up().await;
        let stopping = async {
            until(|| bench.requests().iter().any(is_of_conversation)).await;
            let runs = host.run(&["runs", "list"]).await.report;
            let run = runs.pointer("/items/0/run_id").and_then(Value::as_str).unwrap().to_owned();
            host.run(&["runs", "stop", &run]).await
        };
        let (ran, _) = tokio::join!(host.ask(), stopping);
        assert_eq!((ran.code, ran.report.get("status")), (Some(4), Some(&json!("stopped"))), "{ran:?}");
        host.nothing_is_left().await;
        host.end().await;
    }
}

/// A tool that the agent file does not allow is denied, and the agent continues without it.
#[tokio::test]
async fn an_acp_agent_that_asks_is_denied() {
    let script = conversation(|request, number| match number {
        0 => Reply::tool("Bash", &json!({"command": "touch made.txt", "description": "makes a file"})),
        _ => {
            let tool = submit_tool(request).unwrap_or_default();
            if number == 1 { Reply::tool(tool, &json!({"severity": "high"})) } else { Reply::text("Done.") }
        }
    });
    let Some(bench) = Agent::Claude.bench(script, json!({})).await else { return };
    run(&bench, &[("tool", "accepted")]).await;
    assert!(!bench.path().join("made.txt").exists());
}
