//! A command that waits for a person, without `accord up`: it asks at the terminal, or prints commands that work.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::support::{Project, accord, agent, binary};

const PATIENCE: Duration = Duration::from_secs(60);

const WORKFLOW: &str = "\
name: release
nodes:
  input: {type: input}
  decide:
    type: human
    prompt: \"Release {{ input.version }}?\"
    output_schema:
      type: object
      properties: {go: {type: boolean}, note: {type: string}}
      required: [go]
  output: {type: output, value: \"{{ decide.go }}\"}
edges:
  - {from: input, to: decide}
  - {from: decide, to: output}
";

const RUN: [&str; 5] = ["workflows", "run", "release", "--param", "version=2"];

fn project() -> Project {
    let project = Project::new();
    std::fs::create_dir_all(project.path().join(".accord/workflows")).unwrap();
    std::fs::write(project.path().join(".accord/workflows/release.yaml"), WORKFLOW).unwrap();
    project
}

/// A command in a pseudo-terminal.
struct Typist {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    seen: String,
}

impl Typist {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let quoted: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
        let line = format!("{} {}", binary(), quoted.join(" "));
        let plain = accord(folder);
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(folder).kill_on_drop(true);
        command.envs(plain.as_std().get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (keys, screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, keys, screen, seen: String::new() }
    }

    /// Waits until this is on the screen, after what was waited for before.
    async fn sees(&mut self, text: &str) {
        let reading = async {
            while !self.seen.contains(text) {
                let mut piece = [0; 4096];
                let count = self.screen.read(&mut piece).await.unwrap();
                assert!(count > 0, "'{text}' is missing: {}", self.seen);
                self.seen.push_str(&String::from_utf8_lossy(&piece[..count]));
            }
        };
        timeout(PATIENCE, reading).await.unwrap();
        self.seen = self.seen.split_once(text).unwrap().1.to_owned();
    }

    /// Types a line when this is on the screen.
    async fn types(&mut self, after: &str, line: &str) {
        self.sees(after).await;
        self.keys.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Waits for the end, and returns what was shown since the last line was typed.
    async fn end(mut self) -> String {
        let mut rest = Vec::new();
        timeout(PATIENCE, self.screen.read_to_end(&mut rest)).await.unwrap().unwrap();
        let shown = format!("{}{}", self.seen, String::from_utf8_lossy(&rest));
        let status = timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}: {shown}");
        shown
    }
}

#[tokio::test]
async fn a_workflow_asks_the_person_at_the_terminal() {
    let project = project();
    let mut typist = Typist::start(project.path(), &RUN);
    typist.sees("Release 2?").await;
    typist.types("go (boolean; Enter to leave it open): ", "perhaps").await;
    typist.types("note (string; optional): ", "").await;
    typist.sees("does not conform").await;
    typist.types("go (boolean; Enter to leave it open): ", "true").await;
    typist.types("note (string; optional): ", "Ship it").await;
    let shown = typist.end().await;
    assert!(shown.contains("true"), "{shown}");
}

#[tokio::test]
async fn an_agent_asks_for_approval_at_the_terminal() {
    let script = Script::handler(|request, _| {
        let messages = request.body["messages"].as_array().unwrap();
        let last = messages.last().unwrap().to_string();
        match messages.len() {
            1 => Reply::tool("ask_human", &json!({"question": "Which file?", "choices": ["a", "b"]})),
            3 if last.contains('b') => {
                Reply::tool("run_command", &json!({"command": "echo deleted >> deleted"}))
            }
            _ if last.contains("not today") => Reply::text("kept"),
            _ => Reply::text("deleted"),
        }
    });
    for (typed, answer) in [(&["y"][..], "deleted"), (&["n", "not today"], "kept")] {
        let model = ModelServer::start(script.clone()).await.unwrap();
        let more = json!({"tools": ["run_command", "ask_human"], "approve": ["run_command"]});
        let project = Project::new().agent(&agent("asker", &model, &more));
        let mut typist = Typist::start(project.path(), &["run", "asker", "Tidy up."]);
        typist.types("answer (a or b; Enter to leave it open): ", "b").await;
        typist.sees("echo deleted").await;
        typist.types("Approve this call? (y/n, Enter to leave it open): ", typed[0]).await;
        if let Some(reason) = typed.get(1) {
            typist.types("Reason, for the agent (optional): ", reason).await;
        }
        let shown = typist.end().await;
        assert!(shown.contains(answer), "{shown}");
        assert_eq!(project.path().join("deleted").exists(), answer == "deleted");
    }
}

/// Starts the workflow in a pipe, and returns the commands that it prints.
async fn waiting(folder: &Path) -> (Child, [String; 2]) {
    let mut running = accord(folder);
    running.args(RUN).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = running.spawn().unwrap();
    let mut lines = BufReader::new(running.stderr.take().unwrap()).lines();
    let told = async {
        let mut next = async |before: &str| loop {
            let line = lines.next_line().await.unwrap().unwrap();
            if let Some((_, command)) = line.split_once(before) {
                return command.to_owned();
            }
        };
        [next("A person has to answer: ").await, next("then: ").await]
    };
    let told = timeout(PATIENCE, told).await.unwrap();
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (running, told)
}

async fn executed(folder: &Path, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[0], "accord", "{line}");
    let output = accord(folder).args(&words[1..]).output().await.unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn a_command_in_a_pipe_prints_commands_that_work() {
    let project = project();
    let elsewhere = tempfile::tempdir().unwrap();
    // Within the project, a person needs no address.
    for is_within in [false, true] {
        let (running, [show, answer]) = waiting(project.path()).await;
        let folder = if is_within { project.path() } else { elsewhere.path() };
        let bare = |line: &str| match is_within {
            true => line.split(" --coordinator").next().unwrap().to_owned(),
            false => line.to_owned(),
        };
        assert!(executed(folder, &bare(&show)).await.contains("Release 2?"));
        executed(folder, &bare(&answer.replace("JSON", r#"{"go":true}"#))).await;
        let output = timeout(PATIENCE, running.wait_with_output()).await.unwrap().unwrap();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result, json!(true), "{output:?}");
    }
}
