//! Helpers of these tests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use accord_domain::id::InputId;
use accord_domain::input_request::{Purpose, ToolUse};
use accord_domain::step::{Body, Step};
use accord_executor::{
    BuiltinTools, Journal, Start, StepSink, ToolEntries, ToolOutput, Toolbox, Toolboxes, Turn,
};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// How long a test waits for something that normally happens at once.
const PATIENCE: Duration = Duration::from_secs(30);

/// A shell command that starts a grandchild, writes its process id to `pid` and waits for it.
pub(crate) const WITH_GRANDCHILD: &str = "sleep 300 & echo $! > part; mv part pid; wait";

/// The same, but the shell exits while the grandchild continues.
pub(crate) const LEAVES_GRANDCHILD: &str = "sleep 300 & echo $! > part; mv part pid; echo 1";

/// All tools. Commands are sandboxed if the system supports it.
pub(crate) fn every_tool(folder: &Path) -> Box<dyn Toolbox> {
    let names = ["read_file", "list_files", "search_files", "write_file", "run_command"].map(str::to_owned);
    let tools = BuiltinTools::new(std::env::vars_os());
    let everywhere = || tools.clone().with_command_folders(vec!["/".into()]).open(&names, folder);
    tools.open(&names, folder).or_else(|_| everywhere()).unwrap()
}

pub(crate) async fn call(tools: &dyn Toolbox, name: &str, arguments: Value) -> ToolOutput {
    let cancel = CancellationToken::new();
    tokio::time::timeout(
        PATIENCE,
        tools.call(accord_executor::ToolCall { name, arguments: &arguments, key: "key" }, &cancel),
    )
    .await
    .unwrap()
}

pub(crate) fn turn() -> Turn {
    Turn::default()
}

/// A new session in this folder, without tools.
pub(crate) fn start(folder: &Path, settings: Value) -> Start {
    Start {
        session_id: "ses_1".to_owned(),
        run_id: "run_1".to_owned(),
        settings,
        project_dir: folder.to_owned(),
        tools: Vec::new(),
        mcp_servers: Vec::new(),
        parameters: json!({}),
        conversation: None,
        opening: Vec::new(),
        max_steps: 7,
        retry: accord_executor::Retry::default(),
        costs_are_limited: false,
        tool_entries: accord_executor::ToolEntries::default(),
        caller_tools: accord_executor::CallerTools::default(),
        journal: std::sync::Arc::new(accord_executor::Journal::none()),
        files: accord_executor::Files::default(),
    }
}

/// Waits until the grandchild has written its process id.
pub(crate) async fn grandchild(folder: &Path) -> u32 {
    let file = folder.join("pid");
    until(|| file.exists()).await;
    std::fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

/// Waits until a process has ended or is a zombie.
pub(crate) async fn gone(pid: u32) {
    until(|| match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Err(_) => true,
        Ok(stat) => stat.rsplit_once(')').unwrap().1.trim_start().starts_with(['Z', 'X']),
    })
    .await;
}

async fn until(condition: impl Fn() -> bool) {
    let mut ticks = tokio::time::interval(Duration::from_millis(5));
    tokio::time::timeout(PATIENCE, async {
        while !condition() {
            ticks.tick().await;
        }
    })
    .await
    .unwrap();
}

/// Every call of these tools needs approval.
pub(crate) fn approve(tools: &[&str]) -> ToolEntries {
    let approve = tools.iter().map(|&tool| (tool.into(), None)).collect();
    ToolEntries { approve, ..ToolEntries::default() }
}

struct Unsaved;

#[async_trait::async_trait]
impl StepSink for Unsaved {
    async fn save(&self, _number: u32, _body: Body) {}

    async fn saved(&self) {}
}

/// The journal of a run in which a person decided about a call.
pub(crate) fn decided(tool: ToolUse, answer: Value) -> Arc<Journal> {
    let body = Body::Input {
        input_id: InputId::new("1"),
        call_id: "earlier".to_owned(),
        purpose: Purpose::Approval,
        tool: Some(tool),
        answer: Some(answer),
    };
    let step = Step { number: 1, delivery: 1, at: Timestamp::UNIX_EPOCH, body };
    Arc::new(Journal::new(vec![step], 2, Arc::new(Unsaved)))
}
