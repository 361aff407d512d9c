//! An answer that the provider reports as cut off is never completed: in every protocol, with every
//! strategy, in both modes, from agent CLIs and from external programs.

use std::process::Command;

use accord_api::{FailureType, RunStatus};
use accord_test_support::{ModelServer, Reply, SUBMIT_TOOL};
use serde_json::{Value, json};

use crate::support::{Accord, Project, agent, ask, data, model};

/// Only closing brackets are missing: without the provider's stop reason, lenient mode would add
/// them.
const CUT: &str = r#"{"open": true, "assignee": "ann", "tags": ["x""#;

const MODES: [&str; 2] = ["strict", "lenient"];

fn contract(strategy: &str, mode: &str) -> Value {
    json!({
        "output_schema": {
            "type": "object",
            "required": ["open"],
            "additionalProperties": false,
            "properties": {
                "open": {"type": "boolean"},
                "assignee": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
        },
        "output_schema_options": {"strategy": strategy, "validation_mode": mode, "max_retries": 0},
    })
}

async fn is_truncated(accord: &Accord, name: &str) {
    let run = accord.run(&ask(name)).await;
    let error = run.error.as_ref().map(|error| error.kind);
    let expected = (RunStatus::Failed, Some(FailureType::OutputTruncated), None);
    assert_eq!((run.status, error, data(&run)), expected, "{name}: {run:?}");
    let attempts = accord.client.attempts(&run.run_id).await.unwrap().items;
    let outcomes: Vec<&str> = attempts.iter().map(|attempt| attempt.outcome.as_str()).collect();
    assert_eq!(outcomes, ["truncated"], "{name}");
}

fn executor(provider: &str, model: &ModelServer) -> Value {
    let base_url = match provider {
        "anthropic" | "ollama" => model.url(),
        _ => model.openai_url(),
    };
    json!({"type": "llm", "provider": provider, "model": "m-1", "base_url": base_url})
}

#[tokio::test]
async fn a_cut_is_rejected_in_every_protocol() {
    let mut rows = Vec::new();
    for provider in ["anthropic", "openai", "openai-chat", "openai-compatible", "ollama"] {
        for strategy in ["native", "tool", "prompt"] {
            rows.extend(MODES.map(|mode| (provider, strategy, mode)));
        }
    }
    let reply = |strategy: &str| match strategy {
        "tool" => Reply::tool_text(SUBMIT_TOOL, CUT).cut_off(),
        _ => Reply::truncated(CUT),
    };
    let model = model(rows.iter().map(|(_, strategy, _)| reply(strategy))).await;
    let name = |row: &(&str, &str, &str)| format!("{}-{}-{}", row.0, row.1, row.2);
    let mut project = Project::new();
    for row in &rows {
        let (provider, strategy, mode) = *row;
        let mut blueprint = agent(&name(row), &model, &contract(strategy, mode));
        blueprint["executor"] = executor(provider, &model);
        project = project.agent(&blueprint);
    }
    let accord = project.up().await;
    for row in &rows {
        is_truncated(&accord, &name(row)).await;
    }
    accord.end().await;
}

/// Follows the protocol of external executors.
const EXTERNAL: &str = r#"
import json, os, sys
def say(message): print(json.dumps(message), flush=True)
reprompt = os.environ["REPROMPT"] == "yes"
say({"type": "hello", "protocol": 1, "name": "cut",
     "capabilities": {"resume": False, "native_schema": False, "reprompt": reprompt}})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        say({"type": "answer", "session_id": message["session_id"], "turn": message["turn"],
             "text": os.environ["SAYS"], "stop_reason": os.environ["STOP"]})
"#;

/// Writes the output of Claude Code.
const CLAUDE: &str = r#"
import json, os, sys
def say(**message): print(json.dumps({"session_id": "s-1", **message}), flush=True)
for line in sys.stdin:
    text = os.environ["SAYS"]
    servers = [{"name": "accord_submit", "status": "connected"}]
    say(type="system", subtype="init", mcp_servers=servers, model="m-1")
    say(type="assistant", message={"id": "m1", "model": "m-1", "content": [{"type": "text", "text": text}]})
    if os.environ["STOP"] == "error":
        say(type="assistant", error="max_output_tokens", message={"id": "m2", "content": []})
        say(type="result", subtype="success", is_error=True, terminal_reason="api_error", result="API Error: exceeded")
    else:
        say(type="result", subtype="success", is_error=False, terminal_reason="completed", result=text,
            stop_reason=os.environ["STOP"], total_cost_usd=0, modelUsage={})
"#;

/// Writes the output of the Codex app server.
const CODEX: &str = r#"
import json, os, sys
def say(message): print(json.dumps(message), flush=True)
def tell(method, **params): say({"method": method, "params": {"threadId": "t-1", **params}})
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        say({"id": message["id"], "result": {"userAgent": "fake"}})
    elif method == "thread/start":
        say({"id": message["id"], "result": {"thread": {"id": "t-1"}, "model": "m-1"}})
    elif method == "turn/start":
        say({"id": message["id"], "result": {"turn": {"id": "turn-1"}}})
        tell("item/completed", item={"type": "agentMessage", "id": "m1", "text": os.environ["SAYS"]})
        words = "Incomplete response returned, reason: " + os.environ["STOP"]
        tell("turn/completed", turn={"id": "turn-1", "status": "failed", "error": {"message": words}})
"#;

/// A program that prints the cut answer and reports this stop reason.
struct Program {
    name: &'static str,
    executor: Value,
    script: &'static str,
    strategies: &'static [&'static str],
    stop: &'static str,
}

