//! Entries that name tools: every executor × every field × every form of an entry.

use accord_domain::agent::{BUILT_IN_TOOLS, ExecutorKind};
use serde_json::{Value, json};

use super::problems_of;

/// The fields whose entries name tools.
const FIELDS: [&str; 3] = ["approve", "approve with a rule", "effects"];

/// An agent of this executor with the tools `run_command` and those of the servers `tracker` and `my-desk`, where it can have them,
/// and what its entries can be.
fn agent(kind: ExecutorKind) -> (Value, &'static [&'static str]) {
    let of_servers = ["tracker__delete", "tracker__*", "my-desk__a.b", "*"];
    let (executor, tools, entries): (Value, Value, &[&str]) = match kind {
        ExecutorKind::Llm => (
            json!({"type": "llm", "provider": "openai", "model": "m"}),
            json!(["run_command"]),
            &["run_command", "run_*"],
        ),
        ExecutorKind::ClaudeCode => (
            json!({"type": "claude-code", "allowed_tools": ["WebFetch(domain:a.b)", "mcp__tracker__delete"]}),
            json!(["run_command"]),
            &["run_command", "Bash", "WebFetch", "mcp__tracker__delete"],
        ),
        ExecutorKind::Codex => (
            json!({"type": "codex", "allowed_tools": ["web_search", "read-only"]}),
            json!(["run_command"]),
            &["run_command", "write_file", "mcp__tracker__delete"],
        ),
        ExecutorKind::Acp => (
            json!({"type": "acp", "command": ["gemini"], "allowed_tools": ["Shell"]}),
            json!([]),
            &["execute", "Shell", "mcp__tracker__delete"],
        ),
        ExecutorKind::Replay => {
            (json!({"type": "replay", "cassette": "c.json"}), json!(["run_command"]), &["run_command"])
        }
        ExecutorKind::Process => (json!({"type": "process", "command": "c"}), json!([]), &[]),
        ExecutorKind::External => (json!({"type": "external", "command": "c"}), json!([]), &[]),
        ExecutorKind::Human => (json!({"type": "human"}), json!([]), &[]),
    };
    let mut agent = json!({"name": "a", "executor": executor});
    if tools != json!([]) {
        agent["tools"] = tools;
    }
    if kind == ExecutorKind::Process {
        agent["type"] = json!("procedural");
    } else {
        agent["mcp_servers"] = json!({"tracker": {"command": "t"}, "my-desk": {"command": "d"}});
    }
    let mut all = entries.to_vec();
    if !entries.is_empty() {
        all.extend(of_servers);
    }
    (agent, all.leak())
}

/// The errors of an agent with this entry in this field.
fn errors(agent: &Value, field: &str, entry: &str) -> Vec<String> {
    let mut agent = agent.clone();
    match field {
        "approve" => agent["approve"] = json!([entry]),
        "approve with a rule" => agent["approve"] = json!([{"tool": entry, "when": "arguments.x > 1"}]),
        _ => agent["effects"] = json!({entry: "none"}),
    }
    let mut found = problems_of("agent.json", &agent.to_string());
    found.retain(|problem| !problem.contains("warning: "));
    found
}

#[test]
fn an_entry_that_matches_no_tool_is_an_error_for_every_executor_and_field() {
    let unknown =
        ["run_comand", "run-*", "Bsh", "traker__delete", "tracker_delete", "mcp__other__x", "delete", ""];
    for kind in ExecutorKind::ALL {
        let (agent, entries) = agent(kind);
        for field in FIELDS {
            for entry in entries {
                assert_eq!(errors(&agent, field, entry), [""; 0], "{} {field} {entry}", kind.name());
            }
            // What Codex and ACP agents do not call so, and what the others do not list.
            let unlisted = BUILT_IN_TOOLS.map(|(name, _)| name);
            let unlisted = unlisted.iter().filter(|name| !entries.contains(name)).copied();
            let no_calls = ["*", "run_command"].into_iter().filter(|_| entries.is_empty());
            for entry in unknown
                .into_iter()
                .filter(|entry| kind != ExecutorKind::Acp || *entry != "delete")
                .chain(unlisted)
                .chain(no_calls)
            {
                let found = errors(&agent, field, entry);
                assert_eq!(found.len(), 1, "{} {field} '{entry}': {found:?}", kind.name());
            }
        }
    }
    let (agent, _) = agent(ExecutorKind::Llm);
    let expected = "$.approve[0]: 'run_comand' matches no tool of the agent; did you mean 'run_command'?";
    let found = errors(&agent, "approve", "run_comand");
    assert!(found[0].ends_with(expected), "{found:?}");
}

#[test]
fn an_allowed_tool_that_cannot_be_there_is_an_error() {
    for (kind, entry, is_error) in [
        (ExecutorKind::ClaudeCode, "mcp__traker__delete", true),
        (ExecutorKind::ClaudeCode, "mcp__tracker", false),
        (ExecutorKind::ClaudeCode, "Bash(git *)", false),
        (ExecutorKind::Codex, "Bash", true),
        (ExecutorKind::Codex, "danger-full-access", false),
        (ExecutorKind::Acp, "Anything", false),
    ] {
        let (mut agent, _) = agent(kind);
        agent["executor"]["allowed_tools"] = json!([entry]);
        let mut found = problems_of("agent.json", &agent.to_string());
        found.retain(|problem| !problem.contains("warning: "));
        assert_eq!(found.len(), usize::from(is_error), "{} {entry}: {found:?}", kind.name());
    }
}

#[test]
fn a_requirement_that_no_runner_can_meet_is_an_error() {
    for kind in ExecutorKind::ALL {
        let (mut agent, _) = agent(kind);
        for (demands, is_error) in [
            (json!({"executor_type": kind.name(), "tags": ["gpu"]}), false),
            (json!({"executor_type": "lm"}), true),
            (json!({"tags": [""]}), true),
        ] {
            agent["demands"] = demands.clone();
            let mut found = problems_of("agent.json", &agent.to_string());
            found.retain(|problem| !problem.contains("warning: "));
            assert_eq!(found.len(), usize::from(is_error), "{} {demands}: {found:?}", kind.name());
        }
    }
}
