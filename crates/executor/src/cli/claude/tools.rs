//! Which tools the CLI has, and which of them it may use without asking: there is no user to ask.
//!
//! `--tools` lists the available tools, `--allowedTools` those that need no permission. Without either list in the blueprint
//! there are none. The file tools of a blueprint stay in the project folder, by the CLI's own rules: files in its working
//! folder may be read, and rules for edits name that folder. Accord's own files are denied, which is stronger than allowing:
//! an agent neither reads keys nor writes its own blueprint.

use std::path::{Path, PathBuf};

use accord_domain::agent::{ExecutorKind, KnownTools, rule_tool};

use crate::mcp_server::McpServer;
use crate::session::OpenError;
use crate::tools::PRIVATE;

use super::super::{CLAUDE_CODE, SUBMIT_SERVER, wrong};

/// Accord's built-in tools: what they are called here, and the rules that allow what reading does not need.
pub(super) const BUILT_IN: [(&str, &[&str], &[&str]); 5] = [
    ("read_file", &["Read"], &[]),
    ("list_files", &["Glob"], &[]),
    ("search_files", &["Grep"], &[]),
    ("write_file", &["Write", "Edit"], &["Edit(./**)"]),
    ("run_command", &["Bash"], &["Bash"]),
];

/// The tool that its rules for all that read, or write, are named by.
const READING: &str = "Read";
const WRITING: &str = "Edit";

/// Files that are not written at any depth of a project folder: blueprints and settings of Accord, and hooks of Git.
const PROTECTED: [&str; 4] = ["**/.accord", "**/.accord/**", "**/.git", "**/.git/**"];

/// The prefix of tools of MCP servers.
pub(super) const MCP: &str = "mcp__";

/// Tools and rules, as the CLI takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Permissions {
    /// The CLI's own tools that there are.
    pub(super) available: Vec<String>,
    /// What may be used without asking.
    pub(super) allowed: Vec<String>,
    /// What may not be used at all.
    pub(super) denied: Vec<String>,
    /// What the CLI has to ask for, whatever is allowed.
    pub(super) asked: Vec<String>,
}

impl Permissions {
    pub(super) fn new(
        tools: &[String],
        allowed_tools: Option<&[String]>,
        servers: &[McpServer],
    ) -> Result<Self, OpenError> {
        let mut permissions =
            Self { available: Vec::new(), allowed: Vec::new(), denied: Vec::new(), asked: Vec::new() };
        for tool in tools {
            let known = BUILT_IN.iter().find(|(name, ..)| name == tool);
            let (_, names, rules) = known.ok_or_else(|| unknown(tool))?;
            names.iter().for_each(|name| add(&mut permissions.available, name));
            rules.iter().for_each(|rule| add(&mut permissions.allowed, rule));
        }
        let allowed_tools = allowed_tools.unwrap_or_default();
        for tool in allowed_tools {
            let names = servers.iter().map(|server| server.name.as_str());
            KnownTools::check_allowed(ExecutorKind::ClaudeCode, names, tool)
                .map_err(|error| wrong(&CLAUDE_CODE, format!("`allowed_tools`: {error}")))?;
            let name = rule_tool(tool);
            if !name.starts_with(MCP) {
                add(&mut permissions.available, name);
            }
            add(&mut permissions.allowed, tool);
        }
        for (index, server) in servers.iter().enumerate() {
            let prefix = prefix(&server.name);
            let earlier = servers.iter().take(index).any(|other| self::prefix(&other.name) == prefix);
            if earlier || server.name == SUBMIT_SERVER {
                let text = format!("the MCP server name '{}' is reserved; use another", server.name);
                return Err(wrong(&CLAUDE_CODE, text));
            }
            // If no tools of a server are listed, all of them are allowed.
            let is_chosen = |tool: &String| *tool == prefix || tool.starts_with(&format!("{prefix}__"));
            if !allowed_tools.iter().any(is_chosen) {
                add(&mut permissions.allowed, &prefix);
            }
        }
        Ok(permissions)
    }

    /// Denies Accord's own files in a folder to the built-in file tools among `tools`: those that are known by name, and
    /// these others if they are in it.
    pub(super) fn keeping(mut self, tools: &[String], folder: &Path, files: &[PathBuf]) -> Self {
        let lists = |wanted: &[&str]| tools.iter().any(|tool| wanted.contains(&tool.as_str()));
        let named = PRIVATE.iter().map(|&name| name.to_owned());
        let private: Vec<String> =
            named.chain(files.iter().filter_map(|file| inside(folder, file))).collect();
        if lists(&["read_file", "list_files", "search_files"]) {
            private.iter().for_each(|file| add(&mut self.denied, &format!("{READING}(./{file})")));
        }
        if lists(&["write_file"]) {
            PROTECTED.iter().for_each(|files| add(&mut self.denied, &format!("{WRITING}({files})")));
            private.iter().for_each(|file| add(&mut self.denied, &format!("{WRITING}(./{file})")));
        }
        self
    }
}

