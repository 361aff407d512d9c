//! A project folder, the binary running in it, and a client for it.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_api::{CreateRun, EventBody, EventId, EventView, RunId, RunView};
use accord_client::{Client, EventFilter};
use accord_test_support::{ModelServer, Reply, Script};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// A run that takes longer than this hangs.
const PATIENCE: u32 = 60;

/// Any free port of this machine.
const LOCAL: &str = "127.0.0.1:0";

/// `accord up`, or a part of it, in its own folder.
pub(crate) struct Accord {
    folder: tempfile::TempDir,
    child: Child,
    pub(crate) client: Client,
    pub(crate) url: String,
}

/// A project folder before the start.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
    log: Option<File>,
    descriptors: Option<u32>,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".accord/agents")).unwrap();
        Self { folder, environment: Vec::new(), log: None, descriptors: None }
    }

    /// Adds an agent as a file.
    pub(crate) fn agent(self, blueprint: &Value) -> Self {
        self.file(blueprint["name"].as_str().unwrap(), &serde_json::to_string_pretty(blueprint).unwrap())
    }

    /// Adds an agent file with this text, valid or not.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let folder = self.folder.path().join(".accord/agents").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("agent.json"), text).unwrap();
        self
    }

    /// Sets a setting through its environment variable.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes stderr to a file.
    pub(crate) fn log_to(mut self, path: &Path) -> Self {
        self.log = Some(File::create(path).unwrap());
        self
    }

    /// Limits the number of open files and connections.
    pub(crate) fn descriptors(mut self, most: u32) -> Self {
        self.descriptors = Some(most);
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Coordinator and runner in one process.
    pub(crate) async fn up(self) -> Accord {
        self.start(&["up", "--listen", LOCAL]).await
    }

    /// The same, at the configured address.
    pub(crate) async fn up_as_configured(self) -> Accord {
        self.start(&["up"]).await
    }

    /// The coordinator alone.
    pub(crate) async fn coordinator(self) -> Accord {
        self.start(&["coordinator", "--listen", LOCAL]).await
    }

    async fn start(self, arguments: &[&str]) -> Accord {
        let mut command = match self.descriptors {
            None => accord(self.folder.path()),
            Some(most) => {
                let mut limited = within("sh", self.folder.path());
                limited.args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &most.to_string()]);
                limited.arg(binary());
                limited
            }
        };
        let mut child = command
            .args(arguments)
            .envs(self.environment.iter().cloned())
            .stdout(Stdio::piped())
            .stderr(self.log.map_or_else(Stdio::inherit, Stdio::from))
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let line = BufReader::new(stdout).lines().next_line().await.unwrap();
        let line = line.unwrap_or_else(|| "it ended before it was ready".to_owned());
        let url = line.split_whitespace().last().unwrap().to_owned();
        let client = Client::new(&url, None).unwrap();
        Accord { folder: self.folder, child, client, url }
    }
}

/// The binary that is tested: the one in `ACCORD_BIN`, for example an optimised one, or the one that was built with the tests.
pub(crate) fn binary() -> String {
    given_binary().unwrap_or_else(|| env!("CARGO_BIN_EXE_accord").to_owned())
}

/// The binary in `ACCORD_BIN`.
pub(crate) fn given_binary() -> Option<String> {
    std::env::var("ACCORD_BIN").ok().filter(|path| !path.is_empty())
}

/// The binary in a folder, without settings of this machine.
pub(crate) fn accord(folder: &Path) -> Command {
    within(&binary(), folder)
}

fn within(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("ACCORD_LOG__FILTER", "warn").kill_on_drop(true);
    for name in [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_BASE_URL",
        "OPENAI_BASE_URL",
        "OLLAMA_HOST",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "TRACEPARENT",
    ] {
        command.env_remove(name);
    }
    command
}

