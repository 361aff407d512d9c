//! What an agent may do when it asks.
//!
//! The submit tool, the MCP servers of the agent and `allowed_tools` are allowed, and everything else is denied, unless `approve`
//! in the blueprint leaves it to a person.

use accord_domain::input_request::ToolUse;
use agent_client_protocol::v1::schema::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SelectedPermissionOutcome,
    ToolKind,
};
use serde_json::Value;

use crate::mcp_server::McpServer;

use super::super::PermissionRequest;
use super::tool::Tool;

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

    /// A call that the agent asks for.
    pub(super) fn request(&self, id: String, tool: &Tool, arguments: Value) -> PermissionRequest {
        let kind = kind(tool.kind);
        let is_listed = |allowed: &String| tool.name.as_ref() == Some(allowed) || kind == allowed;
        let is_ours = tool.is_submit() || self.servers.iter().any(|server| tool.is_of(server, None));
        let is_allowed = is_ours || self.allowed_tools.iter().any(is_listed);
        let name = tool.name.clone().unwrap_or_else(|| tool.title.clone());
        // The submit tool is nobody's decision.
        let names = match tool.is_submit() {
            true => Vec::new(),
            false => {
                let without_prefix = name.strip_prefix("mcp__").map(str::to_owned);
                let kind = (!kind.is_empty()).then(|| kind.to_owned());
                [Some(name.clone()), without_prefix, kind].into_iter().flatten().collect()
            }
        };
        PermissionRequest { id, tool: ToolUse { name, arguments }, names, is_allowed }
    }
}

/// The option of a request that says so, only this time if there is a choice.
pub(super) fn outcome(request: &RequestPermissionRequest, is_allowed: bool) -> RequestPermissionOutcome {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let kinds = if is_allowed { [AllowOnce, AllowAlways] } else { [RejectOnce, RejectAlways] };
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
            ("mcp__accord_submit__submit_result", ToolKind::Other, true),
            ("mcp__my_docs__search", ToolKind::Other, true),
            ("mcp__others__search", ToolKind::Other, false),
            ("Bash", ToolKind::Execute, true),
            ("Shell", ToolKind::Execute, false),
            ("Cat", ToolKind::Read, true),
        ] {
            let request = permissions.request("1".to_owned(), &tool(name, kind), json!({}));
            assert_eq!(request.is_allowed, expected, "{name}");
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
        let chosen = |kinds: &[&str], is_allowed| match outcome(&options(kinds), is_allowed) {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            other => format!("{other:?}"),
        };
        let all = ["allow_always", "allow_once", "reject_always", "reject_once"];
        assert_eq!(chosen(&all, true), "o-allow_once");
        assert_eq!(chosen(&all, false), "o-reject_once");
        assert_eq!(chosen(&["allow_always", "reject_always"], false), "o-reject_always");
        assert_eq!(chosen(&["allow_once"], false), "Cancelled");
    }
}
