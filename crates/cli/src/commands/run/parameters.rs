//! The parameters of a run, from the command line.

use std::path::Path;

use accord_executor::Cassette;
use serde_json::{Map, Value};

use super::RequestArguments;
use crate::document::Input;
use crate::failure::{Failure, Problem};
use crate::task_parameters;

/// All parameters: the file first, then single ones, then the task.
pub(super) fn read(agent: &str, arguments: &RequestArguments, blueprint: &Value) -> Result<Value, Failure> {
    if arguments.recorded {
        return Ok(recording(agent, blueprint, &arguments.connection.config(Vec::new())?.project)?.parameters);
    }
    let mut all = match &arguments.params {
        Some(file) => object(Input::of(Some(file)).read()?.json("parameters")?)?,
        None => Map::new(),
    };
    for (key, text) in task_parameters::members(&arguments.param, arguments.task.as_ref())? {
        all.insert(key.to_owned(), value(blueprint, key, text));
    }
    if let Some(task) = &arguments.task {
        all.insert(task_parameters::TASK.to_owned(), Value::String(task_parameters::task(task)?));
    }
    Ok(Value::Object(all))
}

/// The recording that an agent plays.
pub(super) fn recording(agent: &str, blueprint: &Value, project: &Path) -> Result<Cassette, Failure> {
    let Some(cassette) = blueprint.pointer("/executor/cassette").and_then(Value::as_str) else {
        return Err(Problem::new(format!("agent '{agent}' plays no recording"))
            .hint(
                "--recorded is for agents with the executor replay; pass the input with --param or --params",
            )
            .into());
    };
    let file = project.join(cassette);
    let text = Input::of(Some(&file)).read()?.text;
    let cassette = Cassette::from_text(&text);
    Ok(cassette.map_err(|error| Problem::new(format!("{}: {error}", file.display())))?)
}

fn object(value: Value) -> Result<Map<String, Value>, Problem> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(Problem::new(format!(
            "expected a JSON object with parameters, got {}",
            accord_json::kind_of(&other)
        ))),
    }
}

/// The value of a parameter on the command line. An agent without a parameter schema takes strings.
pub(crate) fn value(blueprint: &Value, key: &str, text: &str) -> Value {
    match blueprint.get("parameters_schema") {
        Some(schema) => task_parameters::value(schema, key, text),
        None => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_agent_without_a_schema_gets_strings() {
        assert_eq!(value(&json!({}), "prompt", "42"), json!("42"));
        let agent = json!({"parameters_schema": {"properties": {"count": {"type": "integer"}}}});
        assert_eq!(value(&agent, "count", "42"), json!(42));
    }
}
