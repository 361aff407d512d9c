//! The entries of an agent file that name tools, and the tools that they can mean.
//!
//! A [`ToolPattern`] cannot be compared with the name of a call: only [`KnownTools::resolve`] makes the [`ToolRules`] that can, and
//! it refuses an entry that means no tool. So a misspelled entry never counts as one that is about something else.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Acp, Blueprint, Cli, Executor, ExecutorKind};
use accord_json::nearest;

/// The built-in tools of every runner, and what Claude Code calls them.
pub const BUILT_IN_TOOLS: [(&str, &[&str]); 6] = [
    ("read_file", &["Read"]),
    ("list_files", &["Glob"]),
    ("search_files", &["Grep"]),
    ("write_file", &["Write", "Edit"]),
    ("run_command", &["Bash"]),
    ("ask_human", &[]),
];

/// What Codex asks for, as agent files name it. It always has a shell.
pub const CODEX_TOOLS: [&str; 2] = ["run_command", "write_file"];

/// What `allowed_tools` can contain for Codex: its sandboxes, and the search on the web.
pub const CODEX_ALLOWED: [&str; 4] = ["read-only", "workspace-write", "danger-full-access", "web_search"];

/// The kinds of tools in the Agent Client Protocol that can be allowed or need approval.
pub const ACP_KINDS: [&str; 8] = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch"];

/// What the names of tools of MCP servers begin with in agent CLIs.
const MCP: &str = "mcp__";

/// The name of a tool in an agent file. A `*` at the end stands for any rest of the name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolPattern(String);

impl ToolPattern {
    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    fn means(&self, name: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == self.0,
        }
    }

    /// Whether a tool whose name begins like this can be meant.
    fn reaches(&self, beginning: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(part) => beginning.starts_with(part) || part.starts_with(beginning),
            None => self.0.len() > beginning.len() && self.0.starts_with(beginning),
        }
    }

    /// Whether all tools whose names begin like this are meant.
    fn covers(&self, beginning: &str) -> bool {
        self.0.strip_suffix('*').is_some_and(|part| beginning.starts_with(part))
    }
}

impl utoipa::PartialSchema for ToolPattern {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        String::schema()
    }
}

impl utoipa::ToSchema for ToolPattern {}

impl<T: Into<String>> From<T> for ToolPattern {
    fn from(name: T) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The tools that an agent can call, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownTools {
    /// All names of each tool.
    tools: Vec<Vec<String>>,
    servers: Vec<Server>,
    /// The type of an executor that has no tool calls.
    without_calls: Option<&'static str>,
}

/// An MCP server, whose tools may be listed later.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Server {
    name: String,
    /// What the names of its tools can begin with.
    beginnings: Vec<String>,
    is_listed: bool,
}

/// An entry that means no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownTool {
    #[error("an executor of type {0} has no tool calls that this could be about; remove it")]
    NoCalls(&'static str),
    #[error("'{entry}' matches no tool of the agent; {hint}")]
    NoMatch { entry: String, hint: String },
}

/// Entries about tools that all mean at least one, with what each says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRules<T>(Vec<ToolRule<T>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct ToolRule<T> {
    pattern: ToolPattern,
    /// Every name of the tools that it means.
    names: BTreeSet<String>,
    value: T,
}

impl KnownTools {
    /// What is known before a run: the names of the agent's own tools, and of its servers.
    pub fn of(blueprint: &Blueprint) -> Self {
        let servers = || blueprint.mcp_servers.keys();
        let with_servers = |known: Self| {
            servers().fold(known, |known, server| known.with_server(server, &[&format!("{MCP}{server}")]))
        };
        match &blueprint.executor {
            Executor::Llm(_) | Executor::Replay(_) => {
                let own = blueprint.tools.iter().fold(Self::default(), |known, tool| known.with_tool([tool]));
                servers().fold(own, |known, server| known.with_server(server, &[]))
            }
            Executor::ClaudeCode(Cli { allowed_tools, .. }) => {
                let tools: Vec<&str> = blueprint.tools.iter().map(String::as_str).collect();
                with_servers(Self::of_claude_code(&tools, allowed_tools.as_deref().unwrap_or_default()))
            }
            Executor::Codex(_) => with_servers(Self::of_codex()),
            Executor::Acp(Acp { allowed_tools, .. }) => {
                with_servers(Self::of_acp(allowed_tools.as_deref().unwrap_or_default()))
            }
            Executor::Process(_) | Executor::External(_) | Executor::Human(_) => {
                Self { without_calls: Some(blueprint.executor.kind()), ..Self::default() }
            }
        }
    }

