//! The functions of a request.
//!
//! One that has to be called is the contract of the answer, which is how some clients ask for a structured answer. The others
//! are tools of the caller: the model may call them, and the caller answers with the next request.

use accord_api::{CallerTool, ToolChoice};
use accord_domain::caller_tools::any_object;
use accord_domain::id::InputId;
use serde::Deserialize;
use serde_json::Value;

use super::fields::invalid;
use super::input::Turn;
use crate::error::Error;

/// A function of the caller.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[schema(as = OpenAiTool)]
pub(super) struct Tool {
    /// `function`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Name, of `/v1/responses`.
    name: Option<String>,
    /// What it is for, of `/v1/responses`.
    description: Option<String>,
    /// Parameters, of `/v1/responses`.
    #[schema(value_type = Option<Object>)]
    parameters: Option<Value>,
    /// Name, description and parameters, of `/v1/chat/completions`.
    function: Option<Function>,
}

/// A function of the caller.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[schema(as = OpenAiFunction)]
pub(super) struct Function {
    name: String,
    description: Option<String>,
    #[schema(value_type = Option<Object>)]
    parameters: Option<Value>,
}

/// What a request says of functions.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Offered {
    /// The one that has to be called: its name and its parameters.
    pub(super) called: Option<(String, Value)>,
    /// Those that the model may call.
    pub(super) tools: Vec<CallerTool>,
    pub(super) choice: ToolChoice,
}

/// Reads `tools` and `tool_choice`.
pub(super) fn offered(tools: Vec<Tool>, choice: Option<&Value>) -> Result<Offered, Error> {
    let choice = choice.filter(|choice| !choice.is_null());
    if tools.is_empty() || choice.and_then(Value::as_str) == Some("none") {
        return Ok(Offered::default());
    }
    let mut tools = tools.into_iter().map(function).collect::<Result<Vec<_>, _>>()?;
    let called = |tool: CallerTool| {
        let called = Some((tool.name, tool.parameters));
        Offered { called, ..Offered::default() }
    };
    match choice {
        None => Ok(Offered { tools, ..Offered::default() }),
        Some(Value::String(word)) if word == "auto" => Ok(Offered { tools, ..Offered::default() }),
        Some(Value::String(word)) if word == "required" => Ok(match (tools.pop(), tools.is_empty()) {
            (Some(only), true) => called(only),
            (last, _) => {
                tools.extend(last);
                Offered { tools, choice: ToolChoice::Required, called: None }
            }
        }),
        Some(Value::Object(object)) => {
            let name =
                object.get("function").and_then(|function| function.get("name")).or(object.get("name"));
            let name = name.and_then(Value::as_str).ok_or_else(unknown_choice)?;
            let found = tools.into_iter().find(|tool| tool.name == name);
            found.map(called).ok_or_else(|| {
                let shown: String = name.chars().take(SHOWN).collect();
                invalid("tool_choice", format!("tool_choice: there is no function '{shown}' in tools"))
            })
        }
        Some(_) => Err(unknown_choice()),
    }
}

const SHOWN: usize = 64;

fn unknown_choice() -> Error {
    let message = "tool_choice: expected auto, required, none, or a function with its name";
    invalid("tool_choice", message)
}

fn function(tool: Tool) -> Result<CallerTool, Error> {
    if let Some(kind) = tool.kind.as_deref().filter(|kind| *kind != "function") {
        let shown: String = kind.chars().take(SHOWN).collect();
        let message = format!(
            "tools: expected functions, got '{shown}'; other tools belong to the agent: add them to its definition"
        );
        return Err(invalid("tools", message));
    }
    let function = match (tool.function, tool.name) {
        (Some(function), _) => function,
        (None, Some(name)) => Function { name, description: tool.description, parameters: tool.parameters },
        (None, None) => return Err(invalid("tools", "tools: expected a function with a name")),
    };
    Ok(CallerTool {
        name: function.name,
        description: function.description.unwrap_or_default(),
        parameters: function.parameters.filter(|schema| !schema.is_null()).unwrap_or_else(any_object),
        output_schema: None,
    })
}

/// The result of a call, as the caller sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallResult {
    pub(super) call_id: InputId,
    pub(super) text: String,
}

