//! Permission requests of a CLI: a person decides about the calls that `approve` in the blueprint is about.
//!
//! A request that nobody has decided yet ends the turn, and the run waits without a runner. When somebody has decided, the
//! conversation is resumed, the model calls the tool again, and the request finds the decision in the journal.

use std::sync::Arc;

use accord_domain::agent::KnownTools;
use accord_domain::input_request::{Decision, ToolUse};

use crate::journal::Journal;
use crate::mcp::McpServers;
use crate::people::{Ask, ToolEntries, ToolPolicy};
use crate::session::OpenError;
use crate::start::Start;

/// What a model is told of a call that nothing allows.
const NOT_ALLOWED: &str = "this call is not allowed, and there is no interactive user to ask";

/// What a model is told of a call of a tool that its server did not list.
const NOT_LISTED: &str =
    "this tool was not in its server's list, so it is unknown whether a person has to approve the call";

/// A request of a CLI to call a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PermissionRequest {
    /// Unique in the run.
    pub(crate) id: String,
    pub(crate) tool: ToolUse,
    /// All names that the tool can have in `approve`.
    pub(crate) names: Vec<String>,
    /// Whether the blueprint allows the call, apart from `approve`.
    pub(crate) is_allowed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Permission {
    Allowed,
    /// With the reason, for the model.
    Denied(String),
    /// A person has to decide: the turn ends.
    Asked,
}

/// Decides about permission requests.
pub(crate) struct PermissionDesk {
    policy: ToolPolicy,
    known: KnownTools,
    journal: Arc<Journal>,
}

impl PermissionDesk {
    /// Resolves what the blueprint says about these tools. A server of which it names some tools is asked for all of them first:
    /// the CLI does not say which there are.
    pub(crate) async fn open(
        mut known: KnownTools,
        start: &Start,
        servers: Option<&McpServers>,
    ) -> Result<Self, OpenError> {
        let entries = start.tool_entries.clone();
        let unlisted: Vec<String> =
            known.unlisted(&entries.patterns()).into_iter().map(str::to_owned).collect();
        for server in start.mcp_servers.iter().filter(|server| unlisted.contains(&server.name)) {
            let tools = match servers {
                Some(servers) => servers
                    .tools_of(server, &start.project_dir)
                    .await
                    .map_err(|error| unlisted_error(&server.name, &error)),
                None => Err(unlisted_error(&server.name, &"MCP servers cannot be used here")),
            };
            known = known.with_tools_of(&server.name, &tools?);
        }
        Self::new(known, entries, Arc::clone(&start.journal))
    }

    pub(super) fn new(
        known: KnownTools,
        entries: ToolEntries,
        journal: Arc<Journal>,
    ) -> Result<Self, OpenError> {
        Ok(Self { policy: entries.resolve(&known)?, known, journal })
    }

    /// Whether a call may need the approval of a person.
    pub(crate) fn is_open(&self) -> bool {
        !self.policy.approvals().is_empty()
    }

    pub(crate) fn policy(&self) -> &ToolPolicy {
        &self.policy
    }

    /// Whether tools of an MCP server, which the CLI knows by this key, may need approval.
    pub(crate) fn holds_back(&self, server: &str, key: &str) -> bool {
        let beginnings = [format!("{server}__"), format!("{key}__"), format!("mcp__{key}__")];
        beginnings.iter().any(|beginning| self.policy.approvals().reach(beginning))
    }

    pub(crate) async fn decide(&self, request: PermissionRequest) -> Permission {
        match self.journal.use_decision(&request.tool).await {
            Some(Decision::Approved) => return Permission::Allowed,
            Some(Decision::Denied(reason)) => return Permission::Denied(reason),
            None => {}
        }
        if self.needs_person(&request) {
            self.ask(request);
            return Permission::Asked;
        }
        match request.is_allowed {
            true if self.known.is_stranger(&request.names) => Permission::Denied(NOT_LISTED.to_owned()),
            true => Permission::Allowed,
            false => Permission::Denied(NOT_ALLOWED.to_owned()),
        }
    }

    /// Notes what else a person has to decide, while a turn is ended for such a request.
    pub(crate) fn collect(&self, request: PermissionRequest) {
        let is_asking = !self.journal.asked().is_empty();
        if is_asking && self.needs_person(&request) && !self.is_decided(&request.tool) {
            self.ask(request);
        }
    }

    /// A call that its rule does not hold back, and that nothing else allows, is for a person too.
    fn needs_person(&self, request: &PermissionRequest) -> bool {
        let is_needed = |name: &String| self.policy.needs_approval(name, &request.tool.arguments);
        let is_mentioned = |name: &String| self.policy.may_need_approval(name);
        request.names.iter().any(is_needed) || !request.is_allowed && request.names.iter().any(is_mentioned)
    }

    fn is_decided(&self, tool: &ToolUse) -> bool {
        self.journal.decisions().iter().any(|(decided, _)| decided == tool)
    }

    fn ask(&self, PermissionRequest { id, tool, .. }: PermissionRequest) {
        self.journal.ask(vec![Ask::approval(id, tool)]);
    }
}

fn unlisted_error(server: &str, error: &dyn std::fmt::Display) -> OpenError {
    OpenError::Missing(format!(
        "the agent names tools of the MCP server '{server}', which could not be listed: {error}; use '{server}__*' to mean all of them"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::people::ApprovalRule;

    /// Commands with `rm`.
    #[derive(Debug)]
    struct HasRm;

    impl ApprovalRule for HasRm {
        fn holds(&self, arguments: &Value) -> bool {
            arguments.to_string().contains("rm")
        }
    }

    /// Commands with `rm` need approval, and so does every call of `pay`. The server `bank` has no other tool.
    fn desk(journal: &Arc<Journal>) -> PermissionDesk {
        let rule: Arc<dyn ApprovalRule> = Arc::new(HasRm);
        let approve = vec![("bank__pay".into(), None), ("run_command".into(), Some(rule))];
        let known = KnownTools::default().with_tool(["Bash", "run_command"]).with_server("bank", &[]);
        let known = known.with_tools_of("bank", &["pay".to_owned()]);
        let entries = ToolEntries { approve, effects: Vec::new() };
        PermissionDesk::new(known, entries, Arc::clone(journal)).unwrap()
    }

    fn request(names: &[&str], command: &str, is_allowed: bool) -> PermissionRequest {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let name = names.first().unwrap().clone();
        let tool = ToolUse { name, arguments: json!({"command": command}) };
        PermissionRequest { id: command.to_owned(), tool, names, is_allowed }
    }

    #[tokio::test]
    async fn a_person_decides_about_the_calls_in_approve() {
        let journal = Arc::new(Journal::none());
        let desk = desk(&journal);
        let bash = ["Bash", "run_command"];
        let denied = Permission::Denied(NOT_ALLOWED.to_owned());
        for (request, expected) in [
            (request(&bash, "ls", true), Permission::Allowed),
            (request(&bash, "rm x", true), Permission::Asked),
            // The rule does not hold it back, but nothing allows it either.
            (request(&bash, "cat /x", false), Permission::Asked),
            (request(&["bank__pay"], "all", true), Permission::Asked),
            (request(&["bank__transfer"], "all", true), Permission::Denied(NOT_LISTED.to_owned())),
            (request(&["Read", "read_file"], "/x", false), denied),
        ] {
            assert_eq!(desk.decide(request.clone()).await, expected, "{request:?}");
        }
        let asked: Vec<String> = journal.asked().into_iter().map(|ask| ask.call_id).collect();
        assert_eq!(asked, ["rm x", "cat /x", "all"]);
    }
}