/// The path of a file inside a folder as its rules name it, which are patterns like those of Git. The file need not be
/// there, its folder may be named by links.
fn inside(folder: &Path, file: &Path) -> Option<String> {
    let launcher = file.parent()?.canonicalize().ok()?.join(file.file_name()?);
    let path = launcher.strip_prefix(folder).ok()?.to_str()?;
    let mut pattern = String::new();
    for each in path.chars() {
        if matches!(each, '*' | '?' | '[' | ']' | '(' | ')' | '\\') {
            pattern.push('\\');
        }
        pattern.push(each);
    }
    Some(pattern)
}

/// The prefix of the tools of an MCP server: other characters than these become underscores.
pub(super) fn prefix(server: &str) -> String {
    let plain = |each: char| if each.is_ascii_alphanumeric() || each == '-' { each } else { '_' };
    format!("{MCP}{}", server.chars().map(plain).collect::<String>())
}

fn add(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|each| each == name) {
        list.push(name.to_owned());
    }
}

fn unknown(tool: &str) -> OpenError {
    let known: Vec<&str> = BUILT_IN.iter().map(|(name, ..)| *name).collect();
    let text = format!(
        "unknown tool '{tool}': expected {} in `tools`; Claude Code's own tools go into `allowed_tools`",
        known.join(", ")
    );
    wrong(&CLAUDE_CODE, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp_server::Reach;

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|&word| word.to_owned()).collect()
    }

    fn server(name: &str) -> McpServer {
        let reach = Reach::Address { url: String::new(), headers: std::collections::BTreeMap::new() };
        McpServer { name: name.to_owned(), reach }
    }

    fn permissions(
        tools: &[&str],
        allowed: Option<&[&str]>,
        servers: &[&str],
    ) -> Result<[String; 2], String> {
        let allowed = allowed.map(words);
        let servers: Vec<McpServer> = servers.iter().map(|name| server(name)).collect();
        let made = Permissions::new(&words(tools), allowed.as_deref(), &servers);
        made.map(|made| [made.available.join(" "), made.allowed.join(" ")]).map_err(|error| error.to_string())
    }

    #[test]
    fn permits_only_listed_tools() {
        let made = |available: &str, allowed: &str| Ok([available.to_owned(), allowed.to_owned()]);
        assert_eq!(permissions(&[], None, &[]), made("", ""));
        assert_eq!(permissions(&[], Some(&[]), &["my.docs"]), made("", "mcp__my_docs"));
        assert_eq!(
            permissions(&["read_file", "write_file", "write_file"], None, &[]),
            made("Read Write Edit", "Edit(./**)")
        );
        let own = ["Bash(git log *)", "Bash(git diff *)", "Read", "mcp__docs__search"];
        assert_eq!(
            permissions(&["run_command"], Some(&own), &["docs", "doc"]),
            made("Bash Read", "Bash Bash(git log *) Bash(git diff *) Read mcp__docs__search mcp__doc")
        );
    }

    #[test]
    fn accords_own_files_are_denied() {
        let project = tempfile::tempdir().unwrap();
        let folder = project.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("conf [1]")).unwrap();
        let files = ["conf [1]/accord.toml", "accord.toml", "../accord.toml", "gone/accord.db"];
        let files = files.map(|file| folder.join(file));
        let denied = |tools: &[&str]| {
            let tools = words(tools);
            Permissions::new(&tools, None, &[]).unwrap().keeping(&tools, &folder, &files).denied
        };
        assert_eq!(denied(&["run_command"]), [""; 0]);
        let own = |tool: &str| {
            let named = PRIVATE.iter().map(|name| format!("{tool}(./{name})"));
            named.chain([format!(r"{tool}(./conf \[1\]/accord.toml)")]).collect::<Vec<_>>()
        };
        assert_eq!(denied(&["search_files"]), own("Read"));
        let protected = PROTECTED.map(|files| format!("Edit({files})")).to_vec();
        assert_eq!(denied(&["write_file"]), [protected.clone(), own("Edit")].concat());
        assert_eq!(denied(&["read_file", "write_file"]), [own("Read"), protected, own("Edit")].concat());
    }

    #[test]
    fn rejects_unknown_tools() {
        let error = permissions(&[], Some(&["mcp__doc__search"]), &["docs"]).unwrap_err();
        let text = "`allowed_tools`: 'mcp__doc__search' matches no tool of the agent; did you mean 'mcp__docs__search'?";
        assert!(error.ends_with(text), "{error}");
        let error = permissions(&["rm"], None, &[]).unwrap_err();
        assert!(error.contains("unknown tool 'rm'") && error.contains("read_file, list_files"), "{error}");
        for servers in [&["accord_submit"][..], &["a.b", "a b"]] {
            let error = permissions(&[], None, servers).unwrap_err();
            assert!(error.contains("is reserved; use another"), "{error}");
        }
    }
}
