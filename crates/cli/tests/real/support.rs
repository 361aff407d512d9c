//! A project folder with an agent CLI in it, `accord up` on it, and a view of the process table.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use accord_test_support::{ModelServer, RecordedRequest, Script};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// An environment variable that marks all processes of a test, including grandchildren. Variables
/// named `ACCORD_...` are not passed on, so it has another prefix.
const MARK: &str = "TEST_OF_ACCORD";

/// The program of an agent CLI, if it is installed. If not, the test is skipped with a message, or
/// fails if nothing may be skipped.
pub(crate) fn installed(name: &str, program: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/accord-real"));
    let folder = std::env::var_os("ACCORD_REAL_DIR").map(PathBuf::from).or(home).unwrap();
    let file = folder.join(name).join("node_modules/.bin").join(program);
    if file.exists() {
        return Some(file);
    }
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let reason = format!("{name} is not installed in {}: run crates/cli/tests/real/setup", folder.display());
    if std::env::var_os("ACCORD_REAL").is_some_and(|value| value == "1") {
        panic!("{test} cannot run: {reason}");
    }
    eprintln!("SKIPPED {test}: {reason}");
    None
}

/// The contract of the agents.
pub(crate) fn severity() -> Value {
    json!({
        "type": "object",
        "required": ["severity"],
        "additionalProperties": false,
        "properties": {"severity": {"type": "string", "enum": ["low", "medium", "high"]}},
    })
}

/// Attempts in the form that [`Host::attempts`] returns.
pub(crate) fn words(attempts: &[(&str, &str)]) -> Vec<(String, String)> {
    attempts.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect()
}

/// A project whose agents use an agent CLI, and its scripted model.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) model: ModelServer,
}

impl Bench {
    /// Installs the program in the project under its name, with a wrapper that records each start.
    pub(crate) async fn new(program: &Path, script: impl Into<Script>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in [".accord/agents", "home", "config"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let starts = folder.path().join("starts");
        let text =
            format!("#!/bin/sh\necho $$ >> '{}'\nexec '{}' \"$@\"\n", starts.display(), program.display());
        std::fs::write(folder.path().join("wrapper"), text).unwrap();
        // Another program creates the executable: a file that this process has open for writing
        // could not be executed.
        let mut install = std::process::Command::new("install");
        install.args(["-m", "755", "wrapper", "agent-cli"]).current_dir(folder.path());
        assert!(install.status().unwrap().success());
        Self { folder, model: ModelServer::start(script).await.unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes an agent. `extra` has further fields of the agent file.
    pub(crate) fn agent(&self, executor: &Value, extra: &Value) {
        let mut blueprint = json!({
            "name": "triage",
            "type": "autonomous",
            "system_prompt": "You sort tickets.",
            "executor": executor,
        });
        blueprint.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let folder = self.path().join(".accord/agents/triage");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("agent.json"), blueprint.to_string()).unwrap();
    }

    fn accord(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_accord"));
        command.current_dir(self.path()).kill_on_drop(true).env("ACCORD_LOG__FILTER", "warn");
        // No settings of this machine reach the CLI.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["ANTHROPIC_", "OPENAI_", "CLAUDE", "CODEX_", "OTEL_"].iter().any(|own| text.starts_with(own))
            {
                command.env_remove(&name);
            }
        }
        command
    }

    /// Coordinator and runner, until it is dropped.
    pub(crate) async fn up(&self) -> Host<'_> {
        let mut command = self.accord();
        command.env(MARK, self.path()).args(["up", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let line = BufReader::new(stdout).lines().next_line().await.unwrap();
        assert!(line.is_some_and(|line| line.contains("http://")));
        Host { bench: self, child }
    }

    /// The process ids of the CLI, in the order in which it was started.
    pub(crate) fn starts(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(self.path().join("starts")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// The requests to the model so far.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.model.requests()
    }
}

/// A running `accord up`.
pub(crate) struct Host<'a> {
    bench: &'a Bench,
    child: Child,
}

/// The outcome of an `accord` command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) report: Value,
}

impl Ran {
    /// Checks that its result has this severity.
    #[track_caller]
    pub(crate) fn gave(&self, word: &str) {
        let found = (self.code, self.report.get("result_data"));
        assert_eq!(found, (Some(0), Some(&json!({"severity": word}))), "{self:?}");
    }
}

impl Host<'_> {
    /// Runs a command next to the host. Its stdout is one JSON object.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.bench.accord();
        let output = command.args(arguments).arg("--json").output();
        let output = tokio::time::timeout(PATIENCE, output).await.unwrap().unwrap();
        // Output that is not JSON is shown by the failing assertion.
        let words = || format!("{} {}", output.stdout.escape_ascii(), output.stderr.escape_ascii());
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| Value::String(words()));
        Ran { code: output.status.code(), report }
    }

    /// `accord run` of the agent.
    pub(crate) async fn ask(&self) -> Ran {
        self.run(&["run", "triage", "Nobody can log in"]).await
    }

    /// A run, when it is over.
    pub(crate) async fn ended(&self, run: &str) -> Value {
        let waiting = async {
            loop {
                let report = self.run(&["runs", "show", run]).await.report;
                let status = report.get("status").and_then(Value::as_str).unwrap_or_default();
                if !matches!(status, "pending" | "claimed" | "running") {
                    return report;
                }
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap()
    }

    /// What the attempts of a run came to: strategy and outcome.
    pub(crate) async fn attempts(&self, ran: &Ran) -> Vec<(String, String)> {
        let word = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap().to_owned();
        let report = self.run(&["runs", "attempts", &word(&ran.report, "run_id")]).await.report;
        let attempts = report.get("items").and_then(Value::as_array).or(report.as_array()).unwrap();
        attempts.iter().map(|attempt| (word(attempt, "strategy"), word(attempt, "outcome"))).collect()
    }

    /// Ends the host and waits until none of its processes is left.
    pub(crate) async fn end(mut self) {
        self.nothing_is_left().await;
        signal("-TERM", self.child.id().unwrap()).await;
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap();
        assert!(ended.success(), "{ended}");
    }

    /// Kills the host, and waits until nothing is left of what it started.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
        until(|| marked(self.bench.path()).is_empty()).await;
    }

    /// Waits until no process but the host itself is of this test.
    pub(crate) async fn nothing_is_left(&self) {
        let host = self.child.id().unwrap();
        until(|| marked(self.bench.path()).iter().all(|pid| *pid == host)).await;
    }
}

/// The processes that have the mark of a folder.
fn marked(folder: &Path) -> Vec<u32> {
    let sign = format!("{MARK}={}", folder.display());
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_marked = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == sign.as_bytes())
    };
    pids.filter(is_marked).collect()
}

/// Sends a signal to a process of this test.
pub(crate) async fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().await.unwrap().success());
}

pub(crate) async fn until(condition: impl Fn() -> bool) {
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    let waiting = async {
        while !condition() {
            ticks.tick().await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap();
}
