//! JSON values that are read and put together.

use serde::de::Error as _;
use serde_json::{Error, Value};

/// How the names begin that `serde_json` keeps for itself.
const PRIVATE: &str = "$serde_json::private::";

/// Reads what a model or a program wrote. `serde_json` takes an object with a name of its own for another value:
/// `{"$serde_json::private::RawValue": "12"}` for 12. Nobody asked for that value, so the text is refused.
pub(crate) fn read(text: &str) -> Result<Value, Error> {
    let value = serde_json::from_str(text)?;
    match has_private_name(text) {
        true => Err(Error::custom(format!("names that start with `{PRIVATE}` are reserved; use another"))),
        false => Ok(value),
    }
}

/// Whether an object in a JSON text has a name that `serde_json` keeps for itself, however it is spelled.
fn has_private_name(json: &str) -> bool {
    // There are two ways to write a dollar, and hardly a text has a string that begins with one.
    if !json.contains("\"$") && !json.contains("\"\\u0024") {
        return false;
    }
    let mut rest = json;
    while let Some((_, string)) = rest.split_once('"') {
        let (written, after) = string.split_at(end_of(string));
        rest = after.strip_prefix('"').unwrap_or_default();
        let is_name = rest.trim_start().starts_with(':');
        let name = || serde_json::from_str::<String>(&format!("\"{written}\""));
        if is_name && name().is_ok_and(|name| name.starts_with(PRIVATE)) {
            return true;
        }
    }
    false
}

/// Where a string ends whose first quote is left out.
fn end_of(string: &str) -> usize {
    let mut is_escaped = false;
    let end = string.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(string.len())
}

/// Sets a member of an object; what is no object stays as it is.
pub(crate) fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_is_read_as_another_value() {
        for text in [
            r#"{"$serde_json::private::RawValue":"12"}"#,
            r#"{"$serde_json::private::Number" : "12"}"#,
            r#"[{"a\\": {"\u0024serde_json::private::Raw\u0056alue":"{}"}}]"#,
        ] {
            let error = read(text).unwrap_err();
            assert!(error.to_string().contains("$serde_json::private::"), "{text}: {error}");
        }
    }

    #[test]
    fn reads_texts_that_mention_reserved_names() {
        for value in [
            json!({"text": "{\"$serde_json::private::RawValue\":\"12\"}", "n": 1}),
            json!({"text": "$serde_json::private::RawValue", "$ref": "#/a", "$": [1.5, "\\", "$x"]}),
        ] {
            assert_eq!(read(&value.to_string()).unwrap(), value);
        }
        assert!(read("{").unwrap_err().is_eof());
    }
}
