//! Values of any kind, written as JSON text inside a string.

use serde_json::Value;

/// Why a text that was meant as JSON cannot be taken.
pub(super) struct DuplicateKey;

/// The value that a text holds; none when it is not JSON, and so stands for itself.
pub(super) fn read(text: &str) -> Result<Option<Value>, DuplicateKey> {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Ok(None) };
    // Parsing keeps one of two members with the same name. In valid JSON each member has one colon outside
    // of strings, so a member that went missing shows.
    if colons(text) == members(&value) { Ok(Some(value)) } else { Err(DuplicateKey) }
}

/// The text of a value, from which `read` gets the value back.
pub(super) fn write(value: &Value) -> Value {
    Value::String(value.to_string())
}

fn colons(text: &str) -> usize {
    let (mut count, mut inside, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b':' if !inside => count += 1,
            _ => {}
        }
    }
    count
}

fn members(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(members).sum(),
        Value::Object(map) => map.len() + map.values().map(members).sum::<usize>(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_is_not_json_stands_for_itself() {
        assert!(matches!(read("hello"), Ok(None)));
    }

    #[test]
    fn a_repeated_key_is_found_at_any_depth() {
        assert!(read(r#"{"a": [{"b": 1, "b": 2}]}"#).is_err());
        assert!(matches!(read(r#"{"a:\"": ":{", "b": {}}"#), Ok(Some(_))));
    }

    #[test]
    fn what_is_written_is_read() {
        let value = json!({"a": [1.50, null, "x:\"y\\"], "": {}});
        let Value::String(text) = write(&value) else { panic!("not a text") };
        assert!(read(&text).is_ok_and(|read| read == Some(value)));
    }
}
