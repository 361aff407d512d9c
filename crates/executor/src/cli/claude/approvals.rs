//! Calls that a person has to approve: which tools the CLI has to ask for, and what it asks.
//!
//! An `ask` rule is stronger than one that allows. It holds back every call of a tool; whether a person is needed for it is
//! decided when the CLI asks. `approve` can name a tool as the CLI does, as Accord does (`run_command`), and tools of MCP
//! servers with or without the CLI's prefix.

use std::path::{Component, Path, PathBuf};

use accord_domain::agent::KnownTools;
use accord_domain::input_request::ToolUse;
use serde_json::{Value, json};

use crate::mcp_server::McpServer;

use super::super::{PermissionDesk, PermissionRequest};
use super::line::Call;
use super::tools::{BUILT_IN, MCP, Permissions, prefix};

/// File tools, and the argument that names what they read or write. Without it that is the project folder.
const FILE_TOOLS: [(&str, &str); 5] = [
    ("Read", "file_path"),
    ("Write", "file_path"),
    ("Edit", "file_path"),
    ("Glob", "path"),
    ("Grep", "path"),
];

/// The tools that the CLI has, with the names of each.
pub(super) fn known_tools(tools: &[String], allowed_tools: &[String], servers: &[McpServer]) -> KnownTools {
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let own = KnownTools::of_claude_code(&tools, allowed_tools);
    servers.iter().fold(own, |known, server| {
        let whole = prefix(&server.name);
        let key = whole.strip_prefix(MCP).unwrap_or_default();
        known.with_server(&server.name, &[&whole, key])
    })
}

/// The rules that make the CLI ask for what `approve` is about: for its own tools one by one, for those of a server all together,
/// because a rule with another spelling than the CLI's would ask for nothing.
pub(super) fn ask_rules(
    desk: &PermissionDesk,
    permissions: &Permissions,
    servers: &[McpServer],
) -> Vec<String> {
    let is_mentioned =
        |tool: &&String| names(tool, servers).iter().any(|name| desk.policy().may_need_approval(name));
    let own = permissions.available.iter().filter(is_mentioned).cloned();
    let of_server = |server: &McpServer| {
        let whole = prefix(&server.name);
        desk.holds_back(&server.name, whole.strip_prefix(MCP)?).then_some(whole)
    };
    let mut rules: Vec<String> = own.chain(servers.iter().filter_map(of_server)).collect();
    rules.sort();
    rules.dedup();
    rules
}

/// All names that a tool of the CLI can have in `approve`.
fn names(tool: &str, servers: &[McpServer]) -> Vec<String> {
    let mut names = vec![tool.to_owned()];
    let built_in = BUILT_IN.iter().filter(|(_, own, _)| own.contains(&tool));
    names.extend(built_in.map(|(name, ..)| (*name).to_owned()));
    if let Some(plain) = tool.strip_prefix(MCP) {
        names.push(plain.to_owned());
        let of = |server: &McpServer| {
            let name = tool.strip_prefix(&prefix(&server.name))?.strip_prefix("__")?;
            Some(format!("{}__{name}", server.name))
        };
        names.extend(servers.iter().filter_map(of));
    }
    names
}

/// What the CLI asks for.
pub(super) fn request(
    request_id: &str,
    call: &Call,
    permissions: &Permissions,
    servers: &[McpServer],
    folder: &Path,
) -> PermissionRequest {
    let mut arguments = call.input.clone();
    // It says what the model thinks of a command, in other words each time, and changes nothing.
    if call.name == "Bash"
        && let Some(members) = arguments.as_object_mut()
    {
        members.remove("description");
    }
    PermissionRequest {
        id: request_id.to_owned(),
        tool: ToolUse { name: call.name.clone(), arguments },
        names: names(&call.name, servers),
        is_allowed: is_allowed(call, permissions, folder),
    }
}

/// Whether the blueprint allows a call, as far as that can be told: by the name of a tool or of a server, and files in the project
/// folder. Other rules of the CLI (`Bash(git *)`) are for the CLI to read.
fn is_allowed(call: &Call, permissions: &Permissions, folder: &Path) -> bool {
    let is_rule = |rule: &str| permissions.allowed.iter().any(|allowed| allowed == rule);
    if call.name.starts_with(MCP) {
        let server =
            call.name.get(MCP.len()..).and_then(|rest| rest.split_once("__")).map(|(server, _)| server);
        return is_rule(&call.name) || server.is_some_and(|server| is_rule(&format!("{MCP}{server}")));
    }
    // A tool that it asks for by itself is one that its own rules do not allow.
    if !permissions.asked.contains(&call.name) {
        return false;
    }
    let Some((_, argument)) = FILE_TOOLS.iter().find(|(name, _)| *name == call.name) else {
        return is_rule(&call.name);
    };
    let may = match call.name.as_str() {
        "Write" | "Edit" => is_rule("Edit(./**)"),
        _ => permissions.available.contains(&call.name),
    };
    let path = |argument: &str| call.input.get(argument).and_then(Value::as_str).unwrap_or(".");
    let is_inside = |argument: &str| is_inside(folder, Path::new(path(argument)));
    // The pattern of Glob can be an absolute path.
    is_rule(&call.name) || may && is_inside(argument) && (call.name != "Glob" || is_inside("pattern"))
}

