//! Requests of clients, recorded for tests and for handlers.

use serde_json::Value;

use super::SUBMIT_TOOL;
use super::wire::{Wire, gemini_model};

/// A request to a model, as it was received.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// The protocol that its path belongs to.
    pub wire: Wire,
    pub path: String,
    /// Names in lower case, in the order received.
    pub headers: Vec<(String, String)>,
    /// The body; null if it was not JSON.
    pub body: Value,
}

impl RecordedRequest {
    /// The first header of this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The requested model; empty if none was named.
    pub fn model(&self) -> &str {
        let named = self.body.get("model").and_then(Value::as_str);
        named.or_else(|| gemini_model(&self.path).map(|(model, _)| model)).unwrap_or_default()
    }

    /// Whether the answer is to be streamed. Ollama streams by default.
    pub fn streams(&self) -> bool {
        if let Some((_, streams)) = gemini_model(&self.path) {
            return streams;
        }
        self.body.get("stream").and_then(Value::as_bool).unwrap_or(self.wire == Wire::Ollama)
    }

    /// The schema in the provider's own field.
    pub fn schema(&self) -> Option<&Value> {
        let at = |pointer| self.body.pointer(pointer);
        let schema = match self.wire {
            Wire::Anthropic => at("/output_config/format/schema").or_else(|| at("/output_format/schema")),
            Wire::Responses => at("/text/format/schema"),
            Wire::Chat => at("/response_format/json_schema/schema"),
            Wire::Ollama => at("/format"),
            Wire::Gemini => at("/generationConfig/responseJsonSchema"),
        };
        schema.filter(|schema| schema.is_object())
    }

    /// The names of the offered tools.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let declared = |tool| Value::get(tool, "functionDeclarations").and_then(Value::as_array);
        let tools =
            tools.iter().flat_map(|tool| declared(tool).map_or(std::slice::from_ref(tool), Vec::as_slice));
        let names = tools.filter_map(|tool| tool.get("name").or_else(|| tool.pointer("/function/name")));
        names.filter_map(Value::as_str).collect()
    }

    /// Whether the tool `submit_result` is offered.
    pub fn offers_submit(&self) -> bool {
        self.tools().contains(&SUBMIT_TOOL)
    }

    /// The text of the whole conversation: system prompt, prompts, previous answers, tool results,
    /// one per line.
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        for field in ["system", "systemInstruction", "instructions", "input", "messages", "contents"] {
            if let Some(value) = self.body.get(field) {
                gather(value, &mut lines);
            }
        }
        lines.join("\n")
    }

    /// The last message: the newest prompt, or the result of a tool.
    pub fn last_text(&self) -> String {
        let mut lines = Vec::new();
        let list = |field| self.body.get(field).and_then(Value::as_array);
        match list("messages").or_else(|| list("input")).or_else(|| list("contents")) {
            Some(messages) => messages.last().into_iter().for_each(|message| gather(message, &mut lines)),
            None => self.body.get("input").into_iter().for_each(|input| gather(input, &mut lines)),
        }
        lines.join("\n")
    }
}

/// Every text below a value. Other strings (roles, ids, names) are skipped.
fn gather<'a>(value: &'a Value, lines: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => lines.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, lines)),
        Value::Object(members) => {
            let texts = members.iter().filter(|(key, _)| {
                matches!(
                    key.as_str(),
                    "text" | "content" | "output" | "parts" | "functionResponse" | "response"
                )
            });
            texts.for_each(|(_, member)| gather(member, lines));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(wire: Wire, body: Value) -> RecordedRequest {
        RecordedRequest { wire, path: String::new(), headers: Vec::new(), body }
    }

    #[test]
    fn texts_are_found_in_every_protocol() {
        let anthropic = request(
            Wire::Anthropic,
            json!({"system": [{"type": "text", "text": "one"}], "messages": [
                {"role": "user", "content": "two"},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": "three"}]}]},
            ]}),
        );
        assert_eq!((anthropic.text().as_str(), anthropic.last_text().as_str()), ("one\ntwo\nthree", "three"));
        let responses = request(
            Wire::Responses,
            json!({"instructions": "one", "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "two"}]},
                {"type": "function_call_output", "call_id": "call_1", "output": "three"},
            ]}),
        );
        assert_eq!((responses.text().as_str(), responses.last_text().as_str()), ("one\ntwo\nthree", "three"));
        let short = request(Wire::Responses, json!({"input": "two"}));
        assert_eq!((short.text().as_str(), short.last_text().as_str()), ("two", "two"));
        let chat = request(Wire::Chat, json!({"messages": [{"role": "user", "content": "one"}]}));
        assert_eq!((chat.text().as_str(), chat.last_text().as_str()), ("one", "one"));
    }

    #[test]
    fn gemini_says_model_and_streaming_in_the_path() {
        let path = "/v1beta/models/some-model:streamGenerateContent?alt=sse";
        let contents = json!([
            {"role": "user", "parts": [{"text": "two"}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {"output": "three"}}}]},
        ]);
        let body = json!({"systemInstruction": {"parts": [{"text": "one"}]}, "contents": contents});
        let request = RecordedRequest { path: path.to_owned(), ..request(Wire::Gemini, body) };
        assert_eq!((request.model(), request.streams()), ("some-model", true));
        assert_eq!((request.text().as_str(), request.last_text().as_str()), ("one\ntwo\nthree", "three"));
    }

    #[test]
    fn schemas_tools_and_streaming_are_found_on_every_wire() {
        let schema = json!({"type": "object"});
        let flat = json!([{"name": "submit_result"}]);
        let nested = json!([{"type": "function", "function": {"name": "submit_result"}}]);
        let bodies = [
            (Wire::Anthropic, json!({"output_config": {"format": {"schema": schema}}, "tools": flat})),
            (Wire::Anthropic, json!({"output_format": {"schema": schema}, "tools": flat})),
            (Wire::Responses, json!({"text": {"format": {"schema": schema}}, "tools": flat})),
            (Wire::Chat, json!({"response_format": {"json_schema": {"schema": schema}}, "tools": nested})),
            (Wire::Ollama, json!({"format": schema, "tools": nested})),
            (
                Wire::Gemini,
                json!({"generationConfig": {"responseJsonSchema": schema}, "tools": [{"functionDeclarations": flat}]}),
            ),
        ];
        for (wire, body) in bodies {
            let request = request(wire, body);
            assert_eq!(
                (request.schema(), request.tools()),
                (Some(&schema), vec!["submit_result"]),
                "{wire:?}"
            );
            assert_eq!((request.offers_submit(), request.streams()), (true, wire == Wire::Ollama));
        }
        let plain = request(Wire::Ollama, json!({"format": "json", "stream": false}));
        assert_eq!((plain.schema(), plain.offers_submit(), plain.streams()), (None, false, false));
    }
}
