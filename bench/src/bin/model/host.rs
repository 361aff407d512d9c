//! `accord up`, with the agents of `accord init`.

use std::path::Path;
use std::process::Stdio;

use accord_client::Client;
use accord_client::api::Strategy;
use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::tasks::Task;

/// The retries of every contract of the benchmark. The agents' defaults differ, and strategies
/// should be comparable.
const MAX_RETRIES: u32 = 2;

/// More than an answer of the tasks needs. What does not end by then is cut off, as it would be elsewhere; the ceiling is
/// then raised for the next try.
const MAX_TOKENS: u32 = 128;

/// Low, as is usual where facts are read from a text, and not zero, so that runs with the same input differ.
const TEMPERATURE: f64 = 0.2;

pub(crate) struct Host {
    pub(crate) client: Client,
    _child: Child,
    _folder: tempfile::TempDir,
}

/// One way to ask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) strategy: Strategy,
    pub(crate) with_examples: bool,
}

/// An agent and what to ask it.
pub(crate) struct Agent {
    pub(crate) task: String,
    pub(crate) name: String,
    pub(crate) inputs: Vec<Value>,
    pub(crate) schema: Value,
    /// Strings that examples take from their own inputs. Answers to other inputs must not have them.
    pub(crate) of_examples: Vec<String>,
}

impl Host {
    pub(crate) async fn start(binary: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let init = Command::new(binary).arg("init").current_dir(folder.path()).output().await?;
        ensure!(init.status.success(), "accord init: {}", String::from_utf8_lossy(&init.stderr));
        let mut child = Command::new(binary)
            .args(["up", "--listen", "127.0.0.1:0"])
            .current_dir(folder.path())
            .env("ACCORD_LOG__FILTER", "error")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().context("no stdout")?;
        let line = BufReader::new(stdout).lines().next_line().await?;
        let line = line.context("accord ended before it was ready")?;
        let client = Client::new(line.rsplit(' ').next().context("no address")?, None)?;
        Ok(Self { client, _child: child, _folder: folder })
    }

    /// An agent for each task, which asks the server in one way.
    pub(crate) async fn agents(&self, tasks: &[Task], variant: Variant, url: &str) -> Result<Vec<Agent>> {
        let mut agents = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            let name = format!("{}-{}-{number}", variant.strategy.as_str(), variant.with_examples);
            let mut blueprint = task.blueprint.clone();
            let members = blueprint.as_object_mut().context("a blueprint is an object")?;
            members.insert("name".to_owned(), json!(name));
            members.insert("executor".to_owned(), executor(url));
            let options = json!({"strategy": variant.strategy, "max_retries": MAX_RETRIES});
            members.insert("output_schema_options".to_owned(), options);
            members.insert("send_examples".to_owned(), json!("always"));
            if !variant.with_examples {
                members.remove("examples");
            }
            self.client.create_agent(&blueprint).await?;
            agents.push(Agent {
                task: task.name.clone(),
                name,
                inputs: task.inputs.clone(),
                schema: task.schema.clone(),
                of_examples: taken(
                    task.blueprint.get("examples").unwrap_or(&Value::Null),
                    &task.schema.to_string(),
                ),
            });
        }
        Ok(agents)
    }
}

/// Values that the schema lists are answers like any other.
fn taken(examples: &Value, schema: &str) -> Vec<String> {
    let mut found = Vec::new();
    for example in examples.as_array().into_iter().flatten() {
        let input = example.get("input").map(Value::to_string).unwrap_or_default();
        strings(example.get("output").unwrap_or(&Value::Null), &mut |text| {
            if input.contains(text) && !schema.contains(&Value::from(text).to_string()) {
                found.push(text.to_owned());
            }
        });
    }
    found
}

/// Visits the strings of a value, names aside.
pub(crate) fn strings(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, visit)),
        Value::Object(members) => members.values().for_each(|member| strings(member, visit)),
        _ => {}
    }
}

fn executor(url: &str) -> Value {
    json!({
        "type": "llm",
        "provider": "openai-compatible",
        "model": "local",
        "base_url": url,
        "max_tokens": MAX_TOKENS,
        "temperature": TEMPERATURE,
        "timeout_seconds": 300,
        "schema_profile": "llama.cpp",
    })
}
