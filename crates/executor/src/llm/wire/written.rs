//! The arguments of tool calls that came as objects, as text.
//!
//! A parsed object has lost what the judge has to see: duplicate keys, and how numbers were written. So the text of each
//! object is taken from the answer, without parsing it.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// Replaces the objects and lists at the end of a path of keys by their text. The path goes through every item of lists.
/// `text` is what the value was read from.
pub(super) fn spell(value: &mut Value, text: &str, path: &[&str]) {
    if leads_somewhere(value, path) {
        put(value, text, path);
    }
}

fn leads_somewhere(value: &Value, path: &[&str]) -> bool {
    match (value, path) {
        (_, []) => true,
        (Value::Array(items), path) => items.iter().any(|item| leads_somewhere(item, path)),
        (value, [key, rest @ ..]) => value.get(*key).is_some_and(|field| leads_somewhere(field, rest)),
    }
}

fn put(value: &mut Value, text: &str, path: &[&str]) {
    match (value, path) {
        (value, []) if text.starts_with(['{', '[']) => *value = Value::from(text),
        (Value::Array(items), [_, ..]) => {
            let texts: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            for (item, text) in items.iter_mut().zip(texts) {
                put(item, text.get(), path);
            }
        }
        (Value::Object(fields), [key, rest @ ..]) => {
            let texts: HashMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
            if let (Some(field), Some(text)) = (fields.get_mut(*key), texts.get(*key)) {
                put(field, text.get(), rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spelled(text: &str, path: &[&str]) -> Value {
        let mut value = serde_json::from_str(text).unwrap();
        spell(&mut value, text, path);
        value
    }

    #[test]
    fn duplicate_keys_and_numbers_are_kept() {
        let arguments = r#"{"n": 1, "n": 1.10e2}"#;
        let text =
            format!(r#"{{"calls": [{{"id": 1}}, 7, {{"of": {{"arguments": {arguments}, "name": "a"}}}}]}}"#);
        let expected = json!({"calls": [{"id": 1}, 7, {"of": {"arguments": arguments, "name": "a"}}]});
        assert_eq!(spelled(&text, &["calls", "of", "arguments"]), expected);
        let list = format!(r#"{{"arguments": [{arguments}]}}"#);
        assert_eq!(spelled(&list, &["arguments"]), json!({"arguments": format!("[{arguments}]")}));
        let private = r#"{"$serde_json::private::RawValue": "{}"}"#;
        let text = format!(r#"{{"arguments": {private}}}"#);
        assert_eq!(spelled(&text, &["arguments"]), json!({"arguments": private}));
    }

    #[test]
    fn keeps_values_that_are_not_objects() {
        for text in [r#"{"arguments": "{}"}"#, r#"{"arguments": null}"#, r#"{"other": {}}"#, "7", "[]"] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(spelled(text, &["arguments"]), value, "{text}");
        }
    }
}