/// The results at the end of a request, if it ends with results of calls of ours. Others are part of its history.
pub(super) fn results(messages: &[Value], turns: &[Turn]) -> Vec<CallResult> {
    let ids = messages.iter().rev().map_while(answered_call);
    let turns = turns.iter().rev();
    let results = ids.zip(turns).map(|(id, turn)| {
        let call_id = id.parse().ok()?;
        Some(CallResult { call_id, text: turn.text.clone() })
    });
    let results: Option<Vec<CallResult>> = results.collect();
    let mut results = results.unwrap_or_default();
    results.reverse();
    results
}

/// The call that a message or an item has the result of.
fn answered_call(message: &Value) -> Option<&str> {
    let text = |name: &str| message.get(name).and_then(Value::as_str);
    match (text("role"), text("type")) {
        (Some("tool"), _) => text("tool_call_id"),
        (None, Some("function_call_output")) => text("call_id"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::input;
    use super::*;

    fn read(request: &Value) -> Result<Offered, String> {
        let tools = serde_json::from_value(request["tools"].clone()).unwrap();
        offered(tools, request.get("tool_choice")).map_err(|error| error.message().to_owned())
    }

    fn tool(name: &str) -> Value {
        json!({"type": "function", "function": {"name": name, "description": "d", "parameters": {"type": "object"}}})
    }

    #[test]
    fn functions_are_tools_unless_one_has_to_be_called() {
        let names = |offered: &Offered| {
            offered.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>().join(" ")
        };
        let flat = json!({"type": "function", "name": "b"});
        let both = json!([tool("a"), flat]);
        for (choice, called, offered, required) in [
            (Value::Null, None, "a b", ToolChoice::Auto),
            (json!("auto"), None, "a b", ToolChoice::Auto),
            (json!("none"), None, "", ToolChoice::Auto),
            (json!("required"), None, "a b", ToolChoice::Required),
            (json!({"type": "function", "function": {"name": "a"}}), Some("a"), "", ToolChoice::Auto),
            (json!({"type": "function", "name": "b"}), Some("b"), "", ToolChoice::Auto),
        ] {
            let read = read(&json!({"tools": both, "tool_choice": choice})).unwrap();
            let name = read.called.as_ref().map(|(name, _)| name.as_str());
            assert_eq!((name, names(&read).as_str(), read.choice), (called, offered, required), "{choice}");
        }
        let only = read(&json!({"tools": [tool("a")], "tool_choice": "required"})).unwrap();
        assert_eq!(only.called, Some(("a".to_owned(), json!({"type": "object"}))));
    }

    #[test]
    fn what_is_no_function_is_refused() {
        for (request, expected) in [
            (json!({"tools": [{"type": "web_search"}]}), "tools: expected functions, got 'web_search'"),
            (json!({"tools": [{"type": "function"}]}), "tools: expected a function with a name"),
            (json!({"tools": [tool("a")], "tool_choice": "any"}), "tool_choice: expected auto"),
            (
                json!({"tools": [tool("a")], "tool_choice": {"type": "allowed_tools"}}),
                "tool_choice: expected",
            ),
            (
                json!({"tools": [tool("a")], "tool_choice": {"type": "function", "name": "b"}}),
                "tool_choice: there is no function 'b'",
            ),
        ] {
            let message = read(&request).unwrap_err();
            assert!(message.starts_with(expected), "{request}: {message}");
        }
    }

    #[test]
    fn results_at_the_end_answer_calls() {
        let result = |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
        let user = json!({"role": "user", "content": "q"});
        let said = json!({"role": "assistant", "content": null, "tool_calls": []});
        let read = |messages: Value| {
            let messages = messages.as_array().unwrap();
            let results = results(messages, &input::of_messages(messages).unwrap());
            results.iter().map(|one| format!("{}={}", one.call_id, one.text)).collect::<Vec<_>>().join(" ")
        };
        let both = json!([user, said, result("inp_1", "one"), result("inp_2", "two")]);
        assert_eq!(read(both), "inp_1=one inp_2=two");
        assert_eq!(read(json!([user, said, result("inp_1", "one"), user])), "", "history");
        assert_eq!(
            read(json!([user, said, result("call_1", "one"), result("inp_2", "two")])),
            "",
            "of others"
        );
        let items = json!([
            {"role": "user", "content": "q"},
            {"type": "function_call", "name": "a", "call_id": "inp_1", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "inp_1", "output": "one"},
        ]);
        let turns = input::of_input(&items).unwrap();
        let found = results(items.as_array().unwrap(), &turns);
        assert_eq!((found.len(), found[0].text.as_str()), (1, "one"));
    }
}
