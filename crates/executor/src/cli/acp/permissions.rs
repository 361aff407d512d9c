//! What an agent may do when it asks.
//!
//! The submit tool, the MCP servers of the agent and `allowed_tools` are allowed, and everything else is denied, unless `approve`
//! in the blueprint leaves it to a person.

use accord_domain::agent::{ACP_KINDS, KnownTools};
use accord_domain::input_request::ToolUse;
use agent_client_protocol::v1::schema::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SelectedPermissionOutcome,
    ToolKind,
};
use serde_json::Value;

use crate::mcp_server::McpServer;
use crate::people::ToolPolicy;

use super::super::PermissionRequest;
use super::tool::Tool;

pub(super) struct Permissions {
    /// Names of tools, or kinds of them.
    allowed_tools: Vec<String>,
    servers: Vec<String>,
    /// Whether `approve` names tools, so that a call of a tool without a name could be one of them.
    needs_names: bool,
}

/// What can be named: kinds, the tools in `allowed_tools`, and tools of servers. An agent does not say which tools it has.
pub(super) fn known_tools(allowed_tools: &[String], servers: &[McpServer]) -> KnownTools {
    servers.iter().fold(KnownTools::of_acp(allowed_tools), |known, server| {
        let name = &server.name;
        known.with_server(name, &[&format!("mcp__{name}")])
    })
}

impl Permissions {
    pub(super) fn new(allowed_tools: &[String], servers: &[McpServer], policy: &ToolPolicy) -> Self {
        let servers = servers.iter().map(|server| server.name.clone()).collect();
        let needs_names = policy.approvals().has_others_than(&ACP_KINDS);
        Self { allowed_tools: allowed_tools.to_vec(), servers, needs_names }
    }

    /// A call that the agent asks for.
    pub(super) fn request(&self, id: String, tool: &Tool, arguments: Value) -> PermissionRequest {
        let kind = kind(tool.kind);
        let of_servers: Vec<String> = self.servers.iter().filter_map(|server| tool.name_at(server)).collect();
        let has_name = tool.name.is_some() || !of_servers.is_empty();
        let is_allowed_kind = |allowed: &String| kind == allowed && (has_name || !self.needs_names);
        let is_listed = |allowed: &String| tool.name.as_ref() == Some(allowed) || is_allowed_kind(allowed);
        let is_allowed =
            tool.is_submit() || !of_servers.is_empty() || self.allowed_tools.iter().any(is_listed);
        let name = tool.name.clone().unwrap_or_else(|| tool.title.clone());
        // The submit tool is nobody's decision.
        let names = match tool.is_submit() {
            true => Vec::new(),
            false => {
                let without_prefix = name.strip_prefix("mcp__").map(str::to_owned);
                let kind = (!kind.is_empty()).then(|| kind.to_owned());
                let own = [Some(name.clone()), without_prefix, kind].into_iter().flatten();
                own.chain(of_servers).collect()
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
            needs_names: false,
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
    fn a_call_without_a_name_is_not_allowed_by_its_kind_if_approve_names_tools() {
        for needs_names in [false, true] {
            let permissions =
                Permissions { allowed_tools: vec!["execute".to_owned()], servers: Vec::new(), needs_names };
            let nameless = Tool { name: None, ..tool("", ToolKind::Execute) };
            let request = |tool: &Tool| permissions.request("1".to_owned(), tool, json!({}));
            assert_eq!(request(&nameless).is_allowed, !needs_names);
            assert!(request(&tool("Cargo", ToolKind::Execute)).is_allowed);
        }
    }

    #[test]
    fn a_tool_of_a_server_has_the_name_that_agent_files_use() {
        let (allowed_tools, servers) = (Vec::new(), vec!["my-docs".to_owned()]);
        let permissions = Permissions { allowed_tools, servers, needs_names: true };
        for title in ["mcp__my-docs__Find.It", "Tool: my-docs/find-it", "find_it (my-docs MCP Server)"] {
            let tool = Tool { title: title.to_owned(), ..Tool::default() };
            let request = permissions.request("1".to_owned(), &tool, json!({}));
            assert!(request.names.contains(&"my-docs__find_it".to_owned()), "{:?}", request.names);
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
