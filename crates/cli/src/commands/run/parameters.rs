//! The parameters of a run, from the command line.

use serde_json::{Map, Value};

use super::Arguments;
use crate::document::Input;
use crate::failure::{Failure, Problem};
use crate::given;

/// All parameters: the file first, then single ones, then the task.
pub(super) fn read(arguments: &Arguments, blueprint: &Value) -> Result<Value, Failure> {
    let mut all = match &arguments.params {
        Some(file) => object(Input::of(Some(file)).read()?.json("parameters")?)?,
        None => Map::new(),
    };
    for (key, text) in given::members(&arguments.param, arguments.task.as_ref())? {
        all.insert(key.to_owned(), value(blueprint, key, text));
    }
    if let Some(task) = &arguments.task {
        let task = if task == "-" { Input::Stdin.read()?.text } else { task.clone() };
        all.insert(given::TASK.to_owned(), Value::String(task));
    }
    Ok(Value::Object(all))
}

fn object(value: Value) -> Result<Map<String, Value>, Problem> {
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(Problem::new("the parameters are not a JSON object")),
    }
}

/// A text where the agent asks for one; else JSON, where it is JSON.
fn value(blueprint: &Value, key: &str, text: &str) -> Value {
    let wanted = blueprint.pointer("/parameters_schema/properties").and_then(|all| all.get(key)?.get("type"));
    let wants_text = match wanted {
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => names.iter().any(|name| name == "string"),
        _ => blueprint.get("parameters_schema").is_none(),
    };
    if wants_text {
        return Value::String(text.to_owned());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_stays_a_text_where_one_is_asked() {
        let agent = json!({"parameters_schema": {"properties": {
            "id": {"type": "string"}, "maybe": {"type": ["string", "null"]}, "count": {"type": "integer"}
        }}});
        assert_eq!(value(&agent, "id", "42"), json!("42"));
        assert_eq!(value(&agent, "maybe", "null"), json!("null"));
        assert_eq!(value(&agent, "count", "42"), json!(42));
        assert_eq!(value(&agent, "count", "many"), json!("many"));
        assert_eq!(value(&agent, "other", "[1]"), json!([1]));
        assert_eq!(value(&json!({}), "prompt", "42"), json!("42"));
    }
}
