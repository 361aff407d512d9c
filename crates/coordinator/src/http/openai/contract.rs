//! The caller's contract, in the three forms in which clients send one.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::fields::invalid;
use crate::error::{Error, refuse};

/// How the caller wants the answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Form {
    #[default]
    Text,
    /// As the arguments of this function.
    Call(String),
}

/// What the caller asks of the answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Wanted {
    pub(super) schema: Schema,
    pub(super) form: Form,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Schema {
    /// The agent decides.
    #[default]
    None,
    /// Any JSON object, which a contract of the agent's own is enough for.
    Object,
    This(Value),
}

/// The format of an answer: `response_format`, or `text.format`.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[schema(as = OpenAiFormat)]
pub(super) struct Format {
    /// `text`, `json_object` or `json_schema`.
    #[serde(rename = "type")]
    kind: String,
    /// The schema of `text.format`.
    #[schema(value_type = Option<Object>)]
    schema: Option<Value>,
    /// The schema of `response_format`.
    json_schema: Option<NamedSchema>,
}

/// A schema with its name.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[schema(as = OpenAiNamedSchema)]
pub(super) struct NamedSchema {
    #[schema(value_type = Option<Object>)]
    schema: Option<Value>,
}

/// A tool of the caller: only a function that has to be called.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[schema(as = OpenAiTool)]
pub(super) struct Tool {
    /// `function`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Name, of `/v1/responses`.
    name: Option<String>,
    /// Parameters, of `/v1/responses`.
    #[schema(value_type = Option<Object>)]
    parameters: Option<Value>,
    /// Name and parameters, of `/v1/chat/completions`.
    function: Option<Function>,
}

/// A function of the caller.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[schema(as = OpenAiFunction)]
pub(super) struct Function {
    name: String,
    #[schema(value_type = Option<Object>)]
    parameters: Option<Value>,
}

/// What a request asks of the answer. `place` is where its format is, for errors.
pub(super) fn wanted(
    place: &str,
    format: Option<Format>,
    tools: Vec<Tool>,
    tool_choice: Option<&Value>,
) -> Result<Wanted, Error> {
    let schema = match format {
        None => Schema::None,
        Some(format) => of_format(place, format)?,
    };
    let Some((name, parameters)) = called(tools, tool_choice)? else {
        return Ok(Wanted { schema, form: Form::Text });
    };
    // Some clients send the same schema twice.
    let is_one = match &schema {
        Schema::None | Schema::Object => true,
        Schema::This(schema) => is_same(schema, &parameters),
    };
    match is_one {
        true => Ok(Wanted { schema: Schema::This(parameters), form: Form::Call(name) }),
        false => Err(invalid(
            place,
            format!("{place} and a tool that has to be called have different schemas; send one"),
        )),
    }
}

fn of_format(place: &str, format: Format) -> Result<Schema, Error> {
    let schema = format.schema.or(format.json_schema.and_then(|named| named.schema));
    match (format.kind.as_str(), schema) {
        ("text", _) => Ok(Schema::None),
        ("json_object", _) => Ok(Schema::Object),
        ("json_schema", Some(schema)) => Ok(Schema::This(schema)),
        ("json_schema", None) => Err(invalid(place, format!("{place}: the schema is missing"))),
        _ => Err(invalid(place, format!("{place}: expected type text, json_object or json_schema"))),
    }
}

/// Whether two schemas differ at most in their name and description.
fn is_same(schema: &Value, parameters: &Value) -> bool {
    let (Value::Object(schema), Value::Object(parameters)) = (schema, parameters) else {
        return schema == parameters;
    };
    let is_name = |keyword: &String| ["title", "description", "$schema"].contains(&keyword.as_str());
    let counted = |keywords: &Map<String, Value>| keywords.keys().filter(|keyword| !is_name(keyword)).count();
    let mut others = schema.iter().filter(|(keyword, _)| !is_name(keyword));
    counted(schema) == counted(parameters)
        && others.all(|(keyword, value)| parameters.get(keyword) == Some(value))
}

