//! What an agent may do when it asks.
//!
//! There is nobody to ask here, so the answer follows from the blueprint: the submit tool, the MCP servers of the agent and
//! `allowed_tools` are allowed, everything else is denied.

use agent_client_protocol::v1::schema::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SelectedPermissionOutcome,
    ToolKind,
};
use serde_json::Value;

use crate::mcp_server::McpServer;

use super::tool::Tool;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Allow,
    Deny,
}

pub(super) struct Permissions {
    /// Names of tools, or kinds of them.
    allowed_tools: Vec<String>,
    servers: Vec<String>,
}

impl Permissions {
    pub(super) fn new(allowed_tools: Option<&[String]>, servers: &[McpServer]) -> Self {
        let servers = servers.iter().map(|server| server.name.clone()).collect();
        Self { allowed_tools: allowed_tools.unwrap_or_default().to_vec(), servers }
    }

    /// Whether a tool may be used with these arguments.
    pub(super) fn decide(&self, tool: &Tool, _arguments: &Value) -> Decision {
        let is_listed = |allowed: &String| tool.name.as_ref() == Some(allowed) || kind(tool.kind) == allowed;
        let is_ours = tool.is_submit() || self.servers.iter().any(|server| tool.is_of(server, None));
        if is_ours || self.allowed_tools.iter().any(is_listed) { Decision::Allow } else { Decision::Deny }
    }
}

/// The option of a request that says so, only this time if there is a choice.
pub(super) fn outcome(request: &RequestPermissionRequest, decision: Decision) -> RequestPermissionOutcome {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let kinds = match decision {
        Decision::Allow => [AllowOnce, AllowAlways],
        Decision::Deny => [RejectOnce, RejectAlways],
    };
    let option = kinds.iter().find_map(|kind| request.options.iter().find(|option| option.kind == *kind));
    option.map_or(RequestPermissionOutcome::Cancelled, |option| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
    })
}

/// A kind of tools, as blueprints name it.
fn kind(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        // The rest is allowed by name only.
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, kind: ToolKind) -> Tool {
        Tool { name: Some(name.to_owned()), title: String::new(), kind }
    }

    #[test]
    fn only_what_the_blueprint_names_is_allowed() {
        let permissions = Permissions {
            allowed_tools: vec!["read".to_owned(), "Bash".to_owned()],
            servers: vec!["my.docs".to_owned()],
        };
        for (name, kind, expected) in [
            ("mcp__accord_submit__submit_result", ToolKind::Other, Decision::Allow),
            ("mcp__my_docs__search", ToolKind::Other, Decision::Allow),
            ("mcp__others__search", ToolKind::Other, Decision::Deny),
            ("Bash", ToolKind::Execute, Decision::Allow),
            ("Shell", ToolKind::Execute, Decision::Deny),
            ("Cat", ToolKind::Read, Decision::Allow),
        ] {
            assert_eq!(permissions.decide(&tool(name, kind), &json!({})), expected, "{name}");
        }
    }

    #[test]
    fn an_answer_holds_only_this_time() {
        let options = |kinds: &[&str]| {
            let option = |kind: &&str| json!({"optionId": format!("o-{kind}"), "name": "x", "kind": kind});
            let options: Vec<Value> = kinds.iter().map(option).collect();
            serde_json::from_value(
                json!({"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": options}),
            )
            .unwrap()
        };
        let chosen = |kinds: &[&str], decision| match outcome(&options(kinds), decision) {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            other => format!("{other:?}"),
        };
        let all = ["allow_always", "allow_once", "reject_always", "reject_once"];
        assert_eq!(chosen(&all, Decision::Allow), "o-allow_once");
        assert_eq!(chosen(&all, Decision::Deny), "o-reject_once");
        assert_eq!(chosen(&["allow_always", "reject_always"], Decision::Deny), "o-reject_always");
        assert_eq!(chosen(&["allow_once"], Decision::Deny), "Cancelled");
    }
}