    /// The tools that Claude Code is started with.
    pub fn of_claude_code(tools: &[&str], allowed_tools: &[String]) -> Self {
        let listed = BUILT_IN_TOOLS.iter().filter(|(name, _)| tools.contains(name));
        let allowed = allowed_tools.iter().map(|rule| rule_tool(rule));
        let own: BTreeSet<&str> = listed.flat_map(|(_, own)| own.iter().copied()).chain(allowed).collect();
        let names = |tool: &str| {
            let built_in = BUILT_IN_TOOLS.iter().filter(move |(_, own)| own.contains(&tool));
            [tool].into_iter().chain(built_in.map(|(name, _)| *name)).map(str::to_owned).collect::<Vec<_>>()
        };
        own.into_iter()
            .filter(|tool| !tool.is_empty() && !tool.starts_with(MCP))
            .fold(Self::default(), |known, tool| known.with_tool(names(tool)))
    }

    pub fn of_codex() -> Self {
        CODEX_TOOLS.iter().fold(Self::default(), |known, tool| known.with_tool([*tool]))
    }

    /// An agent's own tools are known by the names that `allowed_tools` has.
    pub fn of_acp(allowed_tools: &[String]) -> Self {
        let names = ACP_KINDS.iter().copied().chain(allowed_tools.iter().map(String::as_str));
        names.fold(Self::default(), |known, tool| known.with_tool([tool]))
    }

