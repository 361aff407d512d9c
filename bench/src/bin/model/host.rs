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

/// What every contract of the bench allows. The agents' own defaults differ, and strategies are to be compared.
const MAX_RETRIES: u32 = 2;

/// More than an answer of the tasks needs. What does not end by then is cut off, as it would be elsewhere; the ceiling is
/// then raised for the next try.
const MAX_TOKENS: u32 = 128;

pub(crate) struct Host {
    pub(crate) client: Client,
    _child: Child,
    _folder: tempfile::TempDir,
}

/// An agent and what to ask it.
pub(crate) struct Agent {
    pub(crate) task: String,
    pub(crate) name: String,
    pub(crate) parameters: Value,
    pub(crate) schema: Value,
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

    /// An agent for each task, which asks the server with one strategy.
    pub(crate) async fn agents(&self, tasks: &[Task], strategy: Strategy, url: &str) -> Result<Vec<Agent>> {
        let mut agents = Vec::new();
        for task in tasks {
            let name = format!("{}-{}", task.name, strategy.as_str());
            let mut blueprint = task.blueprint.clone();
            let members = blueprint.as_object_mut().context("a blueprint is an object")?;
            members.insert("name".to_owned(), json!(name));
            members.insert("executor".to_owned(), executor(url));
            let options = json!({"strategy": strategy, "max_retries": MAX_RETRIES});
            members.insert("output_schema_options".to_owned(), options);
            self.client.create_agent(&blueprint).await?;
            agents.push(Agent {
                task: task.name.clone(),
                name,
                parameters: task.parameters.clone(),
                schema: task.schema.clone(),
            });
        }
        Ok(agents)
    }
}

fn executor(url: &str) -> Value {
    json!({
        "type": "llm",
        "provider": "openai-compatible",
        "model": "local",
        "base_url": url,
        "max_tokens": MAX_TOKENS,
        "temperature": 0.7,
        "timeout_seconds": 300,
        "schema_profile": "llama.cpp",
    })
}