impl Accord {
    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Creates a run and waits for its end.
    pub(crate) async fn run(&self, request: &CreateRun) -> RunView {
        let run = self.client.create_run_and_wait(request, PATIENCE, None).await.unwrap();
        assert!(run.status.is_over(), "{:?}", run.status);
        run
    }

    /// All events of a run so far, in order.
    pub(crate) async fn events(&self, run: &RunId) -> Vec<EventView> {
        let filter = EventFilter { run_id: Some(run.clone()), ..EventFilter::default() };
        let is_over = |body: &EventBody| {
            matches!(body, EventBody::RunCompleted | EventBody::RunFailed { .. } | EventBody::RunStopped)
        };
        self.events_until(filter, is_over).await
    }

    /// All events that match this filter, up to the last.
    pub(crate) async fn events_until(
        &self,
        filter: EventFilter,
        is_last: impl Fn(&EventBody) -> bool,
    ) -> Vec<EventView> {
        let mut stream = self.client.events(&filter, Some(EventId::default()));
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            let event = event.unwrap();
            let is_over = is_last(&event.body);
            events.push(event);
            if is_over {
                break;
            }
        }
        events
    }

    /// Asks it to end, as Ctrl-C would, and waits.
    pub(crate) async fn end(self) {
        self.leave().await;
    }

    /// The same, and keeps the folder.
    pub(crate) async fn leave(self) -> tempfile::TempDir {
        self.ended_by("-TERM").await
    }

    /// The same, by this signal.
    pub(crate) async fn ended_by(mut self, signal: &str) -> tempfile::TempDir {
        let id = i32::try_from(self.child.id().unwrap()).unwrap();
        let status = Command::new("kill").arg(signal).arg(id.to_string()).status().await.unwrap();
        assert!(status.success());
        let ended = tokio::time::timeout(Duration::from_secs(120), self.child.wait()).await.unwrap().unwrap();
        assert!(ended.success(), "{ended}");
        self.folder
    }

    /// Kills it and keeps the folder.
    pub(crate) async fn kill(mut self) -> tempfile::TempDir {
        self.child.kill().await.unwrap();
        self.folder
    }
}

/// A model that gives these answers.
pub(crate) async fn model(replies: impl IntoIterator<Item = Reply>) -> ModelServer {
    ModelServer::start(Script::replies(replies)).await.unwrap()
}

/// An agent that uses this model, with an output contract.
pub(crate) fn agent(name: &str, model: &ModelServer, extra: &Value) -> Value {
    let mut blueprint = json!({
        "name": name,
        "type": "autonomous",
        "system_prompt": "You sort tickets.",
        "executor": {"type": "llm", "provider": "anthropic", "model": "claude-test", "base_url": model.url()},
    });
    let members = blueprint.as_object_mut().unwrap();
    members.extend(extra.as_object().unwrap().clone());
    blueprint
}

/// The contract that most tests use.
pub(crate) fn severity() -> Value {
    json!({
        "type": "object",
        "required": ["severity"],
        "additionalProperties": false,
        "properties": {"severity": {"type": "string", "enum": ["low", "medium", "high"]}},
    })
}

/// Fields that give an agent this contract, enforced by instructions alone.
pub(crate) fn contracted() -> Value {
    json!({"output_schema": severity(), "output_schema_options": {"strategy": "prompt"}})
}

/// A request with a prompt.
pub(crate) fn ask(agent: &str) -> CreateRun {
    CreateRun {
        agent_name: Some(agent.to_owned()),
        prompt: Some("Nobody can log in".to_owned()),
        ..CreateRun::default()
    }
}

/// The value of a run's result.
pub(crate) fn data(run: &RunView) -> Option<Value> {
    let result = run.result.as_ref()?;
    result.result_data.as_ref().map(|raw| serde_json::from_str(raw.get()).unwrap())
}

/// The kinds of events, in order.
pub(crate) fn kinds(events: &[EventView]) -> Vec<&'static str> {
    events.iter().map(|event| event.body.kind()).collect()
}
