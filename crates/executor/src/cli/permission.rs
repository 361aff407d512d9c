//! Permission requests of a CLI: a person decides about the calls that `approve` in the blueprint is about.
//!
//! A request that nobody has decided yet ends the turn, and the run waits without a runner. When somebody has decided, the
//! conversation is resumed, the model calls the tool again, and the request finds the decision in the journal.

use std::sync::Arc;

use accord_domain::input_request::{Decision, ToolUse};

use crate::journal::Journal;
use crate::people::{Approvals, Ask};

/// What a model is told of a call that nothing allows.
const NOT_ALLOWED: &str = "this call is not allowed, and there is no interactive user to ask";

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
    pub(crate) approvals: Arc<dyn Approvals>,
    pub(crate) journal: Arc<Journal>,
}

impl PermissionDesk {
    /// Whether a call may need the approval of a person.
    pub(crate) fn is_open(&self) -> bool {
        !self.approvals.tools().is_empty()
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
        let is_needed = |name: &String| self.approvals.are_needed(name, &request.tool.arguments);
        let is_mentioned = |name: &String| self.approvals.mention(name);
        request.names.iter().any(is_needed) || !request.is_allowed && request.names.iter().any(is_mentioned)
    }

    fn is_decided(&self, tool: &ToolUse) -> bool {
        self.journal.decisions().iter().any(|(decided, _)| decided == tool)
    }

    fn ask(&self, PermissionRequest { id, tool, .. }: PermissionRequest) {
        self.journal.ask(vec![Ask::approval(id, tool)]);
    }
}

/// Whether an entry of `approve` is about tools of an MCP server, whose name is `key` to the CLI.
pub(crate) fn is_about_server(entry: &str, server: &str, key: &str) -> bool {
    let beginnings = [format!("mcp__{key}__"), format!("{key}__"), format!("{server}__")];
    match entry.strip_suffix('*') {
        Some(part) => {
            beginnings.iter().any(|beginning| beginning.starts_with(part) || part.starts_with(beginning))
        }
        None => beginnings.iter().any(|beginning| entry.starts_with(beginning)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Commands with `rm` need approval, and so does every call of `pay`.
    #[derive(Debug)]
    struct Rules;

    impl Approvals for Rules {
        fn are_needed(&self, tool: &str, arguments: &Value) -> bool {
            let has_rm = || arguments.to_string().contains("rm");
            tool == "pay" || tool == "run_command" && has_rm()
        }

        fn tools(&self) -> Vec<String> {
            vec!["pay".to_owned(), "run_command".to_owned()]
        }

        fn mention(&self, tool: &str) -> bool {
            self.tools().iter().any(|each| each == tool)
        }
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
        let desk = PermissionDesk { approvals: Arc::new(Rules), journal: Arc::clone(&journal) };
        let bash = ["Bash", "run_command"];
        let denied = Permission::Denied(NOT_ALLOWED.to_owned());
        for (request, expected) in [
            (request(&bash, "ls", true), Permission::Allowed),
            (request(&bash, "rm x", true), Permission::Asked),
            // The rule does not hold it back, but nothing allows it either.
            (request(&bash, "cat /x", false), Permission::Asked),
            (request(&["pay"], "all", true), Permission::Asked),
            (request(&["Read", "read_file"], "/x", false), denied),
        ] {
            assert_eq!(desk.decide(request.clone()).await, expected, "{request:?}");
        }
        let asked: Vec<String> = journal.asked().into_iter().map(|ask| ask.call_id).collect();
        assert_eq!(asked, ["rm x", "cat /x", "all"]);
    }
}
