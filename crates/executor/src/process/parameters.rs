//! Parameters as a command takes them: JSON on stdin, `--key value` arguments, or both.

use serde_json::{Map, Value};

use crate::session::OpenError;

use super::settings::ParametersAs;

/// What Linux takes as one argument is 128 KiB; what is longer belongs on stdin.
const MAX_VALUE_BYTES: usize = 100 * 1024;

/// All arguments together. The system takes some MiB, shared with the variables.
const MAX_FLAGS_BYTES: usize = 1024 * 1024;

/// Longer names are no names.
const MAX_KEY_BYTES: usize = 100;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    pub(super) stdin: Option<Vec<u8>>,
    pub(super) flags: Vec<String>,
}

pub(super) fn pass(way: ParametersAs, parameters: &Value) -> Result<Invocation, OpenError> {
    let stdin =
        matches!(way, ParametersAs::Json | ParametersAs::Both).then(|| parameters.to_string().into_bytes());
    let flags = match (way, parameters) {
        (ParametersAs::Json, _) => Vec::new(),
        (_, Value::Object(parameters)) => flags(parameters)?,
        _ => return Err(wrong("expected an object")),
    };
    Ok(Invocation { stdin, flags })
}

/// Strings as they are, everything else as JSON: `--name value`, `--count 3`, `--deep true`.
fn flags(parameters: &Map<String, Value>) -> Result<Vec<String>, OpenError> {
    let mut flags = Vec::new();
    let mut total: usize = 0;
    for (key, value) in parameters {
        if !is_name(key) {
            let key: String = key.chars().take(MAX_KEY_BYTES).collect();
            return Err(wrong(&format!(
                "invalid name {key:?}: expected letters, digits, '_', '-' and '.', starting with a letter or digit"
            )));
        }
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if value.contains('\0') {
            return Err(wrong(&format!("the value of '{key}' contains a NUL character")));
        }
        total = total.saturating_add(key.len() + value.len());
        if value.len() > MAX_VALUE_BYTES || total > MAX_FLAGS_BYTES {
            return Err(wrong(&format!("they are too long (at '{key}')")));
        }
        flags.extend([format!("--{key}"), value]);
    }
    Ok(flags)
}

/// A name that cannot be mistaken for another option.
fn is_name(key: &str) -> bool {
    let plain = |each: char| each.is_ascii_alphanumeric() || matches!(each, '_' | '-' | '.');
    key.len() <= MAX_KEY_BYTES
        && key.chars().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && key.chars().all(plain)
}

fn wrong(why: &str) -> OpenError {
    OpenError::Settings(format!("the parameters cannot be passed as flags: {why}; use `parameters_as: json`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strings_are_passed_unchanged_and_other_values_as_json() {
        let parameters = json!({"name": "a b", "count": 10000000000000000000001_i128.to_string(), "deep": true, "list": [1, null]});
        let flags =
            ["--name", "a b", "--count", "10000000000000000000001", "--deep", "true", "--list", "[1,null]"];
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let stdin = Some(parameters.to_string().into_bytes());
        assert_eq!(
            pass(ParametersAs::Flags, &parameters).unwrap(),
            Invocation { stdin: None, flags: flags.clone() }
        );
        assert_eq!(
            pass(ParametersAs::Both, &parameters).unwrap(),
            Invocation { stdin: stdin.clone(), flags }
        );
        assert_eq!(pass(ParametersAs::Json, &parameters).unwrap(), Invocation { stdin, flags: Vec::new() });
        assert_eq!(
            pass(ParametersAs::Json, &json!([1])).unwrap(),
            Invocation { stdin: Some(b"[1]".to_vec()), flags: Vec::new() }
        );
    }

    #[test]
    fn rejects_parameters_that_cannot_be_flags() {
        for parameters in [
            json!({"-x": 1}),
            json!({"": 1}),
            json!({"a b": 1}),
            json!({"a=b": 1}),
            json!({"é": 1}),
            json!({"a\0": 1}),
            json!({"a".repeat(101): 1}),
            json!({"a": "b\0c"}),
            json!({"a": "x".repeat(MAX_VALUE_BYTES + 1)}),
            json!("text"),
            json!(null),
        ] {
            let error = pass(ParametersAs::Flags, &parameters).unwrap_err();
            assert!(
                matches!(error, OpenError::Settings(text) if text.ends_with("; use `parameters_as: json`"))
            );
        }
        let many: Map<String, Value> =
            (0..20).map(|n| (format!("k{n}"), json!("x".repeat(90_000)))).collect();
        let error = pass(ParametersAs::Flags, &Value::Object(many)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the parameters cannot be passed as flags: they are too long (at 'k11'); use `parameters_as: json`"
        );
    }
}
