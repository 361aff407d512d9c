//! What these tests share.

use std::path::Path;
use std::time::Duration;

use accord_executor::{BuiltinTools, Start, ToolOutput, Toolbox, Toolboxes, Turn};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// How long a test waits for what happens at once unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(30);

/// A shell command that starts a grandchild, writes its number to `pid` and waits for it.
pub(crate) const WITH_GRANDCHILD: &str = "sleep 300 & echo $! > part; mv part pid; wait";

/// The same, but the shell ends while the grandchild goes on.
pub(crate) const LEAVES_GRANDCHILD: &str = "sleep 300 & echo $! > part; mv part pid; echo 1";

/// All tools. Commands are confined where the system can do that.
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

/// A session in this folder that begins, without tools.
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
        max_steps: 7,
        retry: accord_executor::Retry::default(),
        costs_are_limited: false,
        effects: std::collections::BTreeMap::new(),
        approvals: std::sync::Arc::new(accord_executor::NoApprovals),
        journal: std::sync::Arc::new(accord_executor::Journal::none()),
    }
}

/// Waits until the grandchild has written its number.
pub(crate) async fn grandchild(folder: &Path) -> u32 {
    let file = folder.join("pid");
    until(|| file.exists()).await;
    std::fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

/// Waits until a process is no longer in the process table, or only as a dead entry.
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