fn programs() -> Vec<Program> {
    let external = |reprompt: bool| json!({"type": "external", "reprompt": reprompt, "env": {"REPROMPT": if reprompt { "yes" } else { "no" }}});
    let claude = || json!({"type": "claude-code", "env": {}});
    let codex = || json!({"type": "codex", "env": {}});
    let program =
        |name, executor, script, strategies, stop| Program { name, executor, script, strategies, stop };
    let every: &[&str] = &["native", "tool", "prompt"];
    vec![
        program("external-truncated", external(true), EXTERNAL, &["prompt"], "truncated"),
        program("external-length", external(true), EXTERNAL, &["prompt"], "length"),
        program("external-max-tokens", external(true), EXTERNAL, &["prompt"], "max_tokens"),
        program("held-truncated", external(false), EXTERNAL, &["prompt"], "truncated"),
        program("claude-max-tokens", claude(), CLAUDE, every, "max_tokens"),
        program("claude-window", claude(), CLAUDE, every, "model_context_window_exceeded"),
        program("claude-error", claude(), CLAUDE, every, "error"),
        program("codex", codex(), CODEX, every, "max_output_tokens"),
    ]
}

#[tokio::test]
async fn a_cut_of_agent_clis_and_external_programs_is_rejected() {
    let mut project = Project::new();
    let mut names = Vec::new();
    for Program { name, mut executor, script, strategies, stop } in programs() {
        let text = project.path().join(format!("{name}.py"));
        std::fs::write(&text, format!("#!/usr/bin/env python3\n{script}")).unwrap();
        // Another program creates the executable: a file that this process has open for writing
        // could not be executed.
        let program = project.path().join(name);
        let install = Command::new("install").args(["-m", "755"]).arg(&text).arg(&program).status().unwrap();
        assert!(install.success());
        executor["command"] = json!(program);
        executor["env"]["SAYS"] = json!(CUT);
        executor["env"]["STOP"] = json!(stop);
        for strategy in strategies {
            for mode in MODES {
                let name = format!("{name}-{strategy}-{mode}");
                let mut blueprint = contract(strategy, mode);
                blueprint["name"] = json!(name);
                blueprint["executor"] = executor.clone();
                project = project.agent(&blueprint);
                names.push(name);
            }
        }
    }
    let accord = project.up().await;
    for name in &names {
        is_truncated(&accord, name).await;
    }
    accord.end().await;
}
