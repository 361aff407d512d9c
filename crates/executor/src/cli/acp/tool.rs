//! Which tool a call is of. The protocol has a title for people and, in newer agents, a name; some put the name elsewhere.

use accord_domain::agent::folded;
use agent_client_protocol::v1::schema::{Meta, ToolCallUpdateFields, ToolKind};
use serde_json::Value;

use super::super::SUBMIT_SERVER;

/// The tool that results are handed in with.
const SUBMIT_TOOL: &str = "submit_result";

/// A tool, as far as the agent tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Tool {
    /// What programs call it.
    pub(super) name: Option<String>,
    /// What people read. The model may have written it.
    pub(super) title: String,
    pub(super) kind: ToolKind,
}

impl Tool {
    /// Takes over what an update says.
    pub(super) fn update(&mut self, fields: &ToolCallUpdateFields, meta: Option<&Meta>) {
        if let Some(name) = fields.name.clone().or_else(|| claude_name(meta)) {
            self.name = Some(name);
        }
        // Some agents word a later title as a sentence, such as "Approve MCP tool call": the name that is known tells more.
        if let Some(title) = &fields.title
            && (self.title.is_empty() || is_phrase(&self.title) || !is_phrase(title))
        {
            self.title.clone_from(title);
        }
        if let Some(kind) = fields.kind {
            self.kind = kind;
        }
    }

    pub(super) fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.title)
    }

    /// Whether it is the tool that results are handed in with.
    pub(super) fn is_submit(&self) -> bool {
        self.is_of(SUBMIT_SERVER, Some(SUBMIT_TOOL))
    }

    /// `SERVER__TOOL`, if it is a tool of this MCP server.
    pub(super) fn name_at(&self, server: &str) -> Option<String> {
        Some(format!("{server}__{}", self.tool_at(server)?))
    }

    /// Whether it is this tool of an MCP server, or any.
    pub(super) fn is_of(&self, server: &str, tool: Option<&str>) -> bool {
        self.tool_at(server).is_some_and(|found| tool.is_none_or(|tool| found == folded(tool)))
    }

    /// What an MCP server calls it, folded, if it is one of its tools. Agents write that as `mcp__SERVER__TOOL`, `SERVER_TOOL`,
    /// `SERVER/TOOL`, `Tool: SERVER/TOOL`, `mcp.SERVER.TOOL` or `TOOL (SERVER MCP Server)`. A title counts only where nothing else
    /// is known, and never for a tool that runs commands or changes files: those have texts of the model as titles.
    fn tool_at(&self, server: &str) -> Option<String> {
        let server = folded(server);
        let text = match &self.name {
            Some(name) => folded(name),
            None if self.changes_something() || is_phrase(&self.title) => return None,
            None => folded(&self.title),
        };
        let behind = |before: &&str| text.strip_prefix(before)?.strip_prefix(&format!("{server}_"));
        let found = ["mcp_", "", "tool_", "tool_mcp_"].iter().find_map(behind);
        let found = found.or_else(|| text.strip_suffix(&format!("_{server}_mcp_server")));
        found.filter(|tool| !tool.is_empty()).map(str::to_owned)
    }

    fn changes_something(&self) -> bool {
        matches!(
            self.kind,
            ToolKind::Execute | ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Fetch
        )
    }
}

/// Whether a title is more than a name.
fn is_phrase(title: &str) -> bool {
    let title = title.strip_prefix("Tool: ").unwrap_or(title);
    title.split(" (").next().is_none_or(|name| name.contains(char::is_whitespace))
}

/// Where Claude's adapter puts the name.
fn claude_name(meta: Option<&Meta>) -> Option<String> {
    meta?.get("claudeCode")?.get("toolName").and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(title: &str, kind: ToolKind) -> Tool {
        Tool { name: None, title: title.to_owned(), kind }
    }

    #[test]
    fn the_submit_tool_is_known_by_every_name() {
        for title in [
            "mcp__accord_submit__submit_result",
            "accord_submit_submit_result",
            "Tool: accord_submit/submit_result",
            "mcp.accord_submit.submit_result",
            "submit_result (accord_submit MCP Server)",
        ] {
            assert!(titled(title, ToolKind::Other).is_submit(), "{title}");
            assert!(!titled(title, ToolKind::Execute).is_submit(), "{title}");
        }
        for title in
            ["accord_submit submit_result; rm -r .", "submit_result", "echo accord_submit_submit_result"]
        {
            assert!(!titled(title, ToolKind::Other).is_submit(), "{title}");
        }
    }

    #[test]
    fn a_question_does_not_hide_the_name() {
        let mut tool = titled("Tool: accord_submit/submit_result", ToolKind::Other);
        tool.update(&ToolCallUpdateFields::new().title("Approve MCP tool call"), None);
        assert!(tool.is_submit(), "{tool:?}");
        tool.update(&ToolCallUpdateFields::new().title("other_tool"), None);
        assert!(!tool.is_submit(), "{tool:?}");
        let mut tool = titled("Lists files", ToolKind::Other);
        tool.update(&ToolCallUpdateFields::new().title("Lists all files"), None);
        assert_eq!(tool.shown(), "Lists all files");
    }

    #[test]
    fn a_name_counts_more_than_a_title() {
        let named =
            |name: &str| Tool { name: Some(name.to_owned()), ..titled("docs_search", ToolKind::Other) };
        assert!(named("mcp__my_docs__search").is_of("my.docs", None));
        assert!(!named("Bash").is_of("docs", None) && !named("mcp__docs2__search").is_of("docs", None));
        assert!(titled("docs_search", ToolKind::Other).is_of("docs", None));
        assert!(titled("search (docs MCP Server)", ToolKind::Other).is_of("docs", None));
        assert!(!titled("docs search", ToolKind::Other).is_of("docs", None));
    }
}
