//! Whether the agent CLIs are installed.

use std::ffi::OsString;
use std::path::Path;

use accord_api::{AgentSummary, AgentView};
use accord_executor::{ACP, CLAUDE_CODE, CODEX, Program};

use super::check::Check;

const NAME: &str = "programs";

const PROGRAMS: [Program; 2] = [CLAUDE_CODE, CODEX];

pub(super) fn checks(
    agents: &[AgentSummary],
    project: &Path,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Vec<Check> {
    let check = |program: Program| {
        let Program { executable, executor, variable, .. } = program;
        let is_needed = agents.iter().any(|agent| agent.executor_type == executor);
        let is_named = environment(variable).is_some_and(|value| !value.is_empty());
        match program.find(None, project, &environment) {
            Ok(file) => Check::ok(NAME, format!("{executable}: {}", file.display())),
            Err(error) if is_needed || is_named => {
                let remedy = format!("install it, or set {variable} or the executor's command to its path");
                Check::warn(
                    NAME,
                    error.to_string(),
                    format!("{remedy}; agents with the executor {executor} need it"),
                )
            }
            Err(_) => Check::ok(NAME, format!("{executable}: not on the PATH (no agent needs it)")),
        }
    };
    PROGRAMS.into_iter().map(check).collect()
}

/// Agents that speak ACP and are not installed. A runner elsewhere may have them.
pub(super) fn acp_agents(
    agents: &[AgentView],
    project: &Path,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Vec<Check> {
    let missing = |agent: &AgentView| {
        let executor = agent.blueprint.get("executor")?;
        executor.get("type").filter(|kind| *kind == ACP.executor)?;
        let command = executor.get("command")?.get(0)?.as_str()?;
        let error = ACP.find(Some(command), project, &environment).err()?;
        let message = format!("{}: {error}", agent.summary.name);
        Some(Check::warn(NAME, message, "install it, or set the executor's command to its path"))
    };
    agents.iter().filter_map(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_missing_acp_agent_is_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let agent = |kind: &str| -> AgentView {
            let executor = json!({"type": kind, "command": ["./gemini", "--acp"]});
            serde_json::from_value(json!({
                "summary": {
                    "name": "a", "description": "", "type": "autonomous", "executor_type": kind, "model": null,
                    "tags": [], "source": "file", "valid": true, "has_parameters_schema": false,
                    "has_output_schema": false, "problems": [],
                },
                "blueprint": {"name": "a", "executor": executor}, "hash": "h",
            }))
            .unwrap()
        };
        let found = acp_agents(&[agent("acp"), agent("external")], folder.path(), |_| None);
        let message = "a: the ACP agent cannot be started: the blueprint's `command` is './gemini', which is not an executable file";
        let remedy = "install it, or set the executor's command to its path";
        assert_eq!(found, [Check::warn(NAME, message, remedy)]);
    }

    #[test]
    fn a_missing_program_is_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claude");
        let named = |name: &str| (name == "ACCORD_CLAUDE_CODE_BIN").then(|| file.clone().into_os_string());
        let found = checks(&[], folder.path(), named);
        let message = format!(
            "Claude Code cannot be started: ACCORD_CLAUDE_CODE_BIN is '{}', which is not an executable file",
            file.display()
        );
        let remedy = "install it, or set ACCORD_CLAUDE_CODE_BIN or the executor's command to its path; agents with the executor claude-code need it";
        let codex = Check::ok(NAME, "codex: not on the PATH (no agent needs it)");
        assert_eq!(found, [Check::warn(NAME, message, remedy), codex]);
    }
}
