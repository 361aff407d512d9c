//! Calls that a person has to approve, as Codex asks for them.
//!
//! Codex asks for commands and changes of files under the policy `untrusted`, which its protocol takes, although its
//! configuration does not any more. A request does not say whether the command is to run outside of the sandbox: so none is allowed
//! without a person where there is a sandbox, whatever a rule says. Codex writes files by commands, too, so that `run_command`
//! and `write_file` in `approve` mean both.

use std::collections::BTreeMap;

use accord_domain::agent::{CODEX_TOOLS, KnownTools};
use accord_domain::input_request::ToolUse;
use serde_json::{Value, json};

use crate::mcp_server::McpServer;

use super::super::{Permission, PermissionDesk, PermissionRequest, SUBMIT_SERVER};
use super::servers::key;

const COMMAND: &str = "item/commandExecution/requestApproval";
const FILE_CHANGE: &str = "item/fileChange/requestApproval";
const ELICITATION: &str = "mcpServer/elicitation/request";

/// Tools at work: name and arguments by the id of the item.
pub(super) type Started = BTreeMap<String, (String, Value)>;

/// What Codex can ask for.
pub(super) fn known_tools(servers: &[McpServer]) -> KnownTools {
    servers.iter().fold(KnownTools::of_codex(), |known, server| {
        let key = key(&server.name);
        known.with_server(&server.name, &[&key, &format!("mcp__{key}")])
    })
}

/// When Codex asks.
pub(super) fn policy(desk: &PermissionDesk) -> &'static str {
    if CODEX_TOOLS.iter().any(|tool| desk.policy().may_need_approval(tool)) {
        return "untrusted";
    }
    match desk.is_open() {
        false => "never",
        // It asks for tools of MCP servers, and for commands outside of the sandbox, which are denied.
        true => "on-request",
    }
}

/// Whether Codex has to ask for the tools of a server.
pub(super) fn holds_back(desk: &PermissionDesk, server: &McpServer) -> bool {
    server.name != SUBMIT_SERVER && desk.holds_back(&server.name, &key(&server.name))
}

/// What Codex asks for; `None` if it is nothing that a person could approve.
pub(super) fn request(
    method: &str,
    params: &Value,
    started: &Started,
    servers: &[McpServer],
    has_sandbox: bool,
) -> Option<PermissionRequest> {
    let text = |name: &str| params.get(name).and_then(Value::as_str);
    let work = || CODEX_TOOLS.map(str::to_owned).to_vec();
    let id = |item: &str| format!("{}/{item}", text("turnId").unwrap_or_default());
    let item = text("itemId").unwrap_or_default();
    match method {
        COMMAND if text("kind").is_none_or(|kind| kind == "command") => {
            let arguments = json!({"command": text("command")?, "cwd": text("cwd")});
            let tool = ToolUse { name: "run_command".to_owned(), arguments };
            let id = id(text("approvalId").unwrap_or(item));
            Some(PermissionRequest { id, tool, names: work(), is_allowed: !has_sandbox })
        }
        FILE_CHANGE => {
            let (_, arguments) = started.get(item)?;
            let tool = ToolUse { name: "write_file".to_owned(), arguments: arguments.clone() };
            Some(PermissionRequest { id: id(item), tool, names: work(), is_allowed: !has_sandbox })
        }
        ELICITATION => {
            let meta = params.get("_meta").filter(|meta| {
                meta.get("codex_approval_kind").and_then(Value::as_str) == Some("mcp_tool_call")
            })?;
            let arguments = meta.get("tool_params").cloned().unwrap_or_default();
            // The request has no name for the call but in its words.
            let server = text("serverName")?;
            let prefix = format!("mcp__{server}__");
            let is_asked = |name: &str, given: &Value| name.starts_with(&prefix) && *given == arguments;
            let (item, (name, _)) = started.iter().find(|(_, (name, given))| is_asked(name, given))?;
            let tool_name = name.strip_prefix(&prefix)?;
            let own = servers.iter().find(|own| key(&own.name) == server);
            let mut names = vec![name.clone(), format!("{server}__{tool_name}")];
            names.extend(own.map(|own| format!("{}__{tool_name}", own.name)));
            let tool = ToolUse { name: name.clone(), arguments };
            Some(PermissionRequest { id: id(item), tool, names, is_allowed: own.is_some() })
        }
        _ => None,
    }
}

