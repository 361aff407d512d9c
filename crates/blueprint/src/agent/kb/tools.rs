//! Which of our tools a `kb.agent/1` file grants: by a list, by groups, or by switches with permissions.
//!
//! Our tools reach the whole project folder and cannot be limited to paths or commands. A tool that the file grants with such
//! a limit, or that a policy forbids, is left out with a warning: the agent may do less than the file says, never more.

use accord_contract::JsonPath;
use serde_json::Value;

/// Their tools that do what ours do.
const TOOLS: &[(&str, &str)] = &[
    ("fs:read", READ[0]),
    ("fs:list", READ[1]),
    ("fs:search", READ[2]),
    ("fs:write", WRITE),
    ("shell:exec", RUN),
];

const READ: [&str; 3] = ["read_file", "list_files", "search_files"];
const WRITE: &str = "write_file";
/// A command can write too.
const RUN: &str = "run_command";

/// Paths that mean the whole project.
const EVERYTHING: [&str; 6] = [".", "./", "*", "**", "**/*", "./**"];

/// The tools that are granted, and why others are not.
#[derive(Debug, Default)]
pub(super) struct Granted {
    pub(super) tools: Vec<&'static str>,
    pub(super) warnings: Vec<(JsonPath, String)>,
    pub(super) errors: Vec<(JsonPath, String)>,
}

/// Reads `tools` and `policies`.
pub(super) fn granted(tools: &Value, policies: &Value) -> Granted {
    let mut granted = Granted::default();
    let place = JsonPath::root().key("tools");
    match tools {
        Value::Array(list) => granted.list(list, &place),
        Value::Object(_) => granted.object(tools, &place),
        _ => {}
    }
    granted.restrict(policies);
    granted
}

impl Granted {
    fn add(&mut self, tool: &'static str) {
        if !self.tools.contains(&tool) {
            self.tools.push(tool);
        }
    }

    /// Tools are names, or objects with a name or an id.
    fn list(&mut self, list: &[Value], place: &JsonPath) {
        for (index, tool) in list.iter().enumerate() {
            let named = tool.get("name").or_else(|| tool.get("id")).unwrap_or(tool);
            let name = named.as_str().unwrap_or_default();
            match TOOLS.iter().find(|(theirs, ours)| *theirs == name || *ours == name) {
                Some((_, ours)) => self.add(ours),
                None => {
                    let message = format!("no built-in tool matches {named}; it is ignored");
                    self.warnings.push((place.index(index), message));
                }
            }
        }
    }

    /// Both published forms: `builtIn` and `permissions` with groups of tools, and `filesystem` and `shell` with their own.
    fn object(&mut self, tools: &Value, place: &JsonPath) {
        let groups = tools.get("groups").and_then(Value::as_array).into_iter().flatten();
        for (index, group) in groups.enumerate() {
            let place = place.key("groups").index(index);
            for field in ["unlockAfter", "unlockWhenConfidenceBelow"] {
                if group.get(field).is_some() {
                    let message =
                        format!("'{field}' has no counterpart: the tools of this group are always available");
                    self.warnings.push((place.key(field), message));
                }
            }
            let names = group.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            self.list(names, &place.key("tools"));
        }
        let is_on = |pointer: &str| tools.pointer(pointer) == Some(&Value::Bool(true));
        if is_on("/builtIn/fs") || is_on("/filesystem/enabled") {
            READ.into_iter().for_each(|tool| self.add(tool));
            let writes = ["/permissions/fs/write", "/filesystem/permissions/write"];
            let may_write = |pointer: &&str| {
                tools.pointer(pointer).and_then(Value::as_array).is_some_and(|paths| !paths.is_empty())
            };
            if writes.iter().any(may_write) {
                self.add(WRITE);
            }
        }
        if is_on("/builtIn/shell") || is_on("/shell/enabled") {
            self.add(RUN);
        }
        if is_on("/builtIn/code") {
            self.warnings.push((
                place.key("builtIn").key("code"),
                "'code' has no counterpart and is ignored".to_owned(),
            ));
        }
        self.limited(tools, &["permissions", "fs", "read"], &READ, true);
        self.limited(tools, &["permissions", "fs", "write"], &[WRITE], true);
        self.limited(tools, &["filesystem", "permissions", "read"], &READ, true);
        self.limited(tools, &["filesystem", "permissions", "write"], &[WRITE], true);
        for path in [
            ["permissions", "shell", "allow"].as_slice(),
            &["permissions", "shell", "deny"],
            &["shell", "allowedCommands"],
            &["shell", "allow"],
            &["shell", "deny"],
        ] {
            self.limited(tools, path, &[RUN], false);
        }
        for path in [["filesystem", "allow"], ["filesystem", "deny"]] {
            self.limited(tools, &path, &[READ[0], READ[1], READ[2], WRITE], false);
        }
        for path in [["permissions", "kbLabs"].as_slice(), &["kbLabs"]] {
            let at = path.iter().fold(place.clone(), |place, name| place.key(name));
            if tools.pointer(&format!("/{}", path.join("/"))).is_some() {
                self.warnings.push((at, "these tools have no counterpart and are ignored".to_owned()));
            }
        }
    }

