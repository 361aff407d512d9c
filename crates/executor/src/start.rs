//! What a session begins with.

use std::path::PathBuf;
use std::sync::Arc;

use accord_domain::run::Said;
use serde_json::Value;

use crate::caller_tools::CallerTools;
use crate::files::Files;
use crate::journal::Journal;
use crate::mcp_server::McpServer;
use crate::people::ToolEntries;
use crate::retry::Retry;

/// Everything that an executor needs to open a session.
#[derive(Debug, Clone)]
pub struct Start {
    pub session_id: String,
    pub run_id: String,
    /// The blueprint's `executor` object. Each executor reads its own settings from it.
    pub settings: Value,
    /// The folder that the agent works in. Tools and commands do not leave it.
    pub project_dir: PathBuf,
    /// The built-in tools that the blueprint lists.
    pub tools: Vec<String>,
    /// The MCP servers that the agent may use.
    pub mcp_servers: Vec<McpServer>,
    /// The run's parameters; a procedural agent computes from them.
    pub parameters: Value,
    /// What [`crate::Session::conversation`] gave at the end of the session's run before.
    pub conversation: Option<Value>,
    /// Messages before the first prompt, with their roles. Sessions that record their steps put them into the conversation; for others
    /// the caller writes them into the prompt.
    pub opening: Vec<Said>,
    /// The files of the session so far, those of this run included.
    pub files: Files,
    /// How many model requests one turn may take.
    pub max_steps: u32,
    /// How long to keep asking a provider that is away.
    pub retry: Retry,
    /// Whether the cost of the run is limited. An executor that cannot report costs refuses it.
    pub costs_are_limited: bool,
    /// Which tool calls need the approval of a person, and what tools may change.
    pub tool_entries: ToolEntries,
    /// The tools of the run's caller.
    pub caller_tools: CallerTools,
    /// What was done in this run before, and where more is recorded.
    pub journal: Arc<Journal>,
}