/// Whether a path is in a folder, links followed as far as it exists.
fn is_inside(folder: &Path, path: &Path) -> bool {
    let whole = folder.join(path);
    if whole.components().any(|part| part == Component::ParentDir) {
        return false;
    }
    let real: Option<PathBuf> = whole.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    real.is_some_and(|real| real.starts_with(folder))
}

/// The answer to a request that allows the call as it is.
pub(super) fn allowed(request_id: &str, input: &Value) -> String {
    answered(request_id, &json!({"behavior": "allow", "updatedInput": input}))
}

pub(super) fn denied(request_id: &str, reason: &str) -> String {
    answered(request_id, &json!({"behavior": "deny", "message": reason}))
}

fn answered(request_id: &str, answer: &Value) -> String {
    let response = json!({"subtype": "success", "request_id": request_id, "response": answer});
    json!({"type": "control_response", "response": response}).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::journal::Journal;
    use crate::mcp_server::Reach;
    use crate::people::ToolEntries;

    fn servers() -> Vec<McpServer> {
        let reach = || Reach::Address { url: String::new(), headers: BTreeMap::new() };
        ["my.desk", "tracker"].map(|name| McpServer { name: name.to_owned(), reach: reach() }).to_vec()
    }

    fn tools() -> Vec<String> {
        ["read_file", "list_files", "write_file", "run_command"].map(str::to_owned).to_vec()
    }

    fn own() -> Vec<String> {
        vec!["WebFetch(domain:a.b)".to_owned()]
    }

    fn permissions() -> Permissions {
        Permissions::new(&tools(), Some(&own()), &servers()).unwrap()
    }

    #[test]
    fn every_name_of_a_tool_makes_the_cli_ask() {
        for (approve, expected) in [
            (&["run_command", "Bash", "Glob"][..], "Bash Glob"),
            (&["write_file"], "Edit Write"),
            (&["my.desk__*", "mcp__tracker__*"], "mcp__my_desk mcp__tracker"),
            (&["my_desk__*"], "mcp__my_desk"),
            (&["*"], "Bash Edit Glob Read WebFetch Write mcp__my_desk mcp__tracker"),
            (&[], ""),
        ] {
            let approve = approve.iter().map(|&tool| (tool.into(), None)).collect();
            let entries = ToolEntries { approve, effects: Vec::new() };
            let known = known_tools(&tools(), &own(), &servers());
            let desk = PermissionDesk::new(known, entries, Arc::new(Journal::none())).unwrap();
            assert_eq!(ask_rules(&desk, &permissions(), &servers()).join(" "), expected);
        }
    }

    #[test]
    fn a_request_has_all_names_and_the_decision_of_the_agent_file() {
        let project = tempfile::tempdir().unwrap();
        let folder = project.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("link")).unwrap();
        let asked = ["Bash", "Glob", "Read", "Write", "WebFetch"].map(str::to_owned).to_vec();
        let permissions = Permissions { asked, ..permissions() };
        let made = |name: &str, input: Value| {
            let call = Call { id: "t".to_owned(), name: name.to_owned(), input };
            request("r", &call, &permissions, &servers(), &folder)
        };
        let bash = made("Bash", json!({"command": "ls", "description": "Lists"}));
        assert_eq!(bash.tool.arguments, json!({"command": "ls"}));
        assert_eq!((bash.names, bash.is_allowed), (vec!["Bash".to_owned(), "run_command".to_owned()], true));
        let lookup = made("mcp__my_desk__find", json!({}));
        assert_eq!(lookup.names, ["mcp__my_desk__find", "my_desk__find", "my.desk__find"]);
        assert!(lookup.is_allowed && !made("mcp__other__find", json!({})).is_allowed);
        assert!(!made("Edit", json!({"file_path": "a"})).is_allowed);
        assert!(made("Glob", json!({"pattern": "src/**/*.rs"})).is_allowed);
        assert!(!made("Glob", json!({"pattern": "/etc/*"})).is_allowed);
        assert!(!made("WebFetch", json!({"url": "http://a.b"})).is_allowed);
        let is_allowed = |tool: &str, path: &str| made(tool, json!({"file_path": path})).is_allowed;
        assert!(is_allowed("Write", "new/a.txt") && is_allowed("Read", folder.join("a").to_str().unwrap()));
        for outside in ["/etc/passwd", "link/passwd", "new/../../a"] {
            assert!(!is_allowed("Write", outside) && !is_allowed("Read", outside), "{outside}");
        }
    }
}
