//! What the CLI says, a line at a time.
//!
//! Lines of kinds that are not known are passed over: new ones come with every version. A line that is no JSON object
//! is not passed over, because it means that something else is speaking.

use serde_json::Value;

use crate::json;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) session_id: Option<String>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A turn begins. MCP servers, by name and status.
    Begins {
        servers: Vec<(String, String)>,
        model: String,
    },
    Says(Message),
    /// A user message: results of tools, or a text of the CLI itself.
    User {
        results: Vec<ToolResult>,
        text: String,
    },
    /// A request to the model is repeated.
    Repeats {
        reason: String,
        milliseconds: u64,
    },
    Refuses {
        words: String,
    },
    /// A request to Accord, such as one for a permission to call a tool.
    Asks {
        request_id: String,
        call: Option<Call>,
    },
    Ends(Value),
    Other,
}

/// A message of the model, or a part of it. Parts of one message have the same id.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) nested: bool,
    /// Not the model's words but the CLI's, about an error of this kind.
    pub(super) error: Option<String>,
    /// Tokens as the model's service told them when the message began: all that were read, and hardly any written.
    pub(super) tokens: Tokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolResult {
    pub(super) call_id: String,
    pub(super) ok: bool,
    pub(super) text: String,
}

impl Line {
    /// None where it is not a JSON object.
    pub(super) fn read(text: &str) -> Option<Self> {
        let value = json::read(text).ok()?;
        value.as_object()?;
        let session_id = value.get("session_id").and_then(Value::as_str).map(str::to_owned);
        let kind = match (word(&value, "type"), word(&value, "subtype")) {
            ("system", "init") => Kind::Begins { servers: servers(&value), model: owned(&value, "model") },
            ("system", "api_retry") => Kind::Repeats {
                reason: repetition(&value),
                milliseconds: value.get("retry_delay_ms").and_then(Value::as_f64).unwrap_or_default() as u64,
            },
            ("system", "model_refusal_no_fallback") => {
                Kind::Refuses { words: owned(&value, "api_refusal_explanation") }
            }
            ("assistant", _) => Kind::Says(message(&value)),
            ("user", _) => user_message(&value),
            ("control_request", _) => {
                Kind::Asks { request_id: owned(&value, "request_id"), call: wanted(&value) }
            }
            ("result", _) => Kind::Ends(value),
            _ => Kind::Other,
        };
        Some(Self { session_id, kind })
    }
}

fn word<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn owned(value: &Value, name: &str) -> String {
    word(value, name).to_owned()
}

/// The call that a permission is asked for.
fn wanted(value: &Value) -> Option<Call> {
    let request = value.get("request").filter(|request| word(request, "subtype") == "can_use_tool")?;
    Some(Call {
        id: owned(request, "tool_use_id"),
        name: owned(request, "tool_name"),
        input: request.get("input").cloned().unwrap_or_default(),
    })
}

fn servers(value: &Value) -> Vec<(String, String)> {
    let list = value.get("mcp_servers").and_then(Value::as_array);
    list.into_iter().flatten().map(|server| (owned(server, "name"), owned(server, "status"))).collect()
}

fn repetition(value: &Value) -> String {
    let status = value.get("error_status").and_then(Value::as_u64);
    let error = word(value, "error");
    status.map_or_else(|| error.to_owned(), |status| format!("HTTP {status} {error}").trim().to_owned())
}

fn message(value: &Value) -> Message {
    let body = value.get("message").unwrap_or(&Value::Null);
    let mut message = Message {
        id: owned(body, "id"),
        model: owned(body, "model"),
        nested: value.get("parent_tool_use_id").is_some_and(Value::is_string),
        error: value.get("error").and_then(Value::as_str).map(str::to_owned),
        tokens: tokens(body),
        ..Message::default()
    };
    for block in blocks(body) {
        match word(block, "type") {
            "text" => message.text.push_str(word(block, "text")),
            "tool_use" => message.calls.push(Call {
                id: owned(block, "id"),
                name: owned(block, "name"),
                input: block.get("input").cloned().unwrap_or_default(),
            }),
            _ => {}
        }
    }
    message
}

