//! The tools that a server lists, checked for what models and providers accept.

use accord_domain::agent::IDEMPOTENCY_KEY;
use serde_json::{Map, Value, json};

use super::error::McpError;
use super::limits::{DESCRIPTION_CHARACTERS, SCHEMA_BYTES, TOOLS};
use super::secrets::Secrets;
use crate::toolbox::Effect;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListedTool {
    pub(super) name: String,
    /// The same, as a model may read it.
    pub(super) shown: String,
    pub(super) description: String,
    pub(super) parameters: Value,
    pub(super) effect: Effect,
}

/// Reads one page of tools, behind those that are there. What the server was given in secret is not in what a model reads.
pub(super) fn page(result: &Value, tools: &mut Vec<ListedTool>, secrets: &Secrets) -> Result<(), McpError> {
    let Some(listed) = result.get("tools").and_then(Value::as_array) else {
        return Err(McpError::Broken("its tool list is not a list".to_owned()));
    };
    if tools.len() + listed.len() > TOOLS {
        let count = tools.len() + listed.len();
        return Err(McpError::Broken(format!("it has {count} tools or more; the limit is {TOOLS}")));
    }
    for tool in listed {
        let tool = read(tool, secrets)?;
        if tools.iter().any(|other| other.name == tool.name) {
            return Err(McpError::Broken(format!("it has two tools '{}'", tool.name)));
        }
        tools.push(tool);
    }
    Ok(())
}

fn read(tool: &Value, secrets: &Secrets) -> Result<ListedTool, McpError> {
    let name = tool.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let Some(name) = name else { return Err(McpError::Broken("one of its tools has no name".to_owned())) };
    let shown: String = name.chars().take(100).collect();
    let wrong = |why: &str| McpError::Broken(format!("the input schema of its tool '{shown}' {why}"));
    let Some(Value::Object(schema)) = tool.get("inputSchema") else { return Err(wrong("is not an object")) };
    let parameters = object_schema(schema).map_err(wrong)?;
    if parameters.to_string().len() > SCHEMA_BYTES {
        return Err(wrong(&format!("has more than {SCHEMA_BYTES} bytes")));
    }
    let parameters = secrets.hide_in(parameters);
    let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
    // Hidden before it is cut: half a secret would not be found.
    let description = secrets.hide(description.to_owned()).chars().take(DESCRIPTION_CHARACTERS).collect();
    let (shown, effect) = (secrets.hide(name.to_owned()), effect(tool));
    Ok(ListedTool { name: name.to_owned(), shown, description, parameters, effect })
}

/// What a server says that its tool may change. Every call has a key.
fn effect(tool: &Value) -> Effect {
    let says = |part: &str, name: &str| tool.get(part).and_then(|part| part.get(name)) == Some(&json!(true));
    let is_idempotent = says("annotations", "idempotentHint") || says("_meta", IDEMPOTENCY_KEY);
    match (says("annotations", "readOnlyHint"), is_idempotent) {
        (true, _) => Effect::None,
        (false, true) => Effect::Idempotent,
        (false, false) => Effect::Unknown,
    }
}

/// A schema of arguments, as far as its shape can be seen. Whether the rest compiles is for the provider to say.
fn object_schema(schema: &Map<String, Value>) -> Result<Value, &'static str> {
    let mut schema = schema.clone();
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        None => {
            schema.insert("type".to_owned(), json!("object"));
        }
        Some(_) => return Err("does not describe an object"),
    }
    let is_schema = |value: &Value| value.is_object() || value.is_boolean();
    match schema.get("properties") {
        None => {
            // Some providers insist on it.
            schema.insert("properties".to_owned(), json!({}));
        }
        Some(Value::Object(properties)) if properties.values().all(is_schema) => {}
        Some(_) => return Err("has properties that are not schemas"),
    }
    let names = |value: &Value| value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
    match schema.get("required") {
        Some(required) if !names(required) => Err("has a 'required' that is not a list of names"),
        _ => Ok(Value::Object(schema)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(tools: Value) -> Result<Vec<ListedTool>, String> {
        let (mut all, secrets) = (Vec::new(), Secrets::default());
        page(&json!({"tools": tools}), &mut all, &secrets).map_err(|fault| fault.to_string())?;
        Ok(all)
    }

    #[test]
    fn valid_tools_are_accepted() {
        let long = "d".repeat(DESCRIPTION_CHARACTERS + 1);
        let tools = listed(json!([
            {"name": "a", "description": long, "inputSchema": {"type": "object", "properties": {"x": true}, "required": ["x"]}},
            {"name": "b", "inputSchema": {}},
        ]));
        let schema = json!({"type": "object", "properties": {"x": true}, "required": ["x"]});
        let expected = vec![
            ListedTool {
                name: "a".into(),
                shown: "a".into(),
                description: "d".repeat(DESCRIPTION_CHARACTERS),
                parameters: schema,
                effect: Effect::Unknown,
            },
            ListedTool {
                name: "b".into(),
                shown: "b".into(),
                description: String::new(),
                parameters: json!({"type": "object", "properties": {}}),
                effect: Effect::Unknown,
            },
        ];
        assert_eq!(tools, Ok(expected));
    }

    #[test]
    fn a_server_says_what_a_second_call_does() {
        let cases = [
            (json!({}), Effect::Unknown),
            (json!({"annotations": {"readOnlyHint": true}}), Effect::None),
            (json!({"annotations": {"idempotentHint": true}}), Effect::Idempotent),
            (
                json!({"annotations": {"idempotentHint": false}, "_meta": {IDEMPOTENCY_KEY: true}}),
                Effect::Idempotent,
            ),
            (json!({"_meta": {IDEMPOTENCY_KEY: "yes"}}), Effect::Unknown),
        ];
        for (tool, expected) in cases {
            assert_eq!(effect(&tool), expected, "{tool}");
        }
    }

    #[test]
    fn reports_violations_of_the_protocol() {
        let many: Vec<Value> =
            (0..10_000).map(|number| json!({"name": number.to_string(), "inputSchema": {}})).collect();
        let huge = json!({"type": "object", "description": "x".repeat(SCHEMA_BYTES)});
        let cases = [
            (json!("tools"), "its tool list is not a list"),
            (json!([{"inputSchema": {}}]), "one of its tools has no name"),
            (json!([{"name": "a"}]), "the input schema of its tool 'a' is not an object"),
            (json!([{"name": "a", "inputSchema": 5}]), "the input schema of its tool 'a' is not an object"),
            (
                json!([{"name": "a", "inputSchema": {"type": "string"}}]),
                "the input schema of its tool 'a' does not describe an object",
            ),
            (
                json!([{"name": "a", "inputSchema": {"properties": {"x": 5}}}]),
                "the input schema of its tool 'a' has properties that are not schemas",
            ),
            (
                json!([{"name": "a", "inputSchema": {"required": "x"}}]),
                "the input schema of its tool 'a' has a 'required' that is not a list of names",
            ),
            (
                json!([{"name": "a", "inputSchema": huge}]),
                "the input schema of its tool 'a' has more than 65536 bytes",
            ),
            (
                json!([{"name": "a", "inputSchema": {}}, {"name": "a", "inputSchema": {}}]),
                "it has two tools 'a'",
            ),
            (json!(many), "it has 10000 tools or more; the limit is 128"),
        ];
        for (tools, expected) in cases {
            assert_eq!(listed(tools), Err(expected.to_owned()));
        }
    }
}
