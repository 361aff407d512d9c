//! The arguments of the CLI.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::mcp_server::{McpServer, Reach};
use crate::session::OpenError;
use crate::turn::{Delivery, Turn};

use super::super::{CLAUDE_CODE, wrong};
use super::tools::Permissions;

/// Arguments that decide the protocol, or that a blueprint sets in another way. Passing them would break the
/// conversation.
const OWN: [(&str, &str); 18] = [
    ("-p", "Accord sets it"),
    ("--print", "Accord sets it"),
    ("--output-format", "Accord sets it"),
    ("--input-format", "Accord sets it"),
    ("--verbose", "Accord sets it"),
    ("--json-schema", "use `output_schema`"),
    ("-r", "resume the session instead"),
    ("--resume", "resume the session instead"),
    ("-c", "resume the session instead"),
    ("--continue", "resume the session instead"),
    ("--session-id", "Accord sets it"),
    ("--fork-session", "start a new session instead"),
    ("--no-session-persistence", "the conversation must be kept"),
    ("--mcp-config", "use `mcp_servers`"),
    ("--model", "use `model`"),
    ("--max-turns", "use `limits.max_steps`"),
    ("--max-budget-usd", "use `limits.max_cost_usd`"),
    ("--append-system-prompt", "use `system_prompt`"),
];

/// Arguments that could allow what `approve` holds back.
const PERMITTING: [&str; 5] = [
    "--settings",
    "--permission-mode",
    "--permission-prompt-tool",
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
];

/// Variables that turn off network access other than to the model.
pub(super) const QUIET: [(&str, &str); 5] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_BUG_COMMAND", "1"),
];

/// Its own attempts at a schema: one, because Accord re-prompts itself.
pub(super) const OWN_ATTEMPTS: (&str, &str) = ("MAX_STRUCTURED_OUTPUT_RETRIES", "1");

/// How often it retries a failed request, unless configured otherwise. Its default of ten takes three minutes, for a wrong
/// key too.
pub(super) const REPETITIONS: (&str, &str) = ("CLAUDE_CODE_MAX_RETRIES", "3");

/// Variables by which it would know that it runs inside another one of its kind, and behave so.
pub(super) const NESTED: [&str; 4] =
    ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"];

/// What cannot change while a process lives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setup {
    pub(super) system_prompt: String,
    pub(super) model: Option<String>,
    pub(super) mode: AnswerMode,
}

/// How the answer is to be given.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AnswerMode {
    Text,
    Native(Value),
    Tool(Value),
}

impl Setup {
    pub(super) fn new(turn: &Turn, model: Option<&str>) -> Self {
        let mode = match &turn.delivery {
            Delivery::Text | Delivery::Object => AnswerMode::Text,
            Delivery::Native { schema, .. } => AnswerMode::Native(schema.clone()),
            // The description is in the schema, because the server of the tool has no other place for it.
            Delivery::Tool { schema, .. } => AnswerMode::Tool(schema.clone()),
        };
        let model = turn.model.as_deref().or(model).map(str::to_owned);
        Self { system_prompt: turn.system_prompt.clone(), model, mode }
    }
}

pub(super) struct Files<'a> {
    pub(super) mcp_config: &'a Path,
    pub(super) system_prompt: Option<&'a Path>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) steps: u32,
    /// Money, for as long as the process lives.
    pub(super) cost_usd: Option<f64>,
}

/// All arguments, those of the blueprint last.
pub(super) fn list(
    setup: &Setup,
    permissions: &Permissions,
    files: &Files<'_>,
    resumed: Option<&str>,
    bounds: Bounds,
    own: &[String],
) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut add = |words: &[&str]| list.extend(words.iter().map(|&word| word.to_owned()));
    add(&["-p", "--output-format", "stream-json", "--input-format", "stream-json", "--strict-mcp-config"]);
    add(&["--mcp-config", &files.mcp_config.to_string_lossy()]);
    add(&["--tools", &permissions.available.join(",")]);
    if !permissions.allowed.is_empty() {
        add(&["--allowedTools"]);
        permissions.allowed.iter().for_each(|rule| add(&[rule]));
    }
    if !permissions.denied.is_empty() {
        add(&["--disallowedTools"]);
        permissions.denied.iter().for_each(|rule| add(&[rule]));
    }
    if !permissions.asked.is_empty() {
        let settings = json!({"permissions": {"ask": permissions.asked}});
        add(&["--permission-prompt-tool", "stdio", "--settings", &settings.to_string()]);
    }
    if let AnswerMode::Native(schema) = &setup.mode {
        add(&["--json-schema", &schema.to_string()]);
    }
    if let Some(file) = files.system_prompt {
        add(&["--append-system-prompt-file", &file.to_string_lossy()]);
    }
    if let Some(id) = resumed {
        // Without the latter it continues with the system prompt that the conversation began with.
        add(&["--resume", id, "--system-prompt-snapshot", "off"]);
    }
    if let Some(model) = &setup.model {
        add(&["--model", model]);
    }
    if let Some(most) = bounds.cost_usd {
        add(&["--max-budget-usd", &most.to_string()]);
    }
    // After lists of any length there must be an argument that ends them.
    add(&["--max-turns", &bounds.steps.max(1).to_string(), "--verbose"]);
    list.extend(own.iter().cloned());
    list
}