/// The answer to a request; `None` if a person has to be asked. It has no place for a reason.
pub(super) fn answer(method: &str, permission: &Permission) -> Option<Value> {
    let word = match permission {
        Permission::Allowed => "accept",
        Permission::Denied(_) => "decline",
        Permission::Asked => return None,
    };
    Some(match method {
        ELICITATION => json!({"action": word, "content": {}}),
        _ => json!({"decision": word}),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::journal::Journal;
    use crate::mcp_server::Reach;
    use crate::people::ToolEntries;
    use crate::session::OpenError;

    fn desk(approve: &[&str]) -> Result<PermissionDesk, OpenError> {
        let approve = approve.iter().map(|&tool| (tool.into(), None)).collect();
        let entries = ToolEntries { approve, effects: Vec::new() };
        PermissionDesk::new(known_tools(&servers()), entries, Arc::new(Journal::none()))
    }

    fn servers() -> Vec<McpServer> {
        let reach = || Reach::Address { url: String::new(), headers: BTreeMap::new() };
        ["my.desk", "tracker"].map(|name| McpServer { name: name.to_owned(), reach: reach() }).to_vec()
    }

    #[test]
    fn codex_requests_the_configured_approvals() {
        let desk = |approve: &[&str]| desk(approve).unwrap();
        let held = |approve: &[&str]| {
            let (desk, servers) = (desk(approve), servers());
            let held = servers.iter().filter(|server| holds_back(&desk, server));
            held.map(|server| server.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(policy(&desk(&[])), "never");
        assert_eq!(policy(&desk(&["write_file"])), "untrusted");
        assert_eq!(policy(&desk(&["*"])), "untrusted");
        assert_eq!(policy(&desk(&["tracker__*"])), "on-request");
        assert_eq!(held(&["run_command"]), [""; 0]);
        assert_eq!(held(&["my.desk__*"]), ["my.desk"]);
        assert_eq!(held(&["my_desk__*", "mcp__tracker__*"]), ["my.desk", "tracker"]);
        assert_eq!(held(&["*"]), ["my.desk", "tracker"]);
    }

    #[test]
    fn names_that_codex_cannot_ask_for_are_rejected() {
        assert!(desk(&["run_command", "write_*", "tracker__*", "*"]).is_ok());
        for entry in ["read_file", "other__x", "run_comand"] {
            assert!(desk(&[entry]).is_err(), "{entry}");
        }
    }

    #[test]
    fn requests_are_read() {
        let started = Started::from([
            ("c1".to_owned(), ("apply_patch".to_owned(), json!({"changes": [{"path": "/p/a"}]}))),
            ("c2".to_owned(), ("mcp__my_desk__find".to_owned(), json!({"key": "a"}))),
        ]);
        let read = |method: &str, params: Value| request(method, &params, &started, &servers(), true);
        let command = json!({"kind": "command", "turnId": "t", "itemId": "c0", "command": "ls", "cwd": "/p"});
        let found = read(COMMAND, command).unwrap();
        let arguments = json!({"command": "ls", "cwd": "/p"});
        assert_eq!(found.tool, ToolUse { name: "run_command".to_owned(), arguments });
        assert_eq!((found.id.as_str(), found.is_allowed), ("t/c0", false));
        assert_eq!(read(COMMAND, json!({"kind": "writeStdin", "itemId": "c0", "command": "ls"})), None);
        let found = read(FILE_CHANGE, json!({"turnId": "t", "itemId": "c1"})).unwrap();
        assert_eq!(found.tool.arguments, json!({"changes": [{"path": "/p/a"}]}));
        assert_eq!(read(FILE_CHANGE, json!({"turnId": "t", "itemId": "c9"})), None);
        let meta = json!({"codex_approval_kind": "mcp_tool_call", "tool_params": {"key": "a"}});
        let found =
            read(ELICITATION, json!({"turnId": "t", "serverName": "my_desk", "_meta": meta})).unwrap();
        assert_eq!(found.names, ["mcp__my_desk__find", "my_desk__find", "my.desk__find"]);
        assert_eq!((found.id.as_str(), found.is_allowed), ("t/c2", true));
        assert_eq!(read(ELICITATION, json!({"turnId": "t", "serverName": "my_desk"})), None);
        assert_eq!(read("item/tool/requestUserInput", json!({})), None);
    }
}
