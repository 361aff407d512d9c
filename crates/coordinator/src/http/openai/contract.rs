//! The caller's contract, in the three forms in which clients send one.

use accord_api::{CallerTool, ToolChoice};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::invalid;
use super::tools::{Offered, Tool, offered};
use crate::error::Error;

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
    /// The functions that the model may call.
    pub(super) tools: Vec<CallerTool>,
    pub(super) choice: ToolChoice,
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
    let Offered { called, tools, choice } = offered(tools, tool_choice)?;
    let Some((name, parameters)) = called else {
        return Ok(Wanted { schema, form: Form::Text, tools, choice });
    };
    // Some clients send the same schema twice.
    let is_one = match &schema {
        Schema::None | Schema::Object => true,
        Schema::This(schema) => is_same(schema, &parameters),
    };
    match is_one {
        true => Ok(Wanted { schema: Schema::This(parameters), form: Form::Call(name), tools, choice }),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        let text = |schema| Ok(Wanted { schema, ..Wanted::default() });
        let call = Ok(Wanted {
            schema: Schema::This(schema.clone()),
            form: Form::Call("V".to_owned()),
            ..Wanted::default()
        });
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
    fn formats_that_cannot_be_met_are_refused() {
        let tool = json!({"type": "function", "name": "V", "parameters": {}});
        let schema = json!({"type": "json_schema", "schema": {}});
        let other = json!({"type": "function", "name": "V", "parameters": {"type": "object"}});
        let cases = [
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