    /// Leaves tools out that are granted for some paths or commands only.
    fn limited(&mut self, tools: &Value, path: &[&str], which: &[&'static str], may_be_everything: bool) {
        let Some(Value::Array(limits)) = tools.pointer(&format!("/{}", path.join("/"))) else { return };
        let is_all = |limit: &Value| limit.as_str().is_some_and(|limit| EVERYTHING.contains(&limit));
        let is_open = may_be_everything && limits.iter().any(is_all);
        if !is_open && (!limits.is_empty() || may_be_everything) {
            let place = path.iter().fold(JsonPath::root().key("tools"), |place, name| place.key(name));
            self.leave_out(which, &place, "it cannot be limited to paths or commands");
        }
    }

    /// What policies forbid. A policy that cannot be kept is an error.
    fn restrict(&mut self, policies: &Value) {
        let place = JsonPath::root().key("policies");
        if policies.get("allowWrite") == Some(&Value::Bool(false)) {
            self.leave_out(&[WRITE, RUN], &place.key("allowWrite"), "the policy forbids writing");
        }
        let has_paths =
            policies.get("restrictedPaths").and_then(Value::as_array).is_some_and(|paths| !paths.is_empty());
        if has_paths && !self.tools.is_empty() {
            let message = "built-in tools cannot be kept away from paths; remove the policy, or the tools";
            self.errors.push((place.key("restrictedPaths"), message.to_owned()));
        }
        let is_changing = self.tools.iter().any(|tool| [WRITE, RUN].contains(tool));
        if policies.get("requireConfirmation") == Some(&Value::Bool(true)) && is_changing {
            let message = "built-in tools do not ask for confirmation; remove the policy, or write_file and run_command";
            self.errors.push((place.key("requireConfirmation"), message.to_owned()));
        }
    }

    fn leave_out(&mut self, which: &[&'static str], place: &JsonPath, reason: &str) {
        for tool in which.iter().filter(|tool| self.tools.contains(tool)) {
            self.warnings.push((place.clone(), format!("the agent does not get the tool {tool}: {reason}")));
        }
        self.tools.retain(|tool| !which.contains(tool));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn warnings_of(granted: &Granted) -> Vec<String> {
        let line = |(place, message): &(JsonPath, String)| format!("{} {message}", place.pointer());
        granted.errors.iter().chain(&granted.warnings).map(line).collect()
    }

    #[test]
    fn both_published_forms_are_read() {
        let second = json!({
            "strategy": "prioritized",
            "groups": [{"name": "find", "priority": 1, "tools": ["fs:search", "fs:read"]}],
            "builtIn": {"fs": true, "shell": true},
            "permissions": {"fs": {"read": ["**/*"], "write": ["**"]}, "shell": {"allow": []}},
        });
        let all = ["search_files", "read_file", "list_files", "write_file", "run_command"];
        let granted = super::granted(&second, &json!({"allowWrite": true}));
        assert_eq!((granted.tools.as_slice(), warnings_of(&granted)), (all.as_slice(), vec![]));
        let first = json!({
            "filesystem": {"enabled": true, "permissions": {"read": ["./"], "write": []}},
            "shell": {"enabled": false},
        });
        let granted = super::granted(&first, &Value::Null);
        assert_eq!((granted.tools.as_slice(), warnings_of(&granted)), (READ.as_slice(), vec![]));
    }

    #[test]
    fn a_tool_with_a_limit_that_cannot_be_kept_is_left_out() {
        let tools = json!({
            "filesystem": {"enabled": true, "permissions": {"read": ["./"], "write": ["./output/**"]}},
            "shell": {"enabled": true, "allowedCommands": ["ls"]},
        });
        let granted = super::granted(&tools, &Value::Null);
        assert_eq!(granted.tools, READ);
        assert_eq!(
            warnings_of(&granted),
            [
                "/tools/filesystem/permissions/write the agent does not get the tool write_file: it cannot be limited to paths or commands",
                "/tools/shell/allowedCommands the agent does not get the tool run_command: it cannot be limited to paths or commands",
            ]
        );
    }

    #[test]
    fn policies_are_converted_or_rejected() {
        let tools = json!(["fs:read", "fs:write", "shell:exec"]);
        let granted = super::granted(&tools, &json!({"allowWrite": false, "requireConfirmation": true}));
        assert_eq!((granted.tools.as_slice(), granted.errors.len()), (["read_file"].as_slice(), 0));
        assert_eq!(granted.warnings.len(), 2);
        for policy in [json!({"requireConfirmation": true}), json!({"restrictedPaths": ["secrets"]})] {
            assert_eq!(super::granted(&tools, &policy).errors.len(), 1, "{policy}");
        }
        let harmless = json!({"restrictedPaths": [], "requireConfirmation": true});
        assert_eq!(super::granted(&json!(["fs:read"]), &harmless).errors.len(), 0);
    }
}
