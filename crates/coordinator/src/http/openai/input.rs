//! Messages become the input of an agent or of a workflow.
//!
//! An agent has one prompt, or parameters. What comes before it is a conversation ([`super::conversation`]). Nothing of what was
//! sent is left out.

use accord_api::ErrorName;
use accord_domain::run::SaidCall;
use accord_json::{Checked, Limits, read_strictly};
use serde_json::{Value, json};

use super::conversation;
use super::fields::invalid;
use super::files;
use crate::error::Error;
use crate::http::incoming::{MOST_VALUES, SMALL_BYTES};
use crate::work;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    System,
    User,
    Assistant,
    Tool,
}

/// What one side said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) side: Side,
    pub(super) text: String,
    /// The calls in it, of an assistant.
    pub(super) calls: Vec<SaidCall>,
    /// The call that it answers, of a tool.
    pub(super) answers: String,
}

impl Turn {
    pub(super) fn new(side: Side, text: impl Into<String>) -> Self {
        Self { side, text: text.into(), calls: Vec::new(), answers: String::new() }
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }
}

/// The text of a member, or none.
fn text_of(item: &Value, pointer: &str) -> String {
    item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The turns of `messages`.
pub(super) fn of_messages(messages: &[Value]) -> Result<Vec<Turn>, Error> {
    let turns = messages.iter().enumerate().map(|(index, message)| {
        let place = format!("messages[{index}]");
        let mut turn = of_message(&place, message)?;
        let calls = message.get("tool_calls").and_then(Value::as_array);
        let call = |call: &Value| SaidCall {
            id: text_of(call, "/id"),
            name: text_of(call, "/function/name"),
            arguments: text_of(call, "/function/arguments"),
        };
        turn.calls = calls.into_iter().flatten().map(call).collect();
        turn.answers = text_of(message, "/tool_call_id");
        Ok(turn)
    });
    turns.collect()
}

/// The turns of `input`: a string, or items.
pub(super) fn of_input(input: &Value) -> Result<Vec<Turn>, Error> {
    let items = match input {
        Value::String(text) => return Ok(vec![Turn::new(Side::User, text)]),
        Value::Array(items) => items,
        _ => return Err(invalid("input", "input: expected a string or a list of items")),
    };
    let mut turns = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = format!("input[{index}]");
        match item.get("type").and_then(Value::as_str) {
            None | Some("message") => turns.push(of_message(&place, item)?),
            Some("function_call") => {
                let call = SaidCall {
                    id: text_of(item, "/call_id"),
                    name: text_of(item, "/name"),
                    arguments: text_of(item, "/arguments"),
                };
                // Calls that follow each other, or a message, were made in one go.
                match turns.last_mut().filter(|last: &&mut Turn| last.side == Side::Assistant) {
                    Some(last) => last.calls.push(call),
                    None => turns.push(Turn { calls: vec![call], ..Turn::new(Side::Assistant, "") }),
                }
            }
            Some("function_call_output") => {
                let text = content(&place, "output", item.get("output"))?;
                turns.push(Turn { answers: text_of(item, "/call_id"), ..Turn::new(Side::Tool, text) });
            }
            // What a model thought is not for others to read.
            Some("reasoning") => {}
            Some(other) => {
                return Err(invalid(
                    &place,
                    format!("{place}: items of type '{}' are not supported; send messages", shown(other)),
                ));
            }
        }
    }
    Ok(turns)
}

fn of_message(place: &str, message: &Value) -> Result<Turn, Error> {
    let side = match message.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Side::System,
        Some("user") => Side::User,
        Some("assistant") => Side::Assistant,
        Some("tool" | "function") => Side::Tool,
        _ => {
            let expected = "expected role system, developer, user, assistant or tool";
            return Err(invalid(place, format!("{place}: {expected}")));
        }
    };
    Ok(Turn::new(side, content(place, "content", message.get("content"))?))
}

/// The text of a string or of a list of parts.
fn content(place: &str, field: &str, content: Option<&Value>) -> Result<String, Error> {
    let parts = match content {
        None | Some(Value::Null) => return Ok(String::new()),
        Some(Value::String(text)) => return Ok(text.clone()),
        Some(Value::Array(parts)) => parts,
        Some(_) => {
            return Err(invalid(place, format!("{place}.{field}: expected a string or a list of parts")));
        }
    };
    let mut whole = String::new();
    for (index, part) in parts.iter().enumerate() {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let name = match kind {
            "text" | "input_text" | "output_text" => "text",
            "refusal" => "refusal",
            // Read on their own, and given to the run.
            file if files::is_file(file) => continue,
            _ => {
                let message = format!(
                    "{place}.{field}[{index}]: expected a part of type text, image_url, file, input_image or input_file, got '{}'",
                    shown(kind)
                );
                return Err(invalid(place, message));
            }
        };
        append(&mut whole, part.get(name).and_then(Value::as_str).unwrap_or_default());
    }
    Ok(whole)
}

/// How much of an unknown type is shown.
const SHOWN: usize = 40;

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Adds a text on a line of its own. In place: a message can have a hundred thousand parts, and a copy for each would take a minute.
fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

/// The input of a workflow: as an agent's, a prompt, or the JSON in the last user message if its input has a schema. A schema of
/// strings is that of a prompt.
pub(super) async fn of_workflow(name: &str, schema: Option<&Value>, turns: &[Turn]) -> Result<Value, Error> {
    let Some(schema) = schema else { return Ok(json!({"prompt": conversation::in_one(turns)?})) };
    if schema.get("type").and_then(Value::as_str) == Some("string") {
        return conversation::in_one(turns).map(Value::String);
    }
    let parsed = last_message_as_json(turns).await?;
    parsed.map_err(|error| {
        let message = format!(
            "the input of workflow '{name}' has a schema: expected it as JSON in the last user message, got text that is not JSON ({error})"
        );
        Error::new(ErrorName::ParameterValidationFailed, message)
    })
}

