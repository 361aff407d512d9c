//! A shell script that behaves like Claude Code.

use std::path::Path;
use std::process::Command;

use accord_executor::{
    Answer, ClaudeCodeExecutor, Delivery, Event, Events, Executor as _, OpenError, Session, Start,
    SubmitServer, Turn, TurnError, Variables,
};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{gone, start, turn};

/// The beginning of every script: it records its start and defines the lines that the CLI prints.
const PREAMBLE: &str = r#"#!/bin/sh
NUMBER=$(( $(cat "$LOG/pids" 2>/dev/null | wc -l) + 1 ))
echo $$ >> "$LOG/pids"
printf '%s\n' "$@" > "$LOG/arguments.$NUMBER"
SERVERS= ID=sid-1
while [ $# -gt 0 ]; do
  case "$1" in
    --mcp-config) MCP=$2 ;;
    --append-system-prompt-file) cp "$2" "$LOG/system" ;;
  esac
  shift
done
begin() { echo '{"type":"system","subtype":"init","session_id":"'$ID'","mcp_servers":['$SERVERS'],"model":"fake-model"}'; }
say() { echo '{"type":"assistant","session_id":"sid-1","message":{"id":"'$1'","model":"fake-model","content":[{"type":"text","text":"'"$2"'"}]}}'; }
end() { echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","session_id":"sid-1",'"$1"',"total_cost_usd":'$4',"modelUsage":{"fake-model":{"inputTokens":'$2',"outputTokens":'$3'}}}'; }
"#;

/// One good result.
pub(super) const RESULT: &str = r#"end '"result":"done"' 10 5 0.25"#;

/// Answers every turn. The totals continue over processes, as those of the CLI do.
pub(super) const SPEAK: &str = r#"
while read -r line; do
  echo x >> "$LOG/turns"; TURNS=$(wc -l < "$LOG/turns")
  begin; end '"result":"done"' $((10 * TURNS)) $((5 * TURNS)) $(awk "BEGIN { print 0.25 * $TURNS }")
  ${NEXT:-:}
done"#;

/// A folder with a script in it.
pub(super) struct Fake {
    folder: tempfile::TempDir,
}

impl Fake {
    pub(super) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("log")).unwrap();
        let text = folder.path().join("script");
        std::fs::write(&text, format!("{PREAMBLE}{script}\n")).unwrap();
        // Another program creates the executable: a file that this process has open for writing
        // could not be executed.
        let mut install = Command::new("install");
        install.args(["-m", "755"]).arg(&text).arg(folder.path().join("claude"));
        assert!(install.status().unwrap().success());
        Self { folder }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn start(&self) -> Start {
        let log = self.path().join("log");
        let settings = json!({"type": "claude-code", "command": "./claude", "timeout_seconds": 60,
            "env": {"LOG": log.to_str().unwrap(), "FAKE_API_KEY": "sk-very-secret"}});
        start(self.path(), settings)
    }

    pub(super) async fn open(&self) -> Box<dyn Session> {
        self.open_with(self.start()).await.unwrap()
    }

    pub(super) async fn open_with(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let added = [
            ("ACCORD_KEY", "secret"),
            ("KEPT", "yes"),
            ("CLAUDECODE", "1"),
            ("LABKEY", "labsecret-99"),
            ("OPENAI_API_KEY", "openai-key"),
            ("ANTHROPIC_API_KEY", "runner-key"),
        ];
        let own = ["CLAUDE_CODE_MAX_RETRIES", "ANTHROPIC_BASE_URL"];
        let environment = std::env::vars_os().filter(|(name, _)| !own.iter().any(|own| name == own));
        let environment = environment.chain(added.map(|(name, value)| (name.into(), value.into())));
        let submit = SubmitServer { program: "accord-stand-in".into(), args: vec!["submit".to_owned()] };
        let variables = Variables::new(environment, ["LABKEY".to_owned()]);
        ClaudeCodeExecutor::new(variables, submit).open(start).await
    }

    pub(super) async fn turn(&self, session: &mut Box<dyn Session>, turn: Turn) -> Result<Answer, TurnError> {
        let cancel = CancellationToken::new();
        session.turn(turn, &Events::none(), &cancel).await.map_err(|failure| failure.error)
    }

    /// The events of a turn.
    pub(super) async fn events(&self, session: &mut Box<dyn Session>, turn: Turn) -> Vec<Event> {
        let (sender, mut receiver) = mpsc::channel(100);
        let events = Events::new(sender);
        session.turn(turn, &events, &CancellationToken::new()).await.unwrap();
        drop(events);
        let mut told = Vec::new();
        while let Some(event) = receiver.recv().await {
            if matches!(*event, accord_executor::Event::Conversation(_)) {
                continue;
            }
            told.push(*event);
        }
        told
    }

    /// The only turn of a session fails; returns the error and checks that no process is left.
    pub(super) async fn fails(&self, delivery: Delivery) -> TurnError {
        let mut session = self.open().await;
        let mut turn = text("go");
        turn.delivery = delivery;
        let error = self.turn(&mut session, turn).await.unwrap_err();
        session.close().await;
        self.nothing_is_left().await;
        error
    }

    /// A log file of the script.
    pub(super) fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join("log").join(name)).unwrap()
    }

    /// The arguments of a process, counted from one.
    pub(super) fn arguments(&self, number: usize) -> Vec<String> {
        self.log(&format!("arguments.{number}")).lines().map(str::to_owned).collect()
    }

    /// How many processes were started.
    pub(super) fn started(&self) -> usize {
        self.log("pids").lines().count()
    }

    /// Waits until no process that the script recorded is running.
    pub(super) async fn nothing_is_left(&self) {
        for pid in self.log("pids").lines() {
            gone(pid.parse().unwrap()).await;
        }
    }
}

pub(super) fn text(prompt: &str) -> Turn {
    Turn { prompt: prompt.to_owned(), ..turn() }
}

pub(super) fn native() -> Delivery {
    Delivery::Native { name: "result".to_owned(), schema: json!({"type": "object", "required": ["v"]}) }
}
