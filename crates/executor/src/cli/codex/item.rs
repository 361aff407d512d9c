//! What Codex does in a turn. Both ways report the same items, in different spellings.

use serde_json::{Value, json};

use super::super::SUBMIT_SERVER;
use super::super::transcript::Item;

pub(super) fn read(item: &Value) -> Item {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let either =
        |camel: &str, snake: &str| item.get(camel).or_else(|| item.get(snake)).cloned().unwrap_or_default();
    let ok = text("status") == "completed";
    let call_id = text("id");
    match text("type").as_str() {
        "agentMessage" | "agent_message" => Item::Message(text("text")),
        "commandExecution" | "command_execution" => {
            let output = either("aggregatedOutput", "aggregated_output");
            let code = either("exitCode", "exit_code");
            Item::Tool {
                call_id,
                name: "shell".to_owned(),
                arguments: json!({"command": text("command")}),
                ok: ok && code.as_i64().unwrap_or_default() == 0,
                output: output.as_str().unwrap_or_default().to_owned(),
            }
        }
        "mcpToolCall" | "mcp_tool_call" if text("server") == SUBMIT_SERVER => Item::Submission { ok },
        "mcpToolCall" | "mcp_tool_call" => Item::Tool {
            call_id,
            name: format!("mcp__{}__{}", text("server"), text("tool")),
            arguments: item.get("arguments").cloned().unwrap_or_default(),
            ok,
            output: result(item),
        },
        "fileChange" | "file_change" => Item::Tool {
            call_id,
            name: "apply_patch".to_owned(),
            arguments: json!({"changes": item.get("changes")}),
            ok,
            output: String::new(),
        },
        "webSearch" | "web_search" => Item::Tool {
            call_id,
            name: "web_search".to_owned(),
            arguments: json!({"query": item.get("query")}),
            ok: true,
            output: String::new(),
        },
        _ => Item::Other,
    }
}

/// What a tool of an MCP server answered: its texts, or its error.
fn result(item: &Value) -> String {
    if let Some(error) = item.pointer("/error/message").and_then(Value::as_str) {
        return error.to_owned();
    }
    let parts = item.pointer("/result/content").and_then(Value::as_array);
    let texts = parts.into_iter().flatten().filter_map(|part| part.get("text").and_then(Value::as_str));
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, arguments: Value, ok: bool, output: &str) -> Item {
        let (name, output) = (name.to_owned(), output.to_owned());
        Item::Tool { call_id: "1".to_owned(), name, arguments, ok, output }
    }

    #[test]
    fn both_spellings_are_read() {
        let camel = json!({"type": "commandExecution", "id": "1", "command": "ls", "status": "completed",
            "aggregatedOutput": "a\n", "exitCode": 0});
        let snake = json!({"type": "command_execution", "id": "1", "command": "ls", "status": "completed",
            "aggregated_output": "a\n", "exit_code": 0});
        let ran = tool("shell", json!({"command": "ls"}), true, "a\n");
        assert_eq!((read(&camel), read(&snake)), (ran.clone(), ran));
        let failed = json!({"type": "command_execution", "id": "1", "command": "ls", "status": "completed",
            "aggregated_output": "", "exit_code": 2});
        assert_eq!(read(&failed), tool("shell", json!({"command": "ls"}), false, ""));
        let message = json!({"type": "agentMessage", "id": "1", "text": "hi"});
        assert_eq!(read(&message), Item::Message("hi".to_owned()));
        assert_eq!(read(&json!({"type": "reasoning"})), Item::Other);
        assert_eq!(read(&json!(null)), Item::Other);
    }

    #[test]
    fn tools_of_servers_tell_their_answer_or_their_error() {
        let called = json!({"type": "mcp_tool_call", "id": "1", "server": "fk", "tool": "add", "arguments": {"a": 2},
            "result": {"content": [{"type": "text", "text": "5"}]}, "error": null, "status": "completed"});
        assert_eq!(read(&called), tool("mcp__fk__add", json!({"a": 2}), true, "5"));
        let failed = json!({"type": "mcpToolCall", "id": "1", "server": "fk", "tool": "add", "arguments": {"a": 2},
            "result": null, "error": {"message": "no"}, "status": "failed"});
        assert_eq!(read(&failed), tool("mcp__fk__add", json!({"a": 2}), false, "no"));
        let submitted = json!({"type": "mcpToolCall", "server": "accord_submit", "tool": "submit_result",
            "status": "completed"});
        assert_eq!(read(&submitted), Item::Submission { ok: true });
    }
}
