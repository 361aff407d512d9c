//! Calls that a person has to approve, as Codex asks for them.
//!
//! Codex asks for commands and changes of files under the policy `untrusted`, which its protocol takes, although its
//! configuration does not any more. A request does not say whether the command is to run outside of the sandbox: so none is allowed
//! without a person where there is a sandbox, whatever a rule says. Codex writes files by commands, too, so that `run_command`
//! and `write_file` in `approve` mean both.

use std::collections::BTreeMap;

use accord_domain::input_request::ToolUse;
use serde_json::{Value, json};

use crate::mcp_server::McpServer;
use crate::people::Approvals;

use super::super::{Permission, PermissionRequest, SUBMIT_SERVER, is_about_server};
use super::servers::key;

/// The names of commands and of changes of files in `approve`.
const WORK: [&str; 2] = ["run_command", "write_file"];

const COMMAND: &str = "item/commandExecution/requestApproval";
const FILE_CHANGE: &str = "item/fileChange/requestApproval";
const ELICITATION: &str = "mcpServer/elicitation/request";

/// Tools at work: name and arguments by the id of the item.
pub(super) type Started = BTreeMap<String, (String, Value)>;

/// When Codex asks.
pub(super) fn policy(approvals: &dyn Approvals) -> &'static str {
    if WORK.iter().any(|tool| approvals.mention(tool)) {
        return "untrusted";
    }
    match approvals.tools().is_empty() {
        true => "never",
        // It asks for tools of MCP servers, and for commands outside of the sandbox, which are denied.
        false => "on-request",
    }
}

/// Whether Codex has to ask for the tools of a server.
pub(super) fn holds_back(approvals: &dyn Approvals, server: &McpServer) -> bool {
    let key = key(&server.name);
    let is_about = |tool: &String| is_about_server(tool, &server.name, &key);
    server.name != SUBMIT_SERVER && approvals.tools().iter().any(is_about)
}

/// The first entry of `approve` that Codex cannot ask for.
pub(super) fn unknown(approvals: &dyn Approvals, servers: &[McpServer]) -> Option<String> {
    let is_of_server =
        |tool: &str| servers.iter().any(|server| is_about_server(tool, &server.name, &key(&server.name)));
    let is_work = |tool: &str| match tool.strip_suffix('*') {
        Some(beginning) => WORK.iter().any(|work| work.starts_with(beginning)),
        None => WORK.contains(&tool),
    };
    approvals.tools().into_iter().find(|tool| !is_work(tool) && !is_of_server(tool))
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
    let work = || WORK.map(str::to_owned).to_vec();
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
    use super::*;
    use crate::mcp_server::Reach;

    #[derive(Debug)]
    struct Tools(&'static [&'static str]);

    impl Approvals for Tools {
        fn are_needed(&self, tool: &str, _arguments: &Value) -> bool {
            self.mention(tool)
        }

        fn tools(&self) -> Vec<String> {
            self.0.iter().map(|&tool| tool.to_owned()).collect()
        }

        fn mention(&self, tool: &str) -> bool {
            self.0.iter().any(|each| *each == tool || *each == "*")
        }
    }

    fn servers() -> Vec<McpServer> {
        let reach = || Reach::Address { url: String::new(), headers: BTreeMap::new() };
        ["my.desk", "tracker"].map(|name| McpServer { name: name.to_owned(), reach: reach() }).to_vec()
    }

    #[test]
    fn codex_requests_the_configured_approvals() {
        let held = |approve: &'static [&'static str]| {
            let servers = servers();
            let held = servers.iter().filter(|server| holds_back(&Tools(approve), server));
            held.map(|server| server.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(policy(&Tools(&[])), "never");
        assert_eq!(policy(&Tools(&["write_file"])), "untrusted");
        assert_eq!(policy(&Tools(&["*"])), "untrusted");
        assert_eq!(policy(&Tools(&["tracker__x"])), "on-request");
        assert_eq!(held(&["run_command"]), [""; 0]);
        assert_eq!(held(&["my.desk__find"]), ["my.desk"]);
        assert_eq!(held(&["my_desk__*", "mcp__tracker__x"]), ["my.desk", "tracker"]);
        assert_eq!(held(&["*"]), ["my.desk", "tracker"]);
    }

    #[test]
    fn names_that_codex_cannot_ask_for_are_found() {
        let unknown = |approve: &'static [&'static str]| unknown(&Tools(approve), &servers());
        assert_eq!(unknown(&["run_command", "write_*", "tracker__x", "*"]), None);
        assert_eq!(unknown(&["read_file"]).as_deref(), Some("read_file"));
        assert_eq!(unknown(&["other__x"]).as_deref(), Some("other__x"));
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