/// The function that has to be called, if there is one.
fn called(tools: Vec<Tool>, choice: Option<&Value>) -> Result<Option<(String, Value)>, Error> {
    if tools.is_empty() || choice.and_then(Value::as_str) == Some("none") {
        return Ok(None);
    }
    let unsupported = || {
        let message = "tools: agents bring their own tools; the only tool that a caller can send is one function that has to be called (tool_choice names it, or is 'required'): its parameters are the contract of the answer";
        Err(invalid("tools", message))
    };
    let Ok([tool]) = <[Tool; 1]>::try_from(tools) else { return unsupported() };
    let function = match (tool.function, tool.name) {
        (Some(function), _) => function,
        (None, Some(name)) => Function { name, parameters: tool.parameters },
        (None, None) => return unsupported(),
    };
    let is_function = tool.kind.as_deref().is_none_or(|kind| kind == "function");
    let is_forced = match choice {
        Some(Value::String(choice)) => choice == "required",
        Some(Value::Object(choice)) => {
            let name =
                choice.get("function").and_then(|function| function.get("name")).or(choice.get("name"));
            name.and_then(Value::as_str) == Some(&function.name)
        }
        _ => false,
    };
    if !is_function || !is_forced {
        return unsupported();
    }
    if !is_name(&function.name) {
        return Err(refuse("tools: expected a function name of 1 to 64 letters, digits, '_' and '-'"));
    }
    Ok(Some((function.name, function.parameters.unwrap_or_else(|| json!({"type": "object"})))))
}

/// OpenAI's own limit.
const LONGEST_NAME: usize = 64;

fn is_name(name: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-');
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(request: &Value) -> Result<Wanted, String> {
        let format = request.get("format").map(|format| serde_json::from_value(format.clone()).unwrap());
        let tools = request.get("tools").map(|tools| serde_json::from_value(tools.clone()).unwrap());
        wanted("response_format", format, tools.unwrap_or_default(), request.get("tool_choice"))
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn each_form_of_a_schema_is_the_contract() {
        let schema = json!({"type": "object", "required": ["a"]});
        let text = |schema| Ok(Wanted { schema, form: Form::Text });
        let call = Ok(Wanted { schema: Schema::This(schema.clone()), form: Form::Call("V".to_owned()) });
        let of_chat =
            json!({"type": "json_schema", "json_schema": {"name": "V", "schema": schema, "strict": true}});
        let of_responses = json!({"type": "json_schema", "name": "V", "schema": schema});
        let chat_tool = json!({"type": "function", "function": {"name": "V", "parameters": schema}});
        let tool = json!({"type": "function", "name": "V", "parameters": schema, "strict": true});
        let cases = [
            (json!({}), text(Schema::None)),
            (json!({"format": {"type": "text"}}), text(Schema::None)),
            (json!({"format": {"type": "json_object"}}), text(Schema::Object)),
            (json!({"format": of_chat}), text(Schema::This(schema.clone()))),
            (json!({"format": of_responses}), text(Schema::This(schema.clone()))),
            (json!({"tools": [], "tool_choice": "auto"}), text(Schema::None)),
            (json!({"tools": [tool], "tool_choice": "none"}), text(Schema::None)),
            (json!({"tools": [tool], "tool_choice": "required"}), call.clone()),
            (json!({"tools": [tool], "tool_choice": {"type": "function", "name": "V"}}), call.clone()),
            (
                json!({"tools": [chat_tool], "tool_choice": {"type": "function", "function": {"name": "V"}}}),
                call.clone(),
            ),
            (json!({"format": of_responses, "tools": [tool], "tool_choice": "required"}), call),
        ];
        for (request, expected) in cases {
            assert_eq!(asked(&request), expected, "{request}");
        }
    }

    #[test]
    fn tools_that_agents_cannot_call_are_refused() {
        let tool = json!({"type": "function", "name": "V", "parameters": {}});
        let schema = json!({"type": "json_schema", "schema": {}});
        let other = json!({"type": "function", "name": "V", "parameters": {"type": "object"}});
        let cases = [
            (json!({"tools": [tool]}), "tools: agents bring their own tools"),
            (
                json!({"tools": [tool, tool], "tool_choice": "required"}),
                "tools: agents bring their own tools",
            ),
            (
                json!({"tools": [{"type": "web_search"}], "tool_choice": "required"}),
                "tools: agents bring their own tools",
            ),
            (
                json!({"tools": [tool], "tool_choice": {"type": "function", "name": "W"}}),
                "tools: agents bring their own tools",
            ),
            (
                json!({"format": schema, "tools": [other], "tool_choice": "required"}),
                "response_format and a tool",
            ),
            (json!({"format": {"type": "json_schema"}}), "response_format: the schema is missing"),
            (
                json!({"format": {"type": "xml"}}),
                "response_format: expected type text, json_object or json_schema",
            ),
        ];
        for (request, expected) in cases {
            let message = asked(&request).unwrap_err();
            assert!(message.starts_with(expected), "{request}: {message}");
        }
    }
}
