//! A program that stands in for the agent CLIs: it writes the next of its texts whenever it has read a line.

use std::path::{Path, PathBuf};

use accord_domain::agent::ExecutorKind;
use serde_json::{Value, json};

use super::providers::Form;
use super::quoted;

const SCRIPT: &str = r#"#!/bin/sh
texts="$(dirname "$0")/texts"
test ! -e "$texts/0" || cat "$texts/0"
number=1
while read -r line; do
  test ! -e "$texts/$number" || cat "$texts/$number"
  test ! -e "$texts/end" || exit 0
  number=$((number + 1))
done
"#;

/// How long a program may take for a turn: far longer than it takes on a machine that does much else, so that a turn that ends by
/// its timeout is a hang.
const TURN_SECONDS: u32 = 200;

pub(super) struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        std::fs::write(&text, SCRIPT).unwrap();
        // Another program creates the executable: a file that this process has open for writing could not be executed.
        let mut install = std::process::Command::new("install");
        install.args(["-m", "755"]).arg(&text).arg(folder.path().join("program"));
        assert!(install.status().unwrap().success());
        Self { folder }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// What it writes, by the number of lines that it has read before. It exits after the first line if it has to.
    fn writes(&self, texts: &[(usize, String)], ends: bool) {
        let folder = self.folder.path().join("texts");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        for (number, text) in texts {
            std::fs::write(folder.join(number.to_string()), text).unwrap();
        }
        if ends {
            std::fs::write(folder.join("end"), "").unwrap();
        }
    }

    /// Makes it answer as an executor of this kind expects. False if the kind has no such form.
    pub(super) fn says(&self, kind: ExecutorKind, form: Form, text: &str) -> bool {
        let lines = match (kind, form) {
            (ExecutorKind::Process, Form::Raw) => return self.wrote(&[(0, text.to_owned())]),
            (_, Form::Raw) => return self.wrote(&[(1, format!("{text}\n"))]),
            (_, Form::Events) => {
                return self.wrote(&[(1, format!("{text}\n").repeat(4_000_000 / (text.len() + 8) + 1))]);
            }
            (kind, form) => spoken(kind, form),
        };
        let filled = |(number, line): &(usize, String)| {
            (*number, line.replace("TEXT", &quoted(text)).replace("JSON", text) + "\n")
        };
        self.writes(&lines.iter().map(filled).collect::<Vec<_>>(), false);
        !lines.is_empty()
    }

    fn wrote(&self, texts: &[(usize, String)]) -> bool {
        self.writes(texts, true);
        true
    }

    /// Settings of an executor of this kind that starts the program.
    pub(super) fn executor(&self, kind: ExecutorKind) -> Value {
        let command = self.path().display().to_string();
        match kind {
            ExecutorKind::Acp => {
                json!({"type": "acp", "command": [command], "timeout_seconds": TURN_SECONDS})
            }
            ExecutorKind::External => {
                json!({"type": "external", "command": command, "reprompt": false, "timeout_seconds": TURN_SECONDS})
            }
            kind => json!({"type": kind.name(), "command": command, "timeout_seconds": TURN_SECONDS}),
        }
    }
}

/// The lines of a conversation in which TEXT or JSON is the answer.
fn spoken(kind: ExecutorKind, form: Form) -> Vec<(usize, String)> {
    let is_text = form == Form::Text;
    let line = |number: usize, text: &str| (number, text.to_owned());
    match kind {
        ExecutorKind::ClaudeCode => {
            let answer =
                if is_text { r#""result":TEXT"# } else { r#""structured_output":JSON,"result":"a""# };
            let begins =
                r#"{"type":"system","subtype":"init","session_id":"s","mcp_servers":[],"model":"m"}"#;
            let ends = r#""type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","session_id":"s","total_cost_usd":0,"modelUsage":{}"#;
            vec![(1, format!("{begins}\n{{{ends},{answer}}}"))]
        }
        ExecutorKind::Codex => {
            let item = if is_text {
                r#"{"type":"agentMessage","id":"m","text":TEXT}"#
            } else {
                r#"{"type":"mcpToolCall","id":"m","server":"s","tool":"t","arguments":JSON,"status":"completed"}"#
            };
            let done = r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed","error":null}}}"#;
            let said = format!(r#"{{"method":"item/completed","params":{{"threadId":"t","item":{item}}}}}"#);
            vec![
                line(1, r#"{"id":1,"result":{"userAgent":"a"}}"#),
                line(3, r#"{"id":2,"result":{"thread":{"id":"t"},"model":"m"}}"#),
                (4, [r#"{"id":3,"result":{"turn":{"id":"u"}}}"#, &said, done].join("\n")),
            ]
        }
        ExecutorKind::Acp => {
            let update = if is_text {
                r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":TEXT}}"#
            } else {
                r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"completed","rawInput":JSON}"#
            };
            let said = format!(
                r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
            );
            vec![
                line(
                    1,
                    r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}"#,
                ),
                line(2, r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#),
                (
                    3,
                    [said.as_str(), r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#]
                        .join("\n"),
                ),
            ]
        }
        ExecutorKind::External => {
            let answer = if is_text {
                r#"{"type":"answer","text":TEXT}"#
            } else {
                r#"{"type":"answer","structured":JSON}"#
            };
            let hello = r#"{"type":"hello","protocol":1,"name":"a","capabilities":{"resume":false,"native_schema":false,"reprompt":false}}"#;
            vec![line(1, hello), line(2, answer)]
        }
        // A command has no protocol, and the others are no programs.
        ExecutorKind::Process | ExecutorKind::Llm | ExecutorKind::Human | ExecutorKind::Replay => Vec::new(),
    }
}

/// An MCP server whose tool has JSON as its schema, or TEXT as its result.
pub(super) fn server(program: &Program, form: Form, text: &str) {
    let (schema, result) = if form == Form::Arguments {
        (text.to_owned(), quoted("a"))
    } else {
        (r#"{"type":"object"}"#.to_owned(), quoted(text))
    };
    let hello = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;
    let tools =
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"t","inputSchema":{schema}}}]}}}}"#);
    let called =
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":{result}}}]}}}}"#);
    program
        .writes(&[(1, format!("{hello}\n")), (3, format!("{tools}\n")), (4, format!("{called}\n"))], false);
}

/// A recording in which JSON is an attempt, or the whole file is the text.
pub(super) fn cassette(folder: &Path, form: Form, text: &str) {
    let file = match form {
        Form::Raw | Form::Events => text.to_owned(),
        Form::Text | Form::Arguments => format!(
            r#"{{"accord_cassette": 1, "agent": {{}}, "parameters": {{}}, "exchanges": [], "attempts": {text}}}"#
        ),
    };
    std::fs::write(folder.join("cassette.json"), file).unwrap();
}
