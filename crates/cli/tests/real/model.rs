//! A tiny model with random weights on a server with constrained decoding, as an adversary: its
//! answers have the shape that the decoder enforces and nonsense inside, so they violate every
//! keyword that it does not enforce.
//!
//! `tests/real/model/setup` installs both. If they are missing, the test prints that and passes,
//! unless `ACCORD_REAL_MODEL=1` is set.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up has failed")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use accord_contract::Meter;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use accord_api::{CreateRun, RunStatus, RunView};
use accord_client::Client;
use accord_contract::Schema;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// Runs of each schema with each strategy. Thirty in all, in a few seconds.
const RUNS: usize = 2;

/// Longer than a run takes on a busy machine.
const PATIENCE: u32 = 120;

/// The location of the model and its server. If `None`, the test is skipped with a message.
fn installed() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/accord-real"));
    let folder = std::env::var_os("ACCORD_REAL_DIR").map(PathBuf::from).or(home).unwrap().join("model");
    if folder.join("tiny.gguf").exists() && folder.join("venv/bin/python").exists() {
        return Some(folder);
    }
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let reason =
        format!("the model server is not installed in {}: run tests/real/model/setup", folder.display());
    if std::env::var_os("ACCORD_REAL_MODEL").is_some_and(|value| value == "1") {
        panic!("{test} cannot run: {reason}");
    }
    eprintln!("SKIPPED {test}: {reason}");
    None
}

/// Starts a program that prints its address in its first line. Dropping the returned child ends it.
async fn listening(command: &mut Command) -> (Child, String) {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    let line = BufReader::new(stdout).lines().next_line().await.unwrap().unwrap();
    let url = line.split_whitespace().last().unwrap().to_owned();
    (child, url)
}

async fn model(installed: &Path) -> (Child, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/real/model/serve.py");
    let mut command = Command::new(installed.join("venv/bin/python"));
    command.arg(script).arg(installed.join("tiny.gguf")).stderr(Stdio::null());
    listening(&mut command).await
}

/// Schemas with one keyword each that the decoder is known to ignore, and one schema that it
/// enforces completely.
fn schemas() -> Vec<(&'static str, Value)> {
    let object = |properties: Value| {
        let required: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
        json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
    };
    let letters = json!({"type": "string", "enum": ["a", "b", "c"]});
    vec![
        ("plain", object(json!({"kind": letters, "count": {"type": "integer", "minimum": 0, "maximum": 9}}))),
        (
            "unique",
            object(
                json!({"list": {"type": "array", "uniqueItems": true, "minItems": 3, "maxItems": 4, "items": letters}}),
            ),
        ),
        ("share", object(json!({"share": {"type": "number", "minimum": 0, "maximum": 1}}))),
        (
            "multiple",
            object(json!({"count": {"type": "integer", "minimum": 0, "maximum": 99, "multipleOf": 7}})),
        ),
        ("other", object(json!({"kind": {"type": "string", "maxLength": 3, "not": {"pattern": "^[a-z]"}}}))),
    ]
}

fn blueprint(name: &str, url: &str, schema: &Value, strategy: &str) -> Value {
    json!({
        "name": name,
        "type": "autonomous",
        "executor": {
            "type": "llm", "provider": "openai-compatible", "model": "tiny", "base_url": format!("{url}/v1"),
            "max_tokens": 96, "temperature": 1.0,
        },
        "output_schema": schema,
        "output_schema_options": {"strategy": strategy, "max_retries": 2},
    })
}

/// Whatever the outcome of the run, no view may show a nonconforming value as its result.
async fn check(client: &Client, run: &RunView, schema: &Schema) {
    let session = client.session_result(&run.session_id).await;
    match run.status {
        RunStatus::Completed => {
            let value: Value = run.result.as_ref().unwrap().data().unwrap();
            assert!(schema.accepts(&value, &Meter::default()), "{}: {value}", run.run_id);
            let told = session.unwrap();
            assert_eq!(serde_json::from_str::<Value>(told.result_data.unwrap().get()).unwrap(), value);
        }
        RunStatus::Failed => {
            assert!(run.result.is_none() && session.is_err(), "{run:?}");
            let error = run.error.as_ref().unwrap();
            assert!(!error.message.is_empty(), "{error:?}");
        }
        other => panic!("{} is {other}", run.run_id),
    }
    let attempts = client.attempts(&run.run_id).await.unwrap().items;
    assert!((1..=6).contains(&attempts.len()), "{} attempts", attempts.len());
}

#[tokio::test]
async fn a_nonsense_model_never_breaks_a_contract() {
    let Some(installed) = installed() else { return };
    let (_server, url) = model(&installed).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".accord")).unwrap();
    let mut up = Command::new(env!("CARGO_BIN_EXE_accord"));
    up.args(["up", "--listen", "127.0.0.1:0"]).current_dir(folder.path()).env("ACCORD_LOG__FILTER", "error");
    let (_up, address) = listening(&mut up).await;
    let client = Client::new(&address, None).unwrap();
    let (mut completed, mut refused) = (0, 0);
    for strategy in ["native", "tool", "prompt"] {
        for (name, schema) in schemas() {
            let name = format!("{name}-{strategy}");
            client.create_agent(&blueprint(&name, &url, &schema, strategy)).await.unwrap();
            let schema = Schema::compile(&schema, &Meter::default()).unwrap();
            for _ in 0..RUNS {
                let request = CreateRun {
                    agent_name: Some(name.clone()),
                    prompt: Some("Say something.".to_owned()),
                    ..CreateRun::default()
                };
                let run = client.create_run_and_wait(&request, PATIENCE, None).await.unwrap();
                check(&client, &run, &schema).await;
                match run.status {
                    RunStatus::Completed => completed += 1,
                    _ => refused += 1,
                }
            }
        }
    }
    // A model that always or never meets its contract would prove nothing.
    assert!(completed > 0 && refused > 0, "{completed} completed, {refused} refused");
}
