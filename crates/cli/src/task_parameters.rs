//! Single parameters on the command line: `--param KEY=VALUE`, and TASK for `prompt`.

use serde_json::Value;

use crate::document::Input;
use crate::failure::{Failure, Problem};

/// What TASK is short for.
pub(crate) const TASK: &str = "prompt";

/// The text of TASK; '-' reads stdin.
pub(crate) fn task(given: &str) -> Result<String, Failure> {
    match given {
        "-" => Ok(Input::Stdin.read()?.text),
        task => Ok(task.to_owned()),
    }
}

/// The names and texts of `--param`, in order. A name that is given twice is refused: one of its values would be dropped
/// without a word.
pub(crate) fn members<'a>(
    params: &'a [String],
    task: Option<&String>,
) -> Result<Vec<(&'a str, &'a str)>, Problem> {
    let mut members: Vec<(&str, &str)> = Vec::new();
    for param in params {
        let Some((name, text)) = param.split_once('=') else {
            let message = format!("invalid --param {param}: expected KEY=VALUE");
            return Err(Problem::new(message).hint("for example --param name=Ada"));
        };
        if members.iter().any(|member| member.0 == name) {
            let hint = "pass it once; write a list as JSON: --param KEY='[1, 2]'";
            return Err(Problem::new(format!("--param {name} is given twice")).hint(hint));
        }
        if name == TASK && task.is_some() {
            let message =
                format!("both TASK and --param {TASK} are given, but TASK is short for --param {TASK}");
            return Err(Problem::new(message).hint("pass only one of them"));
        }
        members.push((name, text));
    }
    Ok(members)
}

/// The value of a text: itself where the schema of the whole asks for a text there; else JSON, where it is JSON.
pub(crate) fn value(schema: &Value, name: &str, text: &str) -> Value {
    let wanted = schema.get("properties").and_then(|all| all.get(name)?.get("type"));
    let wants_text = match wanted {
        Some(Value::String(wanted)) => wanted == "string",
        Some(Value::Array(wanted)) => wanted.iter().any(|wanted| wanted == "string"),
        _ => false,
    };
    let as_text = || Value::String(text.to_owned());
    if wants_text { as_text() } else { serde_json::from_str(text).unwrap_or_else(|_| as_text()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_parameter_stays_a_string() {
        let schema = json!({"properties": {
            "id": {"type": "string"}, "maybe": {"type": ["string", "null"]}, "count": {"type": "integer"}
        }});
        assert_eq!(value(&schema, "id", "42"), json!("42"));
        assert_eq!(value(&schema, "maybe", "null"), json!("null"));
        assert_eq!(value(&schema, "count", "42"), json!(42));
        assert_eq!(value(&schema, "count", "many"), json!("many"));
        assert_eq!(value(&schema, "other", "[1]"), json!([1]));
        assert_eq!(value(&Value::Null, "other", "[1]"), json!([1]));
    }

    #[test]
    fn duplicate_names_are_rejected() {
        let params = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let task = "do it".to_owned();
        let good = params(&["a=1", "b=x=y", "=", "A=2"]);
        let expected = vec![("a", "1"), ("b", "x=y"), ("", ""), ("A", "2")];
        assert_eq!(members(&good, Some(&task)).ok(), Some(expected));
        for (texts, task, expected) in [
            (&["a=1", "b=2", "a=1"][..], None, "--param a is given twice"),
            (&["prompt=a", "prompt=b"], None, "--param prompt is given twice"),
            (&["prompt=a"], Some(&task), "both TASK and --param prompt are given"),
            (&["a=1", "prompt"], Some(&task), "invalid --param prompt: expected KEY=VALUE"),
        ] {
            let problem = format!("{:?}", members(&params(texts), task).unwrap_err());
            assert!(problem.contains(expected), "{texts:?}: {problem}");
        }
    }
}
