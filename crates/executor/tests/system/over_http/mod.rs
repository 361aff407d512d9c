//! The `llm` executor over the network, against the scripted model server.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod chaos;
mod embeddings;
mod endings;

use std::sync::Arc;
use std::time::Duration;

use accord_executor::{
    Delivery, Events, Executor, HttpTransport, LlmExecutor, NoTools, Providers, Session, Start, Turn,
};
use accord_test_support::{ModelServer, SUBMIT_TOOL};
use serde_json::{Value, json};

/// Every built-in provider.
const PROVIDERS: [&str; 5] = ["anthropic", "openai", "openai-chat", "openai-compatible", "ollama"];

fn transport() -> Arc<HttpTransport> {
    Arc::new(HttpTransport::new().unwrap())
}

/// A session with a provider, played by the server.
async fn open(transport: &Arc<HttpTransport>, server: &ModelServer, provider: &str) -> Box<dyn Session> {
    let base_url = match provider {
        "anthropic" | "ollama" => server.url(),
        _ => server.openai_url(),
    };
    let transport = Arc::clone(transport);
    let executor = LlmExecutor::new(Providers::from_environment(|_| None), transport, Arc::new(NoTools))
        .with_first_pause(Duration::from_millis(1));
    let start = Start {
        session_id: "session_1".into(),
        run_id: "run_1".into(),
        settings: json!({"type": "llm", "provider": provider, "model": "m-1", "base_url": base_url}),
        project_dir: ".".into(),
        tools: Vec::new(),
        mcp_servers: Vec::new(),
        parameters: Value::Null,
        conversation: None,
        max_steps: 3,
        retry: accord_executor::Retry { max_attempts: Some(6), ..Default::default() },
        costs_are_limited: false,
        tool_entries: accord_executor::ToolEntries::default(),
        journal: std::sync::Arc::new(accord_executor::Journal::none()),
    };
    executor.open(start).await.unwrap()
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

fn native() -> Delivery {
    Delivery::Native { name: "result".into(), schema: schema() }
}

fn submit() -> Delivery {
    Delivery::Tool {
        name: SUBMIT_TOOL.into(),
        description: "Hands in the result.".into(),
        schema: schema(),
        strict: true,
        force: false,
    }
}

fn turn(prompt: &str, delivery: Delivery) -> Turn {
    Turn { system_prompt: "Be brief.".into(), prompt: prompt.into(), delivery, ..Turn::default() }
}

/// Events that nothing receives.
fn silence() -> Events {
    Events::none()
}