/// Tokens of a cache were read too.
fn tokens(message: &Value) -> Tokens {
    let usage = message.get("usage");
    let count = |name: &str| usage.and_then(|usage| usage.get(name)?.as_u64()).unwrap_or_default();
    let read = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    let input = read.into_iter().map(count).fold(0, u64::saturating_add);
    Tokens { input, output: count("output_tokens") }
}

fn user_message(value: &Value) -> Kind {
    let body = value.get("message").unwrap_or(&Value::Null);
    let mut text = body.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut results = Vec::new();
    for block in blocks(body) {
        match word(block, "type") {
            "text" => text.push_str(word(block, "text")),
            "tool_result" => results.push(ToolResult {
                call_id: owned(block, "tool_use_id"),
                ok: block.get("is_error").and_then(Value::as_bool) != Some(true),
                text: content(block),
            }),
            _ => {}
        }
    }
    Kind::User { results, text }
}

fn blocks(message: &Value) -> &[Value] {
    message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// What a tool gave back, a text or blocks with texts.
fn content(block: &Value) -> String {
    match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(_)) => {
            blocks(block).iter().map(|each| word(each, "text")).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Kind {
        Line::read(&value.to_string()).unwrap().kind
    }

    #[test]
    fn rejects_lines_that_are_not_objects() {
        for text in [
            "",
            "hello",
            "[1]",
            "\"x\"",
            "{\"type\":",
            "{} {}",
            r#"{"structured_output":{"$serde_json::private::RawValue":"12"}}"#,
        ] {
            assert_eq!(Line::read(text), None, "{text}");
        }
        let line = Line::read(r#"{"type":"system","subtype":"new","session_id":"s"}"#).unwrap();
        assert_eq!(line, Line { session_id: Some("s".to_owned()), kind: Kind::Other });
    }

    #[test]
    fn each_kind_is_read() {
        let servers = vec![("a".to_owned(), "connected".to_owned()), ("b".to_owned(), "failed".to_owned())];
        let init = json!({"type": "system", "subtype": "init", "model": "m", "mcp_servers": [
            {"name": "a", "status": "connected"}, {"name": "b", "status": "failed", "source": "dynamic"}]});
        assert_eq!(read(init), Kind::Begins { servers, model: "m".to_owned() });
        let repeats = json!({"type": "system", "subtype": "api_retry", "retry_delay_ms": 587.5, "error_status": 529,
            "error": "overloaded"});
        assert_eq!(
            read(repeats),
            Kind::Repeats { reason: "HTTP 529 overloaded".to_owned(), milliseconds: 587 }
        );
        let says = json!({"type": "assistant", "parent_tool_use_id": null, "message": {"id": "m1", "model": "m",
            "usage": {"input_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 300,
                      "output_tokens": 4},
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"},
                        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"n": 1.50}}]}});
        let call = Call { id: "t1".to_owned(), name: "Bash".to_owned(), input: json!({"n": 1.5}) };
        let Kind::Says(message) = read(says) else { panic!("nothing is said") };
        assert_eq!(
            (message.id.as_str(), message.text.as_str(), message.nested, message.error),
            ("m1", "hi", false, None)
        );
        assert_eq!(message.tokens, Tokens { input: 321, output: 4 });
        assert_eq!(message.calls.first().map(|made| (&made.id, &made.name)), Some((&call.id, &call.name)));
        let told = json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": true},
            {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"type": "text", "text": "go on"}]}});
        let result =
            |id: &str, ok, text: &str| ToolResult { call_id: id.to_owned(), ok, text: text.to_owned() };
        let results = vec![result("t1", false, "no"), result("t2", true, "a\nb")];
        assert_eq!(read(told), Kind::User { results, text: "go on".to_owned() });
    }
}
