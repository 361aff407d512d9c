//! A script that speaks ACP, in a folder of its own.

use std::path::{Path, PathBuf};

use accord_executor::{
    AcpExecutor, Answer, Delivery, Event, Events, Executor as _, OpenError, Session, Start, SubmitServer,
    Turn, TurnError, TurnFailure,
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
    pub(super) fn new(act: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("log")).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/acp/fake.py");
        let env = json!({"LOG": folder.path().join("log"), "ACT": act, "FAKE_API_KEY": "sk-very-secret"});
        let settings =
            json!({"type": "acp", "command": [script, "--acp"], "timeout_seconds": 60, "env": env});
        let start = start(folder.path(), settings);
        Self { folder, start }
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Start)) -> Self {
        change(&mut self.start);
        self
    }

    /// The same, continuing this conversation.
    pub(super) fn continuing(self, conversation: Option<Value>) -> Self {
        self.with(|start| start.conversation = conversation)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) async fn open(&self) -> Result<Box<dyn Session>, OpenError> {
        let submit = SubmitServer { program: PathBuf::from("accord"), args: vec!["submit".to_owned()] };
        AcpExecutor::new(std::env::vars_os(), submit).open(self.start.clone()).await
    }

    /// Opens, asks once, closes; nothing is left running.
    pub(super) async fn ask(&self, turn: Turn) -> Result<Answer, TurnError> {
        let mut session = self.open().await.unwrap();
        let (result, _) = asked(session.as_mut(), turn).await;
        session.close().await;
        self.nothing_is_left().await;
        result.map_err(|failure| failure.error)
    }

    pub(super) async fn failure(&self) -> String {
        match self.ask(prompt("first")).await.unwrap_err() {
            TurnError::Failed(text) => text,
            other => format!("{other:?}"),
        }
    }

    /// The lines of one of its logs.
    pub(super) fn log(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path().join("log").join(name)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What it was sent as this method.
    pub(super) fn requests(&self, method: &str) -> Vec<Value> {
        let of = |message: &Value| (message["method"] == method).then(|| message["params"].clone());
        self.log("messages").iter().filter_map(of).collect()
    }

    /// Waits until every process that it was is gone.
    pub(super) async fn nothing_is_left(&self) {
        for pid in self.log("pids") {
            gone(u32::try_from(pid.as_u64().unwrap()).unwrap()).await;
        }
    }
}

pub(super) fn prompt(text: &str) -> Turn {
    Turn { prompt: text.to_owned(), system_prompt: "Be short.".to_owned(), ..turn() }
}

/// Asks for the result by the submit tool.
pub(super) fn by_tool(text: &str, schema: Value) -> Turn {
    let delivery = Delivery::Tool {
        name: "submit_result".to_owned(),
        description: "hands in".to_owned(),
        schema,
        strict: false,
        force: false,
    };
    Turn { delivery, ..prompt(text) }
}

pub(super) async fn asked(
    session: &mut dyn Session,
    turn: Turn,
) -> (Result<Answer, TurnFailure>, Vec<Event>) {
    let (sender, mut receiver) = mpsc::channel(200);
    let result = session.turn(turn, &Events::new(sender), &CancellationToken::new()).await;
    let mut events = Vec::new();
    while let Ok(event) = receiver.try_recv() {
        events.push(*event);
    }
    (result, events)
}
