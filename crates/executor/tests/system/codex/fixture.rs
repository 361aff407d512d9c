//! A script that behaves like Codex, in its own folder.

use std::path::{Path, PathBuf};

use accord_executor::{
    Answer, CodexExecutor, Event, Events, Executor as _, OpenError, Session, Start, SubmitServer, Turn,
    TurnError,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{gone, start, turn};

pub(super) struct Fake {
    folder: tempfile::TempDir,
    start: Start,
}

impl Fake {
    /// One whose app server has this defect.
    pub(super) fn new(act: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("log")).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/codex/fake.py");
        let env = json!({
            "LOG": folder.path().join("log"), "ACT": act, "FAKE_API_KEY": "sk-very-secret",
            "CODEX_HOME": folder.path().join("home"),
        });
        let settings = json!({"type": "codex", "command": script, "timeout_seconds": 60, "env": env});
        let start = start(folder.path(), settings);
        Self { folder, start }
    }

    /// One without an app server, whose `exec` has this defect.
    pub(super) fn without_app_server(act: &str) -> Self {
        let mut fake = Self::new("no-app-server");
        let variables = fake.start.settings.get_mut("env").and_then(Value::as_object_mut).unwrap();
        variables.insert("THEN".to_owned(), json!(act));
        fake
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Start)) -> Self {
        change(&mut self.start);
        self
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) async fn open(&self) -> Result<Box<dyn Session>, OpenError> {
        let submit = SubmitServer { program: PathBuf::from("accord"), args: vec!["submit".to_owned()] };
        CodexExecutor::new(std::env::vars_os(), submit).open(self.start.clone()).await
    }

    /// Opens a session, asks once, closes it, and checks that no process is left.
    pub(super) async fn ask(&self, prompt: &str) -> Result<Answer, TurnError> {
        let mut session = self.open().await.unwrap();
        let (result, _) = said(session.as_mut(), prompt).await;
        session.close().await;
        self.nothing_is_left().await;
        result
    }

    pub(super) async fn failure(&self) -> String {
        match self.ask("first").await.unwrap_err() {
            TurnError::Failed(text) => text,
            other => format!("{other:?}"),
        }
    }

    /// The lines of one of its logs.
    pub(super) fn log(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path().join("log").join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Waits until all of its processes have ended.
    pub(super) async fn nothing_is_left(&self) {
        for pid in self.log("pids") {
            gone(u32::try_from(pid.as_u64().unwrap()).unwrap()).await;
        }
    }
}

/// A turn with this prompt.
pub(super) fn prompt(text: &str) -> Turn {
    Turn { prompt: text.to_owned(), system_prompt: "Be short.".to_owned(), ..turn() }
}

pub(super) async fn said(session: &mut dyn Session, text: &str) -> (Result<Answer, TurnError>, Vec<Event>) {
    asked(session, prompt(text)).await
}

pub(super) async fn asked(session: &mut dyn Session, turn: Turn) -> (Result<Answer, TurnError>, Vec<Event>) {
    let (sender, mut receiver) = mpsc::channel(100);
    let result = session.turn(turn, &Events::new(sender), &CancellationToken::new()).await;
    let mut events = Vec::new();
    while let Ok(event) = receiver.try_recv() {
        events.push(*event);
    }
    (result.map_err(|failure| failure.error), events)
}
