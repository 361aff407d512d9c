//! Settings of ACP agents.

use super::problems_of;

fn found(executor: &str, extra: &str) -> Vec<String> {
    problems_of("agent.yaml", &format!("name: a\nexecutor: {executor}\n{extra}\n"))
}

#[test]
fn takes_a_command_with_its_arguments() {
    let all = "{ type: acp, command: [gemini, --acp], model: m, auth_method: key, env: { A: b }, allowed_tools: [read], timeout_seconds: 60 }";
    assert_eq!(found(all, ""), Vec::<String>::new());
}

#[test]
fn rejects_unsuitable_settings() {
    for (executor, extra, expected) in [
        ("{ type: acp }", "", "missing field 'command'"),
        (
            "{ type: acp, command: [] }",
            "",
            "$.executor.command: expected the agent and its arguments, for example [gemini, --acp]",
        ),
        (
            "{ type: acp, command: gemini }",
            "",
            "$.executor.command: expected a list, got the string \"gemini\"",
        ),
        (
            "{ type: acp, command: ['--acp'] }",
            "",
            "$.executor.command[0]: '--acp' would be parsed as an option",
        ),
        ("{ type: acp, command: [x], model: '' }", "", "$.executor.model: the model is empty"),
        ("{ type: acp, command: [x], timeout_seconds: 0 }", "", "$.executor.timeout_seconds: expected 1 to"),
        (
            "{ type: acp, command: [x] }",
            "tools: [read_file]",
            "an executor of type acp does not support built-in tools",
        ),
        (
            "{ type: acp, command: [x] }",
            "limits: { max_cost_usd: 1 }",
            "an ACP agent need not report its cost",
        ),
    ] {
        let found = found(executor, extra);
        assert!(matches!(found.as_slice(), [only] if only.contains(expected)), "{executor}: {found:?}");
    }
}