    /// With a tool of these names.
    #[must_use]
    pub fn with_tool<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.tools.push(names.into_iter().map(Into::into).collect());
        self
    }

    /// With a server whose tools are not listed yet. Its tools are `NAME__TOOL`, for any of these names.
    #[must_use]
    pub fn with_server(mut self, name: &str, others: &[&str]) -> Self {
        let names = [name].into_iter().chain(others.iter().copied());
        let beginnings = names.map(|name| format!("{name}__")).collect();
        self.servers.push(Server { name: name.to_owned(), beginnings, is_listed: false });
        self
    }

    /// The servers whose tools have to be listed before these entries can be resolved. For an entry about all tools of a
    /// server, which tools these are does not matter.
    pub fn unlisted<'a>(&'a self, entries: &[&ToolPattern]) -> BTreeSet<&'a str> {
        let needs = |server: &&Server| {
            let is_some = |entry: &&ToolPattern| {
                let reaches = server.beginnings.iter().any(|beginning| entry.reaches(beginning));
                reaches && !server.beginnings.iter().any(|beginning| entry.covers(beginning))
            };
            !server.is_listed && entries.iter().any(is_some)
        };
        self.servers.iter().filter(needs).map(|server| server.name.as_str()).collect()
    }

    /// With the tools of a server, by their own names. Programs replace what does not fit into a name.
    #[must_use]
    pub fn with_tools_of(mut self, server: &str, tools: &[String]) -> Self {
        for found in self.servers.iter_mut().filter(|found| found.name == server) {
            found.is_listed = true;
            for tool in tools {
                let kept = [tool.clone(), plain(tool, "_-"), plain(tool, "_"), folded(tool)];
                let names = found
                    .beginnings
                    .iter()
                    .flat_map(|beginning| kept.iter().map(move |tool| format!("{beginning}{tool}")));
                self.tools.push(names.collect());
            }
        }
        self
    }

    /// Whether a call, by all of its names, is of a server whose tools are listed, but of none of them: which entries are about it is
    /// unknown.
    pub fn is_stranger(&self, names: &[String]) -> bool {
        let beginnings =
            self.servers.iter().filter(|server| server.is_listed).flat_map(|server| &server.beginnings);
        let mut beginnings =
            beginnings.filter(|beginning| names.iter().any(|name| name.starts_with(*beginning)));
        beginnings.next().is_some() && !self.tools.iter().flatten().any(|known| names.contains(known))
    }

    /// Whether an entry of `allowed_tools` means something, as far as that is known: the own tools of Claude Code and of ACP agents
    /// are not. An unknown entry allows nothing by itself, but one of Claude Code for a server limits the tools of that server.
    pub fn check_allowed<'a>(
        executor: ExecutorKind,
        servers: impl IntoIterator<Item = &'a str>,
        entry: &str,
    ) -> Result<(), UnknownTool> {
        let known = match executor {
            ExecutorKind::Codex => {
                CODEX_ALLOWED.iter().fold(Self::default(), |known, tool| known.with_tool([*tool]))
            }
            ExecutorKind::ClaudeCode if entry.starts_with(MCP) => {
                servers.into_iter().fold(Self::default(), |known, server| {
                    let whole = format!("{MCP}{}", plain(server, "_-"));
                    known.with_server(&whole, &[]).with_tool([whole])
                })
            }
            _ => return Ok(()),
        };
        known.check(&rule_tool(entry).into())
    }

    /// The entries, if each of them means a tool.
    pub fn resolve<T>(
        &self,
        entries: impl IntoIterator<Item = (ToolPattern, T)>,
    ) -> Result<ToolRules<T>, UnknownTool> {
        let rule = |(pattern, value): (ToolPattern, T)| {
            self.check(&pattern)?;
            let meant = self.tools.iter().filter(|names| names.iter().any(|name| pattern.means(name)));
            let names = meant.flatten().cloned().collect();
            Ok(ToolRule { pattern, names, value })
        };
        entries.into_iter().map(rule).collect::<Result<_, _>>().map(ToolRules)
    }

    /// Whether an entry means a tool, or may mean one of a server whose tools are not listed.
    pub fn check(&self, entry: &ToolPattern) -> Result<(), UnknownTool> {
        if let Some(kind) = self.without_calls {
            return Err(UnknownTool::NoCalls(kind));
        }
        let mut unlisted = self.servers.iter().filter(|server| !server.is_listed);
        let is_known = entry.0 == "*"
            || self.tools.iter().flatten().any(|name| entry.means(name))
            || unlisted.any(|server| server.beginnings.iter().any(|beginning| entry.reaches(beginning)));
        match is_known {
            true => Ok(()),
            false => Err(UnknownTool::NoMatch { entry: entry.to_string(), hint: self.hint(&entry.0) }),
        }
    }

    fn hint(&self, entry: &str) -> String {
        let names = || self.tools.iter().flatten().map(String::as_str);
        let written = entry.trim_end_matches('*');
        // The name of a server's tool alone, without the server.
        let of_server =
            || names().find(|name| name.split_once("__").is_some_and(|(_, tool)| tool == written));
        let beginnings = || self.servers.iter().filter_map(|server| server.beginnings.first());
        let near_server = || {
            let (server, rest) = entry.rsplit_once("__")?;
            let known = self.servers.iter().map(|server| server.name.as_str());
            nearest(server, known).map(|server| format!("{server}__{rest}")).filter(|meant| meant != entry)
        };
        let meant = nearest(written, names()).or_else(of_server).map(str::to_owned).or_else(near_server);
        if let Some(meant) = meant {
            return format!("did you mean '{meant}'?");
        }
        let first = self.tools.iter().filter_map(|names| names.first()).cloned();
        let known: Vec<String> = first.chain(beginnings().map(|beginning| format!("{beginning}*"))).collect();
        match known.as_slice() {
            [] => "it has none; add the tool, or remove this".to_owned(),
            known => format!("it has {}", known.join(", ")),
        }
    }
}

impl<T> ToolRules<T> {
    /// What the entries about a tool say.
    pub fn about<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a T> {
        let is_about = move |rule: &&ToolRule<T>| rule.names.contains(tool) || rule.pattern.means(tool);
        self.0.iter().filter(is_about).map(|rule| &rule.value)
    }