/// The MCP servers, as the CLI reads them.
pub(super) fn mcp_config(servers: &[&McpServer]) -> Value {
    let entry = |server: &&McpServer| {
        let reach = match &server.reach {
            Reach::Program { command, args, env } => {
                json!({"type": "stdio", "command": command, "args": args, "env": env})
            }
            Reach::Address { url, headers } | Reach::Coordinator { url, headers } => {
                json!({"type": "http", "url": url, "headers": headers})
            }
        };
        (server.name.clone(), reach)
    };
    json!({"mcpServers": servers.iter().map(entry).collect::<Map<String, Value>>()})
}

/// Refuses arguments of a blueprint that are not the blueprint's to set.
pub(super) fn check(own: &[String]) -> Result<(), OpenError> {
    for argument in own {
        let flag = argument.split('=').next().unwrap_or_default();
        if let Some((_, remedy)) = OWN.iter().find(|(name, _)| *name == flag) {
            return Err(wrong(&CLAUDE_CODE, format!("`args` contains '{flag}'; remove it: {remedy}")));
        }
    }
    Ok(())
}

/// Refuses arguments that could allow what a person has to approve.
pub(super) fn check_with_approvals(own: &[String]) -> Result<(), OpenError> {
    let flag = |argument: &String| argument.split('=').next().unwrap_or_default().to_owned();
    match own.iter().map(flag).find(|flag| PERMITTING.contains(&flag.as_str())) {
        Some(flag) => Err(wrong(
            &CLAUDE_CODE,
            format!("`args` contains '{flag}', which could bypass `approve`; remove one of them"),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole() {
        let schema = json!({"type": "object"});
        let setup = Setup {
            system_prompt: "be kind".to_owned(),
            model: Some("opus".to_owned()),
            mode: AnswerMode::Native(schema),
        };
        let permissions = Permissions {
            available: vec!["Read".to_owned(), "Bash".to_owned()],
            allowed: vec!["Bash(git *)".to_owned()],
            denied: vec!["Read(./a)".to_owned(), "Edit(./a)".to_owned()],
            asked: vec!["Bash".to_owned()],
        };
        let files =
            Files { mcp_config: Path::new("/s/mcp.json"), system_prompt: Some(Path::new("/s/system.md")) };
        let own = ["--effort".to_owned(), "low".to_owned()];
        let bounds = Bounds { steps: 50, cost_usd: Some(0.25) };
        let list = list(&setup, &permissions, &files, Some("id-1"), bounds, &own);
        let expected = [
            "-p",
            "--output-format",
            "stream-json",
            "--input-format",
            "stream-json",
            "--strict-mcp-config",
            "--mcp-config",
            "/s/mcp.json",
            "--tools",
            "Read,Bash",
            "--allowedTools",
            "Bash(git *)",
            "--disallowedTools",
            "Read(./a)",
            "Edit(./a)",
            "--permission-prompt-tool",
            "stdio",
            "--settings",
            r#"{"permissions":{"ask":["Bash"]}}"#,
            "--json-schema",
            r#"{"type":"object"}"#,
            "--append-system-prompt-file",
            "/s/system.md",
            "--resume",
            "id-1",
            "--system-prompt-snapshot",
            "off",
            "--model",
            "opus",
            "--max-budget-usd",
            "0.25",
            "--max-turns",
            "50",
            "--verbose",
            "--effort",
            "low",
        ];
        assert_eq!(list, expected);
    }

    #[test]
    fn reports_nothing_about_absent_fields() {
        let setup = Setup { system_prompt: String::new(), model: None, mode: AnswerMode::Text };
        let permissions =
            Permissions { available: Vec::new(), allowed: Vec::new(), denied: Vec::new(), asked: Vec::new() };
        let files = Files { mcp_config: Path::new("m"), system_prompt: None };
        let bounds = Bounds { steps: 1, cost_usd: None };
        let list = list(&setup, &permissions, &files, None, bounds, &[]);
        let expected = ["--mcp-config", "m", "--tools", "", "--max-turns", "1", "--verbose"];
        assert_eq!(list.get(6..).unwrap(), expected);
    }

    #[test]
    fn servers_are_written_as_the_cli_reads_them() {
        let text = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let program = Reach::Program {
            command: "npx".to_owned(),
            args: vec!["-y".to_owned()],
            env: text(&[("A", "b")]),
        };
        let address = Reach::Address {
            url: "http://h/mcp".to_owned(),
            headers: text(&[("Authorization", "Bearer x")]),
        };
        let one = McpServer { name: "one".to_owned(), reach: program };
        let two = McpServer { name: "two".to_owned(), reach: address };
        let expected = json!({"mcpServers": {
            "one": {"type": "stdio", "command": "npx", "args": ["-y"], "env": {"A": "b"}},
            "two": {"type": "http", "url": "http://h/mcp", "headers": {"Authorization": "Bearer x"}},
        }});
        assert_eq!(mcp_config(&[&one, &two]), expected);
    }

    #[test]
    fn arguments_that_break_the_conversation_are_rejected() {
        assert!(check(&["--effort".to_owned(), "low".to_owned()]).is_ok());
        let error = check(&["--output-format=json".to_owned()]).unwrap_err().to_string();
        assert!(error.ends_with("`args` contains '--output-format'; remove it: Accord sets it"), "{error}");
        let settings = ["--settings=x.json".to_owned()];
        assert!(check(&settings).is_ok());
        let error = check_with_approvals(&settings).unwrap_err().to_string();
        assert!(
            error.ends_with("`args` contains '--settings', which could bypass `approve`; remove one of them")
        );
    }
}