fn last_message(turns: &[Turn]) -> &str {
    let last = turns.iter().rev().find(|turn| turn.side == Side::User);
    last.map(|turn| turn.text.as_str()).unwrap_or_default()
}

/// The JSON in the last user message: a text within a body, so its values are counted here.
async fn last_message_as_json(turns: &[Turn]) -> Result<serde_json::Result<Value>, Error> {
    let text = last_message(turns).to_owned();
    let is_small = text.len() <= SMALL_BYTES;
    let limits = Limits { values: MOST_VALUES, ..Limits::WHOLE };
    let read = move || read_strictly(&Checked::new(text, limits)?);
    if is_small { Ok(read()) } else { work::heavy(move |_| read()).await }
}

/// The parameters of an agent with a `parameters_schema`: the last user message, which has to be JSON, or the text itself where the
/// agent needs one text.
pub(super) async fn parameters(agent: &str, schema: &Value, turns: &[Turn]) -> Result<Value, Error> {
    let parsed = last_message_as_json(turns).await?;
    match (parsed, only_text(schema)) {
        (Ok(value @ Value::Object(_)), _) => Ok(value),
        (_, Some(name)) => Ok(json!({ name: last_message(turns) })),
        (other, None) => {
            let got = match other {
                Ok(_) => "another JSON value".to_owned(),
                Err(error) => format!("text that is not JSON ({error})"),
            };
            let message = format!(
                "agent '{agent}' has a parameters_schema: expected its parameters as a JSON object in the last user message, got {got}"
            );
            Err(Error::new(ErrorName::ParameterValidationFailed, message))
        }
    }
}

/// The only required parameter, if it is a string.
fn only_text(schema: &Value) -> Option<&str> {
    let [name] = schema.get("required")?.as_array()?.as_slice() else { return None };
    let kind = schema.get("properties")?.get(name.as_str()?)?.get("type")?;
    (kind == "string").then(|| name.as_str()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a copy of the text for each part, this took a minute.
    #[test]
    fn many_parts_are_one_text() {
        let parts = vec![json!({"type": "text", "text": "a".repeat(30)}); 100_000];
        let messages = json!([{"role": "user", "content": parts}]);
        let since = std::time::Instant::now();
        let turns = of_messages(messages.as_array().unwrap()).unwrap();
        assert_eq!(turns.iter().map(|turn| turn.text.len()).collect::<Vec<_>>(), [31 * 100_000 - 1]);
        assert!(since.elapsed() < std::time::Duration::from_secs(5), "{:?}", since.elapsed());
    }

    #[test]
    fn what_cannot_be_passed_on_is_refused() {
        let audio = json!({"type": "input_audio", "input_audio": {"data": "x"}});
        let cases = [
            (
                json!([{"role": "alien", "content": "a"}]),
                "messages[0]: expected role system, developer, user, assistant or tool",
            ),
            (
                json!([{"role": "user", "content": 1}]),
                "messages[0].content: expected a string or a list of parts",
            ),
            (
                json!([{"role": "user", "content": [audio]}]),
                "messages[0].content[0]: expected a part of type text, image_url, file, input_image or input_file, got 'input_audio'",
            ),
        ];
        for (messages, expected) in cases {
            let error = of_messages(messages.as_array().unwrap()).unwrap_err();
            assert_eq!(error.message(), expected, "{messages}");
        }
        let item = json!([{"type": "item_reference", "id": "a"}]);
        let error = of_input(&item).unwrap_err();
        assert_eq!(
            error.message(),
            "input[0]: items of type 'item_reference' are not supported; send messages"
        );
    }

    #[tokio::test]
    async fn parameters_keep_their_numbers() {
        let turns = of_input(&json!("{\"n\": 1.50, \"big\": 18446744073709551616}")).unwrap();
        let any = json!({"type": "object"});
        assert_eq!(
            parameters("a", &any, &turns).await.unwrap().to_string(),
            "{\"n\":1.50,\"big\":18446744073709551616}"
        );
        for text in ["hello", "[1]", "{\"a\":1,\"a\":2}"] {
            let error = parameters("a", &any, &of_input(&json!(text)).unwrap()).await.unwrap_err();
            assert_eq!(error.name(), ErrorName::ParameterValidationFailed, "{text}");
        }
    }

    #[tokio::test]
    async fn a_text_is_the_only_required_string() {
        let text = json!({"type": "string"});
        let one = json!({"required": ["text"], "properties": {"text": text, "language": text}});
        let two = json!({"required": ["text", "language"], "properties": {"text": text, "language": text}});
        let number = json!({"required": ["text"], "properties": {"text": {"type": "number"}}});
        let asked = |schema: Value, text: &'static str| async move {
            parameters("a", &schema, &of_input(&json!(text)).unwrap()).await.ok()
        };
        assert_eq!(asked(one.clone(), "Hello [1]").await, Some(json!({"text": "Hello [1]"})));
        assert_eq!(asked(one.clone(), "[1]").await, Some(json!({"text": "[1]"})));
        assert_eq!(asked(one, "{\"text\": \"a\"}").await, Some(json!({"text": "a"})));
        assert_eq!(asked(two, "Hello").await, None);
        assert_eq!(asked(number, "12").await, None);
    }
}