    /// Whether an entry is about tools whose names begin like this.
    pub fn reach(&self, beginning: &str) -> bool {
        let begins = |rule: &ToolRule<T>| rule.names.iter().any(|name| name.starts_with(beginning));
        self.0.iter().any(|rule| rule.pattern.reaches(beginning) || begins(rule))
    }

    /// Whether an entry is something else than one of these names.
    pub fn has_others_than(&self, names: &[&str]) -> bool {
        self.0.iter().any(|rule| !names.contains(&rule.pattern.0.as_str()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for ToolRules<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The tool that a permission rule of Claude Code is about: `Bash` of `Bash(git *)`.
pub fn rule_tool(rule: &str) -> &str {
    rule.split('(').next().unwrap_or_default().trim()
}

/// The words of a name: agents write the same name with other punctuation.
pub fn folded(name: &str) -> String {
    let words = name.split(|each: char| !each.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

fn plain(name: &str, more: &str) -> String {
    let fits = |each: char| each.is_ascii_alphanumeric() || more.contains(each);
    name.chars().map(|each| if fits(each) { each } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(known: &KnownTools, entry: &str) -> String {
        known.check(&entry.into()).unwrap_err().to_string()
    }

    #[test]
    fn an_entry_that_means_no_tool_is_refused_with_the_nearest_name() {
        let known = KnownTools::default().with_tool(["run_command"]).with_server("tracker", &[]);
        for entry in ["run_command", "run_*", "*", "tracker__x", "tracker__*", "tr*"] {
            assert_eq!(known.check(&entry.into()), Ok(()), "{entry}");
        }
        let prefix = |entry: &str| format!("'{entry}' matches no tool of the agent; ");
        for (entry, hint) in [
            ("run_comand", "did you mean 'run_command'?"),
            ("traker__x", "did you mean 'tracker__x'?"),
            ("tracker__", "it has run_command, tracker__*"),
            ("zebra*", "it has run_command, tracker__*"),
        ] {
            assert_eq!(refused(&known, entry), prefix(entry) + hint);
        }
        let listed = known.with_tools_of("tracker", &["delete".to_owned()]);
        assert_eq!(refused(&listed, "delete"), prefix("delete") + "did you mean 'tracker__delete'?");
        assert_eq!(
            refused(&listed, "tracker__delte"),
            prefix("tracker__delte") + "did you mean 'tracker__delete'?"
        );
        let none = "it has none; add the tool, or remove this";
        assert_eq!(refused(&KnownTools::default(), "x"), prefix("x") + none);
    }

    #[test]
    fn only_servers_that_are_named_in_part_have_to_be_listed() {
        let known = KnownTools::default().with_server("a", &[]).with_server("b", &["mcp__b"]);
        let unlisted = |entries: &[&str]| {
            let entries: Vec<ToolPattern> = entries.iter().map(|&entry| entry.into()).collect();
            let found = known.unlisted(&entries.iter().collect::<Vec<_>>());
            found.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(unlisted(&["*", "a__*", "read"]), "");
        assert_eq!(unlisted(&["a__x", "mcp__b__*"]), "a");
        assert_eq!(unlisted(&["a__x*", "mcp__b__y"]), "a b");
    }

    #[test]
    fn a_rule_is_about_every_name_of_its_tools() {
        let known = KnownTools::default().with_server("my.desk", &["mcp__my_desk", "my_desk"]);
        let known = known.with_tools_of("my.desk", &["a.b".to_owned(), "c".to_owned()]);
        let rules = known.resolve([("my.desk__a.b".into(), ())]).unwrap();
        for (name, is_about) in [
            ("my.desk__a.b", true),
            ("mcp__my_desk__a_b", true),
            ("my_desk__a_b", true),
            ("mcp__my_desk__c", false),
            ("a.b", false),
        ] {
            assert_eq!(rules.about(name).count() == 1, is_about, "{name}");
        }
        assert!(rules.reach("mcp__my_desk__") && !rules.reach("other__"));
        let is_stranger = |name: &str| known.is_stranger(&[name.to_owned()]);
        assert_eq!(["mcp__my_desk__d", "mcp__my_desk__c", "Bash"].map(is_stranger), [true, false, false]);
    }
}
